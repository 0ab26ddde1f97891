"""What must never be false is a constraint of the database, whoever writes the row.

Each named constraint has one row here that breaks it and nothing else; a constraint
without one fails.
"""

from collections.abc import Callable
from typing import Any

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import UniqueConstraint
from django.utils import timezone

from reviewer.models import (
    Apart,
    Approval,
    Calibration,
    Comment,
    Decision,
    Expense,
    Export,
    Finding,
    FindingPlace,
    Membership,
    ModelSettings,
    ModelWay,
    Paragraph,
    Proposal,
    Reading,
    Replay,
    Review,
    Role,
    Rubric,
    Sheet,
    Sighting,
    Source,
    Version,
)
from tests.factories import (
    Cast,
    make_decision,
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_source,
    make_version,
)
from tests.models import breaks_of_learning, breaks_of_leaving

CONSTRAINTS = {
    constraint.name: (model, constraint)
    for model in apps.get_app_config("reviewer").get_models()
    for constraint in model._meta.constraints
}


def _version(cast: Cast, **fields: Any) -> Version:
    return make_version(make_proposal(cast.workspace, owner=cast.wen), **fields)


def _waiting(cast: Cast, **fields: Any) -> Version:
    return _version(cast, status=Version.Status.WAITING, **fields)


def _review(cast: Cast, **fields: Any) -> Review:
    fields = {"status": "queued", "passes": 3, **fields}
    return Review.objects.create(
        version=_waiting(cast), model="m", server="s", rubric_hash="h", **fields
    )


def _reading(cast: Cast, **fields: Any) -> Reading:
    return Reading.objects.create(review=_review(cast), pass_number=1, sheet=1, **fields)


def _finding(cast: Cast, **fields: Any) -> Finding:
    return make_finding(_version(cast), **fields)


def _comment(cast: Cast, **fields: Any) -> Comment:
    finding = _finding(cast)
    return Comment.objects.create(finding=finding, version=finding.first_version, **fields)


def _twice(row: Any) -> Any:
    row.pk = None
    row.save(force_insert=True)
    return row


def _again(model: type[Any], row: Any, **fields: Any) -> Any:
    return model.objects.filter(pk=row.pk).update(**fields)


BREAKS: dict[str, Callable[[Cast], object]] = {
    "membership_once_a_person_and_workspace": lambda cast: Membership.objects.create(
        workspace=cast.workspace, user=cast.wen.user, role=Role.REVIEWER
    ),
    "membership_role_is_known": lambda cast: _again(Membership, cast.wen, role="owner"),
    "proposal_kind_is_known": lambda cast: make_proposal(cast.workspace, kind="novel"),
    "proposal_has_a_title": lambda cast: make_proposal(cast.workspace, title=""),
    "source_once_a_proposal_and_text": lambda cast: _twice(
        make_source(make_proposal(cast.workspace))
    ),
    "version_number_once_a_proposal": lambda cast: _twice(_waiting(cast)),
    "version_status_is_known": lambda cast: _again(Version, _waiting(cast), status="lost"),
    "version_unreadable_has_a_reason": lambda cast: _version(
        cast, status=Version.Status.UNREADABLE, reason=""
    ),
    "version_ready_has_sheets": lambda cast: _again(
        Version, _waiting(cast, sheet_count=0), status="ready"
    ),
    "sheet_number_once_a_version": lambda cast: _twice(
        Sheet.objects.filter(version=_version(cast))[0]
    ),
    "paragraph_position_once_a_sheet": lambda cast: _twice(
        Paragraph.objects.filter(sheet__version=_version(cast))[0]
    ),
    "review_one_running_a_version": lambda cast: _twice(_review(cast)),
    "review_status_is_known": lambda cast: _review(cast, status="asleep"),
    "review_ended_has_a_time": lambda cast: _review(cast, status="finished"),
    "review_has_passes": lambda cast: _review(cast, passes=0),
    "reading_once_a_review_pass_and_sheet": lambda cast: _twice(_reading(cast)),
    "reading_status_is_known": lambda cast: _reading(cast, status="asleep"),
    "reading_done_has_an_outcome": lambda cast: _reading(cast, status="done"),
    "reading_claimed_has_a_lease": lambda cast: _reading(cast, status="claimed"),
    "finding_number_once_a_proposal": lambda cast: _twice(_finding(cast)),
    "finding_severity_is_known": lambda cast: _finding(cast, severity="fatal"),
    "finding_status_is_known": lambda cast: _finding(cast, status="forgotten"),
    "finding_dismissed_has_a_reason": lambda cast: _finding(
        cast, status="dismissed", decision_reason=""
    ),
    "finding_votes_within_passes": lambda cast: _finding(cast, votes=4, passes=3),
    "finding_place_once_a_version_and_position": lambda cast: _twice(_finding(cast).places.get()),
    "finding_place_words_in_order": lambda cast: _again(
        FindingPlace, _finding(cast).places.get(), first_word=9, last_word=3
    ),
    "sighting_once_an_answer_and_index": lambda cast: _twice(_sighting(cast)),
    "decision_dismissal_has_a_reason": lambda cast: _again(
        Decision, make_decision(_finding(cast), cast.rae, act="dismiss"), reason=""
    ),
    "decision_undo_names_what_it_undoes": lambda cast: make_decision(
        _finding(cast), cast.rae, act="undo"
    ),
    "decision_has_an_actor": lambda cast: _again(
        Decision, make_decision(_finding(cast), cast.rae, act="dismiss"), actor=None
    ),
    "comment_says_something": lambda cast: _comment(cast, text=""),
    "apart_once_a_pair": lambda cast: _twice(_apart(cast)),
    "apart_pair_in_order": lambda cast: _again(
        Apart, (pair := _apart(cast)), first=pair.second, second=pair.first
    ),
    "calibration_found_within_planted": lambda cast: _calibration(cast, found=11, planted=10),
    "calibration_status_is_known": lambda cast: _calibration(cast, status="asleep"),
    "calibration_one_running_a_model": lambda cast: _twice(_calibration(cast)),
    "replay_status_is_known": lambda cast: Replay.objects.create(
        workspace=cast.workspace, status="asleep"
    ),
    "replay_one_running_a_workspace": lambda cast: [
        Replay.objects.create(workspace=cast.workspace) for _ in range(2)
    ],
    "model_settings_some_calls_at_once": lambda cast: _settings(cast, calls_at_once=0),
    "model_settings_limit_not_negative": lambda cast: _settings(cast, monthly_limit=-1),
    "model_settings_depth_is_known": lambda cast: _settings(cast, depth="bottomless"),
    "model_settings_alarm_is_a_share": lambda cast: _settings(cast, lost_alarm_percent=101),
    "model_way_once_a_server_and_model": lambda cast: _twice(
        ModelWay.objects.create(server="s", model="m", way="text")
    ),
    "expense_what_is_known": lambda cast: Expense.objects.create(
        workspace=cast.workspace, what="lunch"
    ),
    "expense_cost_not_negative": lambda cast: Expense.objects.create(
        workspace=cast.workspace, what="trial", cost=-1
    ),
    "rubric_number_once_a_workspace": lambda cast: [
        Rubric.objects.create(workspace=cast.workspace, number=1) for _ in range(2)
    ],
    "rubric_number_from_one": lambda cast: Rubric.objects.create(
        workspace=cast.workspace, number=0
    ),
}


