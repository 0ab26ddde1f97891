"""Rows for tests, made directly: what a test does not name is plain and valid.

Services have tests of their own; what stands here goes past them on purpose, so that a
test of a page does not depend on how a thing came to be.
"""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import count, groupby
from typing import Any

from django.contrib.auth.models import User
from django.core.files.base import ContentFile
from django.db.models import Max
from django.utils import timezone

from reviewer.models import (
    Answer,
    Approval,
    Decision,
    Export,
    Finding,
    FindingPlace,
    Membership,
    Paragraph,
    Proposal,
    Reading,
    Review,
    Role,
    Sheet,
    Sighting,
    Source,
    Version,
    Waiver,
    Workspace,
)

PASSWORD = "a long enough word for tests"

_number = count(1)

TEXTS = (
    "The pilot runs for 12 weeks at two sites. The control tower will cut detention costs by "
    "30% in the first quarter, and every dispatcher works from one queue.",
    "Discovery and data access $18,000. Pilot build at two sites $54,000. Training and handover "
    "$9,500. The total is $82,500 for the work described.",
    "Integrations with the yard system, the TMS, and other tools as needed are part of the "
    "pilot. Invoices are sent on the first working day of each month.",
)
"""Sheets as a proposal might have them; a version without texts of its own shows these."""


@dataclass(frozen=True)
class Cast:
    """One workspace with its people, and one person of another workspace."""

    workspace: Workspace
    wen: Membership
    rae: Membership
    max: Membership
    ola: Membership

    @property
    def members(self) -> tuple[Membership, Membership, Membership]:
        return self.wen, self.rae, self.max


def make_person(username: str = "", **fields: Any) -> User:
    name = username or f"person{next(_number)}"
    fields.setdefault("email", f"{name}@example.com")
    return User.objects.create_user(name, password=PASSWORD, **fields)


def make_workspace(name: str = "Field Systems", **fields: Any) -> Workspace:
    fields.setdefault("slug", f"{name.lower().replace(' ', '-')}-{next(_number)}")
    return Workspace.objects.create(name=name, **fields)


def make_member(
    workspace: Workspace, role: str = Role.WRITER, *, user: User | None = None
) -> Membership:
    return Membership.objects.create(workspace=workspace, user=user or make_person(), role=role)


def make_cast() -> Cast:
    workspace = make_workspace("Field Systems", slug="field-systems")
    elsewhere = make_workspace("Elsewhere", slug="elsewhere")
    return Cast(
        workspace=workspace,
        wen=make_member(workspace, Role.WRITER, user=make_person("wen", first_name="Wen")),
        rae=make_member(workspace, Role.REVIEWER, user=make_person("rae", first_name="Rae")),
        max=make_member(workspace, Role.MANAGER, user=make_person("max", first_name="Max")),
        ola=make_member(elsewhere, Role.MANAGER, user=make_person("ola", first_name="Ola")),
    )


def make_proposal(
    workspace: Workspace, *, owner: Membership | User | None = None, **fields: Any
) -> Proposal:
    """A proposal without a version; `owner` is a member or a user."""
    user = owner.user if isinstance(owner, Membership) else owner
    fields.setdefault("title", f"Warehouse control tower {next(_number)}")
    fields.setdefault("client", "Northwind Logistics")
    return Proposal.objects.create(workspace=workspace, owner=user, **fields)


def make_source(proposal: Proposal, text: str = "The RFP asks for two sites.", **fields: Any):
    fields.setdefault("name", "rfp.txt")
    return Source.objects.create(
        proposal=proposal, text=text, sha256=hashlib.sha256(text.encode()).hexdigest(), **fields
    )


def make_version(
    proposal: Proposal,
    *,
    texts: Sequence[str] = TEXTS,
    status: str = Version.Status.READY,
    **fields: Any,
) -> Version:
    """The next version of `proposal`; ready ones get a sheet with an image for each text."""
    newest = proposal.versions.aggregate(newest=Max("number"))["newest"] or 0
    content = fields.pop("content", "\n\n".join(texts).encode())
    ready = status == Version.Status.READY
    if status == Version.Status.UNREADABLE:
        fields.setdefault("reason", "This PDF is locked with a password. Upload it without one.")
    fields.setdefault("number", newest + 1)
    fields.setdefault("original_name", "Warehouse control tower.md")
    fields.setdefault("file_kind", "markdown")
    fields.setdefault("sheet_count", len(texts) if ready else 0)
    fields.setdefault("uploaded_by", proposal.owner)
    fields.setdefault("finished_at", timezone.now() if ready else None)
    version = Version(
        proposal=proposal,
        status=status,
        size=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        **fields,
    )
    version.original.save("original", ContentFile(content), save=False)
    if ready:
        version.pdf.save("rendered.pdf", ContentFile(b"%PDF-1.7\n%%EOF\n"), save=False)
    version.save()
    if ready:
        for number, text in enumerate(texts, start=1):
            make_sheet(version, number=number, text=text)
    return version


