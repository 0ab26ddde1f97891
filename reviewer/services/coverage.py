"""What was read of a text, by whom, under what: from the readings themselves.

A paragraph is known by its hash, so a reading of one version counts for every later version
that has the paragraph. The passes that clear it must have been given the same client,
sources, rubric and prompt as each other; what changes later asks for a reading of what is
new, and offers one of the rest, but forces none. Another client is another document.
"""

import hashlib
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from reviewer.core.outcomes import Outcome
from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.core.rounds import Context, Covered, Paragraph, Plan, passes_over, plan
from reviewer.models import Calibration, Finding, Reading, Review, Sighting, Version
from reviewer.models import Paragraph as StoredParagraph
from reviewer.models.review import Purpose
from reviewer.services.learnings_given import Pairs, given_now
from reviewer.services.rubric import rubric_hash, rubric_in_force

Kind, Status = Reading.Kind, Reading.Status
ReadAs = tuple[str, str]

Following = dict[int, list[Reading]]
"""Readings by the one whose rest they ask for."""


def context_of(version: Version) -> Context:
    """What a reading started now would be given beside the text."""
    proposal = version.proposal
    sources = list(proposal.sources.order_by("id").values_list("sha256", flat=True))
    return Context(
        client=proposal.client,
        sources=_hash(*sources) if sources else "",
        rubric=rubric_hash(rubric_in_force(proposal.workspace_id)),
        prompt=recipe_of(ReadingKind.PASS),
    )


def plan_for(
    version: Version,
    *,
    passes: int,
    widen: int = 0,
    anew: bool = False,
    models: Collection[str] = (),
) -> Plan:
    """What a review of `version` started now has to do; empty where it is cleared."""
    return History(version).plan(passes=passes, widen=widen, anew=anew, models=models)


@dataclass(frozen=True, slots=True)
class Pass:
    """What one pass over one sheet covered, and whether it was read whole."""

    root: Reading
    covered: Covered

    @property
    def model(self) -> str:
        """The model as its server named it."""
        return self.root.model

    @property
    def name(self) -> tuple[int, int]:
        """Review and number of the pass, which other sheets share."""
        return self.root.review_id, self.root.pass_number

    @property
    def is_whole(self) -> bool:
        """Whether it was read whole, with nothing that it may be hiding."""
        return self.covered.complete and not self.covered.censored


class Block(NamedTuple):
    """A stored paragraph: its hash, and the words of its sheet that it runs over."""

    key: str
    first_word: int
    last_word: int


class Met(NamedTuple):
    """A sighting by a pass: of which finding, in which pass, on which sheet of which version."""

    finding: int
    name: tuple[int, int]
    at: tuple[int, int]
    has_quote: bool
    is_found: bool


