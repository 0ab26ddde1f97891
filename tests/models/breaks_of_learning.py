"""Rows about what the house has learned that break one constraint each."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from reviewer.models import (
    Finding,
    HeldBack,
    Learning,
    LearningSource,
    LearningVersion,
    Likeness,
)
from tests.factories import (
    Cast,
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_version,
)
from tests.learned import make_learning


def _changed(cast: Cast, **fields: Any) -> int:
    learning = make_learning(cast)
    return Learning.objects.filter(pk=learning.pk).update(**fields)


def _again(row: Any) -> None:
    row.pk = None
    row._state.adding = True
    row.save(force_insert=True)


def _version(cast: Cast, **fields: Any) -> LearningVersion:
    fields = {"number": 2, "kind": "look_for", "text": "Other words.", **fields}
    return LearningVersion.objects.create(learning=make_learning(cast), by=cast.rae.user, **fields)


def _finding(cast: Cast) -> Finding:
    return make_finding(make_version(make_proposal(cast.workspace)))


def _source(cast: Cast, **fields: Any) -> LearningSource:
    return LearningSource.objects.create(
        **{"learning": make_learning(cast), "finding": _finding(cast), "text": "T", **fields}
    )


def _likeness(cast: Cast) -> Likeness:
    return Likeness.objects.create(
        first=_finding(cast), second=_finding(cast), is_same=True, by=cast.rae.user
    )


def _in_wrong_order(cast: Cast) -> int:
    pair = _likeness(cast)
    return Likeness.objects.filter(pk=pair.pk).update(first=pair.second, second=pair.first)


def _held_back(cast: Cast, **fields: Any) -> HeldBack:
    version = make_version(make_proposal(cast.workspace))
    learning = make_learning(cast, kind="do_not_raise")
    fields = {"severity": "fix", **fields}
    return HeldBack.objects.create(
        reading=make_reading(make_review(version), sheet=1),
        index=0,
        by=learning.current,
        sheet=1,
        rule="grounding",
        text="T",
        **fields,
    )


BREAKS: dict[str, Callable[[Cast], object]] = {
    "learning_number_once_a_workspace": lambda cast: [
        make_learning(cast, number=7) for _ in range(2)
    ],
    "learning_number_from_one": lambda cast: _changed(cast, number=0),
    "learning_kind_is_known": lambda cast: _changed(cast, kind="guess"),
    "learning_status_is_known": lambda cast: _changed(cast, status="asleep"),
    "learning_proposal_kind_is_known": lambda cast: _changed(cast, proposal_kind="novel"),
    "learning_in_force_is_approved_or_has_waited": lambda cast: _changed(
        cast,
        approved_by=None,
        approved_at=None,
        in_force_from=timezone.now() + timedelta(days=1),
    ),
    "learning_only_what_is_pending_waits": lambda cast: _changed(
        cast, pending=None, pending_from=timezone.now()
    ),
    "learning_approver_is_not_its_author": lambda cast: _changed(cast, approved_by=cast.rae.user),
    "learning_approved_by_somebody": lambda cast: _changed(cast, approved_at=None),
    "learning_proposed_is_not_given": lambda cast: _changed(cast, status="proposed"),
    "learning_expires_after_it_was_proposed": lambda cast: _changed(
        cast, expires_on=timezone.localdate()
    ),
    "learning_superseded_names_by_what": lambda cast: _changed(cast, status="superseded"),
    "learning_ended_has_a_reason_and_a_time": lambda cast: _changed(cast, status="retired"),
    "learning_version_number_once_a_learning": lambda cast: _version(cast, number=1),
    "learning_version_number_from_one": lambda cast: _version(cast, number=0),
    "learning_version_has_words": lambda cast: _version(cast, text=""),
    "learning_version_phrase_is_for_never_say": lambda cast: _version(cast, phrase="leverage"),
    "learning_source_once_a_finding": lambda cast: _again(_source(cast)),
    "learning_source_keeps_the_words": lambda cast: _source(cast, text=""),
    "likeness_once_a_pair": lambda cast: _again(_likeness(cast)),
    "likeness_pair_in_order": _in_wrong_order,
    "held_back_once_an_answer_and_index": lambda cast: _again(_held_back(cast)),
    "held_back_is_never_a_block": lambda cast: _held_back(cast, severity="block"),
}
