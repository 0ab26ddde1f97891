"""What a buyer checks: ten rules, each with a stable code.

Codes are stored with findings and learnings and never change; titles and texts may.
"""

import re
from dataclasses import dataclass

OTHER = "other"


@dataclass(frozen=True, slots=True)
class Rule:
    """One thing a buyer checks. `text` is what a reader of any kind is asked to look for."""

    code: str
    title: str
    text: str


RULES: tuple[Rule, ...] = (
    Rule(
        "grounding",
        "Grounding",
        "Every figure, quotation, reference and claim of fact has a source the buyer can check: "
        "the seller's sources, the buyer's own words, or a named publication. Superlatives and "
        "multiples without a source are findings.",
    ),
    Rule(
        "no_outcome_promises",
        "No outcome promises",
        "The proposal promises work, not business results. A result with a figure and no agreed "
        "baseline, a guarantee, or an outcome stated as a fact of the future is a finding.",
    ),
    Rule(
        "honest_placeholders",
        "Honest placeholders",
        "Nothing unfinished stands as if it were finished: leftover brackets, merge fields, TBD, "
        "lorem ipsum, another client's name. What is still open says so, by whom and by when.",
    ),
    Rule(
        "clients_words",
        "The client's words",
        "What the client said is given as the client said it, with the client's names, terms and "
        "numbers, the same way on every sheet.",
    ),
    Rule(
        "unambiguous_scope",
        "Scope is unambiguous",
        "A reader can tell what is in, what is out, how many, and who does it. 'As needed', "
        "'etc.', 'and other systems', and counts that differ between sheets are findings.",
    ),
    Rule(
        "assume_the_yes",
        "Assume the yes",
        "The proposal is written for a buyer who goes ahead. Hedges, apologies and invitations "
        "to say no are findings.",
    ),
    Rule(
        "one_decision",
        "One decision, well framed",
        "The buyer is asked for one decision, with a date, an owner and the next step.",
    ),
    Rule(
        "commercial_clarity",
        "Commercial clarity",
        "Price, currency, tax, payment, validity, term and ownership are stated once and agree "
        "everywhere; sums add up; dates are possible and in order.",
    ),
    Rule(
        "no_chatbot_register",
        "No chatbot register",
        "It reads as if a person who knows the client wrote it: no stock openings, no filler, "
        "no empty intensifiers, no text that could front any proposal to anyone.",
    ),
    Rule(
        "structure",
        "Structure",
        "One idea a sheet, in the order a buyer decides; nothing twice, nothing missing, nothing "
        "that contradicts another sheet.",
    ),
)

RULES_BY_CODE: dict[str, Rule] = {rule.code: rule for rule in RULES}
RULE_CODES: tuple[str, ...] = tuple(RULES_BY_CODE)

_SEPARATORS = re.compile(r"[^a-z0-9]+")


def _folded(name: str) -> str:
    return _SEPARATORS.sub("_", name.casefold().replace("'", "").replace("’", "")).strip("_")


_BY_FOLDED_NAME = {_folded(name): rule.code for rule in RULES for name in (rule.code, rule.title)}


def rule_code(as_written: str) -> str:
    """The code a reader meant by `as_written`, or `other`.

    Case, spaces and punctuation are folded; nothing is guessed from meaning.
    """
    return _BY_FOLDED_NAME.get(_folded(as_written), OTHER)


def rule_title(code: str) -> str:
    """The title to show for a stored code; an unknown code shows as "Other"."""
    rule = RULES_BY_CODE.get(code)
    return rule.title if rule else "Other"
