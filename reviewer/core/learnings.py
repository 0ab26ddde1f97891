"""Learnings: which of them a reading is given, in which order, and what they hold back.

Promises: what is chosen depends on the set alone, never on the order in which it comes or on
the time of day, so that the block in a prompt is the same bytes for the same set. No block is
ever held back. Refused: choosing by how often a learning was met, since then every finding
would change the prompt of the next review.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from reviewer.core.folding import fold
from reviewer.core.learned import Learned, LearningKind
from reviewer.core.learning_texts import ALIKE, jaccard, trigrams, words_alike
from reviewer.core.prompts.blocks import harmless, learning_text
from reviewer.core.prompts.context import estimated_tokens
from reviewer.core.schema import Severity

LEARNINGS_AT_MOST = 40
TOKENS_AT_MOST = 2_000
"""Tokens that the lines of all learnings in a prompt may have, as estimated."""

SAME_WORDS = 0.6
"""Cosine of the words of finding and quote, from which on a *do not raise* pattern is met."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """What a reading is given, by number, and what found no room."""

    given: tuple[Learned, ...]
    left_out: tuple[Learned, ...]


def in_scope(learned: Learned, *, client: str, proposal_kind: str) -> bool:
    """Whether a learning is for a document of this client and kind.

    Clients are compared without regard to case and white space. One for a client is not for
    a document that names none.
    """
    if learned.proposal_kind and learned.proposal_kind != proposal_kind:
        return False
    return not learned.client or _name(learned.client) == _name(client)


def choose(learned: Iterable[Learned], *, client: str, proposal_kind: str) -> Chosen:
    """Of those in force, what goes into the prompts of a document.

    Only what is to be looked for, at most LEARNINGS_AT_MOST and TOKENS_AT_MOST. Where there
    are more, those with the narrower scope come first, of these the newer; one that is too
    long for the room that is left lets shorter ones pass.
    """
    fitting = [
        each
        for each in learned
        if each.kind == LearningKind.LOOK_FOR
        and in_scope(each, client=client, proposal_kind=proposal_kind)
    ]
    fitting.sort(key=lambda each: (-_narrowness(each), -each.number))
    given: list[Learned] = []
    left_out: list[Learned] = []
    room = TOKENS_AT_MOST
    for each in fitting:
        if len(given) < LEARNINGS_AT_MOST and len(each.text) <= 4 * room:
            cost = tokens_of(each)
            if cost <= room:
                given.append(each)
                room -= cost
                continue
        left_out.append(each)
    return Chosen(
        tuple(sorted(given, key=lambda each: each.number)),
        tuple(sorted(left_out, key=lambda each: each.number)),
    )


def tokens_of(learned: Learned) -> int:
    """Roughly how many tokens its line in a prompt has."""
    return estimated_tokens(harmless(learning_text(learned.line)) + "\n")


@dataclass(frozen=True, slots=True)
class Report:
    """A finding as it came back, or as it was when people dismissed it."""

    rule: str
    quote: str
    text: str
    severity: str = Severity.FIX.value


@dataclass(frozen=True, slots=True)
class Pattern:
    """What one *do not raise* learning holds back: its wording, and what it came from."""

    learned: Learned
    sources: tuple[Report, ...]

    def holds_back(self, report: Report) -> bool:
        """Whether `report` is what people dismissed before; never for a block.

        It has the same rule, and says what a source or the wording says (trigrams), or
        quotes a source's very words, or shares most words of finding and quote with one.
        """
        if report.severity == Severity.BLOCK:
            return False
        if self.learned.rule and report.rule != self.learned.rule:
            return False
        said = trigrams(report.text)
        if jaccard(said, trigrams(self.learned.text)) >= ALIKE:
            return True
        return any(self._met(report, source, said) for source in self.sources)

    def _met(self, report: Report, source: Report, said: frozenset[str]) -> bool:
        if report.rule != source.rule:
            return False
        if source.quote.strip() and fold(report.quote).text == fold(source.quote).text:
            return True
        if jaccard(said, trigrams(source.text)) >= ALIKE:
            return True
        ours, theirs = f"{report.text} {report.quote}", f"{source.text} {source.quote}"
        return words_alike(ours, theirs) >= SAME_WORDS


def held_back_by(report: Report, patterns: Sequence[Pattern]) -> Learned | None:
    """The learning that holds `report` back, the lowest number first; None where none does."""
    holding = [each.learned for each in patterns if each.holds_back(report)]
    return min(holding, key=lambda each: each.number, default=None)


def _narrowness(learned: Learned) -> int:
    return 2 * bool(learned.client) + bool(learned.proposal_kind)


def _name(client: str) -> str:
    return " ".join(client.split()).casefold()
