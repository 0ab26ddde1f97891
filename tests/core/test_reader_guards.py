"""Every guard of the reader is needed: without it, something is read that should not be.

A guard is taken away by putting in its place a function that never has a reason, wherever it
is used; then at least one case must go wrong. The same for decisions that are no guards: each
is replaced by a plausible other one. All guards and all decisions named here are found out.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

import reviewer.core.answers
import reviewer.core.calls
import reviewer.core.stream
from reviewer.core import schema_values, text_call
from reviewer.core.entries import Dropped, ReadFinding, read_entry
from reviewer.core.guards import GUARDS
from tests.core.reader_cases import CALLS, REPORTS, CallCase, ReportCase, entry

ALL: tuple[CallCase | ReportCase, ...] = (*CALLS, *REPORTS)


def _no_reason(*args: Any, **kwargs: Any) -> str:
    return ""


@contextmanager
def replaced(module: str, name: str, stand_in: Callable[..., Any]) -> Iterator[None]:
    """`stand_in` in the place of a function of the reader, under every name it is used by."""
    original = getattr(sys.modules[module], name)
    places = [
        (where, alias)
        for where in list(sys.modules.values())
        if getattr(where, "__name__", "").startswith("reviewer.core.")
        for alias, value in list(vars(where).items())
        if value is original
    ]
    with pytest.MonkeyPatch.context() as patch:
        for where, alias in places:
            patch.setattr(where, alias, stand_in)
        yield


def is_found_out(case: CallCase | ReportCase) -> bool:
    """Whether a case no longer holds; a case that raises does not hold."""
    try:
        return not case.holds()
    except Exception:
        return True


def bounds_are_kept() -> bool:
    """What no case of the tables says: that text beyond its bound is cut."""
    found = read_entry(0, entry(finding="word " * 99, fix="a" * 9999), None)
    return isinstance(found, ReadFinding) and set(found.shortened) == {"finding", "fix"}


def test_every_case_holds_while_every_guard_stands() -> None:
    assert [case.name for case in ALL if is_found_out(case)] == []
    assert bounds_are_kept()
    assert len({case.name for case in CALLS}) == len(CALLS)
    assert len({case.name for case in REPORTS}) == len(REPORTS)


@pytest.mark.parametrize("name", sorted(GUARDS))
def test_without_this_guard_something_is_read_wrongly(name: str) -> None:
    with replaced(GUARDS[name], name, _no_reason):
        wrong = [case.name for case in ALL if is_found_out(case)]
        assert wrong or not bounds_are_kept(), f"nothing minds that {name} is gone"


def test_the_guards_that_the_design_asks_for_are_all_there() -> None:
    assert {
        "beside_native", "broken_opener", "fenced", "lone_surrogate", "long_number",
        "lacks_required", "markup_in_document", "missing_fields", "no_boolean",
        "no_json_constant", "no_list", "no_number", "no_whole_number", "not_finite",
        "nothing_usable", "opener_after_unclosed", "opener_in_value", "optional_null",
        "other_name", "over_length", "repeated_key", "repeated_parameter", "second_report",
        "something_after", "text_between", "too_deep", "unclosed_kept", "unknown_parameter",
        "unknown_severity", "unknown_sheet", "wrong_type",
    } <= set(GUARDS)  # fmt: skip


def _first_closer_ends(text: str, closer_at: int, dialect: Any, last_closer: int) -> bool:
    return True


def _only_openers_count(text: str, closer_at: int, dialect: Any, last_closer: int) -> bool:
    after = closer_at + len(dialect.parameter_closer)
    return text[after:].lstrip().startswith((dialect.parameter_begins, dialect.closer))


DECISIONS: tuple[tuple[str, str, str, Callable[..., Any]], ...] = (
    ("the first closer ends a value", text_call.__name__, "closes_value", _first_closer_ends),
    ("any closer of a call ends it", text_call.__name__, "closes_value", _only_openers_count),
    ("fences are not minded", text_call.__name__, "_fence_after", lambda *_: ""),
    ("a cut within a tag is not seen", text_call.__name__, "_ends_in_a_tag", lambda *_: False),
    ("values lose their white space", schema_values.__name__, "less_one_break", str.strip),
    ("values keep their line breaks", schema_values.__name__, "less_one_break", lambda text: text),
    ("types come from the text", schema_values.__name__, "types_of", lambda *_: {"string"}),
    ("braces are never doubled", text_call.__name__, "json_object_at", lambda _, at: (at, False)),
    ("quick reading never serves", "reviewer.core.report_json", "_plain_report", lambda *_: None),
    ("no entry is plain", "reviewer.core.entries", "_plain_finding", lambda *_: None),
)
SAME_RESULT = {"quick reading never serves", "no entry is plain"}


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda decision: decision[0])
def test_another_decision_is_found_out_and_a_quicker_path_changes_nothing(
    decision: tuple[str, str, str, Callable[..., Any]],
) -> None:
    what, module, name, stand_in = decision
    with replaced(module, name, stand_in):
        wrong = [case.name for case in ALL if is_found_out(case)]
    assert bool(wrong) is (what not in SAME_RESULT), wrong


def test_an_answer_that_ended_by_itself_is_told_from_one_that_was_cut(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for stand_in in (frozenset[str](), frozenset({"end_turn", "tool_use", "max_tokens"})):
        monkeypatch.setattr(reviewer.core.answers, "ENDED_BY_ITSELF", stand_in)
        assert any(is_found_out(case) for case in REPORTS)


def test_the_guarded_and_the_plain_path_judge_alike() -> None:
    changes: list[dict[str, Any]] = [
        {name: value}
        for name in ("sheet", "severity", "rule", "quote", "finding", "fix", "also", "learning")
        for value in (
            "", " ", "a", "block", "Block ", 0, 7, -1, True, 2.0, 10**7, [], {}, "x" * 200,
            "word " * 70, "word " * 30, "z" * 3000, "é\udc80"[:1], "grounding", "Structure",
        )
    ]  # fmt: skip
    entries = [entry(), {}, [], None, *({**entry(), **change} for change in changes)]
    entries += [{**entry(), "more": 1}, {**entry(), "also": None, "learning": None}]
    judged = [read_entry(index, given, None) for index, given in enumerate(entries)]
    with replaced("reviewer.core.entries", "_plain_finding", lambda *_: None):
        guarded = [read_entry(index, given, None) for index, given in enumerate(entries)]
    assert judged == guarded
    assert sum(isinstance(one, Dropped) for one in judged) > 20
