"""Policies side by side over the same documents, as rows and as text."""

from collections.abc import Callable, Sequence

from reviewer.core.simulation.naive import two_passes, until_clean, until_no_block
from reviewer.core.simulation.ours import ours
from reviewer.core.simulation.outcome import Outcome, Row, row
from reviewer.core.simulation.policies import VARIANTS, Policy
from reviewer.core.simulation.world import Settings

Run = Callable[[Settings, int], Outcome]


def compare(settings: Settings, policy: Policy, *, variants: bool = False) -> list[Row]:
    """Every policy over the same documents; with `variants` also what was tried beside ours."""
    runs: dict[str, Run] = {
        "until clean": until_clean,
        "until no block": until_no_block,
        "two passes intersected": two_passes,
        "ours": _ours(policy),
    }
    if variants:
        runs.update((f"ours, {name}", _ours(tried)) for name, tried in VARIANTS.items())
    return [
        row(name, [run(settings, document) for document in range(settings.documents)])
        for name, run in runs.items()
    ]


def _ours(policy: Policy) -> Run:
    return lambda settings, document: ours(settings, document, policy)


_COLUMNS = (
    ("policy", "policy"),
    ("rounds", "rounds"),
    ("most", "rounds_most"),
    ("visits", "visits"),
    ("calls", "calls"),
    ("cost", "cost"),
    ("blocks missed", "blocks_missed"),
    ("false block holds", "false_blocks_holding"),
    ("manager", "needs_manager"),
    ("never ends", "never_ends"),
    ("truth above: all", "all"),
    ("block", "block"),
    ("fix", "fix"),
    ("consider", "consider"),
)
_SHARES = {"false_blocks_holding", "needs_manager", "never_ends"}


def as_table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table. Shares of documents are per cent; the rest are means."""
    lines = ["| " + " | ".join(title for title, _ in _COLUMNS) + " |"]
    lines.append("| --- |" + " ---: |" * (len(_COLUMNS) - 1))
    lines += ["| " + " | ".join(_cell(one, name) for _, name in _COLUMNS) + " |" for one in rows]
    return "\n".join(lines)


def _cell(one: Row, name: str) -> str:
    if name in one.above:
        return f"{one.above[name]:.1%}"
    value = getattr(one, name, "")
    if name in _SHARES:
        return f"{value:.1%}"
    if name == "cost":
        return f"{value:,.0f}"
    if name == "blocks_missed":
        return f"{value:.3f}"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
