"""Markdown: sheets start at breaks before headings, front matter is data, tables are tables."""

import pytest

from reviewer.documents.markdown import markdown_to_html, split_front_matter, text_to_html
from tests.documents.conftest import Read

SHEETS = "## One\n\ntext\n\n---\n\n## Two\n\ntext\n\n---\n\n### Not a new sheet\n\ntext\n\n---\n\n# Three\n"


def test_a_break_before_a_heading_of_level_one_or_two_starts_a_sheet(read: Read) -> None:
    document = read(SHEETS, "a.md")
    assert [sheet.text.split("\n")[0] for sheet in document.sheets] == ["One", "Two", "Three"]


def test_other_breaks_stay_rules_and_a_last_one_is_dropped() -> None:
    html = markdown_to_html(SHEETS + "\n***\n")
    assert html.count("<hr") == 1
    assert html.count("new-sheet") == 2


@pytest.mark.parametrize("end", ["---", "..."])
def test_front_matter_is_data_and_not_text(end: str, read: Read) -> None:
    text = f"---\ntitle: Secret title\nlang: en-GB\n{end}\n\n# Offer\n\nText.\n"
    assert split_front_matter(text) == (
        {"title": "Secret title", "lang": "en-GB"},
        "\n# Offer\n\nText.\n",
    )
    assert read(text, "a.md").sheets[0].text == "Offer\nText."


@pytest.mark.parametrize(
    "text", ["---\n\n# Offer\n\n---\n\ntext\n", "---\nnot: [valid\n---\n", "---\njust text\n---\nx"]
)
def test_a_break_at_the_top_is_no_front_matter(text: str) -> None:
    data, rest = split_front_matter(text)
    assert data == {}
    assert rest == text


def test_tables_footnotes_and_html_are_shown(read: Read) -> None:
    text = (
        "# Fee\n\n| Phase | Fee |\n| --- | ---: |\n| Design | $147,000 |\n\n"
        "Fixed[^1] for <em>all</em> ~~old~~ work.\n\n[^1]: Travel is extra.\n"
    )
    shown = read(text, "a.md").sheets[0].text
    assert "Phase Fee\nDesign $147,000\n" in shown
    assert "for all old work" in shown
    assert "Travel is extra." in shown


def test_plain_text_keeps_its_lines_and_escapes_what_looks_like_markup(read: Read) -> None:
    assert "&lt;b&gt;" in text_to_html("<b>")
    sheet = read("Fee:   642,000\n  <script>x</script> & more\n\n\nEnd", "a.txt").sheets[0]
    assert sheet.text == "Fee: 642,000\n<script>x</script> & more\nEnd"
