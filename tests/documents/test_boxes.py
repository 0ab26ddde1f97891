"""The box of every word lies on the ink of that word, at three zooms, however a page is turned."""

from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image, ImageOps

from reviewer.documents.sheets import DocumentRead, SheetRead, Word
from tests.documents.conftest import Read
from tests.documents.making import HandPdf, lines_of, text_at
from tests.shared_cases import case, needs_cases

ZOOMS = (1.0, 2.0, 4.0)
RIGHT_TO_LEFT = """<!DOCTYPE html><html lang="ar" dir="rtl"><body><h1>مقترح المشروع</h1>
<p>نقترح تنفيذ العمل في ثلاث مراحل بتكلفة 45,000 دولار، ويبدأ في 2 فبراير 2026.</p>
<p lang="he">אנו מציעים לבצע את העבודה בשלושה שלבים</p></body></html>"""


def images(document: DocumentRead, zoom: float) -> Iterator[tuple[SheetRead, Image.Image]]:
    """Each sheet with its page drawn at `zoom` pixels a point, in gray."""
    with pypdfium2.PdfDocument(document.pdf) as pdf:
        for sheet in document.sheets:
            page = pdf[sheet.number - 1]
            bitmap = page.render(scale=zoom)
            yield sheet, bitmap.to_pil().convert("L")
            bitmap.close()
            page.close()


def cut_out(image: Image.Image, sheet: SheetRead, word: Word) -> Image.Image:
    across, down = image.width / sheet.width, image.height / sheet.height
    box = (
        int(word.x0 * across),
        int(word.y0 * down),
        int(word.x1 * across) + 1,
        int(word.y1 * down) + 1,
    )
    return image.crop(box)


def has_ink(piece: Image.Image) -> bool:
    darkest, lightest = piece.getextrema()
    return lightest - darkest >= 24  # type: ignore[operator]


def filled(piece: Image.Image) -> tuple[float, float]:
    """How much of the piece's width and height its ink spans; black on white."""
    box = ImageOps.invert(piece).point(lambda value: 255 if value > 60 else 0).getbbox()
    if box is None:
        return 0.0, 0.0
    return (box[2] - box[0]) / piece.width, (box[3] - box[1]) / piece.height


def assert_on_ink(document: DocumentRead) -> None:
    for zoom in ZOOMS:
        for sheet, image in images(document, zoom):
            for word in sheet.words:
                assert has_ink(cut_out(image, sheet, word)), (zoom, sheet.number, word)


@needs_cases
@pytest.mark.parametrize(
    "path",
    [
        "hard/rotation.pdf",
        "hard/hello_world_rotated.pdf",
        "hard/sizes.pdf",
        "proposals/ogrants_zhu_rebecca_2018.pdf",
    ],
)
def test_boxes_lie_on_ink_in_shared_cases(path: str, read: Read) -> None:
    document = read(case("documents", path))
    assert all(sheet.words for sheet in document.sheets)
    assert_on_ink(document)


def test_boxes_lie_on_ink_on_a_page_that_runs_from_right_to_left(read: Read) -> None:
    document = read(RIGHT_TO_LEFT, "rtl.html")
    assert len(document.sheets[0].words) > 20
    assert_on_ink(document)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, [40.0, 50.0, 560.0, 800.0]])
def test_boxes_fit_the_ink_of_a_turned_and_cropped_page(
    turn: int, crop: list[float] | None, read: Read, tmp_path: Path
) -> None:
    boxes = {"/CropBox": crop} if crop else {}
    content = text_at(100, 700, "Mammoth") + text_at(300, 200, "HARBOR", size=30)
    pdf = HandPdf([content], rotate=turn, boxes=boxes)
    sheet_words: list[str] = []
    document = read(pdf.write(tmp_path / "turned.pdf"))
    for sheet, image in images(document, 4.0):
        upright = turn in (0, 180)
        width, height = (520, 750) if crop else (595, 842)
        assert (sheet.width, sheet.height) == ((width, height) if upright else (height, width))
        for word in sheet.words:
            across, down = filled(cut_out(image, sheet, word))
            assert across > 0.9, word
            assert down > 0.9, word
            sheet_words.append(word.text)
    assert sheet_words == ["Mammoth", "HARBOR"]


def test_the_page_image_shows_the_words_where_their_boxes_say(read: Read, tmp_path: Path) -> None:
    pdf = HandPdf([lines_of("The fee is $642,000 for 26 weeks.", "It is due in May.")], rotate=90)
    sheet = read(pdf.write(tmp_path / "page.pdf")).sheets[0]
    image = Image.open(sheet.image).convert("L")
    assert (image.width, image.height) == (sheet.image_width, sheet.image_height)
    assert len(sheet.words) == 12
    for word in sheet.words:
        assert has_ink(cut_out(image, sheet, word)), word


def test_a_very_flat_and_a_very_wide_page_keep_their_boxes(read: Read, tmp_path: Path) -> None:
    flat = HandPdf([text_at(20, 2, "flat", size=7)], size=(200, 9))
    wide = HandPdf([text_at(3800, 50, "far right")], size=(4000, 100))
    for number, pdf in enumerate((flat, wide)):
        document = read(pdf.write(tmp_path / f"{number}.pdf"))
        assert_on_ink(document)
        assert document.sheets[0].image_width <= 3000
