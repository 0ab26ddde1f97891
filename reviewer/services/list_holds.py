"""What still holds versions on which nothing is open, for a list of them.

The gate is judged for one version, from all that was ever read of it; a list has fifty. What
stands here is told from a few rows, in a number of queries that does not grow with the list
(but for a picture that was signed for on an earlier version: two each), and errs on one side: a version that its gate holds for its reading, its layout or a sheet is
never told to be free. Signatures count as they do for the gate.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable

from django.utils import timezone

from reviewer.core.gate import UnreadSheet
from reviewer.models import Reading, Review, Sheet, Version, Waiver, Workspace
from reviewer.models.model_settings import Depth
from reviewer.services.coverage import calibrated_models
from reviewer.services.gates import fit_faults
from reviewer.services.waivers import waived_fit, waived_unread

NEVER_READ = "no model has read it"
QUICK = "looked over, not read"
NOT_CALIBRATED = "read, but not cleared"


def holds_of(
    workspace: Workspace, versions: Collection[Version], reviews: Iterable[Review]
) -> dict[int, str]:
    """What holds each of `versions`, in a few words, by its id; those that nothing holds are
    left out. `reviews` are the newest ones of their proposals."""
    signed = _signatures(versions)
    on_sheets = _unread(versions)
    reading = _reading_holds(workspace, reviews)
    held: dict[int, str] = {}
    for version in versions:
        version.proposal.workspace = workspace
        mine = [w for w in signed[version.proposal_id] if _counts(w, version)]
        never = any(w.kind == Waiver.Kind.NOT_CLEARED and w.version_id == version.pk for w in mine)
        fit = [f for f in waived_fit(fit_faults(version), mine) if f.holds and not f.waived]
        unread = [s for s in waived_unread(version, on_sheets[version.pk], mine) if not s.waived]
        if fit:
            held[version.pk] = f"{_count(len(fit), 'fault')} of layout"
        elif unread:
            held[version.pk] = f"{_count(len(unread), 'sheet')} not read"
        elif version.pk in reading and not never:
            held[version.pk] = reading[version.pk]
    return held


def _reading_holds(workspace: Workspace, reviews: Iterable[Review]) -> dict[int, str]:
    """What the newest reading of each version lacks to clear it, by the version's id."""
    newest = {review.pk: review for review in reviews}
    calibrated = calibrated_models(workspace.pk)
    rows = Reading.objects.filter(review__in=newest, kind__in=Reading.Kind.of_findings())
    unproven = {
        review
        for review, model, recipe in rows.exclude(outcome="")
        .order_by()
        .values_list("review", "model", "prompt_hash")
        .distinct()
        if (newest[review].server, model, recipe) not in calibrated
    }
    held = {}
    for review in newest.values():
        if review.provenance == Review.Provenance.RECORDED:
            held[review.version_id] = NEVER_READ
        elif review.depth == Depth.QUICK:
            held[review.version_id] = QUICK
        elif review.pk in unproven:
            held[review.version_id] = NOT_CALIBRATED
    return held


def _unread(versions: Collection[Version]) -> dict[int, list[UnreadSheet]]:
    found: dict[int, list[UnreadSheet]] = defaultdict(list)
    rows = Sheet.objects.filter(version__in=versions).exclude(unread__in=["", "blank"])
    for sheet in rows.only("version", "number", "unread"):
        found[sheet.version_id].append(UnreadSheet(sheet.number, sheet.get_unread_display()))
    return found


def _signatures(versions: Collection[Version]) -> dict[int, list[Waiver]]:
    """Those of the proposals that nobody took back, by the proposal's id."""
    found: dict[int, list[Waiver]] = defaultdict(list)
    proposals = [version.proposal_id for version in versions]
    rows = Waiver.objects.filter(version__proposal__in=proposals, taken_back_at=None)
    for waiver in rows.select_related("version").order_by("pk"):
        found[waiver.version.proposal_id].append(waiver)
    return found


def _counts(waiver: Waiver, version: Version) -> bool:
    last, day = waiver.until_version, waiver.until_date
    return (
        waiver.version.number <= version.number
        and (last is None or last >= version.number)
        and (day is None or day >= timezone.localdate())
    )


def _count(number: int, one: str) -> str:
    return f"{number} {one}{'' if number == 1 else 's'}"
