"""Learnings as a file that a house can keep in git: out, and in again.

What comes in is what a person proposes: a new learning, or other words for one that is here,
waits for approval like any other. What is in force here is not ended by a file that does not
name it, and a file with one fault changes nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.utils import timezone

from reviewer.core.learnings_yaml import (
    BadYaml,
    Written,
    WrittenFile,
    WrittenSource,
    WrittenVersion,
    read,
    write,
)
from reviewer.models import Learning, LearningSource, LearningVersion, Membership, Workspace
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.learnings import Status, retire, revise, set_expiry
from reviewer.services.learnings_brought import Brought, bring_in, first_sentence

OPEN = (Status.PROPOSED, Status.IN_FORCE)


class BadFile(Refused):
    """The file cannot be read. `problems` are (line from 1, sentence); nothing was imported."""

    def __init__(self, problems: Sequence[tuple[int, str]]) -> None:
        self.problems = list(problems)
        told = " ".join(f"Line {line}: {why}." for line, why in self.problems[:5])
        super().__init__(f"{told} Nothing was imported.")


@dataclass(frozen=True, slots=True)
class Imported:
    """Numbers of the learnings that were added, worded anew or retired, or as they were.

    `waiting` are those of them that wait for approval here, whatever the file says; `skipped`
    are lines of learnings that have ended in the file and were never here.
    """

    added: tuple[int, ...] = ()
    changed: tuple[int, ...] = ()
    unchanged: tuple[int, ...] = ()
    waiting: tuple[int, ...] = ()
    skipped: tuple[int, ...] = ()


def export_yaml(workspace: Workspace) -> str:
    """Every learning of the workspace as YAML, by number; the same rows give the same text."""
    learnings = (
        Learning.objects.filter(workspace=workspace)
        .select_related(
            "current__by", "pending", "author", "approved_by", "replaces", "superseded_by"
        )
        .order_by("number")
    )
    versions: dict[int, list[LearningVersion]] = defaultdict(list)
    rows = LearningVersion.objects.filter(learning__workspace=workspace).select_related("by")
    for version in rows.order_by("number"):
        versions[version.learning_id].append(version)
    sources: dict[int, list[LearningSource]] = defaultdict(list)
    for source in LearningSource.objects.filter(learning__workspace=workspace).order_by("pk"):
        sources[source.learning_id].append(source)
    return write(
        WrittenFile(
            tuple(_written(each, versions[each.pk], sources[each.pk]) for each in learnings),
            workspace.slug,
        )
    )


def import_yaml(
    *, workspace: Workspace, actor: Membership, text: str, restore: bool = False
) -> Imported:
    """Bring in a file, all of it or nothing; what it does not name stays as it is.

    What is new or worded otherwise waits for approval, as if `actor` had proposed it.
    `restore`, for the command line, takes state and people as the file has them where their
    accounts are here. Raises BadFile, and NotAllowed for who is no manager.
    """
    if actor.workspace_id != workspace.pk or not actor.is_manager:
        raise NotAllowed("Only a manager of the workspace imports learnings.")
    try:
        file = read(text)
    except BadYaml as error:
        raise BadFile(error.problems) from error
    with transaction.atomic():
        Workspace.objects.select_for_update(no_key=True).only("pk").get(pk=workspace.pk)
        done = _Import(workspace, actor, file, restore=restore)
        done.run()
        if done.problems:
            raise BadFile(sorted(done.problems))
    return done.result()


_Act = Callable[[Written], None]


class _Import:
    """One file on its way in; what is wrong is gathered, so that one run tells all of it."""

    def __init__(
        self, workspace: Workspace, actor: Membership, file: WrittenFile, *, restore: bool
    ) -> None:
        self.problems: list[tuple[int, str]] = []
        self._workspace, self._actor, self._file = workspace, actor, file
        self._restore = restore
        self._here = {
            each.number: each
            for each in Learning.objects.filter(workspace=workspace).select_related(
                "workspace", "current", "pending", "superseded_by"
            )
        }
        self._added: list[int] = []
        self._changed: list[int] = []
        self._unchanged: list[int] = []
        self._skipped: list[int] = []

    def run(self) -> None:
        """Bring in every learning, those without a number last, as numbers are given then."""
        known = [each for each in self._file.learnings if each.number]
        new = [each for each in known if each.number not in self._here]
        for entry in (each for each in known if each.number in self._here):
            self._guarded(entry, self._compare)
        new += [each for each in self._file.learnings if not each.number and not self._has(each)]
        usable = []
        for entry in new:
            if not self._restore and _has_ended(entry):
                self._skipped.append(entry.line)
            else:
                usable.append(entry)
        brought = bring_in(self._actor, usable, self._here, restore=self._restore)
        self._take(brought)

    def result(self) -> Imported:
        """What became of the file's learnings."""
        named = [*self._added, *self._changed, *self._unchanged]
        waiting = Learning.objects.filter(
            workspace=self._workspace, number__in=named, pending__isnull=False
        )
        return Imported(
            tuple(sorted(self._added)),
            tuple(sorted(self._changed)),
            tuple(sorted(self._unchanged)),
            tuple(waiting.order_by("number").values_list("number", flat=True)),
            tuple(self._skipped),
        )

    def _take(self, brought: Brought) -> None:
        self._added += brought.numbers
        self.problems += brought.problems

    def _guarded(self, entry: Written, act: _Act) -> None:
        try:
            act(entry)
        except MovedMeanwhile:
            raise
        except (Refused, NotAllowed) as error:
            self.problems.append((entry.line, first_sentence(error)))

    def _has(self, entry: Written) -> bool:
        """Whether an entry without a number says what a learning here says already."""
        for number, here in self._here.items():
            if here.status in OPEN and _says(entry) == _said(here) and _is_for(entry, here):
                self._unchanged.append(number)
                return True
        return False

    def _compare(self, entry: Written) -> None:
        """Take what the file says of a learning that is here."""
        here = self._here[entry.number]
        is_same = _says(entry) in {_said(here), _said(here, pending=True)}
        strange = bool(self._file.house) and self._file.house != self._workspace.slug
        if here.kind != entry.kind or (strange and not is_same):
            raise Refused(
                f"Number {entry.number} is another learning here; leave the number out to add "
                "this one"
            )
        if not _is_for(entry, here):
            raise Refused(
                f"Learning {entry.number} has another rule or scope here; add this one without "
                "its number, and retire the other"
            )
        changed = self._end(entry, here)
        if not is_same and not changed:
            if here.status not in OPEN:
                raise Refused(f"Learning {entry.number} is {here.get_status_display()} here")
            revise(
                learning=here,
                actor=self._actor,
                text=entry.text,
                phrase=entry.phrase,
                instead=entry.instead,
                why="imported",
            )
            changed = True
        if here.status in OPEN and entry.until != here.expires_on:
            set_expiry(learning=here, actor=self._actor, expires_on=entry.until)
            changed = True
        (self._changed if changed else self._unchanged).append(entry.number)

    def _end(self, entry: Written, here: Learning) -> bool:
        """Retire what the file says is retired and is in force here."""
        if entry.state != Status.RETIRED or here.status != Status.IN_FORCE:
            return False
        retire(learning=here, actor=self._actor, why=entry.ended_why or "The file says so.")
        return True