class History:
    """All that live reviews read of a proposal, loaded once, against one of its versions."""

    def __init__(
        self,
        version: Version,
        *,
        readings: Iterable[Reading] | None = None,
        findings: Collection[Finding] | None = None,
    ) -> None:
        """`readings` and `findings` may be given where a page has loaded them already."""
        self.version = version
        self._given = readings
        self._findings = findings

    @cached_property
    def now(self) -> Context:
        """What a reading started now would be given."""
        return context_of(self.version)

    @cached_property
    def learnings(self) -> Pairs:
        """What a reading started now is given of what was learned; clearing does not need it."""
        return given_now(self.version.proposal)

    @cached_property
    def readings(self) -> list[Reading]:
        """Every reading of findings by live reviews of the proposal, in the order of asking."""
        if self._given is not None:
            return list(self._given)
        return list(readings_of(self.version.proposal_id))

    @cached_property
    def findings(self) -> list[Finding]:
        """The findings that stand for themselves."""
        if self._findings is not None:
            return list(self._findings)
        return list(Finding.objects.shown().filter(proposal=self.version.proposal_id))

    @cached_property
    def follow(self) -> Following:
        """What asked for the rest of each reading."""
        follow: Following = defaultdict(list)
        for reading in self.readings:
            if reading.follows_id:
                follow[reading.follows_id].append(reading)
        return follow

    @cached_property
    def blocks(self) -> dict[tuple[int, int], list[Block]]:
        """The paragraphs that can be read, by version and sheet, in their order."""
        versions = {reading.review.version_id for reading in self.readings} | {self.version.pk}
        found: dict[tuple[int, int], list[Block]] = defaultdict(list)
        rows = StoredParagraph.objects.filter(sheet__version__in=versions, sheet__unread="")
        for at, sheet, key, first, last in rows.order_by("sheet__number", "position").values_list(
            "sheet__version", "sheet__number", "hash", "first_word", "last_word"
        ):
            found[(at, sheet)].append(Block(key, first, last))
        return found

    @cached_property
    def keys(self) -> dict[tuple[int, int], tuple[str, ...]]:
        """The hashes of those paragraphs, by version and sheet, in their order."""
        return {at: tuple(block.key for block in blocks) for at, blocks in self.blocks.items()}

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """The paragraphs of this version that can be read, in order."""
        return [
            Paragraph(sheet, key)
            for (at, sheet), keys in self.keys.items()
            if at == self.version.pk
            for key in keys
        ]

    @cached_property
    def sightings(self) -> list[Met]:
        """What the passes met, merged or not; one query."""
        rows = Sighting.objects.filter(
            reading__kind=Kind.PASS,
            reading__review__version__proposal=self.version.proposal_id,
            reading__review__provenance=Review.Provenance.LIVE,
        )
        return [
            Met(into or finding, (review, number), (version, sheet), bool(quote), char is not None)
            for finding, into, review, number, version, sheet, quote, char in rows.values_list(
                "finding",
                "finding__merged_into",
                "reading__review",
                "reading__pass_number",
                "reading__review__version",
                "sheet",
                "quote",
                "first_char",
            )
        ]

    @cached_property
    def calibrated(self) -> set[tuple[str, str, str]]:
        """Server, model and recipe of the calibrations that count and passed."""
        return calibrated_models(self.version.proposal.workspace_id)

    @cached_property
    def passes(self) -> list[Pass]:
        """Every pass over a sheet that has come to its end."""
        return [
            Pass(reading, self._covered(reading))
            for reading in self.readings
            if reading.kind == Kind.PASS
            and reading.follows_id is None
            and reading.status == Status.DONE
        ]

    def _covered(self, reading: Reading) -> Covered:
        keys = self.keys.get((reading.review.version_id, reading.sheet), ())
        return Covered(
            pass_id=f"{reading.review_id}.{reading.pass_number}",
            paragraphs=frozenset((key, "") for key in keys),
            context=as_context(reading.review.context),
            complete=is_complete(reading, self.follow),
            censored=is_censored(reading, self.follow),
            calibrated=(reading.review.server, reading.model, reading.prompt_hash)
            in self.calibrated,
        )

    def contexts(self) -> set[Context]:
        """The contexts under which a reading counts: this client's, whatever came since."""
        seen = {each.covered.context for each in self.passes}
        return {self.now} | {context for context in seen if context.client == self.now.client}

    def passes_over(
        self, *, anew: bool = False, models: Collection[str] = ()
    ) -> dict[Paragraph, int]:
        """How many passes under one and the same context cleared each paragraph.

        `models` names models whose passes count though they are not calibrated: asking them
        again would clear nothing more. `anew` counts today's context alone.
        """
        coverage = [
            _as_if_calibrated(each, models)
            for each in self.passes
            if not anew or each.root.learnings == self.learnings
        ]
        counts = dict.fromkeys(self.paragraphs, 0)
        for context in {self.now} if anew else self.contexts():
            for paragraph, count in passes_over(self.paragraphs, context, coverage).items():
                counts[paragraph] = max(counts[paragraph], count)
        return counts

    def plan(
        self, *, passes: int, widen: int = 0, anew: bool = False, models: Collection[str] = ()
    ) -> Plan:
        """What is due now; see `plan_for`."""
        counts = self.passes_over(anew=anew, models=models)
        return plan(
            self.paragraphs,
            self.now,
            list(_coverage_with(counts, self.now)),
            [finding.record() for finding in self.findings],
            document_read=self.document_was_read(anew=anew, models=models),
            passes=passes,
            widen=widen,
        )

    def document_was_read(self, *, anew: bool = False, models: Collection[str] = ()) -> bool:
        """Whether a document reading of exactly this text came to its end and counts."""
        mine = self._text(self.version.pk)
        contexts = {self.now} if anew else self.contexts()
        able = {(server, model) for server, model, _ in self.calibrated}
        return any(
            reading.kind == Kind.DOCUMENT
            and reading.follows_id is None
            and (
                self._text(reading.review.version_id) == mine
                and as_context(reading.review.context) in contexts
                and (not anew or reading.learnings == self.learnings)
                and ((reading.review.server, reading.model) in able or reading.model in models)
                and is_complete(reading, self.follow)
            )
            for reading in self.readings
        )

    def was_looked_over(self) -> bool:
        """Whether a quick look was taken at exactly this text, as things stand."""
        mine = self._text(self.version.pk)
        return any(
            reading.kind == Kind.SWEEP
            and reading.follows_id is None
            and reading.review.depth == "quick"
            and reading.outcome == Outcome.READ
            and self._text(reading.review.version_id) == mine
            and as_context(reading.review.context) == self.now
            for reading in self.readings
        )

    def unproven(self, server: str, models: Iterable[str]) -> set[str]:
        """Those of `models` that have not passed a calibration, and the names they answer by.

        A server may name a model otherwise than it is asked for; what counts is its own name.
        """
        recipe = self.now.prompt
        found: set[str] = set()
        for model in models:
            named = [r.model for r in self.readings if r.review.model == model and r.model]
            names = {model, *named[-1:]}
            if not any((server, name, recipe) in self.calibrated for name in names):
                found |= names
        return found

    def _text(self, version_id: int) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """What a version says, sheet by sheet; equal for a file that was uploaded again."""
        return tuple((sheet, keys) for (at, sheet), keys in self.keys.items() if at == version_id)


