"""Two versions of a proposal beside each other: what changed in the text, and sheet by sheet."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from reviewer.core.differences import Change, Kept, Pair, differences, sheet_pairs
from reviewer.core.differences import Paragraph as Compared
from reviewer.models import Paragraph, Sheet, Version


@dataclass(frozen=True)
class SheetPair:
    """A sheet before and after, either of which may be missing."""

    before: Sheet | None
    after: Sheet | None
    is_changed: bool


@dataclass(frozen=True)
class Comparison:
    """What became of version `before` in version `after`; three queries, when first asked."""

    before: Version
    after: Version

    @cached_property
    def text(self) -> list[Change | Kept]:
        """The text of `after` in its order, with what went where it had stood."""
        return differences(*self._paragraphs)

    @cached_property
    def sheets(self) -> list[SheetPair]:
        """Each sheet of `after` beside the one it was, then those that are gone."""
        sheets: dict[int, dict[int, Sheet]] = {self.before.pk: {}, self.after.pk: {}}
        for sheet in Sheet.objects.filter(version__in=sheets).for_desk().defer("words", "text"):
            sheets[sheet.version_id][sheet.number] = sheet
        old, new = sheets[self.before.pk], sheets[self.after.pk]
        pairs = sheet_pairs(*self._paragraphs, sheets_before=old, sheets_after=new)
        return [_with_sheets(pair, old, new) for pair in pairs]

    @property
    def changed(self) -> int:
        """How many paragraphs were changed, went or came."""
        return sum(isinstance(one, Change) for one in self.text)

    @property
    def kept(self) -> int:
        """How many paragraphs stayed."""
        return sum(one.paragraphs for one in self.text if isinstance(one, Kept))

    @cached_property
    def _paragraphs(self) -> tuple[Sequence[Compared], Sequence[Compared]]:
        found: dict[int, list[Compared]] = {self.before.pk: [], self.after.pk: []}
        rows = Paragraph.objects.filter(sheet__version__in=found)
        for version, sheet, text, key in rows.order_by("sheet__number", "position").values_list(
            "sheet__version", "sheet__number", "text", "hash"
        ):
            found[version].append(Compared(sheet, text, key))
        return found[self.before.pk], found[self.after.pk]


def _with_sheets(pair: Pair, old: dict[int, Sheet], new: dict[int, Sheet]) -> SheetPair:
    return SheetPair(old.get(pair.before), new.get(pair.after), pair.is_changed)
