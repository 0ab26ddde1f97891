"""Grounding: figures and multiples that claim something, with nothing to look them up by.

A figure has a source where its paragraph cites one, has a footnote, says that the buyer said
or that somebody measured it, where the same figure is sourced elsewhere in the document, or
where an attached source has it beside one of the sentence's words. What is offered, asked for,
aimed at or required is no claim, and neither is what another check already names.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.checks.grounding import has_nameless_research, is_cited
from reviewer.core.checks.no_outcome_promises import promises_a_result
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity
from reviewer.core.structure.sentences import Sentence

RULE = RULES_BY_CODE["grounding"].code

_PERCENT = re.compile(
    r"(?<![\d.,–-])(\d{1,3}(?:[.,]\d{1,2})?)(\s?(?:%|per ?cent\b))", re.IGNORECASE
)
_CLAIMS = re.compile(
    r"\b(?:achiev(?:e|es|ed)|extracts|reduc(?:es|ed)|increas(?:es|ed)|improv(?:es|ed)|grew"
    r"|cut(?:s)?|sav(?:es|ed)|rais(?:es|ed)|boost(?:s|ed)|lower(?:s|ed)|reali[sz]ed|reach(?:es|ed)"
    r"|detect(?:s|ed)|recogni[sz](?:es|ed)|outperform(?:s|ed)|generated?|deliver(?:s|ed)"
    r"|accura(?:te|cy)|success rate|satisfaction|approval ratings?|retention|growth in"
    r"|speeds? up|sped up|halved|doubled|fell|fewer|faster|cheaper)\b"
)
_A_STATE = re.compile(
    r"(?:%|per ?cent)\s+(?:full|empty|contrast|humid(?:ity)?|opacity|ethanol|charge[d]?|capacity)\b"
)
"""What a share of is how a thing is, and claims nothing of what it does."""
_MONEY = re.compile(
    r"\b(?:saved|generated|recovered|earned|cut|reduced)\b[^.;:]{0,60}?"
    r"(?P<sum>[$€£] ?\d(?:[\d.,]*\d)?(?: ?(?:million|billion|thousand|m|bn|k)\b)?)"
)
_SHARE_OF = re.compile(
    r"(?:%|per ?cent)\s+of\s+(?:all\s+|the\s+|your\s+)?(?:[a-z-]+\s+)?"
    r"(?:people|customers|clients|patients|users|companies|organi[sz]ations|businesses|employees"
    r"|insurers|policyholders|firms|teams|projects|buyers|consumers|websites|sites|managers"
    r"|executives|leaders|households|members)\b(?!\s+(?:are|is)?\s*(?:asked|entitled|required|eligible))",
    re.IGNORECASE,
)
_COUNT = r"(?:two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|a hundred|\d{1,4}(?:\.\d)?)"
_COMPARED = (
    r"(?:faster|quicker|cheaper|better|safer|smaller|lighter|shorter|higher|lower"
    r"|more (?:accurate|efficient|productive|likely|effective|secure|reliable|powerful|scalable)"
    r"|less (?:expensive|costly|likely)|as (?:fast|quick|quickly|cheap|accurate|efficient|productive"
    r"|effective|likely|reliable|secure|powerful|large|high))"
)
_MULTIPLE = re.compile(
    rf"\b{_COUNT}(?:\s?x|\s?×|[ -]times)\s+{_COMPARED}\b|\b(?:twice|thrice)\s+as"
    r"\s+(?!(?:wide|long|high|tall|deep|thick|heavy|old|far)\b)\w+\s+as\b"
    rf"|\b(?:twice|thrice) {_COMPARED}\b"
    r"|\b\d{1,4}(?:\.\d)?\s?[x×]\s+(?:speed-?ups?|improvements?|increases?|growth|reductions?|returns?"
    r"|gains?|roi|performance|productivity|throughput)\b"
    r"|\b(?:two|three|four|five|six|ten|twenty|hundred|\d{1,4})-?fold (?:speed-?ups?|improvements?"
    r"|increases?|growth|returns?|gains?)\b"
    rf"|\b(?:an?|two|three|four) orders? of magnitude {_COMPARED}\b",
)
_HINTS = ("x ", "×", "times", "twice", "thrice", "fold", "magnitude")
"""One of these every multiple has in it; to look for them is quick."""
_NO_CLAIM = re.compile(
    r"\b(?:if|unless|whether|would|could|should|may|might|can|must|shall|will|aim\w*|targets?|targeted"
    r"|goal|expect\w*|estimat\w*|assum\w*|for (?:example|instance)|e\.g|at least|minimum|maximum|no more"
    r"|not exceed|up to|request\w*|require\w*|accept\w*|need|propos\w+|plan(?:s|ned)? to|intend\w*"
    r"|hypothes\w*|predict\w*|potential\w*|suppose\w*|imagine|instead of|hope\w*|designed to)\b|\?"
    r"|\b(?:fees?|prices?|invoices?|payments?|paid|budget|discount|vat|tax|deposit|instal?ments?|salary"
    r"|overhead|of (?:their|his|her|our) time|full[- ]time|fte|equity|tokens?|shares?|coverage)\b"
)
_SAID_BY = re.compile(
    r"\b(?:you (?:told|said|say|report|reported|gave|shared|counted|measured|named|sent|estimate|record)\w*"
    r"|as you|told us|your (?:own )?(?:figures?|data|numbers?|records?|reports?|extracts?|rfp|brief"
    r"|tender|surveys?|logs?|systems?|statistics|annual report)|(?:we|they|it) (?:have |has )?(?:counted|measured"
    r"|found|observed|logged|recorded|timed|surveyed|tested|obtained|analy[sz]ed)|measured|counted|audit(?:ed)?"
    r"|according to|sources?:|based on|time stamps?|the (?:\d{4} )?(?:\w+ )?extract\b|sample of|survey of|survey|interviews?"
    r"|benchmarks?|footnote|appendix|annex|reference|published|reported (?:by|in)|in our experience"
    r"|(?:see|in|on) (?:sheet|section|figure|table|page|fig)\b)"
)
_FOOTNOTE = re.compile(
    r"[a-z]{3}[.,;)”\"]?\d{1,2}(?:[,–-]\d{1,2})*(?=[\s.,;:)]|$)|#\d{2,}|[*†‡](?=\s|$)"
)
_FEWEST_WORDS = 5
_STEM = 4
_NEAR = 300
"""Letters around a figure in a source among which one of the sentence's words must stand."""
_SMALL_WORDS = frozenset(
    ("that", "with", "from", "have", "this", "more", "than", "will", "were", "been", "their")
)
_WORDS = re.compile(r"[a-z]{4,}")


