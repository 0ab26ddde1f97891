"""No chatbot register: stock openings, and paragraphs made of words that say nothing."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.phrases import any_of

RULE = RULES_BY_CODE["no_chatbot_register"].code

_STOCK = any_of(
    "in today's (~ )?(landscape|world|environment|market|economy|era|climate|society)",
    "in (the|an|this) (ever|fast|rapidly)[- ](evolving|changing|moving|paced) (~ )?(landscape|world|environment|market|era)",
    "at an unprecedented pace",
    "(more important|more critical) than ever",
    "(we are|we're|i am|i'm) (excited|thrilled|delighted) to",
    "embark(ing)? (up)?on (this|a|our) (~ )?journey",
    "(on )?this (exciting|transformative) journey",
    "trusted (partner|advisor) (on|in|for)",
    "(as )?your trusted (partner|advisor)",
    "(true|tangible) competitive advantage",
    "unlock(ing|s)? (the )?(full )?(potential|synergies|value|power)",
    "thought leader(s|ship)?",
    "(a )?testament to",
    "rich tapestry",
    "navigat(e|ing) the complexit(y|ies)",
    "delv(e|es|ing) (deep |deeper )?into (the |your |our )?(details?|data|world|specifics|intricacies|nuances|depths|topic|heart)",
    "plays? a (crucial|pivotal|vital) role",
    "i hope this (email|message|letter|proposal) finds you well",
    "as an ai (language model|assistant)?",
    "certainly! here",
    "(cutting|bleeding)[- ]edge solutions?",
    "game[- ]chang(er|ing)",
    "paradigm shift",
    "look no further",
    "needless to say",
    "win[- ]win",
    "take ~ to the next level",
    "(harness|leverage|leverages|leveraging|harnessing) the power of",
    "one[- ]stop[- ]shop",
    "(don't|do not) hesitate to (contact|reach)",
    "feel free to (contact us|reach out|get in touch)",
)


def find_stock_phrases(document: CheckedDocument) -> Iterator[Fault]:
    """Sentences with a phrase that could stand in any proposal to anyone."""
    for sheet, sentence in document.sentences():
        match = _STOCK.search(sentence)
        if match is not None and not sentence.row:
            yield Fault(
                sheet.number,
                sheet.quote(sentence.start, sentence.end),
                f"“{sentence.text[match.start() : match.end()]}” is a stock phrase that could stand in any proposal to anyone.",
                "Delete the sentence, or say the one thing in it that is true of this client.",
            )


_EMPTY_WORD = any_of(
    "robust", "scalable", "seamless(ly)?", "holistic(ally)?", "synerg(y|ies)",
    "leverag(e|es|ed|ing)", "innovative", "transformative", "future-proof(ed)?", "next-generation",
    "cutting-edge", "state-of-the-art", "best-of-breed", "end-to-end", "world-class", "bespoke",
    "empower(s|ing)?", "streamlin(e|es|ed|ing)", "actionable", "impactful", "value-add(ed)?",
    "co-creat(e|ed|ion)", "stakeholders?", "ecosystems?", "journey", "unlock(s|ing)?",
    "drives? value", "transformational", "comprehensive", "dynamic", "agile", "disruptive",
    "turnkey", "mission-critical", "deep[- ]dives?", "thought leader", "seasoned",
)  # fmt: skip
_ORDINARY = frozenset(
    {"stakeholder", "stakeholders", "ecosystem", "ecosystems", "comprehensive", "agile", "dynamic"}
)
_TOO_MANY = 3


def find_empty_sentences(document: CheckedDocument) -> Iterator[Fault]:
    """Sentences with three or more words that say nothing, two of them nowhere at home."""
    for sheet, sentence in document.sentences():
        if sentence.row or _EMPTY_WORD.telling.isdisjoint(sentence.words):
            continue
        words = {match.group() for match in _EMPTY_WORD.pattern.finditer(sentence.lowered)}
        if len(words) < _TOO_MANY or len(words - _ORDINARY) < 2:
            continue
        if _STOCK.search(sentence):
            continue  # said once already, by the phrase
        if len(sentence.text.split()) > 14 * len(words):
            continue
        named = ", ".join(f"“{word}”" for word in sorted(words))
        yield Fault(
            sheet.number,
            sheet.quote(sentence.start, sentence.end),
            f"{named}: words that say nothing a buyer could check.",
            "Say what it does and for whom, or delete the sentence.",
        )


_DASH = re.compile(r"\w ?— ?\w")
_ENOUGH_DASHES = 12
_DASHES_PER_WORDS = 70


def find_dash_habit(document: CheckedDocument) -> Iterator[Fault]:
    """A dash in every third sentence or so, through the whole document."""
    dashed = [sheet.text for sheet in document.sheets if "—" in sheet.text]
    places = sum(len(_DASH.findall(text)) for text in dashed)
    words = document.text.count(" ") + 1
    if places < _ENOUGH_DASHES or places * _DASHES_PER_WORDS < words:
        return
    yield Fault(
        0,
        "",
        f"{places} long dashes in {words:,} words, the habit of a chatbot.",
        "Make two sentences, or use a comma.",
    )


CHECKS = (
    Check(
        code="stock_phrase",
        title="No stock phrases",
        rule=RULE,
        severity=Severity.FIX,
        good="When we met on 12 February you told us that one appointment in eight is missed.",
        bad="In today's fast-paced landscape, we are excited to embark on this journey with you.",
        find=find_stock_phrases,
    ),
    Check(
        code="empty_words",
        title="No sentences made of empty words",
        rule=RULE,
        severity=Severity.FIX,
        good="The rules are kept in a table that supervisors can edit.",
        bad="A robust, scalable and future-proof design, seamless in every part.",
        find=find_empty_sentences,
    ),
    Check(
        code="dash_habit",
        title="No habit of long dashes",
        rule=RULE,
        severity=Severity.CONSIDER,
        good="The plates stay in the building. Two were broken on the road.",
        bad=" ".join(["The plates stay — as agreed — in the building."] * 8),
        find=find_dash_habit,
    ),
)
