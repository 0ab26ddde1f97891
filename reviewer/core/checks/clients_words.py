"""The client's words: the client's name, spelt the client's way."""

import re
from collections.abc import Iterator

from reviewer.core.checks.document import CheckedDocument, CheckedSheet
from reviewer.core.checks.finding import Check, Fault
from reviewer.core.checks.honest_placeholders import short_name
from reviewer.core.rubric import RULES_BY_CODE
from reviewer.core.schema import Severity

RULE = RULES_BY_CODE["clients_words"].code

_WORD = re.compile(r"[^\W\d_][\w&’'.-]*\w|[^\W\d_]")
_SHORTEST = 7
"""Letters below which one slip makes another real name."""


def find_misspelt_client(document: CheckedDocument) -> Iterator[Fault]:
    """Names that are the client's but for a slip: a letter, a plural, a missing space, capitals."""
    name = short_name(document.client)
    words = name.split()
    letters = re.sub(r"\W", "", name).casefold()
    if len(letters) < _SHORTEST:
        return
    for sheet in document.sheets:
        said: set[str] = set()
        for start, end in _candidates(sheet, len(words), letters[0]):
            written = sheet.quote(start, end)
            if written in said or not _is_slip(written, name, letters):
                continue
            if f"{written}s" == name and _ONE_OF_THEM.search(sheet.text[:start][-8:]):
                continue
            if name.istitle() and not all(word[0].isupper() for word in written.split()):
                continue
            said.add(written)
            yield Fault(
                sheet.number,
                written,
                f"The client is called {name}; here it is {written}.",
                f"Write {name}.",
            )


_ONE_OF_THEM = re.compile(r"\b(?:each|every|an?|one|per)\s+$", re.IGNORECASE)


def _candidates(sheet: CheckedSheet, length: int, first: str) -> Iterator[tuple[int, int]]:
    """Spans of as many words as the name has, or one more or less, with its first letter."""
    words = [(match.start(), match.end()) for match in _WORD.finditer(sheet.text)]
    for index, (start, _) in enumerate(words):
        if sheet.text[start] != first.upper():
            continue
        for size in range(max(1, length - 1), length + 2):
            last = index + size - 1
            if last >= len(words):
                break
            span = sheet.text[start : words[last][1]]
            if len(span.split()) == size and not re.search(r"[.,;:!?()|]|\n\s*\n", span):
                yield start, words[last][1]


def _is_slip(written: str, name: str, letters: str) -> bool:
    if written == name or written == name.upper():
        return False
    plain = re.sub(r"['’]s?$", "", written)
    its = re.sub(r"\W", "", plain).casefold()
    if f" {name} " in f" {plain} " or plain == name.upper():
        return False
    if its == letters:
        return _differs_in_more_than_capitals(plain, name)
    if abs(len(its) - len(letters)) > 1 or its[0] != letters[0]:
        return False
    if its + "s" == letters and " " not in name:
        return False
    return _one_slip(its, letters)


def _differs_in_more_than_capitals(written: str, name: str) -> bool:
    """Joined or parted words are a slip; a heading in capitals, or a hyphen at a line's end, is none."""
    return "-" not in written and written.casefold() != name.casefold()


def _one_slip(one: str, other: str) -> bool:
    """Whether one letter more, less, changed or swapped with its neighbour makes them equal."""
    longer, shorter = (one, other) if len(one) >= len(other) else (other, one)
    first = next(
        (i for i, pair in enumerate(zip(longer, shorter, strict=False)) if pair[0] != pair[1]),
        len(shorter),
    )
    if len(longer) > len(shorter):
        return longer[first + 1 :] == shorter[first:]
    if longer[first + 1 :] == shorter[first + 1 :]:
        return True
    swapped = longer[:first] + longer[first : first + 2][::-1] + longer[first + 2 :]
    return swapped == shorter


_REFERENCE = re.compile(
    r"\b(?:reference|case stud|project (?:for|at|with)|worked|clients?|competitor|insurers?|example|such as|like"
    r"|acquired|merged|formerly|partner|customer|member of|subsidiary)\b",
    re.IGNORECASE,
)
_MEANS_BUYER = re.compile(
    r"\b(?:will|should|can|your?|we (?:see|believe|propose|recommend|offer|understand)|at|for|to)\b",
    re.IGNORECASE,
)
_EXPLAINED = re.compile(r",\s+(?:an?|the|our|your|their)\s")
_COMMON = (
    "university bank city council hospital group trust college school institute foundation "
    "association company services center centre department ministry agency society union county "
    "state office library museum park road street house international solutions systems partners "
    "consulting"
)
_COMMON_ENDINGS = frozenset(_COMMON.split())


def find_name_like_the_clients(document: CheckedDocument) -> Iterator[Fault]:
    """Another firm's name built like the client's, once, where the client is meant.

    "Coastal Mutual" in a proposal to Harbor Mutual: the same last word after another first,
    met once in the whole text, in a sentence that neither names the client nor speaks of
    references.
    """
    words = short_name(document.client).split()
    if len(words) != 2 or words[-1].lower() in _COMMON_ENDINGS or len(words[-1]) < 4:
        return
    pattern = re.compile(rf"\b(?P<first>[A-Z][\w&’'-]{{1,40}})\s+{re.escape(words[-1])}\b")
    matches = [
        (sheet, match)
        for sheet in document.sheets
        for match in pattern.finditer(sheet.text)
        if match["first"].casefold() != words[0].casefold()
    ]
    if len(matches) != 1 or not any(document.client in sheet.text for sheet in document.sheets):
        return
    sheet, match = matches[0]
    sentence = next((s for s in sheet.sentences if s.start <= match.start() < s.end), None)
    written = sheet.quote(match.start(), match.end())
    if sentence is None or sentence.row or match["first"] in {"The", "Our", "Your", "A", "This"}:
        return
    before, _, after = sentence.text.partition(written)
    before = before.strip()
    if _EXPLAINED.match(after):
        return
    if not before or _REFERENCE.search(sentence.text) or not _MEANS_BUYER.search(sentence.text):
        return
    if short_name(document.client).casefold() in sentence.text.casefold():
        return
    if any(written.casefold() == short_name(other).casefold() for other in document.other_clients):
        return  # named by the check for other clients
    yield Fault(
        sheet.number,
        written,
        f"{written} is named only here, where {document.client} seems to be meant.",
        f"Write {document.client}, or say who {written} is.",
    )


CHECKS = (
    Check(
        code="client_misspelt",
        title="The client's name, spelt one way",
        rule=RULE,
        severity=Severity.FIX,
        good="Northgate Clinics sees patients at six clinics.",
        bad="Northgate Clinic sees patients at six clinics.",
        find=find_misspelt_client,
        needs_english=False,
    ),
    Check(
        code="name_like_clients",
        title="No name that only resembles the client's",
        rule=RULE,
        severity=Severity.BLOCK,
        good="Harbor Mutual wrote the rules. We see no reason why Harbor Mutual should be different.",
        bad="Harbor Mutual wrote the rules. We see no reason why Coastal Mutual should be different.",
        find=find_name_like_the_clients,
    ),
)
