"""What was dismissed is not raised again in the same words, whoever names it.

A dismissal is known by its rule, its sentence, the occurrence of that sentence in the
document, and the sentences of its other places. It covers what is no graver.
"""

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property

from reviewer.core.checks import CheckedSheet
from reviewer.core.folding import text_key
from reviewer.core.state import Dismissal
from reviewer.models import Finding, FindingPlace, Sighting
from reviewer.services.ground import Ground

Span = tuple[int, int]
Where = tuple[int, int]
"""A sentence by its sheet and its first character."""


class Dismissed:
    """The dismissals that stand on one version; nothing is loaded until it is asked."""

    def __init__(self, proposal_id: int, ground: Ground) -> None:
        self._proposal_id, self._ground = proposal_id, ground

    def covering(self, seen: Sighting) -> Finding | None:
        """The dismissed finding that `seen` would raise again, if there is one."""
        if not self._keys or seen.first_char is None or seen.last_char is None:
            return None
        span = (seen.first_char, seen.last_char)
        key = self._key(seen.rule, seen.sheet, span, seen.severity, _places(seen.also))
        if key is None:
            return None
        return next((finding for known, finding in self._keys if known.covers(key)), None)

    @cached_property
    def _keys(self) -> list[tuple[Dismissal, Finding]]:
        findings = Finding.objects.shown().filter(
            proposal=self._proposal_id, status=Finding.Status.DISMISSED
        )
        found = []
        for finding in findings.order_by("number"):
            place = self._places_of.get(finding.pk)
            if place is None or place.sheet not in self._ground.sheets:
                continue
            span = self._ground.sheets[place.sheet].span(place.first_word, place.last_word)
            places = _places(finding.also)
            key = self._key(finding.rule, place.sheet, span, finding.severity, places)
            if key is not None:
                found.append((key, finding))
        return found

    @cached_property
    def _places_of(self) -> dict[int, FindingPlace]:
        rows = FindingPlace.objects.filter(
            version=self._ground.version, position=0, finding__status=Finding.Status.DISMISSED
        )
        return {place.finding_id: place for place in rows}

    @cached_property
    def _sentences(self) -> dict[int, list[tuple[Span, str]]]:
        """Every sentence of the version by sheet: its span, and its key."""
        return {
            number: [
                ((sentence.start, sentence.end), text_key(sentence.text))
                for sentence in CheckedSheet(
                    number, sheet.label, sheet.text, words=tuple(sheet.words)
                ).sentences
            ]
            for number, sheet in self._ground.sheets.items()
        }

    @cached_property
    def _occurrences(self) -> dict[Where, int]:
        """Which occurrence of its words each sentence is, from 0, in reading order."""
        met: dict[str, int] = defaultdict(int)
        found: dict[Where, int] = {}
        for sheet, sentences in sorted(self._sentences.items()):
            for span, key in sentences:
                found[(sheet, span[0])] = met[key]
                met[key] += 1
        return found

    def _key(
        self, rule: str, sheet: int, span: Span, severity: str, places: list[tuple[int, str]]
    ) -> Dismissal | None:
        at = self._sentence_at(sheet, span)
        if at is None:
            return None
        where, key = at
        others = (self._ground.find(quote, other) for other, quote in places)
        elsewhere = [
            self._sentence_at(other, found)
            for (other, _), found in zip(places, others, strict=True)
            if found is not None
        ]
        return Dismissal(
            rule,
            key,
            self._occurrences[where],
            severity,
            frozenset(other[1] for other in elsewhere if other is not None),
        )

    def _sentence_at(self, sheet: int, span: Span) -> tuple[Where, str] | None:
        """The sentence in which a span begins."""
        for (start, end), key in self._sentences.get(sheet, []):
            if start <= span[0] < end:
                return (sheet, start), key
        return None


def _places(also: Iterable[dict[str, object]]) -> list[tuple[int, str]]:
    return [(int(str(place["sheet"])), str(place["quote"])) for place in also]
