"""Learnings of a file that are not here yet, as rows.

Without `restore` each is a proposal of who imports it. With it, state, people and earlier
wordings are as the file has them: an author or approver without an account here leaves the
learning proposed, in the name of who imports it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.utils import timezone

from reviewer.core.learnings_yaml import Written
from reviewer.models import Learning, LearningSource, LearningVersion, Membership
from reviewer.services.errors import Refused, ServiceError
from reviewer.services.learning_rows import Status, tell, waits_until
from reviewer.services.learning_words import (
    DISMISSALS_NEEDED,
    Kind,
    Wording,
    refuse_past,
    refuse_scope,
    usable,
)
from reviewer.services.storable import storable

_ENDED = frozenset({Status.DECLINED, Status.RETIRED, Status.SUPERSEDED})


@dataclass(slots=True)
class Brought:
    """Numbers of what was added, and what could not be, by line."""

    numbers: list[int] = field(default_factory=list)
    problems: list[tuple[int, str]] = field(default_factory=list)


def bring_in(
    actor: Membership,
    entries: Sequence[Written],
    here: Mapping[int, Learning],
    *,
    restore: bool,
) -> Brought:
    """Add the entries to the workspace of `actor`, in whose transaction its row is locked."""
    done = Brought()
    people = _people(entries) if restore else {}
    numbers = {*here, *(each.number for each in entries)}
    made: dict[int, Learning] = dict(here)
    last = max(numbers, default=0)
    for entry in entries:
        number = entry.number
        if not number:
            last += 1
            number = last
        try:
            _refuse(actor, entry, restore=restore)
        except Refused as error:
            done.problems.append((entry.line, first_sentence(error)))
            continue
        made[number] = _Row(actor, entry, number, people, restore=restore).make()
        done.numbers.append(number)
    for entry in entries:
        _join(entry, made, done, restore=restore)
    return done


def first_sentence(error: ServiceError) -> str:
    """What is wrong, without what became of it: that is said once for the whole file."""
    return error.message.split(". ")[0].rstrip(".")


def _people(entries: Sequence[Written]) -> dict[str, User]:
    """The accounts that the entries name, by user name; one query."""
    names = {each.author for each in entries} | {each.approved_by for each in entries}
    names |= {version.by for each in entries for version in each.versions}
    return {user.get_username(): user for user in User.objects.filter(username__in=names)}


def _refuse(actor: Membership, entry: Written, *, restore: bool) -> None:
    worded = usable(entry.kind, Wording(entry.text, entry.phrase, entry.instead))
    if worded != Wording(entry.text, entry.phrase, entry.instead) and restore:
        raise Refused("Its words have more white space than a learning keeps")
    refuse_scope(actor.workspace, entry.rule, entry.document, None)
    if restore:
        _refuse_versions(entry)
    else:
        refuse_past(entry.until)
    if len(entry.client) > 120:
        raise Refused("Its client has more than 120 characters")
    if entry.kind == Kind.DO_NOT_RAISE and len(entry.sources) < DISMISSALS_NEEDED:
        raise Refused(f"A do_not_raise learning needs {DISMISSALS_NEEDED} “sources” at least")


def _refuse_versions(entry: Written) -> None:
    for each in entry.versions:
        usable(entry.kind, Wording(each.text, each.phrase, each.instead))
        if not each.number:
            raise Refused("Each of its “versions” needs a “number”")
    if entry.proposed and entry.proposed not in {each.number for each in entry.versions}:
        raise Refused(f"“proposed” names {entry.proposed}, which is none of its “versions”")


@dataclass(slots=True)
class _Row:
    """One entry on its way to rows."""

    actor: Membership
    entry: Written
    number: int
    people: Mapping[str, User]
    restore: bool

    def __post_init__(self) -> None:
        entry = self.entry
        author = self.people.get(entry.author)
        approver = self.people.get(entry.approved_by)
        known = author is not None and (not entry.approved_by or approver is not None)
        self.restore = self.restore and known and (approver is None or approver != author)
        self._author = author if self.restore and author else self.actor.user
        self._approver = approver if self.restore else None
        self._now = timezone.now()

    _author: User = field(init=False)
    _approver: User | None = field(init=False)
    _now: datetime = field(init=False)

    def make(self) -> Learning:
        """The learning with its wordings and sources, and one event."""
        entry = self.entry
        until = entry.until
        began = timezone.localdate()
        if until is not None and until <= began:
            began = until - timedelta(days=1)
        learning = Learning.objects.create(
            workspace=self.actor.workspace,
            number=self.number,
            kind=entry.kind,
            rule=entry.rule,
            client=storable(" ".join(entry.client.split())),
            proposal_kind=entry.document,
            author=self._author,
            expires_on=until,
            proposed_on=began,
        )
        versions = self._versions(learning)
        Learning.objects.filter(pk=learning.pk).update(**self._state(versions))
        learning.refresh_from_db()
        self._add_sources(learning)
        tell(learning, "imported", self.actor, to_state=learning.status)
        return learning

    def _state(self, versions: Mapping[int, LearningVersion]) -> dict[str, Any]:
        entry, now = self.entry, self._now
        shown = versions[self._shown]
        state = entry.state if self.restore else Status.PROPOSED
        if state in {Status.PROPOSED, Status.DECLINED}:
            changes: dict[str, Any] = {"pending": shown}
        else:
            changes = {
                "current": shown,
                "in_force_at": now,
                "pending": versions.get(entry.proposed),
            }
            if self._approver is None:
                changes["in_force_from"] = now
        if changes["pending"] is not None:
            changes["pending_from"] = waits_until(self.actor.workspace, now)
        if self._approver is not None:
            changes |= {"approved_by": self._approver, "approved_at": now}
        if state in _ENDED:
            changes |= {"ended_at": now, "ended_by": self.actor.user}
            changes["ended_why"] = entry.ended_why or "It had ended in the file."
        # What was superseded says by what, once that is there too.
        is_joined_later = state == Status.SUPERSEDED
        return changes | {"status": Status.RETIRED if is_joined_later else state}

    @property
    def _shown(self) -> int:
        return (self.entry.version or 1) if self.restore else 1

    def _versions(self, learning: Learning) -> dict[int, LearningVersion]:
        """The wordings by number; each a microsecond after the one before."""
        entry = self.entry
        words = {self._shown: (Wording(entry.text, entry.phrase, entry.instead), self._author)}
        for each in entry.versions if self.restore else ():
            by = self.people.get(each.by, self.actor.user)
            words.setdefault(each.number, (Wording(each.text, each.phrase, each.instead), by))
        rows = [
            LearningVersion(
                learning=learning,
                number=number,
                kind=entry.kind,
                text=storable(worded.text),
                phrase=storable(worded.phrase),
                instead=storable(worded.instead),
                by=by,
                at=self._at(number),
            )
            for number, (worded, by) in sorted(words.items())
        ]
        return {row.number: row for row in LearningVersion.objects.bulk_create(rows)}

    def _at(self, number: int) -> datetime:
        return self._now + timedelta(microseconds=number)

    def _add_sources(self, learning: Learning) -> None:
        LearningSource.objects.bulk_create(
            LearningSource(
                learning=learning,
                proposal_title=storable(each.proposal)[:200],
                client=storable(each.client)[:120],
                finding_number=each.finding,
                sheet=each.sheet,
                severity=each.severity[:10],
                rule=each.rule[:40],
                quote=storable(each.quote),
                text=storable(each.text),
                why=storable(each.why),
                by=self.actor.user,
                at=self._at(each.since if self.restore else 0),
            )
            for each in self.entry.sources
        )


def _join(entry: Written, made: Mapping[int, Learning], done: Brought, *, restore: bool) -> None:
    """Have a restored learning name the one that took its place, and the one it replaces."""
    if not restore or not entry.number or entry.number not in made:
        return
    learning = made[entry.number]
    for name, number in (("superseded_by", entry.superseded_by), ("replaces", entry.replaces)):
        if number and number not in made:
            done.problems.append((entry.line, f"“{name}” names {number}, which is not there"))
            return
    if entry.replaces:
        Learning.objects.filter(pk=learning.pk).update(replaces=made[entry.replaces])
    if entry.state == Status.SUPERSEDED and entry.superseded_by:
        Learning.objects.filter(pk=learning.pk).update(
            status=Status.SUPERSEDED, superseded_by=made[entry.superseded_by]
        )
    elif entry.state == Status.SUPERSEDED:
        done.problems.append((entry.line, "“superseded” needs “superseded_by”"))
