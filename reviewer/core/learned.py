"""One learning as the rules of the house see it: a wording in force, with its scope."""

from dataclasses import dataclass
from enum import StrEnum

from reviewer.core.prompts.blocks import LearningLine


class LearningKind(StrEnum):
    """What a learning asks for."""

    LOOK_FOR = "look_for"
    NEVER_SAY = "never_say"
    DO_NOT_RAISE = "do_not_raise"


@dataclass(frozen=True, slots=True)
class Learned:
    """One learning, in one wording. An empty rule, client or kind of document is any.

    `phrase` and `instead` are for *never say this* alone.
    """

    number: int
    version: int
    kind: str
    text: str
    rule: str = ""
    client: str = ""
    proposal_kind: str = ""
    phrase: str = ""
    instead: str = ""

    @property
    def pair(self) -> list[int]:
        """Number and version, in the form in which readings keep them."""
        return [self.number, self.version]

    @property
    def line(self) -> LearningLine:
        """As it stands in a prompt."""
        return LearningLine(str(self.number), self.text)