def laid_out(text: str, *, width: float = 612, height: float = 792) -> list[list[Any]]:
    """Words of `text` with boxes, as a typist would set them: 6 points a letter, 18 a line."""
    words: list[list[Any]] = []
    x, y = 72.0, 72.0
    for word in text.split():
        length = 6.0 * len(word)
        if x + length > width - 72 and x > 72:
            x, y = 72.0, y + 18
        words.append([word, x, y, x + length, y + 12])
        x += length + 6
    return words


@cache
def picture(width: int, height: int) -> bytes:
    """A white page as PNG, `width` by `height` pixels."""
    from PIL import Image

    held = io.BytesIO()
    Image.new("L", (width, height), 255).save(held, "PNG")
    return held.getvalue()


def make_sheet(version: Version, *, number: int, text: str, **fields: Any) -> Sheet:
    """One sheet of US letter size, one paragraph, its words laid out line by line."""
    fields.setdefault("label", f"Sheet {number}")
    fields.setdefault("width", 612)
    fields.setdefault("height", 792)
    fields.setdefault("words", laid_out(text, width=fields["width"], height=fields["height"]))
    fields.setdefault("image_width", 816)
    fields.setdefault("image_height", 1056)
    sheet = Sheet(version=version, number=number, text=text, **fields)
    sheet.image.save("sheet.png", ContentFile(picture(816, 1056)), save=False)
    sheet.thumb.save("sheet.png", ContentFile(picture(153, 198)), save=False)
    sheet.save()
    if sheet.words:
        Paragraph.objects.create(
            sheet=sheet,
            position=0,
            text=text,
            hash="sha256:" + hashlib.sha256(text.encode()).hexdigest(),
            first_word=0,
            last_word=len(sheet.words) - 1,
        )
    return sheet


def make_finding(version: Version, **fields: Any) -> Finding:
    """An open fix on sheet 1, placed at its quote where the quote stands on the sheet.

    Deciding fields (`status="dismissed"`) take `decided_by` as a member or a user.
    """
    proposal = version.proposal
    newest = proposal.findings.aggregate(newest=Max("number"))["newest"] or 0
    decided_by = fields.pop("decided_by", None)
    if isinstance(decided_by, Membership):
        decided_by = decided_by.user
    if fields.get("status", Finding.Status.OPEN) != Finding.Status.OPEN:
        fields.setdefault("decided_at", timezone.now())
        fields.setdefault("decision_reason", "The client asked for it.")
    fields.setdefault("number", newest + 1)
    fields.setdefault("severity", "fix")
    fields.setdefault("rule", "grounding")
    fields.setdefault("sheet", 1)
    fields.setdefault("quote", "cut detention costs by 30%")
    fields.setdefault("text", f"Fault {fields['number']}: there is no source for this figure.")
    fields.setdefault("edit", "Name the source, or give the figure as a target.")
    fields.setdefault("raised", Finding.Raised.MODEL)
    if fields["raised"] == Finding.Raised.MODEL:
        fields.setdefault("votes", 2)
        fields.setdefault("passes", 3)
    finding = Finding.objects.create(
        proposal=proposal,
        decided_by=decided_by,
        first_version=fields.pop("first_version", version),
        checked_version=fields.pop("checked_version", version),
        **fields,
    )
    if finding.quote and finding.evidence != Finding.Evidence.GONE:
        make_place(finding, version)
    return finding


def make_place(
    finding: Finding, version: Version, *, position: int = 0, quote: str = "", sheet: int = 0
) -> FindingPlace | None:
    """Where the words stand on the version's sheet; None where they do not."""
    number = sheet or finding.sheet
    on = version.sheets.filter(number=number).first()
    wanted = (quote or finding.quote).split()
    if on is None or not wanted:
        return None
    spoken = [word[0] for word in on.words]
    for first in range(len(spoken) - len(wanted) + 1):
        if [w.strip(".,") for w in spoken[first : first + len(wanted)]] == [
            w.strip(".,") for w in wanted
        ]:
            last = first + len(wanted) - 1
            return FindingPlace.objects.create(
                finding=finding,
                version=version,
                position=position,
                sheet=number,
                first_word=first,
                last_word=last,
                boxes=_boxes(on.words[first : last + 1]),
            )
    return None


def _boxes(words: list[list[Any]]) -> list[list[float]]:
    lines = (list(line) for _, line in groupby(words, key=lambda word: word[2]))
    return [[line[0][1], line[0][2], line[-1][3], line[0][4]] for line in lines]


def make_decision(finding: Finding, by: Membership, *, act: str, **fields: Any) -> Decision:
    """A row of the log alone; the finding itself is left as it is."""
    fields.setdefault("version", finding.first_version)
    fields.setdefault("status_before", Finding.Status.OPEN)
    fields.setdefault("status_after", finding.status)
    if act in {Decision.Act.DISMISS, Decision.Act.ACCEPT}:
        fields.setdefault("reason", finding.decision_reason or "The client asked for it.")
    return Decision.objects.create(finding=finding, act=act, actor=by.user, **fields)


