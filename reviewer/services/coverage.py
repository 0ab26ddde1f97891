"""What was read of a text, by whom, under what: from the readings themselves.

A paragraph is known by its hash and the hash of its sheet's image where images are shown,
so a reading of one version counts for every later version that has the paragraph.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from reviewer.core.outcomes import Outcome
from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.core.rounds import Context, Covered, Paragraph, Plan, plan
from reviewer.models import (
    Calibration,
    Finding,
    Reading,
    Review,
    Version,
)
from reviewer.models import (
    Paragraph as StoredParagraph,
)
from reviewer.services.rubric import rubric_hash

Kind, Status = Reading.Kind, Reading.Status


def context_of(version: Version) -> Context:
    """What a reading started now would be given beside the text."""
    proposal = version.proposal
    sources = proposal.sources.order_by("id").values_list("sha256", flat=True)
    return Context(
        client=proposal.client,
        sources=_hash(*sources) if sources else "",
        rubric=rubric_hash(),
        prompt=recipe_of(ReadingKind.PASS),
    )


def plan_for(version: Version, *, passes: int, widen: int = 0) -> Plan:
    """What a review of `version` started now has to do; empty where it is cleared."""
    context = context_of(version)
    return plan(
        paragraphs_of(version),
        context,
        coverage_of(version),
        [finding.record() for finding in _findings(version)],
        document_read=_document_was_read(version, context),
        passes=passes,
        widen=widen,
    )


def paragraphs_of(version: Version) -> list[Paragraph]:
    """The paragraphs of the sheets that can be read, in order."""
    rows = StoredParagraph.objects.filter(sheet__version=version, sheet__unread="")
    return [
        Paragraph(sheet, key)
        for sheet, key in rows.order_by("sheet__number", "position").values_list(
            "sheet__number", "hash"
        )
    ]


def coverage_of(version: Version) -> list[Covered]:
    """What every pass over any version of the proposal covered."""
    readings = list(
        Reading.objects.filter(
            kind__in=[Kind.PASS, Kind.SWEEP],
            status=Status.DONE,
            review__version__proposal=version.proposal_id,
            review__provenance=Review.Provenance.LIVE,
        ).select_related("review")
    )
    paragraphs = _paragraphs_by_sheet(readings)
    calibrated = calibrated_models(version.proposal.workspace_id)
    follow: dict[int, list[Reading]] = defaultdict(list)
    for reading in readings:
        if reading.follows_id:
            follow[reading.follows_id].append(reading)
    return [
        Covered(
            pass_id=f"{reading.review_id}.{reading.pass_number}",
            paragraphs=paragraphs[(reading.review.version_id, reading.sheet)],
            context=Context(**reading.review.context) if reading.review.context else Context(),
            complete=is_complete(reading, follow),
            censored=is_censored(reading, follow),
            calibrated=(reading.model, reading.prompt_hash) in calibrated
            or (reading.review.model, reading.prompt_hash) in calibrated,
        )
        for reading in readings
        if reading.kind == Kind.PASS and reading.follows_id is None
    ]


Following = dict[int, list[Reading]]
"""Readings by the one whose rest they ask for."""


def is_complete(reading: Reading, follow: Following) -> bool:
    """Whether an answer, with what was asked after it, was read whole."""
    after = follow.get(reading.pk, [])
    if reading.is_censored and after:
        return all(is_complete(each, follow) for each in after)
    if reading.outcome == Outcome.READ:
        return True
    if any(each.kind == reading.kind and is_complete(each, follow) for each in after):
        return True
    sweeps = [each for each in after if each.kind == Kind.SWEEP]
    return any(each.outcome == Outcome.READ and not each.is_censored for each in sweeps)


def is_censored(reading: Reading, follow: Following) -> bool:
    """Whether an answer that was as long as allowed was not made good by its halves."""
    if not reading.is_censored:
        again = [each for each in follow.get(reading.pk, []) if each.kind == reading.kind]
        return any(is_censored(each, follow) for each in again)
    halves = [each for each in follow.get(reading.pk, []) if each.kind == Kind.PASS]
    return len(halves) < 2 or any(is_censored(half, follow) for half in halves)


def calibrated_models(workspace_id: int) -> set[tuple[str, str]]:
    """Models, each with the recipe of the prompt, whose newest calibration passed."""
    newest: dict[tuple[str, str], Calibration] = {}
    ended = Calibration.objects.filter(workspace=workspace_id, status=Calibration.Status.DONE)
    for run in ended.order_by("at", "id"):
        newest[(run.model, run.recipe)] = run
    return {key for key, run in newest.items() if run.passed}


def cleared_before(review: Review) -> set[tuple[str, str]]:
    """Paragraphs that other reviews had cleared, as a finding on them is late."""
    others = [
        covered
        for covered in coverage_of(review.version)
        if not covered.pass_id.startswith(f"{review.pk}.")
    ]
    context = Context(**review.context) if review.context else Context()
    passes: dict[tuple[str, str], set[str]] = defaultdict(set)
    for covered in others:
        if covered.clears and covered.context == context:
            for read_as in covered.paragraphs:
                passes[read_as].add(covered.pass_id)
    return {read_as for read_as, by in passes.items() if len(by) >= review.passes}


def _findings(version: Version) -> Iterable[Finding]:
    return Finding.objects.shown().filter(proposal=version.proposal_id)


def _document_was_read(version: Version, context: Context) -> bool:
    readings = Reading.objects.filter(
        kind=Kind.DOCUMENT,
        outcome=Outcome.READ,
        review__version=version,
        review__provenance=Review.Provenance.LIVE,
    ).select_related("review")
    return any(_as_context(reading.review.context) == context for reading in readings)


def _as_context(stored: dict[str, Any]) -> Context:
    return Context(**stored) if stored else Context()


def _paragraphs_by_sheet(
    readings: Iterable[Reading],
) -> dict[tuple[int, int], frozenset[tuple[str, str]]]:
    versions = {reading.review.version_id for reading in readings}
    found: dict[tuple[int, int], set[tuple[str, str]]] = defaultdict(set)
    rows = StoredParagraph.objects.filter(sheet__version__in=versions, sheet__unread="")
    for version, sheet, key in rows.values_list("sheet__version", "sheet__number", "hash"):
        found[(version, sheet)].add((key, ""))
    return defaultdict(frozenset, {key: frozenset(value) for key, value in found.items()})


def _hash(*parts: str) -> str:
    return f"sha256:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"
