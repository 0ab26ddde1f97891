"""What is told of a version's file beside the text of its sheets, in the words of checks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Leftover:
    """A comment, a tracked change or highlighting that was left in the file.

    `kind` is comment, change or highlight; `words` are those it stands on, `around` is their
    paragraph, `note` what it says. `sheet` 0 where only the words tell where it is.
    """

    kind: str
    sheet: int
    words: str
    note: str = ""
    around: str = ""


@dataclass(frozen=True, slots=True)
class FitSeen:
    """A fault of fit that was measured, by its code. `holds` says that it holds an export
    already, by the workspace's policy; `sheet` 0 is the document."""

    code: str
    sheet: int
    message: str
    holds: bool = False