def make_review(
    version: Version, *, status: str = Review.Status.FINISHED, passes: int = 3, **fields: Any
) -> Review:
    """A review of `version`, without readings."""
    ended = status not in Review.Status.running()
    fields.setdefault("model", "claude-opus-5-5")
    fields.setdefault("server", "api.anthropic.com")
    fields.setdefault("rubric_hash", "sha256:0")
    fields.setdefault("started_at", None if status == Review.Status.QUEUED else timezone.now())
    fields.setdefault("finished_at", timezone.now() if ended else None)
    return Review.objects.create(version=version, status=status, passes=passes, **fields)


def make_reading(
    review: Review,
    *,
    sheet: int,
    pass_number: int = 1,
    status: str = Reading.Status.DONE,
    raw: Any = None,
    **fields: Any,
) -> Reading:
    """One reading; with `raw`, its stored answer too."""
    now: datetime = timezone.now()
    if status == Reading.Status.DONE:
        fields.setdefault("outcome", "read")
        fields.setdefault("finished_at", now)
        fields.setdefault("seconds", 4.0)
    if status == Reading.Status.CLAIMED:
        fields.setdefault("leased_until", now + timezone.timedelta(minutes=15))
        fields.setdefault("started_at", now)
    reading = Reading.objects.create(
        review=review, sheet=sheet, pass_number=pass_number, status=status, **fields
    )
    if raw is not None:
        Answer.objects.create(reading=reading, raw=raw)
    return reading


def make_waiver(version: Version, by: Membership, **fields: Any) -> Waiver:
    """A manager's signature for an incomplete review of `version`, for that version alone."""
    fields.setdefault("kind", Waiver.Kind.NOT_CLEARED)
    fields.setdefault("says", "No review has read this version.")
    fields.setdefault("seen", {"never": True})
    fields.setdefault("reason", "Read by hand.")
    fields.setdefault("until_version", version.number)
    return Waiver.objects.create(version=version, by=by.user, **fields)


def make_text(version: Version, text: str, kind: str = "markdown") -> Version:
    """Have the file of `version` be this text."""
    version.original.save("original", ContentFile(text.encode()), save=False)
    version.file_kind, version.size, version.original_name = kind, len(text.encode()), "tower.md"
    version.save()
    return version


def make_approval(version: Version, by: Membership, **fields: Any) -> Approval:
    """A question about `version` that `by` asked, or, by its status, answered."""
    now = timezone.now()
    if fields["status"] in {Approval.Status.ASKED, Approval.Status.FALLEN}:
        fields |= {"asked_by": by.user, "asked_at": now}
    if fields["status"] in {Approval.Status.GIVEN, Approval.Status.REFUSED}:
        fields |= {"decided_by": by.user, "decided_at": now}
    if fields["status"] == Approval.Status.FALLEN:
        fields["fallen_at"] = now
    if fields["status"] == Approval.Status.GIVEN:
        fields |= {"bytes_hash": "b", "gate_key": "g", "policy_key": "p"}
    return Approval.objects.create(version=version, **fields)


def make_export(version: Version, by: Membership, **fields: Any) -> Export:
    """A ready export of a kind that is not gated, with two files that are none."""
    workspace = version.proposal.workspace
    newest = workspace.exports.aggregate(newest=Max("number"))["newest"] or 0
    fields.setdefault("number", newest + 1)
    fields.setdefault("is_gated", False)
    fields.setdefault("status", Export.Status.READY)
    fields.setdefault("client_name", "Tower - v1.pdf")
    fields.setdefault("record_name", "Tower - v1 - record 1.pdf")
    fields.setdefault("created_at", timezone.now())
    if fields["status"] == Export.Status.READY:
        fields.setdefault("finished_at", timezone.now())
    fields.setdefault("bytes_hash", "b1-outgoing-1-0")
    fields.setdefault("client_sha256", hashlib.sha256(b"client").hexdigest())
    fields.setdefault("record_sha256", hashlib.sha256(b"record").hexdigest())
    export = Export(workspace=workspace, version=version, made_by=by.user, **fields)
    if export.status == Export.Status.READY:
        export.client_file.save("client.pdf", ContentFile(b"client"), save=False)
        export.record_file.save("record.pdf", ContentFile(b"record"), save=False)
    export.save()
    return export


def make_sighting(reading: Reading, finding: Finding, **fields: Any) -> Sighting:
    """The finding as `reading` reported it."""
    fields.setdefault("index", reading.sightings.count())
    for name in ("sheet", "severity", "rule", "quote", "text", "edit", "also"):
        fields.setdefault(name, getattr(finding, name))
    return Sighting.objects.create(reading=reading, finding=finding, **fields)