def _sighting(cast: Cast) -> Sighting:
    version = _version(cast)
    return make_sighting(make_reading(make_review(version), sheet=1), make_finding(version))


def _apart(cast: Cast) -> Apart:
    version = _version(cast)
    return Apart.objects.create(first=make_finding(version), second=make_finding(version))


def _calibration(cast: Cast, **fields: Any) -> Calibration:
    return Calibration.objects.create(
        workspace=cast.workspace, server="s", model="m", recipe="r", **fields
    )


def _settings(cast: Cast, **fields: Any) -> ModelSettings:
    return ModelSettings.objects.create(workspace=cast.workspace, **fields)


BREAKS |= breaks_of_leaving.BREAKS | breaks_of_learning.BREAKS


def test_every_constraint_has_a_row_that_breaks_it():
    assert sorted(CONSTRAINTS) == sorted(BREAKS)


@pytest.mark.parametrize("name", sorted(CONSTRAINTS))
def test_the_database_refuses_a_row_that_breaks(cast, name):
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        BREAKS[name](cast)
    assert _named(name) in str(refused.value)


def _named(name: str) -> str:
    """How the database names the constraint: SQLite names one that is unique by its columns."""
    model, constraint = CONSTRAINTS[name]
    if connection.vendor != "sqlite" or not isinstance(constraint, UniqueConstraint):
        return str(name)
    table = model._meta.db_table
    columns = [f"{table}.{model._meta.get_field(f).column}" for f in constraint.fields]
    return f"UNIQUE constraint failed: {', '.join(columns)}"


def test_a_version_may_be_read_again_once_its_review_has_ended(cast):
    version = _waiting(cast)
    make_review(version, status=Review.Status.FINISHED)
    make_review(version, status=Review.Status.CANCELLED)
    assert make_review(version, status=Review.Status.QUEUED).pk


def test_a_source_may_belong_to_two_proposals(cast):
    first, second = (make_source(make_proposal(cast.workspace)) for _ in range(2))
    assert Source.objects.filter(sha256=first.sha256).count() == 2
    assert second.proposal != first.proposal


@pytest.mark.parametrize("make", breaks_of_leaving.SOUND)
def test_the_database_takes_the_rows_that_these_differ_from(cast, make):
    assert make(cast).pk


@pytest.mark.parametrize("model", [Version, Review, Reading, Finding, Approval, Export])
def test_every_state_has_its_moves_and_moves_only_to_states_there_are(model):
    states = set(model.Status.values)
    assert set(model.MOVES) == states
    assert {to for moves in model.MOVES.values() for to in moves} <= states


def test_a_running_review_is_one_that_has_not_ended():
    assert set(Review.Status.running()) == {state for state, moves in Review.MOVES.items() if moves}


def test_a_finding_is_named_by_its_number_and_a_proposal_by_its_title(cast):
    proposal = make_proposal(cast.workspace, title="Control tower")
    version = make_version(proposal, status=Version.Status.WAITING, created_at=timezone.now())
    assert [str(proposal), str(version)] == ["Control tower", "v1"]
    assert isinstance(proposal, Proposal)
    assert str(Finding(number=12)) == "#12"
