"""A house in which reviews are had from end to end: real services, the real client, a real
server, and a reader whose faults and verdicts a test writes down.

A fault is found wherever its words stand on a sheet that is read, by the passes that are named;
a check upholds it unless told otherwise, and a later one looks whether its words still stand.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.core.gate import Gate
from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.models import Calibration, Finding, Membership, Proposal, Reading, Review, Version
from reviewer.services.conversion import convert_version
from reviewer.services.gates import gate_of
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from reviewer.services.uploads import upload_proposal, upload_version
from reviewer.views.access import list_rows
from tests.factories import Cast
from tests.fakes.messages_server import MessagesServer, Seen
from tests.fakes.replies import Reply, fails, finding, finds, judges

Kind = Reading.Kind
ALL_PASSES = frozenset(range(1, 100))
NOT_CLEAR = (" open", " to decide", "no model has read it", "do not clear")
"""How the list ends what it says of a version with a block or a fix that nobody decided, and of
one that was not read itself, though it may say what another one said."""


@dataclass
class Fault:
    """What the reader finds where `quote` stands. `passes` are those that see it.

    `verdict` is what a fresh check says, `later` what a check after a change says: where it is
    empty, that the fault is there as long as `quote`, or `lives` where given, stands anywhere.
    """

    quote: str
    severity: str = "fix"
    rule: str = "unambiguous_scope"
    says: str = ""
    passes: Iterable[int] = ALL_PASSES
    verdict: str = "holds"
    weighs: str = ""
    later: str = ""
    lives: str = ""
    also: Sequence[tuple[int, str]] = ()
    kinds: Iterable[str] = (Kind.PASS,)

    @property
    def text(self) -> str:
        return self.says or f"What “{self.quote}” means is left open."

    def as_reported(self, sheet: int) -> dict[str, Any]:
        also = [{"sheet": number, "quote": quote} for number, quote in self.also]
        return finding(
            sheet=sheet,
            severity=self.severity,
            rule=self.rule,
            quote=self.quote,
            finding=self.text,
            **({"also": also} if also else {}),
        )


@dataclass
class Reader:
    """What the server answers, by the reading that is being asked."""

    faults: list[Fault] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    """What is missing from the document while these words stand nowhere: words, finding."""
    replies: list[tuple[Callable[[Reading], bool], Reply]] = field(default_factory=list)
    """Answers that come instead, for the readings that they are for; the newest first."""
    model: str = ""
    """The name under which the server answers; the one asked for where empty."""
    _reply: Reply | None = None

    def __call__(self, seen: Seen) -> Reply:
        """The answer made ready before: the server's thread does not see a test's rows."""
        assert self._reply is not None, "a call that no reading asked for"
        return self._reply

    def prepare(self, reading: Reading | None) -> None:
        """Make the answer to this reading ready; None expects no call."""
        self._reply = self._answer(reading) if reading is not None else None

    def _answer(self, reading: Reading) -> Reply:
        for is_for, reply in reversed(self.replies):
            if is_for(reading):
                return reply
        how = {"model": self.model} if self.model else {}
        if reading.kind in (Kind.CHECK, Kind.RECHECK):
            return judges(self._verdicts(reading), **how)
        if reading.kind == Kind.DOCUMENT:
            return finds([*self._missing(reading), *self._found(reading)], **how)
        return finds(self._found(reading), **how)

    def fails_on(self, is_for: Callable[[Reading], bool], reply: Reply | None = None) -> None:
        """Answer such readings with an error, or with `reply`."""
        self.replies.append((is_for, reply or fails(500)))

    def _found(self, reading: Reading) -> list[dict[str, Any]]:
        sheets = reading.review.version.sheets.order_by("number")
        if reading.sheet:
            sheets = sheets.filter(number=reading.sheet)
        return [
            fault.as_reported(sheet.number)
            for sheet in sheets
            for fault in self.faults
            if fault.quote in " ".join(sheet.text.split())
            and reading.kind in fault.kinds
            and (reading.kind != Kind.PASS or reading.pass_number in fault.passes)
            and (not reading.rules or fault.rule in reading.rules)
        ]

    def _missing(self, reading: Reading) -> list[dict[str, Any]]:
        text = _text(reading.review.version)
        return [
            finding(sheet=0, severity="block", rule="commercial_clarity", quote="", finding=says)
            for words, says in self.missing.items()
            if words not in text
        ]

    def _verdicts(self, reading: Reading) -> list[dict[str, Any]]:
        asked = Finding.objects.filter(
            proposal=reading.review.version.proposal, number__in=reading.candidates
        )
        return [
            {"number": one.number, "why": "It was looked for.", **self._verdict(reading, one)}
            for one in asked
        ]

    def _verdict(self, reading: Reading, one: Finding) -> dict[str, str]:
        text = _text(reading.review.version)
        fault = next((each for each in self.faults if each.text == one.text), None)
        if reading.kind == Kind.CHECK:
            if fault is None:
                return {"verdict": "holds"}
            weighs = {"severity": fault.weighs} if fault.weighs else {}
            return {"verdict": fault.verdict, **weighs}
        if fault is not None and fault.later:
            return {"verdict": fault.later}
        cure = next((words for words, says in self.missing.items() if says == one.text), "")
        if cure:
            return {"verdict": "does_not_hold" if cure in text else "holds"}
        lives = (fault.lives or fault.quote) if fault else one.quote
        return {"verdict": "holds" if lives in text else "does_not_hold"}


def _text(version: Version) -> str:
    texts = version.sheets.order_by("number").values_list("text", flat=True)
    return " ".join(" ".join(text.split()) for text in texts)


@dataclass
class House:
    """One proposal in it, and all that is done with it in tests of rounds."""

    cast: Cast
    server: MessagesServer
    reader: Reader

    def upload(self, text: str, *, of: Proposal | None = None, by: Membership | None = None):
        """A version of `text`, converted and ready; of a new proposal where none is named."""
        by = by or self.cast.wen
        file = SimpleUploadedFile("proposal.md", text.encode())
        if of is None:
            version = upload_proposal(by=by, file=file, client="Northwind Logistics")
        else:
            version = upload_version(by=by, proposal=of, file=file)
        done = convert_version(version.pk)
        assert done is not None
        assert done.status == Version.Status.READY, done.reason
        return done

    def read(self, version: Version, *, by: Membership | None = None, **how: Any) -> Review:
        """Start a review and have every reading made, as workers would."""
        return self.finish(start_review(by=by or self.cast.wen, version=version, **how))

    def finish(self, review: Review) -> Review:
        """Make every reading that is left, to the review's end."""
        waiting = review.readings.filter(status=Reading.Status.WAITING)
        for _ in range(500):
            one = waiting.select_related("review__version__proposal").order_by("pk").first()
            if one is None:
                break
            self.perform(one)
        review.refresh_from_db()
        return review

    def perform(self, reading: Reading) -> None:
        """Make one reading."""
        self.reader.prepare(reading)
        try:
            perform_reading(reading.pk)
        finally:
            self.reader.prepare(None)

    def calibrate(self, model: str = "reader-1", *, found: int = 10, server: str = "") -> None:
        """Store a calibration of a model, as a run would."""
        Calibration.objects.create(
            workspace=self.cast.workspace,
            server=server or self.server.url.removeprefix("http://"),
            model=model,
            recipe=recipe_of(ReadingKind.PASS),
            status=Calibration.Status.DONE,
            found=found,
            planted=10,
        )

    def gate(self, version: Version) -> Gate:
        """The gate of a version, from rows as they are now.

        The list has to agree: what is held is never called clear there, and what is not held
        is, unless something is open on it.
        """
        gate = gate_of(Version.objects.select_related("proposal__workspace").get(pk=version.pk))
        if not version.proposal.versions.filter(number__gt=version.number).exists():
            says = self.in_list(version)
            assert gate.is_open or says != "clear", f"clear in the list: {gate.reasons}"
            assert not gate.is_open or says == "clear" or says.endswith(NOT_CLEAR), says
        return gate

    def in_list(self, version: Version) -> str:
        """What the list of proposals says of where it stands."""
        proposals = Proposal.objects.filter(pk=version.proposal_id).for_list()
        (row,) = list_rows(self.cast.max, list(proposals))
        return row.stands.words

    @property
    def calls(self) -> int:
        """How many requests the server has had."""
        return len(self.server.requests)


def reasons(gate: Gate) -> list[str]:
    """The kinds of a gate's reasons, in their order."""
    return [reason.kind.value for reason in gate.reasons]


def kinds(review: Review) -> dict[str, int]:
    """How many readings of each kind a review made."""
    made: dict[str, int] = {}
    for kind in review.readings.values_list("kind", flat=True):
        made[kind] = made.get(kind, 0) + 1
    return made


def sheets_read(review: Review) -> set[int]:
    """The sheets over which a review's passes went."""
    return set(review.readings.filter(kind=Kind.PASS).values_list("sheet", flat=True))


def the(proposal: Proposal, quote: str) -> Finding:
    """The one finding with this quote that stands for itself."""
    return Finding.objects.shown().select_related("proposal").get(proposal=proposal, quote=quote)
