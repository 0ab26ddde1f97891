"""Quotes find their place on a sheet, and a finding its place in the next version."""

import json
import re
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reviewer.core.anchoring import (
    LOST,
    Evidence,
    Kind,
    Span,
    Versions,
    carry,
    find_all,
    find_quote,
    find_quote_in_words,
    pair_paragraphs,
    pair_sheets,
    words_covered,
)
from tests.shared_cases import case, needs_cases

SHEET = """What it costs

The work takes 26 weeks from kick-off and is offered at a fixed fee of $642,000. As soon as
possible we agree the start; the configura-
tion of the rules follows. Weight 1.25 is "fair", and a party is no art.

| Channel | Share | Time |
| --- | --- | --- |
| Agents | 17% | 44 hours |
| Phone | 46% | 22 hours |

- Read access to Keystone
- Named accounts for our team

As soon as possible we invoice.
"""

FOUND = [
    ("offered at a fixed fee of $642,000", "offered at a fixed fee of $642,000"),
    ("Offered at a  fixed\nfee", "offered at a fixed fee"),
    ("the configuration of the rules", "the configura-\ntion of the rules"),
    ("Weight 1.25 is “fair”", 'Weight 1.25 is "fair"'),
    ("Agents      17%               44 hours", "Agents | 17% | 44 hours"),
    ("| Phone | 46% |", "Phone | 46%"),
    ("Read access to Keystone Named accounts", "Read access to Keystone\n- Named accounts"),
    ("**fixed fee of $642,000**", "fixed fee of $642,000"),
    ("The work takes 26 weeks … a fixed fee of $642,000", None),
    ("The work takes 26 weeks [...] a fixed fee", "26 weeks from kick-off and is offered at a"),
    ("... is offered at a fixed fee", "is offered at a fixed fee"),
    ("1.25", "1.25"),
    ("art", "art"),
]

NOT_FOUND = [
    "",
    "   ",
    "…",
    "offered at a flexible fee of $642,000",
    "642",
    "25",
    "1",
    "par",
    "a fixed fee … The work takes 26 weeks",
    "The … fee",
    "17% 46%",
]


@pytest.mark.parametrize(("quote", "within"), FOUND)
def test_a_quote_is_found_however_it_was_copied(quote: str, within: str | None) -> None:
    place = find_quote(quote, SHEET)

    assert place is not None
    covered = SHEET[place[0] : place[1]]
    assert within is None or within in covered or covered in within


@pytest.mark.parametrize("quote", NOT_FOUND)
def test_a_quote_whose_words_are_not_there_is_not_found(quote: str) -> None:
    assert find_quote(quote, SHEET) is None


def test_an_ellipsis_joins_the_two_parts_into_one_place() -> None:
    place = find_quote("The work takes 26 weeks … fee of $642,000.", SHEET)

    assert place is not None
    assert SHEET[place[0] : place[1]].startswith("The work takes")
    assert SHEET[place[0] : place[1]].endswith("$642,000.")


def test_of_several_places_the_nearest_or_the_nth_is_taken() -> None:
    first, second = find_all("As soon as possible we", SHEET)

    assert find_quote("As soon as possible we", SHEET) == first
    assert find_quote("As soon as possible we", SHEET, nth=1) == second
    assert find_quote("As soon as possible we", SHEET, nth=2) is None
    assert find_quote("As soon as possible we", SHEET, near=len(SHEET)) == second


def test_the_words_of_a_quote_are_counted_inclusively() -> None:
    words = SHEET.split()
    place = find_quote("a fixed fee of $642,000", SHEET)

    assert place is not None
    first, last = words_covered(place, words, SHEET) or (0, 0)
    assert words[first : last + 1] == ["a", "fixed", "fee", "of", "$642,000."]
    assert find_quote_in_words("a fixed fee of $642,000", words) == (first, last)


def test_words_of_a_line_break_are_both_covered() -> None:
    words = SHEET.split()

    first, last = find_quote_in_words("the configuration of", words) or (0, 0)
    assert words[first : last + 1] == ["the", "configura-", "tion", "of"]