def find_unsourced_figures(document: CheckedDocument) -> Iterator[Fault]:
    """Percentages that claim what something does, or how many do something, and money that
    somebody is said to have saved or earned."""
    sourced: set[str] | None = None
    for sheet, sentence in document.sentences():
        figure = None if sentence.row else _claimed_figure(sentence)
        if figure is None or not _is_claim(sentence):
            continue
        if sourced is None:
            sourced = _sourced_figures(document)
        if figure in sourced or _has_source(document, sheet, sentence, _as_words(figure)):
            continue
        yield _unsourced(sheet, sentence, figure)


def _claimed_figure(sentence: Sentence) -> str | None:
    """The percentage or the money of a sentence that has words of a claim."""
    if "%" in sentence.text or "cent" in sentence.lowered:
        figure = _PERCENT.search(sentence.text)
        claims = _CLAIMS.search(sentence.lowered) or _SHARE_OF.search(sentence.text)
        if figure is not None and claims and not _A_STATE.search(sentence.lowered):
            return figure.group()
    if any(sign in sentence.text for sign in "$€£"):
        money = _MONEY.search(sentence.lowered)
        if money is not None:
            return sentence.text[money.start("sum") : money.end("sum")]
    return None


def find_unsourced_multiples(document: CheckedDocument) -> Iterator[Fault]:
    """ "Ten times faster", "twice as accurate", "3x growth" with nothing to check it by."""
    for sheet, sentence in document.sentences():
        hinted = not sentence.row and any(hint in sentence.lowered for hint in _HINTS)
        match = _MULTIPLE.search(sentence.lowered) if hinted else None
        if match is None or not _is_claim(sentence) or _claimed_figure(sentence):
            continue  # a percentage of the same sentence speaks for both
        said = sentence.text[match.start() : match.end()]
        if not _has_source(document, sheet, sentence, _as_words(said)):
            yield _unsourced(sheet, sentence, said)


