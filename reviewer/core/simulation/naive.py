"""The loops that teams run by hand: read, fix what is named, read again.

Each reads the whole document in one capped call. What a person dismissed is not fixed
again, and every reading invents false findings of its own, which is why "until clean" may
never come.
"""

from collections.abc import Callable, Sequence

from reviewer.core.schema import Severity
from reviewer.core.simulation.outcome import Outcome
from reviewer.core.simulation.world import Fault, Settings, World

ROUNDS_AT_MOST = 20
"""A loop that has not ended after so many rounds is counted as one that never does."""

Named = Sequence[Fault]


def until_clean(settings: Settings, document: int) -> Outcome:
    """Read once a round, fix everything, until a reading names nothing."""
    return _loop(World(settings, document, "until clean"), 1, lambda named: not named)


def until_no_block(settings: Settings, document: int) -> Outcome:
    """Read once a round, fix everything, until a reading names no block."""
    return _loop(
        World(settings, document, "until no block"),
        1,
        lambda named: all(fault.severity != Severity.BLOCK for fault in named),
    )


def two_passes(settings: Settings, document: int) -> Outcome:
    """Read twice a round, fix what both named, until they agree on nothing."""
    return _loop(World(settings, document, "two passes"), 2, lambda named: not named)


def _loop(world: World, passes: int, done: Callable[[Named], bool]) -> Outcome:
    for number in range(1, ROUNDS_AT_MOST):
        named = _named_by_all(world, passes)
        if done(named):
            return _outcome(world, number, ())
        for fault in named:
            if not world.person_dismisses(fault):
                world.edit(fault)
    named = _named_by_all(world, passes)
    ended = done(named)
    return _outcome(world, ROUNDS_AT_MOST, () if ended else named, ended=ended)


def _named_by_all(world: World, passes: int) -> list[Fault]:
    readings = [world.read(world.sheets)[0] for _ in range(passes)]
    for reading in readings:
        world.pay(findings=len(reading), alone=passes == 1)
    return [fault for fault in readings[0] if all(fault in reading for reading in readings)]


def _outcome(world: World, rounds: int, holding: Named, *, ended: bool = True) -> Outcome:
    held = {fault.number for fault in holding}
    return Outcome(
        rounds=rounds,
        visits=rounds - ended,
        calls=world.calls,
        cost=world.cost,
        blocks_missed=sum(f.number not in held for f in world.true_faults(Severity.BLOCK)),
        false_blocks_holding=sum(
            not fault.true and fault.severity == Severity.BLOCK for fault in holding
        ),
        ended=ended,
    )
