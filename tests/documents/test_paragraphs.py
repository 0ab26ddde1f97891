"""Paragraphs keep their hash wherever they stand, and heads and numbers are in none."""

from pathlib import Path
from textwrap import wrap

from reviewer.documents.paragraphs import paragraph_hash
from reviewer.documents.sheets import DocumentRead
from tests.documents.conftest import Read
from tests.documents.making import Deck, HandPdf, lines_of, text_at

PROPOSAL = """# Harbor Mutual

We redesign intake across four channels, and we train the teams who will work with it, so that
supervisors can read and change every rule themselves.

| Phase | Weeks | Fee |
| --- | --- | --- |
| Understand | 1-4 | $91,000 |
| Design the rules together with the supervisors of both service centers | 4-9 | $147,000 |

- Phone and portal notices are keyed straight in.
- Email notices are re-keyed by a team of nine, and this list item is long enough to need a
  second line on the page.

Next step: we call you on Thursday.
"""


def hashes(document: DocumentRead) -> list[str]:
    return [one.hash for sheet in document.sheets for one in sheet.paragraphs]


def texts(document: DocumentRead) -> list[str]:
    return [one.text for sheet in document.sheets for one in sheet.paragraphs]


def test_each_block_is_a_paragraph_and_each_table_row_is_one(read: Read) -> None:
    found = texts(read(PROPOSAL, "a.md"))
    assert [text.split()[0] for text in found] == [
        "Harbor",
        "We",
        "Phase",
        "Understand",
        "Design",
        "•",
        "•",
        "Next",
    ]
    assert found[4] == (
        "Design the rules together with the supervisors of both service centers 4-9 $147,000"
    )


def test_paragraphs_cover_every_word_once(read: Read) -> None:
    sheet = read(PROPOSAL, "a.md").sheets[0]
    covered = [
        index for one in sheet.paragraphs for index in range(one.first_word, one.last_word + 1)
    ]
    assert covered == list(range(len(sheet.words)))


def test_the_same_document_read_twice_has_the_same_hashes(read: Read) -> None:
    assert hashes(read(PROPOSAL, "a.md")) == hashes(read(PROPOSAL, "b.md"))


def test_a_moved_paragraph_keeps_its_hash(read: Read) -> None:
    blocks = PROPOSAL.split("\n\n")
    moved = "\n\n".join([blocks[0], "A new opening line.", *reversed(blocks[1:])])
    assert set(hashes(read(PROPOSAL, "a.md"))) <= set(hashes(read(moved, "b.md")))


def test_an_edit_changes_the_hash_of_its_paragraph_alone(read: Read) -> None:
    before, after = read(PROPOSAL, "a.md"), read(PROPOSAL.replace("$91,000", "$92,000"), "b.md")
    changed = [a for a, b in zip(hashes(before), hashes(after), strict=True) if a != b]
    assert len(changed) == 1


def test_a_changed_running_head_changes_no_hash(read: Read, tmp_path: Path) -> None:
    one = read(Deck(head="Acme Systems proposal").write(tmp_path / "a.html"))
    other = read(Deck(head="Draft 7, not for release").write(tmp_path / "b.html"))
    assert hashes(one) == hashes(other)
    assert not [text for text in texts(one) if "proposal" in text or "Page" in text]
    assert "Acme Systems proposal" in one.sheets[0].text


def test_other_page_numbers_change_no_hash(read: Read, tmp_path: Path) -> None:
    one = read(Deck().write(tmp_path / "a.html"))
    numbers = {n: n + 10 for n in range(1, 5)}
    assert hashes(one) == hashes(read(Deck(numbers=numbers).write(tmp_path / "b.html")))


def test_a_title_that_counts_is_no_running_head(read: Read, tmp_path: Path) -> None:
    pages = [
        text_at(60, 780, f"Phase {n + 1}: {name}", size=20)
        + lines_of("We do the work of this phase in four weeks.", top=700)
        for n, name in enumerate(("Understand", "Design", "Build", "Pilot"))
    ]
    found = texts(read(HandPdf(pages).write(tmp_path / "a.pdf")))
    assert [text for text in found if text.startswith("Phase")] == [
        "Phase 1: Understand",
        "Phase 2: Design",
        "Phase 3: Build",
        "Phase 4: Pilot",
    ]


def test_other_line_breaks_change_no_hash(read: Read, tmp_path: Path) -> None:
    words = "We redesign the intake of claims across all four reporting channels in spring"
    found = [
        hashes(read(HandPdf([lines_of(*wrap(words, width))]).write(tmp_path / f"{width}.pdf")))
        for width in (30, 48)
    ]
    assert found[0] == found[1]
    assert len(found[0]) == 1


def test_hash_folds_breaks_and_list_markers_and_nothing_that_carries_meaning() -> None:
    same = paragraph_hash("• The assignment of claims")
    assert paragraph_hash("2. The assign-\nment  of claims") == same
    assert paragraph_hash("The assign\u2010 ment of claims") == same
    for other in (
        "The assignment of claim",
        "the assignment of claims",
        "The assignment of -claims",
    ):
        assert paragraph_hash(other) != same
    assert paragraph_hash("Fee: -5%") != paragraph_hash("Fee: 5%")
    assert paragraph_hash("中立\n確率") == paragraph_hash("中立確率")
