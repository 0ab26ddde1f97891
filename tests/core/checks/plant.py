"""A sheet of a proposal in which a fault is planted, and its repaired twin."""

from dataclasses import dataclass

from tests.core.checks.written_as import BLANK


@dataclass(frozen=True)
class Sheet:
    """A sheet with the codes of the checks that find something on it; `good` finds nothing.

    `good` "" leaves the sheet out of the twin.
    """

    title: str
    bad: str
    good: str
    checks: tuple[str, ...] = ()

    def text(self, *, repaired: bool) -> str:
        """The sheet as Markdown."""
        body = self.good if repaired else self.bad
        return f"## {self.title}\n\n{body}" if body != BLANK else BLANK


def plain(title: str, text: str) -> Sheet:
    return Sheet(title, text, text)


def table(*rows: str) -> str:
    first, *others = (f"| {row.replace('/', ' | ')} |" for row in rows)
    rule = "|" + " --- |" * (rows[0].count("/") + 1)
    return "\n".join([first, rule, *others])
