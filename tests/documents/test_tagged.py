"""What is laid out here is a tagged PDF, so that a client's screen reader can read it."""

from pathlib import Path

import pikepdf

from reviewer.documents.intake import read_file


def test_a_pdf_made_from_markdown_says_what_is_a_heading_and_what_a_table(tmp_path: Path):
    source = tmp_path / "offer.md"
    source.write_text("# Offer\n\nTwo sites.\n\n| Item | Price |\n| --- | --- |\n| Pilot | $5 |\n")
    read = read_file(source, tmp_path / "read", name="offer.md")
    with pikepdf.open(read.pdf) as pdf:
        assert pdf.Root.MarkInfo.Marked
        roles = {str(node.S) for node in _nodes(pdf.Root.StructTreeRoot) if "/S" in node}
    assert {"/H1", "/P", "/Table"} <= roles


def _nodes(node: pikepdf.Object) -> list[pikepdf.Object]:
    children = node.get("/K", pikepdf.Array())
    if not isinstance(children, pikepdf.Array):
        children = [children]
    below = [child for child in children if isinstance(child, pikepdf.Dictionary)]
    return [node, *(found for child in below for found in _nodes(child))]
