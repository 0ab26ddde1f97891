"""The policies that are compared: what ours may vary, and what was tried beside it."""

from dataclasses import dataclass

from reviewer.core.rounds import SWEEPS_AT_MOST

ROUNDS = 3
"""Rounds after which what is left goes to a manager."""


@dataclass(frozen=True, slots=True)
class Policy:
    """How much ours reads. The defaults are what the comparison is about.

    `passes` clear a paragraph; `widen` adds passes to the first round alone; `sweeps` are told
    what is settled, once a round; `whole_sweeps` read the document in one call instead of a
    sheet at a time; with `checks_first` a later round asks about claimed fixes before it reads;
    with `accept_fixes` a fix that still holds in the last round is accepted by a reviewer.
    """

    passes: int = 5
    widen: int = 0
    sweeps: int = SWEEPS_AT_MOST
    sweeps_later: bool = True
    whole_sweeps: bool = False
    checks_first: bool = True
    accept_fixes: bool = True


VARIANTS: dict[str, Policy] = {
    "3 passes": Policy(passes=3),
    "4 passes": Policy(passes=4),
    "6 passes": Policy(passes=6),
    "no sweep": Policy(sweeps=0),
    "sweeps in round one only": Policy(sweeps_later=False),
    "sweeps of the whole document": Policy(whole_sweeps=True),
    "3 passes, 4 whole sweeps": Policy(passes=3, sweeps=4, whole_sweeps=True),
    "3 passes, 2 more in round one": Policy(passes=3, widen=2),
    "checks with the passes": Policy(checks_first=False),
    "fixes left go to the manager": Policy(accept_fixes=False),
}
"""What was tried beside ours, by name."""
