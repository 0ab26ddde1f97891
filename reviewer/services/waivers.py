"""Which signatures count for a version: of faults of layout, sheets not read, reviews not complete.

A signature has a reason and an end, and covers what was looked at. On a later version it
counts only where the same is there again, and never for text that nobody read: a review is
signed for one version, and for no more than was due when it was signed.
"""

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db.models import Q
from django.utils import timezone

from reviewer.core.gate import FitFault, UnreadSheet
from reviewer.core.rounds import Plan
from reviewer.models import Sheet, Version, Waiver

Kind = Waiver.Kind


def waivers_on(version: Version) -> list[Waiver]:
    """The signatures that may count for `version`: not taken back and not ended."""
    today = timezone.localdate()
    rows = Waiver.objects.filter(
        Q(until_version=None) | Q(until_version__gte=version.number),
        Q(until_date=None) | Q(until_date__gte=today),
        version__proposal=version.proposal_id,
        version__number__lte=version.number,
        taken_back_at=None,
    )
    return list(rows.select_related("by", "version").order_by("pk"))


def waived_fit(faults: Iterable[FitFault], waivers: Sequence[Waiver]) -> list[FitFault]:
    """The faults, marked where one that says the same on the same sheet is signed for."""
    signed = {
        (waiver.code, waiver.sheet, waiver.says) for waiver in waivers if waiver.kind == Kind.FIT
    }
    return [
        replace(fault, waived=(fault.code, fault.sheet, fault.says) in signed) for fault in faults
    ]


def waived_unread(
    version: Version, sheets: Iterable[UnreadSheet], waivers: Sequence[Waiver]
) -> list[UnreadSheet]:
    """The sheets, marked where this picture of this sheet is signed for."""
    by_sheet: dict[int, list[Waiver]] = {}
    for waiver in waivers:
        if waiver.kind == Kind.UNREAD:
            by_sheet.setdefault(waiver.sheet, []).append(waiver)
    return [
        replace(one, waived=any(_is_same(each, version) for each in by_sheet.get(one.sheet, [])))
        for one in sheets
    ]


def is_signed_for(due: Plan | None, version: Version, waivers: Sequence[Waiver]) -> bool:
    """Whether all that a review would still have to do was due when it was signed for."""
    return any(
        waiver.kind == Kind.NOT_CLEARED
        and waiver.version_id == version.pk
        and _covers(waiver.seen, due)
        for waiver in waivers
    )


def due_as_json(due: Plan | None) -> dict[str, Any]:
    """What is due, as a signature stores it."""
    if due is None:
        return {"never": True}
    return {
        "sheets": sorted(due.passes),
        "document": due.document,
        "checks": sorted(due.checks),
    }


def _covers(seen: dict[str, Any], due: Plan | None) -> bool:
    if due is None or seen.get("never"):
        return bool(seen.get("never"))
    return (
        set(due.passes) <= set(seen.get("sheets", []))
        and (not due.document or bool(seen.get("document")))
        and set(due.checks) <= set(seen.get("checks", []))
    )


def _is_same(waiver: Waiver, version: Version) -> bool:
    if waiver.version_id == version.pk:
        return True
    on = version.sheets.for_desk().filter(number=waiver.sheet).first()
    return on is not None and picture_of(on) == waiver.seen.get("picture")


def picture_of(sheet: Sheet) -> str:
    """A name for the picture of a sheet; empty where it is gone."""
    try:
        with sheet.image.open("rb") as stored:
            return hashlib.file_digest(stored, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
