"""Assume the yes: invitations to say no, and sentences that apologise for asking."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.phrases import any_of

RULE = RULES_BY_CODE["assume_the_yes"].code

_INVITES_NO = any_of(
    "(feel|you are|client is|buyer is) (of course )?free to (say no|decline|refuse|walk away)",
    "(if|should) you (decide|choose|prefer) (otherwise|against (us|it|this|our|going|proceeding)|not to (proceed|go|continue|accept|sign|award|engage|choose|buy|order|take|work))",
    "if you (do not|don't) (want|wish) to (proceed|go ahead|continue (this|our|the) (project|work|engagement|talks))",
    "(we )?(fully )?understand if (this|you|it|the time|the price)",
    "if (this|it) is not (the right time|for you|of interest|what you)",
    "(under )?no obligation",
    "should you not (wish|want) to",
    "no hard feelings",
    "if (our|this) proposal (is|does) not",
    "we would not be offended",
)
_APOLOGISES = any_of(
    "we hope (that )?(this|our|the) (proposal|offer|document) (is|will be|might be|may be|could be|meets?|finds?)",
    "(might|may|could) be of (some )?interest",
    "we (would )?hope to be able to",
    "we apologi[sz]e for",
    "(we are|we're|i am|i'm) (very |so |truly )?sorry (for|that)",
    "we (would|will) try (our best )?to",
    "we believe (that )?we (can|could|might|may|should be able to) (complete|deliver|create|meet|provide|do|finish)",
    "if at all possible",
    "we know (that )?(this|our price|the price) (is|may (be|seem)|might (be|seem)) (a lot|expensive|high)",
    "to the best of our (abilities|ability)",
)
_TRIES = re.compile(r"\b(?:twice|again|first|before we|(?:two|three|\d) times)\b")
"""Tries that are a procedure, with their number, and hedge nothing."""
_LAW = any_of(
    "exercise an option", "the government", "warranty", "warranties", "terminate", "termination"
)


def find_invitations_to_say_no(document: CheckedDocument) -> Iterator[Fault]:
    """Sentences that offer the buyer a refusal."""
    for sheet, sentence in document.sentences():
        if _INVITES_NO.search(sentence) and not _LAW.search(sentence):
            yield Fault(
                sheet.number,
                sheet.quote(sentence.start, sentence.end),
                "Invites the buyer to decline.",
                "Delete it, and say what happens once the buyer has agreed.",
            )


def find_apologies(document: CheckedDocument) -> Iterator[Fault]:
    """Sentences that hope or apologise where they should offer."""
    for sheet, sentence in document.sentences():
        sorry = sentence.lowered.startswith(("sorry for ", "sorry that "))
        if " try to " in sentence.lowered and _TRIES.search(sentence.lowered):
            continue
        if (sorry or _APOLOGISES.search(sentence)) and not _LAW.search(sentence):
            yield Fault(
                sheet.number,
                sheet.quote(sentence.start, sentence.end),
                "Hedges or apologises where the buyer wants to hear what you will do.",
                "Say it as a plain statement of what you do, or delete it.",
            )


CHECKS = (
    Check(
        code="invites_no",
        title="No invitation to say no",
        rule=RULE,
        severity=Severity.FIX,
        good="Sign sheet 7 by 30 April and the team starts on 7 June.",
        bad="We understand if this is not the right time, and you should feel free to say no.",
        find=find_invitations_to_say_no,
    ),
    Check(
        code="apologises",
        title="No hedging and no apology",
        rule=RULE,
        severity=Severity.FIX,
        good="The dates hold if the test environment is ready by week 6.",
        bad="We would hope to be able to hold the dates in most circumstances.",
        find=find_apologies,
    ),
)