def _is_claim(sentence: Sentence) -> bool:
    return (
        not _NO_CLAIM.search(sentence.lowered)
        and len(sentence.text.split()) >= _FEWEST_WORDS
        and not has_nameless_research(sentence)
        and not promises_a_result(sentence)
    )


def _unsourced(sheet: CheckedSheet, sentence: Sentence, figure: str) -> Fault:
    return Fault(
        sheet.number,
        sheet.quote(sentence.start, sentence.end),
        f"“{figure}” has no source: no footnote, no “as you told us”, and no attached source has it.",
        "Name where it comes from, attach the source, or leave the figure out.",
    )


def _has_source(
    document: CheckedDocument, sheet: CheckedSheet, sentence: Sentence, figure: re.Pattern[str]
) -> bool:
    block = sheet.blocks[sentence.block]
    paragraph = sheet.text[block.start : block.end]
    if is_cited(paragraph) or _SAID_BY.search(paragraph.lower()) or _FOOTNOTE.search(paragraph):
        return True
    stems = {word[:_STEM] for word in _WORDS.findall(sentence.lowered) if word not in _SMALL_WORDS}
    for source in document.sources:
        for match in figure.finditer(source):
            around = source[max(0, match.start() - _NEAR) : match.end() + _NEAR].lower()
            if stems & {word[:_STEM] for word in _WORDS.findall(around)}:
                return True
    return False


def _sourced_figures(document: CheckedDocument) -> set[str]:
    """Percentages in sentences that cite something, anywhere in the document."""
    found: set[str] = set()
    for _, sentence in document.sentences():
        if "%" in sentence.text and (is_cited(sentence.text) or _SAID_BY.search(sentence.lowered)):
            found.update(match.group() for match in _PERCENT.finditer(sentence.text))
    return found


@lru_cache(maxsize=256)
def _as_words(said: str) -> re.Pattern[str]:
    """The figure as a source may write it: any white space, or none, before its unit."""
    number, unit = re.fullmatch(r"(.*?)\s?(%|per ?cent|)", said, re.IGNORECASE | re.DOTALL).groups()  # type: ignore[union-attr]
    words = r"\s*".join(map(re.escape, number.split()))
    written = rf"{words}\s?(?:%|per ?cent)" if unit else words
    return re.compile(rf"(?<![\d.,]){written}(?!\d)", re.IGNORECASE)


CHECKS = (
    Check(
        code="unsourced_figure",
        title="Figures have a source",
        rule=RULE,
        severity=Severity.FIX,
        good="The reader extracts 94% of fields correctly, measured on 500 of your notices in May.",
        bad="The document reader extracts 94% of fields correctly.",
        find=find_unsourced_figures,
    ),
    Check(
        code="unsourced_multiple",
        title="Multiples have a source",
        rule=RULE,
        severity=Severity.FIX,
        good="Your team told us that the new form is twice as fast as the old one.",
        bad="Our platform is ten times faster than anything on the market.",
        find=find_unsourced_multiples,
    ),
)