def test_near_counts_in_words_when_words_are_searched() -> None:
    words = SHEET.split()

    first = find_quote_in_words("As soon as possible", words)
    later = find_quote_in_words("As soon as possible", words, near=len(words) - 1)
    assert first is not None
    assert later is not None
    assert first < later


def test_words_that_do_not_make_up_the_text_are_refused() -> None:
    with pytest.raises(ValueError, match="not made of these words"):
        words_covered((0, 3), ["another"], "text of a sheet")


def test_a_span_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError):
        Span(1, 5, 5)


def test_a_quote_is_found_where_words_are_not_spaced() -> None:
    text = "お見積金額は\n六百万円です。\n納期は三月末。"

    place = find_quote("金額は六百万円", text)
    assert place is not None
    assert text[place[0] : place[1]] == "金額は\n六百万円"


@needs_cases
def test_every_recorded_quote_is_found_on_its_sheet() -> None:
    text = case("documents", "proposals", "harbor-claims-12-sheets.md").read_text("utf-8")
    sheets = dict(enumerate(re.split(r"(?m)^## ", text)))
    missing = [
        (name, finding["quote"])
        for name in "ABC"
        for finding in json.loads(case("readings", f"harbor-claims-{name}.json").read_text())[
            "findings"
        ]
        if finding["quote"] and find_quote(finding["quote"], sheets[finding["sheet"]]) is None
    ]
    assert missing == []


# Carried to another version

VOCABULARY = [a + b + c for a in "bdfklmnprstvz" for b in ("a", "ei", "o", "u") for c in "ndrst"]


