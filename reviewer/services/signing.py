"""A manager signs for what holds a version beside its findings, and takes it back.

Refused: a signature without a reason or without an end, and one for what holds nothing.
"""

from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from reviewer.core.gate import ReasonKind
from reviewer.models import Membership, Version, Waiver
from reviewer.services.coverage import History
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.gates import due_on, fit_faults, gate_of, unread_sheets
from reviewer.services.storable import typed_text
from reviewer.services.waivers import due_as_json, picture_of

Kind = Waiver.Kind


def waive(
    *,
    by: Membership,
    version: Version,
    kind: str,
    code: str = "",
    sheet: int = 0,
    reason: str,
    until_date: date | None = None,
    later_versions: bool = False,
) -> Waiver:
    """Sign for one thing that holds `version`, with a reason and an end. Managers only.

    It ends with this version, or, with `later_versions`, on `until_date`, and then covers
    the same fault or picture on later versions too. Raises Refused where nothing of the kind
    holds the version, where the reason or the end is missing, or where the end has passed.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can sign for this. Ask one.")
    if not reason.strip():
        raise Refused("Say why, in a few words: the reason stays beside what was signed for.")
    if until_date is not None and until_date < timezone.localdate():
        raise Refused("That day has passed already, so nothing was signed. Choose a later one.")
    if later_versions and until_date is None:
        raise Refused("For later versions too it needs a last day. Nothing was signed.")
    if later_versions and kind == Kind.NOT_CLEARED:
        raise Refused("Text that was not read is signed for one version at a time.")
    says, seen = _what(version, kind, code, sheet)
    waiver = Waiver(
        version=version,
        kind=kind,
        code=code,
        sheet=sheet,
        says=says,
        seen=seen,
        reason=typed_text(reason),
        until_version=None if later_versions else version.number,
        until_date=until_date,
        by=by.user,
    )
    with transaction.atomic():
        waiver.save()
        _tell(by, waiver, "waived", f"{says} {waiver.reason}")
    return waiver


def take_back(*, by: Membership, waiver: Waiver) -> Waiver:
    """Take a signature back, so that what it was for holds again. Managers only."""
    if not by.is_manager:
        raise NotAllowed("Only a manager can take this back.")
    now = timezone.now()
    with transaction.atomic():
        taken = Waiver.objects.filter(pk=waiver.pk, taken_back_at=None).update(
            taken_back_by=by.user, taken_back_at=now
        )
        if taken != 1:
            raise MovedMeanwhile("It was taken back already, so nothing was changed.")
        _tell(by, waiver, "waiver taken back", waiver.says)
    waiver.taken_back_by, waiver.taken_back_at = by.user, now
    return waiver


def _what(version: Version, kind: str, code: str, sheet: int) -> tuple[str, dict[str, Any]]:
    """What is signed for, in a sentence, and what it covers."""
    if kind == Kind.FIT:
        for fault in fit_faults(version):
            if fault.holds and (fault.code, fault.sheet) == (code, sheet):
                return fault.says, {}
    elif kind == Kind.UNREAD:
        on = list(version.sheets.for_desk().filter(number=sheet))
        for unread in unread_sheets(History(version), on):
            says = f"Sheet {sheet} was not read: {unread.why}."
            return says, {"picture": picture_of(on[0])}
    elif kind == Kind.NOT_CLEARED:
        for reason in gate_of(version).reasons:
            if reason.kind is ReasonKind.NOT_CLEARED:
                return reason.text, due_as_json(due_on(version))
    raise Refused("Nothing of that kind holds this version, so nothing was signed.")


def _tell(by: Membership, waiver: Waiver, verb: str, why: str) -> None:
    record(
        workspace=by.workspace_id,
        subject=waiver,
        verb=verb,
        by=by,
        why=why,
        proposal_id=waiver.version.proposal_id,
    )
