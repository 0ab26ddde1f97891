"""What leaves is what was on the sheets: nothing hidden in a file comes out with it."""

import shutil
import subprocess
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from pikepdf import Array, Dictionary, Name, String

from reviewer.documents import outgoing
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.leaving import rewrite_pdf
from reviewer.documents.limits import Limits
from tests.shared_cases import CASES

SECRETS = (
    "SECRET-ATTACHMENT", "SECRET-SCRIPT", "SECRET-LAYER", "SECRET-COMMENT", "SECRET-AUTHOR",
    "SECRET-XMP", "SECRET-BOOKMARK", "SECRET-UNUSED", "SECRET-OLD", "SECRET-NAME", "SECRET-PRIVATE",
    "SECRET-ACTION", "SECRET-POPUP", "SECRET-FIELD-NAME", "SECRET-ALTERNATE-TEXT",
)  # fmt: skip


def text_of(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    found = []
    for page in document:
        held = page.get_textpage()
        found.append(held.get_text_range())
        held.close()
        page.close()
    document.close()
    return "\n".join(found)


def everything_in(path: Path) -> bytes:
    """Every stream and string of a file, unpacked, with UTF-16 strings as ASCII too."""
    plain = path.with_suffix(".plain.pdf")
    with pikepdf.open(path) as pdf:
        pdf.save(
            plain,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            object_stream_mode=pikepdf.ObjectStreamMode.disable,
        )
    data = plain.read_bytes()
    return data + data.replace(b"\x00", b"")


@pytest.fixture(scope="module")
def laden(tmp_path_factory) -> Path:
    """One sheet that says "Seen" and "Filled in", and carries everything that may not leave."""
    path = tmp_path_factory.mktemp("laden") / "laden.pdf"
    pdf = pikepdf.Pdf.new()
    page = pdf.add_blank_page(page_size=(400, 400))
    font = pdf.make_indirect(
        Dictionary(Type=Name.Font, Subtype=Name.Type1, BaseFont=Name.Helvetica)
    )
    off = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("SECRET-NAME")))
    on = pdf.make_indirect(Dictionary(Type=Name.OCG, Name=String("Shown")))
    unused = pdf.make_stream(b"BT /F1 9 Tf (SECRET-UNUSED) Tj ET")
    unused.update(Dictionary(Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 9, 9])))
    form = pdf.make_stream(b"BT /F1 9 Tf 20 90 Td (SECRET-LAYER-FORM) Tj ET")
    form.update(
        Dictionary(
            Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 400, 400]), OC=off,
            Resources=Dictionary(Font=Dictionary(F1=font)),
        )
    )  # fmt: skip
    page.obj.Resources = Dictionary(
        Font=Dictionary(F1=font),
        Properties=Dictionary(Off=off, On=on),
        XObject=Dictionary(Unused=unused, Hidden=form),
    )
    page.obj.Contents = pdf.make_stream(
        b"BT /F1 20 Tf 20 300 Td (Seen) Tj ET "
        b"/OC /On BDC BT /F1 12 Tf 20 260 Td (In a layer) Tj ET EMC "
        b"/OC /Off BDC BT /F1 12 Tf 20 220 Td (SECRET-LAYER) Tj ET 0 0 50 50 re f EMC "
        b"/Hidden Do"
    )
    page.obj["/PieceInfo"] = Dictionary(App=Dictionary(Private=String("SECRET-PRIVATE")))
    page.obj["/AA"] = Dictionary(O=Dictionary(S=Name.JavaScript, JS=String("SECRET-SCRIPT")))
    field_look = pdf.make_stream(b"BT /F1 12 Tf 2 4 Td (Filled in) Tj ET")
    field_look.update(
        Dictionary(
            Type=Name.XObject, Subtype=Name.Form, BBox=Array([0, 0, 100, 20]),
            Resources=Dictionary(Font=Dictionary(F1=font)),
        )
    )  # fmt: skip
    field = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot, Subtype=Name.Widget, FT=Name.Tx, T=String("SECRET-FIELD-NAME"),
            V=String("Filled in"), Rect=Array([20, 150, 120, 170]), F=4,
            AP=Dictionary(N=field_look), DA=String("/F1 12 Tf"),
        )
    )  # fmt: skip
    comment = pdf.make_indirect(
        Dictionary(
            Type=Name.Annot, Subtype=Name.Text, Contents=String("SECRET-COMMENT"),
            T=String("SECRET-AUTHOR"), Rect=Array([350, 350, 370, 370]),
        )
    )  # fmt: skip
    popup = Dictionary(Type=Name.Annot, Subtype=Name.Popup, Contents=String("SECRET-POPUP"),
                       Rect=Array([0, 0, 9, 9]), Parent=comment)  # fmt: skip
    run = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([0, 0, 9, 9]),
                     A=Dictionary(S=Name.JavaScript, JS=String("SECRET-ACTION")))  # fmt: skip
    web = Dictionary(Type=Name.Annot, Subtype=Name.Link, Rect=Array([20, 295, 90, 320]),
                     A=Dictionary(S=Name.URI, URI=String("https://example.com/")))  # fmt: skip
    page.obj.Annots = Array([field, comment, popup, run, web])
    pdf.Root.AcroForm = Dictionary(Fields=Array([field]), DR=Dictionary(Font=Dictionary(F1=font)))
    pdf.Root.StructTreeRoot = pdf.make_indirect(
        Dictionary(
            Type=Name.StructTreeRoot,
            K=Dictionary(S=Name.Figure, Alt=String("A tower"), Obj=comment,
                         ActualText=String("SECRET-ALTERNATE-TEXT")),
        )
    )  # fmt: skip
    pdf.Root.OCProperties = Dictionary(
        OCGs=Array([off, on]), D=Dictionary(OFF=Array([off]), ON=Array([on]))
    )
    pdf.Root.OpenAction = Dictionary(S=Name.JavaScript, JS=String("SECRET-SCRIPT"))
    pdf.attachments["notes.txt"] = b"SECRET-ATTACHMENT"
    with pdf.open_metadata() as metadata:
        metadata["dc:description"] = "SECRET-XMP"
    pdf.docinfo["/Author"] = "SECRET-AUTHOR"
    pdf.docinfo["/Producer"] = "SECRET-AUTHOR"
    with pdf.open_outline() as outline:
        outline.root.append(pikepdf.OutlineItem("SECRET-BOOKMARK", 0))
        outline.root.append(pikepdf.OutlineItem("Seen", 0))
    old = pdf.make_indirect(Dictionary(Note=String("SECRET-OLD")))
    pdf.Root["/Forgotten"] = old
    pdf.save(path)
    return path


