"""Commercial clarity: what a priced proposal never says."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.checks.one_decision import sells
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity

RULE = RULES_BY_CODE["commercial_clarity"].code

_SAID = {
    "when it is invoiced and paid": r"\binvoic|\bpayment|\bpayable|\bpaid\b|\binstal?ments?\b|\bbilled\b",
    "whether tax is included": r"\btax(?:es)?\b|\bvat\b|\bgst\b|\bmwst\b|\bnet of\b",
    "who owns what is made": r"\bown(?:s|ed|ership)?\b|\bintellectual property\b|\bproperty of\b|\bbelongs? to\b"
    r"|\blicen[cs]ed (?:to|under)\b|\bip\b|\bcopyright\b|\brights\b",
    "how long the offer holds": r"\bvalid(?:ity)?\b|\bexpires?\b|\bholds? (?:until|for)\b|\bopen (?:until|for)\b"
    r"|\boffer ends\b",
    "how it can be ended": r"\bterminat\w+|\bcancel\w*|\bend(?:ing)? (?:the )?(?:work|project|contract|early)\b|\bnotice\b"
    r"|\bwithdraw\w*",
}
_FEWEST_SHEETS = 3


def find_unsaid_terms(document: CheckedDocument) -> Iterator[Fault]:
    """Terms for which a priced proposal has no word anywhere. One finding for all of them."""
    if len(document.sheets) < _FEWEST_SHEETS or not sells(document):
        return
    unsaid = [what for what, words in _SAID.items() if not re.search(words, document.lowered)]
    if unsaid:
        yield Fault(
            0,
            "",
            f"The proposal has a price and never says {_listed(unsaid)}.",
            "Add a line for each, beside the price or under the terms.",
        )


def _listed(items: list[str]) -> str:
    if len(items) == 1:
        return items[0]
    return f"{', '.join(items[:-1])} or {items[-1]}"


_TERMS = (
    "Our fee is $9,000 plus tax, of which $4,500 is payable on signature.\f"
    "The reports belong to you. Either party may end the work with 30 days' notice.\f"
)

CHECKS = (
    Check(
        code="unsaid_terms",
        title="Payment, tax, ownership, validity and ending are said",
        rule=RULE,
        severity=Severity.FIX,
        good=_TERMS + "The offer holds until 30 April 2032.",
        bad=_TERMS + "Please sign by 30 April 2032.",
        find=find_unsaid_terms,
    ),
)
