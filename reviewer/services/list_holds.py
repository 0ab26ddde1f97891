"""What still holds versions on which nothing is open, for a list of them.

The gate is judged for one version, from all that was ever read of it; a list has fifty. What
stands here is told from a few rows, in a number of queries that does not grow with the list,
and errs on one side: a version that its gate holds is never told to be free. Where those rows
leave a doubt (answers lost, cut short or of models of which only some may clear, a client who
was renamed, a sheet read from its picture, a signature), the one version is judged as its gate
judges it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.db.models import Count, F, Q
from django.utils import timezone

from reviewer.core.gate import UnreadSheet
from reviewer.core.rounds import holds
from reviewer.core.schema import Severity
from reviewer.core.wording import counted
from reviewer.models import Finding, Reading, Review, Sheet, Sighting, Version, Waiver, Workspace
from reviewer.models.model_settings import Depth
from reviewer.services.coverage import History, as_context, calibrated_models
from reviewer.services.gates import as_judged, due_on, fit_faults, unread_sheets
from reviewer.services.waivers import is_signed_for, waived_fit, waived_unread

RECORDED = "recorded answers do not clear"
QUICK = "looked over, not read"
NOT_WHOLE = "not fully read"
NOT_CLEARED = "read, but not cleared"


def holds_of(
    workspace: Workspace, versions: Collection[Version], reviews: Iterable[Any]
) -> dict[int, str]:
    """What holds each of `versions`, in a few words, by its id; those that nothing holds, and
    those that were never read, are left out. `reviews` are the newest ones of their proposals,
    from `newest_of`."""
    for version in versions:
        version.proposal.workspace = workspace
    newest = {review.version_id: review for review in reviews}
    signed = _signatures(versions)
    on_sheets = _unread(versions)
    claimed = _claimed(versions)
    proven = _proven(workspace, versions)
    held: dict[int, str] = {}
    for version in versions:
        mine = [w for w in signed[version.proposal_id] if _counts(w, version)]
        fit = [f for f in waived_fit(fit_faults(version), mine) if f.holds and not f.waived]
        unread = [s for s in waived_unread(version, on_sheets[version.pk], mine) if not s.waived]
        review = newest.get(version.pk)
        if fit:
            held[version.pk] = f"{counted(len(fit), 'fault')} of layout"
        elif unread:
            held[version.pk] = f"{counted(len(unread), 'sheet')} not read"
        elif version.proposal_id in claimed:
            held[version.pk] = claimed[version.proposal_id]
        elif review and (lacks := _lacks(version, review, proven[version.proposal_id], mine)):
            held[version.pk] = lacks
    return held


def _claimed(versions: Collection[Version]) -> dict[int, str]:
    """The findings that hold although somebody says that they are fixed, by the proposal's id."""
    held: dict[int, Counter[str]] = defaultdict(Counter)
    claimed = Finding.objects.shown().filter(
        proposal__in=[version.proposal_id for version in versions],
        severity__in=[Severity.BLOCK, Severity.FIX],
        status=Finding.Status.FIX_CLAIMED,
    )
    for finding in claimed:
        if holds(as_judged(finding.record())):
            held[finding.proposal_id][finding.severity] += 1
    return {
        proposal: f"{counted(many[Severity.BLOCK], 'block')} claimed fixed, not confirmed"
        if many[Severity.BLOCK]
        else f"{counted(many[Severity.FIX], 'fix', 'fixes')} claimed, not confirmed"
        for proposal, many in held.items()
    }


def _proven(workspace: Workspace, versions: Collection[Version]) -> dict[int, set[bool]]:
    """Of the proposals, by their ids: whether what read them may clear and was not cut short,
    both where some of it may and some may not."""
    calibrated = calibrated_models(workspace.pk)
    able = {(server, model) for server, model, _ in calibrated}
    found: dict[int, set[bool]] = defaultdict(set)
    rows = Reading.objects.filter(
        review__version__proposal__in=[version.proposal_id for version in versions],
        review__provenance=Review.Provenance.LIVE,
        kind__in=[Reading.Kind.PASS, Reading.Kind.DOCUMENT],
        status=Reading.Status.DONE,
    )
    told_apart = ("review__version__proposal", "kind", "review__server", "model", "prompt_hash")
    for proposal, kind, server, model, recipe, is_censored in (
        rows.order_by().values_list(*told_apart, "is_censored").distinct()
    ):
        is_pass = kind == Reading.Kind.PASS
        may_clear = (server, model, recipe) in calibrated if is_pass else (server, model) in able
        found[proposal].add(may_clear and not is_censored)
    return found


def _lacks(version: Version, review: Any, proven: set[bool], signed: Sequence[Waiver]) -> str:
    """What the reading of `version` lacks to clear it, in a few words; empty where nothing."""
    is_signed = any(
        waiver.kind == Waiver.Kind.NOT_CLEARED and waiver.version_id == version.pk
        for waiver in signed
    )
    words, is_sure = NOT_CLEARED, False
    if review.provenance == Review.Provenance.RECORDED:
        words, is_sure = RECORDED, True
    elif review.depth == Depth.QUICK:
        words, is_sure = QUICK, True
    elif review.readings_read < review.readings_all:
        words = NOT_WHOLE
    elif True not in proven:
        is_sure = True
    elif False not in proven and as_context(review.context).client == version.proposal.client:
        return ""
    if is_sure and not is_signed:
        return words
    due = due_on(version)
    is_clear = due is not None and due.is_clear
    return "" if is_clear or is_signed_for(due, version, signed) else words


def _unread(versions: Collection[Version]) -> dict[int, list[UnreadSheet]]:
    found: dict[int, list[UnreadSheet]] = defaultdict(list)
    rows = Sheet.objects.filter(version__in=versions).exclude(unread__in=["", "blank"])
    for sheet in rows.only("version", "number", "unread"):
        found[sheet.version_id].append(UnreadSheet(sheet.number, sheet.get_unread_display()))
    doubtful = _seen_in_pictures(found) | _quoted_astray(versions)
    for version in versions:
        if version.proposal_id in doubtful:
            found[version.pk] = unread_sheets(History(version), version.sheets.for_desk())
    return found


def _seen_in_pictures(versions: Collection[int]) -> set[int]:
    """The proposals of `versions` of which a sheet was read from its picture, by their ids."""
    done = Reading.objects.filter(kind=Reading.Kind.PICTURE, status=Reading.Status.DONE)
    of = Version.objects.filter(pk__in=versions).values("proposal")
    asked = done.filter(review__version__proposal__in=of)
    return set(asked.values_list("review__version__proposal", flat=True)) if versions else set()


def _quoted_astray(versions: Collection[Version]) -> set[int]:
    """The proposals in which a third of what one review quoted from a sheet was not found on it.

    Only of such a one can its gate say that a sheet was not read for its quotes: where several
    reviews of one text reach a third together, one of them does alone.
    """
    quoted = Sighting.objects.filter(
        reading__kind=Reading.Kind.PASS,
        reading__review__provenance=Review.Provenance.LIVE,
        reading__review__version__proposal__in=[version.proposal_id for version in versions],
    ).exclude(quote="")
    proposal = F("reading__review__version__proposal")
    counted = (
        quoted.order_by()
        .values("sheet", "reading__review", proposal=proposal)
        .annotate(sought=Count("pk"), missing=Count("pk", filter=Q(first_char=None)))
    )
    astray = counted.filter(missing__gte=1, sought__lte=3 * F("missing"))
    return set(astray.values_list("proposal", flat=True))


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