def readings_of(proposal_id: int) -> Iterable[Reading]:
    """The readings of findings by live reviews, with their reviews; one query."""
    return (
        Reading.objects.filter(
            kind__in=Kind.of_findings(),
            review__version__proposal=proposal_id,
            review__provenance=Review.Provenance.LIVE,
        )
        .select_related("review", "answer")
        .defer("dropped", "verdicts", "review__keeps", "answer__raw")
        .order_by("pk")
    )


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


def calibrated_models(workspace_id: int) -> set[tuple[str, str, str]]:
    """Server, model and recipe of the prompt of those whose newest calibration passed."""
    newest: dict[tuple[str, str, str], Calibration] = {}
    ended = Calibration.objects.filter(workspace=workspace_id, status=Calibration.Status.DONE)
    for run in ended.order_by("at", "id"):
        newest[(run.server, run.model, run.recipe)] = run
    return {key for key, run in newest.items() if run.passed}


def cleared_before(review: Review) -> set[ReadAs]:
    """Paragraphs that earlier reviews had cleared, as a finding on them is late.

    Where a review reads anew under what changed since, nothing it finds is late but what was
    cleared under that already.
    """
    history = History(review.version)
    mine = as_context(review.context)
    anew = review.purpose == Purpose.REREADING
    contexts = {mine} if anew else {c for c in history.contexts() if c.client == mine.client}
    earlier = [each.covered for each in history.passes if each.root.review_id < review.pk]
    clear: set[ReadAs] = set()
    for context in contexts:
        by: dict[ReadAs, set[str]] = defaultdict(set)
        for covered in earlier:
            if covered.clears and covered.context == context:
                for read_as in covered.paragraphs:
                    by[read_as].add(covered.pass_id)
        clear |= {read_as for read_as, passes in by.items() if len(passes) >= review.passes}
    return clear


def as_context(stored: dict[str, Any]) -> Context:
    """A review's context as rules take it; empty where none was stored."""
    return Context(**stored) if stored else Context()


def _as_if_calibrated(each: Pass, models: Collection[str]) -> Covered:
    if each.covered.calibrated or each.model not in models:
        return each.covered
    return replace(each.covered, calibrated=True)


def _coverage_with(counts: dict[Paragraph, int], context: Context) -> Iterable[Covered]:
    """Coverage under `context` in which each paragraph was passed over so many times."""
    for paragraph, count in counts.items():
        for number in range(count):
            yield Covered(f"{number}", frozenset({paragraph.read_as}), context)


def _hash(*parts: str) -> str:
    return f"sha256:{hashlib.sha256('|'.join(parts).encode()).hexdigest()[:32]}"