class Draft:
    """A random document: sheets of paragraphs of words, and one quote in it."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.sheets = {number: [self.paragraph() for _ in range(5)] for number in range(1, 6)}
        self.sheet = self.random.randint(1, 5)
        self.index = self.random.randrange(5)
        words = self.sheets[self.sheet][self.index].split()
        start = self.random.randrange(len(words) - 8)
        self.quote = " ".join(words[start : start + self.random.randint(4, 8)])

    def paragraph(self) -> str:
        return " ".join(self.random.choices(VOCABULARY, k=self.random.randint(14, 30)))

    def texts(self, join: str = "\n\n") -> dict[int, str]:
        return {number: join.join(paragraphs) for number, paragraphs in self.sheets.items()}

    def span(self) -> Span:
        place = find_quote(self.quote, self.texts()[self.sheet])
        assert place is not None
        return Span(self.sheet, *place)


drafts = st.integers(0, 10**9).map(Draft)


def quoted(span: Span | None, texts: dict[int, str]) -> str | None:
    return None if span is None else " ".join(texts[span.sheet][span.first : span.last].split())


@given(drafts)
@settings(max_examples=60, deadline=None)
def test_an_edit_elsewhere_on_the_sheet_leaves_the_place(draft: Draft) -> None:
    old, span = draft.texts(), draft.span()
    others = [index for index in range(5) if index != draft.index]
    for index in draft.random.sample(others, 2):
        draft.sheets[draft.sheet][index] = draft.paragraph()
    draft.sheets[draft.sheet].insert(0, draft.paragraph())

    carried = carry(span, old, draft.texts())
    assert carried.evidence is Evidence.PRESENT
    assert quoted(carried.span, draft.texts()) == draft.quote


@given(drafts)
@settings(max_examples=60, deadline=None)
def test_a_moved_sheet_takes_its_findings_along(draft: Draft) -> None:
    old, span = draft.texts(), draft.span()
    order = draft.random.sample(range(1, 6), 5)
    draft.sheets = {new: draft.sheets[former] for new, former in enumerate(order, 1)}

    carried = carry(span, old, draft.texts())
    assert carried.evidence is Evidence.PRESENT
    assert carried.span is not None
    assert carried.span.sheet == order.index(draft.sheet) + 1
    assert quoted(carried.span, draft.texts()) == draft.quote


@given(drafts)
@settings(max_examples=60, deadline=None)
def test_a_document_rendered_anew_keeps_every_place(draft: Draft) -> None:
    old, span = draft.texts(), draft.span()

    def rendered(text: str) -> str:
        words = text.split()
        for index in draft.random.sample(range(len(words)), len(words) // 6):
            middle = len(words[index]) // 2
            words[index] = words[index][:middle] + "-\r\n" + words[index][middle:]
        return "\r\n".join(" ".join(words[i : i + 9]) for i in range(0, len(words), 9))

    new = {number: rendered(text) for number, text in old.items()}
    carried = carry(span, old, new)
    assert carried.evidence is Evidence.PRESENT
    assert quoted(carried.span, new) is not None
    place = find_quote(draft.quote, new[draft.sheet])
    assert place is not None
    assert carried.span == Span(draft.sheet, *place)


@given(drafts, st.booleans())
@settings(max_examples=80, deadline=None)
def test_it_is_lost_never_misplaced_when_its_words_go_and_a_lookalike_stays(
    draft: Draft, same_words: bool
) -> None:
    twin_sheet = draft.sheet % 5 + 1
    twin = draft.sheets[draft.sheet][draft.index].split()
    if not same_words:
        twin[draft.random.randrange(len(twin))] = "another"
    draft.sheets[twin_sheet][2] = " ".join(twin)
    old, span = draft.texts(), draft.span()
    del draft.sheets[draft.sheet][draft.index]

    assert carry(span, old, draft.texts()) == LOST


@given(drafts)
@settings(max_examples=60, deadline=None)
def test_a_word_changed_within_the_quote_leaves_it_in_place_as_changed(draft: Draft) -> None:
    old, span = draft.texts(), draft.span()
    words = draft.quote.split()
    words[len(words) // 2] = "rewritten"
    paragraph = draft.sheets[draft.sheet][draft.index]
    draft.sheets[draft.sheet][draft.index] = paragraph.replace(draft.quote, " ".join(words))

    carried = carry(span, old, draft.texts())
    assert carried.evidence is Evidence.CHANGED
    assert quoted(carried.span, draft.texts()) == " ".join(words)
    assert carried.likeness >= 0.5


ANSWER = "answer all of your questions within one working day"


def answered(new: dict[int, str]) -> Span | None:
    old = {1: f"We {ANSWER}."}
    place = find_quote(ANSWER, old[1])
    assert place is not None
    return carry(Span(1, *place), old, new).span


def test_words_that_moved_and_changed_a_little_are_found_where_they_are_now() -> None:
    new = {
        1: "Nothing here.",
        2: "Team: we answer all your questions within a working day, always.",
    }

    found = answered(new)
    assert found is not None
    assert found.sheet == 2


def test_two_new_places_that_are_equally_good_are_none() -> None:
    new = {
        1: "Nothing here.",
        2: "Team: do answer all of your questions within one business day.",
        3: "Office: do answer all of your questions within one calendar day.",
    }

    assert answered(new) is None


def test_a_new_place_that_shares_half_the_words_is_none() -> None:
    new = {1: "Nothing here.", 2: "Send questions about one day of your choice to all."}

    assert answered(new) is None


def test_many_places_are_carried_over_one_pairing() -> None:
    old = {1: "The fee is fixed at $642,000. Travel is charged at cost, monthly."}
    new = {1: "Travel is charged at cost, monthly. The fee is fixed at $658,000."}
    versions = Versions(old, new)

    travel = find_quote("Travel is charged at cost", old[1])
    fee = find_quote("The fee is fixed at $642,000", old[1])
    assert travel is not None
    assert fee is not None
    assert versions.carry(Span(1, *travel)).evidence is Evidence.PRESENT
    carried = versions.carry(Span(1, *fee))
    assert carried.evidence is Evidence.CHANGED
    assert carried.span is not None
    assert new[1][carried.span.first : carried.span.last] == "The fee is fixed at $658,000"


def test_a_place_that_covers_no_word_is_lost() -> None:
    assert carry(Span(1, 0, 3), {1: "---- the words"}, {1: "the words"}) == LOST
    assert carry(Span(9, 0, 3), {1: "the words"}, {1: "the words"}) == LOST


# Paragraphs and sheets paired

ONE = "The baseline is signed by both parties before any work on the system starts."
TWO = "Supervisors agree the rules for routing in six workshops of half a day each."
THREE = "Roll-out follows line by line, and one supervisor per line is trained to edit."
FOUR = "Invoices are issued at the milestones and are payable within thirty days."

PAIRINGS: list[
    tuple[str, list[str], list[str], list[tuple[tuple[int, ...], tuple[int, ...], Kind]]]
]
PAIRINGS = [
    ("unchanged", [ONE, TWO], [ONE, TWO], [((0,), (0,), Kind.SAME), ((1,), (1,), Kind.SAME)]),
    (
        "inserted",
        [ONE, TWO],
        [ONE, THREE, TWO],
        [((0,), (0,), Kind.SAME), ((), (1,), Kind.INSERTED), ((1,), (2,), Kind.SAME)],
    ),
    (
        "removed",
        [ONE, TWO, THREE],
        [ONE, THREE],
        [((0,), (0,), Kind.SAME), ((2,), (1,), Kind.SAME), ((1,), (), Kind.REMOVED)],
    ),
    (
        "changed",
        [ONE, TWO],
        [ONE.replace("both parties", "Harbor Mutual"), TWO],
        [((0,), (0,), Kind.CHANGED), ((1,), (1,), Kind.SAME)],
    ),
    ("merged", [ONE, TWO], [ONE + " " + TWO], [((0, 1), (0,), Kind.MERGED)]),
    ("split", [ONE + " " + TWO], [ONE, TWO], [((0,), (0, 1), Kind.SPLIT)]),
    (
        "short ones",
        ["Agents | 17%", "Total", ONE],
        ["Agents | 17%", "Total", ONE],
        [((0,), (0,), Kind.SAME), ((1,), (1,), Kind.SAME), ((2,), (2,), Kind.SAME)],
    ),
    (
        "nothing in common",
        [ONE],
        [FOUR],
        [((), (0,), Kind.INSERTED), ((0,), (), Kind.REMOVED)],
    ),
    ("nothing at all", [], [], []),
]


@pytest.mark.parametrize(("what", "old", "new", "expected"), PAIRINGS)
def test_paragraphs_are_paired_by_content(
    what: str,
    old: list[str],
    new: list[str],
    expected: list[tuple[tuple[int, ...], tuple[int, ...], Kind]],
) -> None:
    found = [(pair.old, pair.new, pair.kind) for pair in pair_paragraphs(old, new)]
    assert found == expected, what


def test_what_changed_its_order_is_marked_as_moved() -> None:
    pairs = pair_paragraphs([ONE, TWO, THREE, FOUR], [FOUR, ONE, TWO, THREE])

    assert [pair.moved for pair in pairs] == [True, False, False, False]
    assert {pair.kind for pair in pairs} == {Kind.SAME}


def test_sheets_are_paired_by_their_numbers() -> None:
    old = {1: ONE + "\n" + TWO, 2: THREE, 3: FOUR}
    new = {1: THREE, 2: ONE + "\n" + TWO, 4: FOUR}

    pairs = pair_sheets(old, new)
    assert [(pair.old, pair.new, pair.kind) for pair in pairs] == [
        ((2,), (1,), Kind.SAME),
        ((1,), (2,), Kind.SAME),
        ((3,), (4,), Kind.SAME),
    ]
    assert sum(pair.moved for pair in pairs) == 1


@given(drafts, st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_every_paragraph_is_in_exactly_one_pair(draft: Draft, random: Random) -> None:
    old = [text for texts in draft.sheets.values() for text in texts]
    new = [text for text in old if random.random() < 0.8] + [draft.paragraph()]
    random.shuffle(new)

    pairs = pair_paragraphs(old, new)
    assert sorted(index for pair in pairs for index in pair.old) == list(range(len(old)))
    assert sorted(index for pair in pairs for index in pair.new) == list(range(len(new)))
    same = {(pair.old[0], pair.new[0]) for pair in pairs if pair.kind is Kind.SAME}
    assert all(old[i] == new[j] for i, j in same)
    assert len(same) == len(new) - 1