def _has_ended(entry: Written) -> bool:
    """Whether it is history: ended, or in force until a day that has passed."""
    if entry.state not in OPEN:
        return True
    has_expired = entry.until is not None and entry.until <= timezone.localdate()
    return entry.state == Status.IN_FORCE and has_expired


def _says(entry: Written) -> tuple[str, str, str, str]:
    return entry.kind, entry.text, entry.phrase, entry.instead


def _said(here: Learning, *, pending: bool = False) -> tuple[str, str, str, str]:
    version = (pending and here.pending) or here.worded
    return here.kind, version.text, version.phrase, version.instead


def _is_for(entry: Written, here: Learning) -> bool:
    return (entry.rule, entry.client, entry.document) == (
        here.rule,
        here.client,
        here.proposal_kind,
    )


def _written(
    learning: Learning, versions: list[LearningVersion], sources: list[LearningSource]
) -> Written:
    shown = learning.worded
    waits = learning.pending if learning.current else None
    return Written(
        number=learning.number,
        state=learning.status,
        kind=learning.kind,
        text=shown.text,
        phrase=shown.phrase,
        instead=shown.instead,
        rule=learning.rule,
        client=learning.client,
        document=learning.proposal_kind,
        until=learning.expires_on,
        author=learning.author.get_username(),
        approved_by=learning.approved_by.get_username() if learning.approved_by else "",
        replaces=learning.replaces.number if learning.replaces else 0,
        superseded_by=learning.superseded_by.number if learning.superseded_by else 0,
        ended_why=learning.ended_why,
        version=shown.number,
        proposed=waits.number if waits else 0,
        versions=tuple(
            WrittenVersion(
                each.number, each.text, each.phrase, each.instead, each.by.get_username()
            )
            for each in versions
            if each.pk != shown.pk
        ),
        sources=tuple(_source(each, versions) for each in sources),
    )


def _source(source: LearningSource, versions: list[LearningVersion]) -> WrittenSource:
    counts_from = [each.number for each in versions if each.at >= source.at]
    since = min(counts_from, default=versions[-1].number + 1)
    return WrittenSource(
        proposal=source.proposal_title,
        client=source.client,
        finding=source.finding_number,
        sheet=source.sheet,
        severity=source.severity,
        rule=source.rule,
        quote=source.quote,
        text=source.text,
        why=source.why,
        since=since if since > 1 else 0,
    )
