"""Rows about what leaves the house that break one constraint each: approvals, exports, waivers."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from reviewer.models import Approval, Export, Version, Waiver
from tests.factories import Cast, make_proposal, make_version


def _version(cast: Cast) -> Version:
    return make_version(make_proposal(cast.workspace), status=Version.Status.WAITING)


def _approval(cast: Cast, status: str = "given", **fields: Any) -> Approval:
    given = {
        "version": _version(cast),
        "asked_by": cast.wen.user,
        "asked_at": timezone.now(),
        "decided_by": cast.max.user,
        "decided_at": timezone.now(),
        "reason": "Read in full.",
        "bytes_hash": "sha256:b",
        "gate_key": "g1-0",
        "policy_key": "p1-0",
        "fallen_at": timezone.now(),
        "why_fallen": "The version changed.",
    }
    return Approval.objects.create(status=status, **{**given, **fields})


def _export(cast: Cast, status: str = "ready", **fields: Any) -> Export:
    given = {
        "workspace": cast.workspace,
        "number": 1,
        "version": _version(cast),
        "is_gated": False,
        "reason": "The disk was full.",
        "bytes_hash": "sha256:b",
        "client_file": "client.pdf",
        "client_sha256": "c",
        "record_file": "record.pdf",
        "record_sha256": "r",
        "made_by": cast.max.user,
        "created_at": timezone.now(),
    }
    return Export.objects.create(status=status, **{**given, **fields})


def _waiver(cast: Cast, kind: str = "fit", **fields: Any) -> Waiver:
    given = {
        "version": _version(cast),
        "says": "Sheet 3 overflows.",
        "reason": "It is a map.",
        "until_version": 1,
        "by": cast.max.user,
    }
    return Waiver.objects.create(kind=kind, **{**given, **fields})


def _twice(row: Any) -> Any:
    row.pk = None
    row.save(force_insert=True)
    return row


SOUND: list[Callable[[Cast], object]] = [
    *(lambda cast, s=status: _approval(cast, s) for status in Approval.Status.values),
    *(lambda cast, s=status: _export(cast, s) for status in Export.Status.values),
    *(lambda cast, k=kind: _waiver(cast, k) for kind in Waiver.Kind.values),
]
"""What each row below is but for the one field it names."""

BREAKS: dict[str, Callable[[Cast], object]] = {
    "approval_status_is_known": lambda cast: _approval(cast, "perhaps"),
    "approval_asked_once_a_version": lambda cast: _twice(_approval(cast, "asked")),
    "approval_given_once_a_version": lambda cast: _twice(_approval(cast)),
    "approval_answer_has_who_and_when": lambda cast: _approval(cast, decided_by=None),
    "approval_yes_is_bound": lambda cast: _approval(cast, gate_key=""),
    "approval_no_has_a_reason": lambda cast: _approval(cast, "refused", reason=""),
    "approval_fallen_says_why": lambda cast: _approval(cast, "fallen", why_fallen=""),
    "export_number_once_a_workspace": lambda cast: _twice(_export(cast)),
    "export_status_is_known": lambda cast: _export(cast, "lost"),
    "export_gated_has_an_approval": lambda cast: _export(cast, is_gated=True),
    "export_ready_has_files_and_hashes": lambda cast: _export(cast, client_sha256=""),
    "export_failed_says_why": lambda cast: _export(cast, "failed", reason=""),
    "waiver_kind_is_known": lambda cast: _waiver(cast, "anything"),
    "waiver_has_a_reason": lambda cast: _waiver(cast, reason=""),
    "waiver_has_an_end": lambda cast: _waiver(cast, until_version=None),
    "waiver_of_a_review_is_for_one_version": lambda cast: _waiver(
        cast, "not_cleared", until_version=None, until_date=timezone.localdate()
    ),
    "waiver_taken_back_by_somebody": lambda cast: _waiver(cast, taken_back_at=timezone.now()),
}
