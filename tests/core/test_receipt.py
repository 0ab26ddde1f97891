"""The fixed-form text of a review."""

from reviewer.core.receipt import NAMED, Line, receipt

BLOCK = Line("block", 3, "grounding", "The figure has\nno source.", "Name  the extract.")
FIX = Line("fix", 0, "structure", "No next step.", "")
CONSIDER = Line("consider", 1, "one_decision", "Two asks.", "Keep one.")


def _receipt(*lines: Line, **more) -> list[str]:
    given = {"title": "offer.md", "models": ["claude-opus-5-5"], "passes": 3, "sheets": 12}
    return receipt(lines=lines, **{**given, **more}).split("\n")


def test_the_first_line_says_what_was_read_by_whom_and_what_was_found():
    assert _receipt(FIX, BLOCK, CONSIDER, BLOCK)[0] == (
        "offer.md · 12 sheets · read by claude-opus-5-5 in 3 passes · "
        "2 blocks, 1 fix, 1 to consider"
    )


def test_one_of_each_is_said_in_the_singular():
    head = _receipt(BLOCK, passes=1, sheets=1)[0]
    assert head == "offer.md · 1 sheet · read by claude-opus-5-5 in 1 pass · 1 block"


def test_several_models_are_all_named():
    assert "read by a, b in 3 passes" in _receipt(models=["a", "b"])[0]


def test_without_a_model_that_is_said():
    head = _receipt(models=[], passes=0)[0]
    assert "built-in checks only, no model has read it" in head
    assert "pass" not in head


def test_findings_are_numbered_blocks_first_each_on_one_line():
    assert _receipt(CONSIDER, FIX, BLOCK)[2:5] == [
        "1. [BLOCK] sheet 3 · GROUNDING: The figure has no source. → Name the extract.",
        "2. [FIX] document · STRUCTURE: No next step.",
        "3. [CONSIDER] sheet 1 · ONE_DECISION: Two asks. → Keep one.",
    ]


def test_findings_of_one_severity_stay_in_the_order_given():
    sheets = [Line("fix", sheet, "structure", "x", "") for sheet in (5, 2, 9)]
    numbered = [line for line in _receipt(*sheets) if "[FIX]" in line]
    assert [line.split("sheet ")[1][0] for line in numbered] == ["5", "2", "9"]


def test_what_is_more_than_can_be_read_is_counted():
    lines = _receipt(*[CONSIDER] * 4, *[FIX] * 3, *[BLOCK] * (NAMED - 2))
    assert sum(line[:1].isdigit() for line in lines) == NAMED
    assert "… and 5 more: 1 fix, 4 to consider." in lines
    assert not any("more:" in line for line in _receipt(*[FIX] * NAMED))


def test_a_clean_receipt_says_that_nothing_was_found():
    lines = _receipt()
    assert lines[0].endswith("0 findings")
    assert "Nothing was found." in lines


def test_what_is_kept_not_read_and_holding_stands_below_in_that_order():
    lines = _receipt(
        BLOCK,
        keeps=[f"good {n}" for n in range(7)],
        not_read=["sheet 4, it is a picture without text"],
        reasons=["1 block open."],
        next_move="Decide it.",
    )
    assert lines[4:] == [
        "Keep: good 0; good 1; good 2; good 3; good 4",
        "",
        "Not read: sheet 4, it is a picture without text",
        "",
        "Holds: 1 block open.",
        "",
        "Next: Decide it.",
        "",
    ]


def test_a_title_of_several_lines_is_one():
    assert _receipt(title="an\n offer\t.md")[0].startswith("an offer .md · ")
