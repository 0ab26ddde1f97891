"""Learnings as a file that a house can keep in git: out, and in again."""

from dataclasses import dataclass

from reviewer.models import Membership, Workspace
from reviewer.services.errors import Refused


class BadFile(Refused):
    """The file cannot be read. `problems` are (line from 1, sentence); nothing was imported."""

    def __init__(self, problems: list[tuple[int, str]]) -> None:
        self.problems = problems
        told = " ".join(f"Line {line}: {why}" for line, why in problems[:5])
        super().__init__(f"{told} Nothing was imported.")


@dataclass(frozen=True, slots=True)
class Imported:
    """Numbers of the learnings that were added, worded anew, or were the same already.

    `waiting` are those of them that wait for approval here, whatever the file says.
    """

    added: tuple[int, ...]
    changed: tuple[int, ...]
    unchanged: tuple[int, ...]
    waiting: tuple[int, ...]


def export_yaml(workspace: Workspace) -> str:
    """Every learning of the workspace as YAML, by number; the same rows give the same text."""
    raise NotImplementedError


def import_yaml(
    *, workspace: Workspace, actor: Membership, text: str, restore: bool = False
) -> Imported:
    """Bring in a file, all of it or nothing; what it does not name stays as it is.

    What is new or worded otherwise waits for approval, as if `actor` had proposed it.
    `restore`, for the command line, takes state and people as the file has them where their
    accounts are here. Raises BadFile, and NotAllowed for who is no manager.
    """
    raise NotImplementedError
