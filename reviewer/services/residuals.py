"""What is probably left unseen, from the passes over a proposal's text.

Each paragraph counts by the first passes over it, as many as every paragraph of the version
has had. A finding whose words were changed since still counts: leaving out what was met once
and fixed would make the rest look cleaner than it is.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from reviewer.core.estimate import NoEstimate, Residual, Seen, residual
from reviewer.core.rounds import Standing, is_named_twice, standing
from reviewer.core.state import Verdict
from reviewer.models import Finding, Reading
from reviewer.services.coverage import History, Pass
from reviewer.services.votes import as_raised

Status = Reading.Status
NOT_READ = NoEstimate("No estimate: no model has read this document.")
UNDER_WAY = NoEstimate("No estimate yet: the reading is under way.")
AT_ONCE = NoEstimate(
    "No estimate: the document was looked over once as a whole. It takes passes sheet by sheet."
)

Votes = dict[int, set[tuple[int, int]]]
"""The passes (review, number) in which each finding was seen, by its id."""


def residual_of(history: History) -> Residual | NoEstimate:
    """What is probably left on the version of `history`, or why there is no number."""
    if not history.readings:
        return NOT_READ
    if any(reading.review.is_running for reading in history.readings):
        return UNDER_WAY
    whole = [each for each in history.passes if each.is_whole and _same_client(history, each)]
    counts = _counts(history, whole)
    wanted = max(
        (r.review.passes for r in history.readings if r.review.depth != "quick"), default=0
    )
    if not wanted:
        return AT_ONCE
    lacking = {sheet for sheet, count in counts.items() if count < wanted}
    failed, censored = _not_made_good(history, lacking)
    unread = {sheet for sheet in lacking if not counts[sheet]}
    if unread and not failed and not censored:
        return NoEstimate(_changed(sorted(unread)))
    passes = min(counts.values(), default=0)
    seen = _seen(history, whole, passes, votes_of(history))
    refuted = Counter(
        finding.severity for finding, count in seen if count > 1 and _is_refuted(finding)
    )
    upheld = [
        Seen(finding.severity, count)
        for finding, count in seen
        if count and standing(finding.record()) is Standing.UPHELD
    ]
    return residual(upheld, passes, refuted_twice=refuted, censored=censored, failed=failed)


def votes_of(history: History) -> Votes:
    """In which passes each finding, or one that was merged into it, was seen."""
    votes: Votes = defaultdict(set)
    for met in history.sightings:
        votes[met.finding].add(met.name)
    return votes


def _same_client(history: History, each: Pass) -> bool:
    return each.covered.context in history.contexts()


def _counts(history: History, whole: Iterable[Pass]) -> dict[int, int]:
    """How many passes cover every paragraph of each sheet of the version."""
    by: dict[str, set[tuple[int, int]]] = defaultdict(set)
    for each in whole:
        for key, _ in each.covered.paragraphs:
            by[key].add(each.name)
    counts: dict[int, int] = {}
    for paragraph in history.paragraphs:
        count = len(by[paragraph.key])
        counts[paragraph.sheet] = min(count, counts.get(paragraph.sheet, count))
    return counts


def _not_made_good(history: History, lacking: set[int]) -> tuple[int, int]:
    """How many readings failed, and how many were censored, on the sheets that lack passes."""
    texts = {history.keys[(history.version.pk, sheet)] for sheet in lacking}
    failed = censored = 0
    for each in history.passes:
        at = (each.root.review.version_id, each.root.sheet)
        if each.is_whole or history.keys.get(at) not in texts:
            continue
        if each.covered.censored:
            censored += 1
        else:
            failed += 1
    return failed, censored


def _seen(
    history: History, whole: Iterable[Pass], passes: int, votes: Votes
) -> list[tuple[Finding, int]]:
    """The findings that a model reported or met, with the votes of the first passes over them."""
    over: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for each in sorted(whole, key=lambda each: each.root.pk):
        for key, _ in each.covered.paragraphs:
            over[key].append(each.name)
    words = as_raised(history)
    return [
        (finding, len(votes[finding.pk].intersection(over[words[finding.pk]][:passes])))
        for finding in history.findings
        if finding.pk in votes and finding.pk in words
    ]


def _is_refuted(finding: Finding) -> bool:
    machine = finding.record().machine
    return is_named_twice(machine) and machine.verdict is Verdict.DOES_NOT_HOLD


def _changed(sheets: list[int]) -> str:
    listed = ", ".join(map(str, sheets))
    which = f"sheet {listed} has" if len(sheets) == 1 else f"sheets {listed} have"
    return f"No estimate: {which} not been read as they stand now.".replace(
        "has not been read as they stand", "has not been read as it stands"
    )
