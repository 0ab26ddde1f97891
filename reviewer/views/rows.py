"""How each proposal stands, in the words of the list: pure, from rows already loaded.

What holds is told before what is missing, and what is missing before "clear": a document
that no model has read, or that its gate holds for another reason, is never called clear.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import Any

from django.utils import timezone

from reviewer.core.schema import Severity
from reviewer.core.wording import counted
from reviewer.models import Approval, Review, Version
from reviewer.services.list_holds import RECORDED


@dataclass(frozen=True, slots=True)
class Standing:
    """One chip: its tone (a class of the style sheet, empty for plain), its words, and why."""

    tone: str
    words: str
    why: str = ""
    done: int = 0
    total: int = 0
    is_waiting: bool = False
    """For somebody's answer: what else is to be said of it still counts."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list. `is_busy` where it will change without anybody doing anything."""

    proposal: Any
    version: Version | None
    stands: Standing
    read: str
    read_note: str
    is_busy: bool
    due: Counter[str]
    """Findings still to be done, by severity."""

    @property
    def file_type(self) -> str:
        """The ending of the newest file's name: it tells apart what was uploaded twice."""
        name = self.version.original_name if self.version else ""
        return PurePosixPath(name).suffix.removeprefix(".").lower()[:8]

    @property
    def open_count(self) -> int:
        return self.due.total()


def rows_of(
    proposals: Iterable[Any],
    versions: Mapping[int, Version],
    reviews: Mapping[int, Any],
    due: Mapping[int, Counter[str]],
    held: Mapping[int, str],
) -> list[Row]:
    """Rows in the order of `proposals` (from `for_list`).

    `versions` are the newest ones by their id, `reviews` the newest ones by proposal id,
    with their readings counted; `due` the findings still to be done, by proposal id; `held`
    what holds a version on which nothing is open, by its id.
    """
    return [
        _row(
            proposal,
            versions.get(proposal.newest_id),
            reviews.get(proposal.pk),
            due.get(proposal.pk, Counter()),
            held.get(proposal.newest_id, ""),
        )
        for proposal in proposals
    ]


def _row(proposal: Any, version: Version | None, review: Any, due: Counter[str], held: str) -> Row:
    here = review if version and review and review.version_id == version.pk else None
    read, note = _read(proposal, version, review, here, due)
    is_busy = bool(version and not version.is_settled) or bool(here and here.is_running)
    stands = _stands(proposal, version, here, due, held)
    if stands.words == RECORDED:
        note = ""  # the chip says it
    return Row(proposal, version, stands, read, note, is_busy, due)


def is_open(due: Counter[str]) -> bool:
    """Whether a block or a fix is still to be done."""
    return bool(due[Severity.BLOCK] or due[Severity.FIX])


def conversion_standing(version: Version) -> Standing:
    """How the file of a version stands on its way to sheets."""
    if version.status == Version.Status.UNREADABLE:
        return Standing("block", "could not be read", version.reason)
    if version.status == Version.Status.READY:
        return Standing("clear", counted(version.sheet_count, "sheet"))
    if version.status == Version.Status.WAITING:
        return Standing("busy", "waiting to be converted")
    if version.total < 2:
        # Opening and laying out are one step each, of which no share can be told.
        return Standing("busy", version.doing[:1].lower() + version.doing[1:] or "converting")
    words = f"converting, {version.done} of {version.total}"
    return Standing("busy", words, done=version.done, total=version.total)


def answer_standing(version: Any) -> Standing | None:
    """What a manager was asked or answered of a version (from `with_answers`), or that it left."""
    answer = version.answer or {}
    status, who = answer.get("status"), answer.get("who")
    if status == Approval.Status.REFUSED:
        return Standing("block", f"{who} said no", answer["why"])
    if version.left_at:
        day = timezone.localtime(version.left_at)
        year = f" {day.year}" if day.year != timezone.localdate().year else ""
        return Standing("", f"sent {day.day} {day:%B}{year}")
    if status == Approval.Status.GIVEN:
        return Standing("clear", f"approved by {who}")
    if status == Approval.Status.ASKED:
        return Standing("busy", "waits for a manager", is_waiting=True)
    return None


def _stands(
    proposal: Any, version: Version | None, review: Any, due: Counter[str], held: str
) -> Standing:
    if version is None:
        return Standing("", "no file yet")
    if version.status != Version.Status.READY:
        return conversion_standing(version)
    answer = answer_standing(version)
    stands = _as_read(proposal, review, due, held)
    if answer is None:
        return stands
    if answer.is_waiting and stands.tone == "clear":
        return replace(stands, words=f"{stands.words}, {answer.words}")
    if answer.is_waiting:
        return replace(stands, why=answer.words)
    # A yes falls with what it was said to, which its gate notices when it is next looked at.
    has_fallen = answer.tone == "clear" and (is_open(due) or held)
    return stands if has_fallen else answer


def _as_read(proposal: Any, review: Any, due: Counter[str], held: str) -> Standing:
    if due[Severity.BLOCK]:
        return Standing("block", f"{counted(due[Severity.BLOCK], 'block')} open")
    if due[Severity.FIX]:
        return Standing("fix", f"{counted(due[Severity.FIX], 'fix', 'fixes')} to decide")
    if review and review.is_running:
        return Standing("busy", "being read")
    if proposal.checks_only and not review:
        return Standing("clear", "clear by the checks")
    if not review or not review.readings_read:
        return Standing("", "no model has read it")
    if held:
        return Standing("" if held == RECORDED else "fix", held)
    return Standing("clear", "clear")


def _read(
    proposal: Any, version: Version | None, review: Any, here: Any, due: Counter[str]
) -> tuple[str, str]:
    if version is None or version.status != Version.Status.READY:
        return "–", ""
    if here is None and review is not None and review.readings_read:
        return f"v{review.version.number} was read", f"v{version.number} not yet"
    if here is None:
        if proposal.checks_only:
            return "checks only", "kept to them on purpose"
        return "checks only", "no model has read it" if is_open(due) else ""
    if here.is_running:
        return _reading(here, due)
    if not here.readings_read:
        return "checks only", "no answer of the model could be read"
    return _was_read(here)


def _reading(review: Any, due: Counter[str]) -> tuple[str, str]:
    if review.status == Review.Status.QUEUED or not review.readings_all:
        return "waiting to be read", f"by {review.model}"
    sheets = max(1, review.readings_all // review.passes)
    at = min(review.passes, review.readings_done // sheets + 1)
    found = counted(due.total(), "finding")
    return (
        f"reading, {review.readings_done} of {review.readings_all}",
        f"pass {at} of {review.passes} · {found} so far",
    )


def _was_read(review: Any) -> tuple[str, str]:
    passes = counted(review.passes, "pass", "passes")
    by = "recorded answers" if review.provenance == Review.Provenance.RECORDED else review.model
    unread = review.readings_all - review.readings_read
    if review.status == Review.Status.CANCELLED:
        return f"stopped after {review.readings_done} of {review.readings_all}", by
    if unread:
        return passes, f"{by} · {unread} of {review.readings_all} answers not read"
    return passes, by
