"""What reading takes, in calls and dollars: told as an estimate before, and as billed after.

Three things, never one: reading what is due, widening the sample on purpose, and reading anew
under what changed since. Each says what it costs, or why there is nothing to do.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

from reviewer.core.rounds import Plan
from reviewer.core.wording import counted
from reviewer.models import Reading, Version
from reviewer.models.model_settings import Depth
from reviewer.services.asked_before import was_read_elsewhere
from reviewer.services.connection import Connection, connection_by, loaded_settings
from reviewer.services.coverage import History, as_context
from reviewer.services.followups import unanswered
from reviewer.services.laying_out import CANDIDATES_A_CALL
from reviewer.services.model_stats import Effort
from reviewer.services.pictures import READ_ALREADY, passes_due, without_text
from reviewer.services.reviews import due_now, passes_for

READ_ELSEWHERE = (
    "The same file was read on another proposal: what was asked then is not asked again, and "
    "its findings are met again."
)
LATELY = 60
"""So many of the workspace's last readings say what one costs, where the proposal has none."""


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that can be started. `calls` are the least there will be.

    `dollars` is None where no price is known. `refused` says why it cannot be started.
    """

    calls: int
    dollars: Decimal | None
    sheets: tuple[int, ...]
    sentence: str
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Offers:
    """What can be started on a version. `anew` is None where nothing changed since."""

    read: Offer
    widen: Offer
    anew: Offer | None
    pictures: tuple[tuple[int, Offer], ...] = ()
    """Reading from its picture, for each sheet that has no text: its number, and the offer."""


def offers_of(version: Version, *, history: History | None = None, widen_by: int = 1) -> Offers:
    """What reading again, widening by so many passes, and reading anew would take."""
    history = history or History(version)
    connected = connection_by(loaded_settings(version.proposal.workspace))
    if connected is None or version.proposal.checks_only:
        why = "No model is connected." if connected is None else "It is kept to built-in checks."
        none = Offer(0, None, (), why, why)
        return Offers(none, none, None)
    each = _dollars_a_call(history, connected)
    passes = passes_for(connected.depth)
    pictures = tuple(
        (sheet.number, _picture(history, each, sheet.number, passes))
        for sheet in without_text(version)
    )
    return Offers(
        _read(history, connected, each, passes),
        _widen(history, connected, each, passes, widen_by),
        _anew(history, connected, each, passes),
        pictures,
    )


def spent(effort: Effort) -> str:
    """What readings took, in the form of an offer; empty where nothing was asked."""
    reused = counted(effort.reused, "answer", "answers") + (
        " had been given to the same text on another proposal, and took no call."
    )
    if not effort.readings:
        return reused if effort.reused else ""
    told_in = effort.input_tokens + effort.cache_read_tokens
    share = f", {effort.cache_share:.0%} of them from the cache" if effort.cache_read_tokens else ""
    tokens = f"{told_in:,} tokens in{share}, {effort.output_tokens:,} out"
    took = f"It took {counted(effort.readings, 'call', 'calls')}{_billed(effort)}: {tokens}."
    return f"{took} {reused}" if effort.reused else took


def _billed(effort: Effort) -> str:
    if effort.cost is None:
        return ", at a price that is not known"
    cents = Decimal("0.01")
    told = f"${effort.cost.quantize(cents)}" if effort.cost >= cents else "less than $0.01"
    if effort.unpriced:
        return f", {told} for the {effort.readings - effort.unpriced} whose price is known"
    return f", {told}"


def _read(history: History, connected: Connection, each: Decimal | None, passes: int) -> Offer:
    if connected.depth == Depth.QUICK:
        if history.was_looked_over():
            return _nothing("It was looked over as it stands.")
        return _offer(1, each, (), "A quick look over the whole document; it clears nothing")
    plan = due_now(history, connected, passes=passes)
    unchecked = len(unanswered(history.findings))
    calls = _calls(plan, unchecked)
    if not calls:
        return _nothing("Nothing has changed since this text was read.")
    offer = _offer(calls, each, tuple(plan.passes), _what(history, plan, unchecked))
    if history.readings or not was_read_elsewhere(history.version):
        return offer
    return replace(offer, sentence=f"{offer.sentence} {READ_ELSEWHERE}")


def _widen(
    history: History, connected: Connection, each: Decimal | None, passes: int, by: int
) -> Offer:
    plan = due_now(history, connected, passes=passes, widen=by)
    more = f"{counted(by, 'more pass', 'more passes')} over {_sheets(plan)}"
    return _offer(_calls(plan, 0), each, tuple(plan.passes), more)


def _anew(
    history: History, connected: Connection, each: Decimal | None, passes: int
) -> Offer | None:
    changed = what_changed_since(history)
    plan = due_now(history, connected, passes=passes, anew=True)
    if not changed or not plan.passes:
        return None
    why = f"{' and '.join(changed).capitalize()} changed since this text was read. Reading"
    return _offer(_calls(plan, 0), each, tuple(plan.passes), f"{why} {_sheets(plan)} anew")


def _picture(history: History, each: Decimal | None, sheet: int, passes: int) -> Offer:
    due = passes_due(history, sheet, passes)
    if not due:
        return Offer(0, Decimal(0), (), READ_ALREADY, READ_ALREADY)
    return _offer(due, each, (sheet,), f"Sheet {sheet}, by a model that can read pictures")


def what_changed_since(history: History) -> tuple[str, ...]:
    """Of what readings are given, what is another today than when this text was last read."""
    last = next((r for r in reversed(history.readings) if r.kind == Reading.Kind.PASS), None)
    if last is None:
        return ()
    then, now = as_context(last.review.context), history.now
    told = (
        ("the rubric", then.rubric != now.rubric),
        ("the sources", then.sources != now.sources),
        ("the prompt", then.prompt != now.prompt),
        ("what the house has learned", last.learnings != history.learnings),
    )
    return tuple(name for name, differs in told if differs)


def _calls(plan: Plan, unchecked: int) -> int:
    """Passes, the document, and checks by so many findings a call."""
    checks = -(-len(plan.checks) // CANDIDATES_A_CALL)
    return sum(plan.passes.values()) + plan.document + checks + -(-unchecked // CANDIDATES_A_CALL)


def _what(history: History, plan: Plan, unchecked: int) -> str:
    parts = []
    if plan.passes:
        parts.append(_sheets(plan))
    if plan.document:
        parts.append("the document as a whole")
    asked = len(plan.checks) + unchecked
    if asked:
        parts.append(counted(asked, "finding to be checked", "findings to be checked"))
    listed = ", ".join(parts)
    return listed[:1].upper() + listed[1:]


def _sheets(plan: Plan) -> str:
    return counted(len(plan.passes), "sheet", "sheets")


def _offer(calls: int, each: Decimal | None, sheets: tuple[int, ...], what: str) -> Offer:
    dollars = (each * calls).quantize(Decimal("0.01")) if each is not None else None
    costs = f", about ${max(dollars, Decimal('0.01'))}" if dollars is not None else ""
    sentence = f"{what}: {counted(calls, 'call', 'calls')} at least{costs}."
    return Offer(calls, dollars, sheets, sentence)


def _nothing(why: str) -> Offer:
    return Offer(0, Decimal(0), (), f"{why} Reading again makes no call.", why)


def _dollars_a_call(history: History, connected: Connection) -> Decimal | None:
    """What a call cost of late: on this proposal, else anywhere in the workspace."""
    mine = _mean(reading.cost for reading in history.readings[-LATELY:])
    if mine is not None:
        return mine
    rows = Reading.objects.filter(
        review__version__proposal__workspace=history.version.proposal.workspace_id,
        review__model=connected.model,
        cost__isnull=False,
    ).order_by("-pk")
    return _mean(rows.values_list("cost", flat=True)[:LATELY])


def _mean(costs: Iterable[Decimal | None]) -> Decimal | None:
    known = [cost for cost in costs if cost is not None]
    return sum(known, Decimal(0)) / len(known) if known else None