@pytest.fixture(scope="module")
def left(laden, tmp_path_factory):
    target = tmp_path_factory.mktemp("left") / "client.pdf"
    made = rewrite_pdf(laden, target, title="Control tower")
    return made, target


def test_the_file_that_came_in_holds_every_secret(laden) -> None:
    held = everything_in(laden)
    assert [secret for secret in SECRETS if secret.encode() not in held] == []


@pytest.mark.parametrize("secret", SECRETS)
def test_nothing_hidden_leaves(left, secret) -> None:
    assert secret.encode() not in everything_in(left[1])


def test_what_was_seen_leaves_as_it_was(left) -> None:
    text = text_of(left[1])
    assert all(words in text for words in ("Seen", "In a layer", "Filled in"))
    with pikepdf.open(left[1]) as pdf:
        assert [str(link.A.URI) for link in pdf.pages[0].Annots] == ["https://example.com/"]
        assert set(pdf.docinfo.keys()) == {"/Title"}
        assert "/OCProperties" not in pdf.Root
        with pdf.open_outline() as outline:
            assert [item.title for item in outline.root] == ["Seen"]


def test_it_says_what_was_taken_out_and_which_descriptions_stay(left) -> None:
    made = left[0]
    assert made.removed == (
        "Attached files.",
        "Scripts and actions that run by themselves.",
        "Comments and other notes (1).",
        "Form fields and stamps; what they show stays as print.",
        "Layers; what was hidden in them is gone (2).",
        "Who made the file, when and with what.",
        "Bookmarks that say what is on no sheet (1).",
    )
    assert made.described == ("A tower",)
    assert made.pages == 1


def test_the_same_file_gives_the_same_bytes(laden, left, tmp_path) -> None:
    rewrite_pdf(laden, tmp_path / "again.pdf", title="Control tower")
    assert (tmp_path / "again.pdf").read_bytes() == left[1].read_bytes()


def test_an_author_leaves_where_a_manager_keeps_it(laden, tmp_path) -> None:
    rewrite_pdf(laden, tmp_path / "kept.pdf", title="T", keep=["author"])
    with pikepdf.open(tmp_path / "kept.pdf") as pdf:
        assert str(pdf.docinfo["/Author"]) == "SECRET-AUTHOR"
        assert "/Producer" not in pdf.docinfo


@pytest.mark.parametrize("program", ["qpdf", "pdfinfo"])
def test_other_readers_open_it_without_complaint(left, program) -> None:
    if shutil.which(program) is None:
        pytest.skip(f"{program} ABSENT")
    asked = [program, *(["--check"] if program == "qpdf" else []), str(left[1])]
    told = subprocess.run(asked, capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")


def test_a_result_that_looks_otherwise_does_not_leave(laden, tmp_path, monkeypatch) -> None:
    def spoil(pdf, layers) -> int:
        pdf.pages[0].Contents = pdf.make_stream(b"0 0 200 200 re f")
        return 0

    monkeypatch.setattr(outgoing, "take_out_hidden", spoil)
    with pytest.raises(UnreadableFile, match="does not look like what was read"):
        outgoing.rewrite(laden, tmp_path / "x.pdf", title="", keep=(), limits=Limits(),
                         progress=lambda *at: None)  # fmt: skip


def test_a_result_with_a_word_more_does_not_leave(laden, tmp_path, monkeypatch) -> None:
    real = outgoing._words

    def more(path):
        return [*real(path), *(["more"] if path.name == "x.pdf" else [])]

    monkeypatch.setattr(outgoing, "_words", more)
    with pytest.raises(UnreadableFile):
        outgoing.rewrite(laden, tmp_path / "x.pdf", title="", keep=(), limits=Limits(),
                         progress=lambda *at: None)  # fmt: skip


def test_what_cannot_be_read_does_not_leave(tmp_path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 broken")
    with pytest.raises(UnreadableFile):
        rewrite_pdf(broken, tmp_path / "out.pdf", title="T")
    assert not (tmp_path / "out.pdf").exists()


@pytest.mark.skipif(CASES is None, reason="SHARED CASES ABSENT: no proposals to rewrite")
@pytest.mark.parametrize("name", ["rconsortium_isc-proposal", "czi-seed-rfa"])
def test_a_real_proposal_keeps_its_words(name, tmp_path) -> None:
    assert CASES is not None
    source = CASES / "documents" / "proposals" / f"{name}.pdf"
    rewrite_pdf(source, tmp_path / "out.pdf", title="T")
    assert text_of(tmp_path / "out.pdf") == text_of(source)
