"""A version becomes sheets: claimed by one worker, converted in a child, stored whole or not at all."""

import logging
import secrets
import tempfile
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.documents.sheets import DocumentRead, SheetRead
from reviewer.models import Membership, Paragraph, Proposal, Sheet, Version
from reviewer.services.as_checked import as_stored
from reviewer.services.checking import check_version
from reviewer.services.connection import connection
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.events import move
from reviewer.services.files import folder_of, forget_files, made_files
from reviewer.services.lease import kept_lease, lease_from, release_database
from reviewer.services.limits import conversion_limits, room_to_convert
from reviewer.services.placing import carry_findings, touch
from reviewer.services.reviews import start_review

log = logging.getLogger(__name__)

Status = Version.Status
MAX_ATTEMPTS = 3
STAGES = {
    "opening": "Opening the file",
    "converting": "Laying it out on sheets",
    "sheets": "Drawing the sheets",
}
OUR_FAULT = (
    "Something went wrong on our side while this file was converted. The file is kept. "
    "Try again; if it fails again, upload it as a PDF."
)


def convert_version(version_id: int) -> Version | None:
    """Convert one version, if nobody else does: returns it settled, or None.

    Sheets, checks and carried findings are stored in one transaction. A file that cannot
    be read ends as unreadable with its sentence, and nothing half-made is left.
    """
    version = _claim(version_id)
    if version is None:
        return None
    try:
        done = _convert(version)
    except MovedMeanwhile:
        log.info("Version %s was taken by another worker; this conversion is not kept", version.pk)
        return None
    return done


def waiting_versions() -> list[int]:
    """Versions that no worker has and no message in sight will bring."""
    unseen = timezone.now() - timedelta(seconds=settings.RESEND_SECONDS)
    rows = Version.objects.filter(_claimable()).exclude(sent_at__gt=unseen, status=Status.WAITING)
    return list(rows.values_list("pk", flat=True))


def _convert(version: Version) -> Version:
    """The claimed version, settled. Raises MovedMeanwhile where another worker took it."""
    if version.attempts > MAX_ATTEMPTS:
        # A file that has taken three workers with it does not get a fourth.
        return _end_unreadable(version, OUR_FAULT)
    with tempfile.TemporaryDirectory(prefix="reviewer-convert-") as folder, kept_lease(version):
        try:
            read = _read(version, Path(folder))
        except UnreadableFile as error:
            return _end_unreadable(version, error.message)
        except Exception:  # whatever broke is ours, and the person gets a sentence for it
            log.exception("Version %s could not be converted", version.pk)
            return _end_unreadable(version, OUR_FAULT)
        return _store(version, read)


def _claimable() -> Q:
    lapsed = Q(status=Status.CONVERTING, leased_until__lt=timezone.now())
    return Q(status=Status.WAITING) | lapsed


def _claim(version_id: int) -> Version | None:
    token = secrets.token_hex(16)
    now = timezone.now()
    with transaction.atomic():
        version = (
            Version.objects.filter(_claimable(), pk=version_id)
            .select_related("proposal__workspace", "uploaded_by")
            .first()
        )
        if version is None:
            return None
        claimed = Version.objects.filter(
            pk=version_id, status=version.status, token=version.token, attempts=version.attempts
        ).update(
            status=Status.CONVERTING,
            token=token,
            leased_until=lease_from(now),
            attempts=version.attempts + 1,
            started_at=now,
            doing="Opening the file",
            done=0,
            total=0,
        )
    if claimed != 1:
        return None
    changed = ["status", "token", "attempts", "leased_until", "started_at", "doing"]
    version.refresh_from_db(fields=changed)
    if version.attempts > 1:
        # A worker that died half way left files that no row names.
        forget_files(made_files(version))
    return version


def _read(version: Version, folder: Path) -> DocumentRead:
    path = folder / "original"
    with version.original.open("rb") as stored, path.open("wb") as copy:
        for chunk in stored.chunks():
            copy.write(chunk)
    with room_to_convert():
        return read_file(
            path,
            folder / "read",
            name=version.original_name,
            limits=conversion_limits(),
            on_progress=lambda doing, done, total: _tell(version, doing, done, total),
        )


def _tell(version: Version, doing: str, done: int, total: int) -> None:
    Version.objects.filter(pk=version.pk, token=version.token).update(
        doing=STAGES.get(doing, "Converting"), done=done, total=total
    )
    release_database()


def _end_unreadable(version: Version, reason: str) -> Version:
    _move(version, Status.UNREADABLE, reason=reason, finished_at=timezone.now())
    return version


def _move(version: Version, to: str, **changes: object) -> None:
    move(
        version,
        to,
        by=None,
        workspace_id=version.proposal.workspace_id,
        proposal_id=version.proposal_id,
        why=str(changes.get("reason", "")),
        guard={"token": version.token},
        leased_until=None,
        doing="",
        **changes,  # type: ignore[arg-type]
    )


def _store(version: Version, read: DocumentRead) -> Version:
    saved: list[str] = []
    try:
        sheets = [_sheet(version, sheet, saved) for sheet in read.sheets]
        pdf = _keep_file(read.pdf, f"{folder_of(version)}/rendered.pdf", saved)
        with transaction.atomic():
            _store_rows(version, read, sheets, pdf)
            # With the sheets comes the reading that was asked for, so that no page sees the
            # one without the other. What goes wrong with it costs the sheets nothing.
            try:
                with transaction.atomic():
                    _read_when_ready(version)
            except Exception:
                log.exception("Version %s could not be read on arrival", version.pk)
    except BaseException:
        forget_files(saved)
        raise
    return version


def _store_rows(version: Version, read: DocumentRead, sheets: list[Sheet], pdf: str) -> None:
    version.pdf.name = pdf
    _move(
        version,
        Status.READY,
        pdf=pdf,
        file_kind=read.kind,
        layout_approximate=read.layout_approximate,
        notes=list(read.notes),
        fit=[
            {"code": fault.code, "sheet": fault.sheet, "message": fault.message}
            for fault in read.fit
        ],
        source_read=as_stored(read.source),
        sheet_count=len(sheets),
        finished_at=timezone.now(),
    )
    Sheet.objects.bulk_create(sheets)
    Paragraph.objects.bulk_create(
        [
            Paragraph(
                sheet=stored,
                position=position,
                text=paragraph.text,
                hash=paragraph.hash,
                first_word=paragraph.first_word,
                last_word=paragraph.last_word,
            )
            for stored, sheet in zip(sheets, read.sheets, strict=True)
            for position, paragraph in enumerate(sheet.paragraphs)
        ]
    )
    _meet_findings(version)
    touch(version)


def _meet_findings(version: Version) -> None:
    """Carry what is known to the version, and check it, under the proposal's lock.

    A version that is ready only after a newer one shows where findings stand on it, and
    changes nothing of what the newer one told.
    """
    proposal = Proposal.objects.select_for_update(no_key=True).get(pk=version.proposal_id)
    ready = proposal.versions.filter(status=Status.READY)
    before = ready.filter(number__lt=version.number).order_by("-number").first()
    is_newest = not ready.filter(number__gt=version.number).exists()
    if before is not None:
        carry_findings(before, version, places_only=not is_newest)
    if is_newest:
        check_version(version)


def _sheet(version: Version, sheet: SheetRead, saved: list[str]) -> Sheet:
    folder = folder_of(version)
    return Sheet(
        version=version,
        number=sheet.number,
        label=sheet.label[:120],
        text=sheet.text,
        words=[list(word) for word in sheet.words],
        width=sheet.width,
        height=sheet.height,
        image=_keep_file(sheet.image, f"{folder}/sheets/{sheet.number}{sheet.image.suffix}", saved),
        image_width=sheet.image_width,
        image_height=sheet.image_height,
        thumb=_keep_file(
            sheet.thumbnail, f"{folder}/thumbs/{sheet.number}{sheet.thumbnail.suffix}", saved
        ),
        unread=sheet.unread,
    )


def _keep_file(path: Path, name: str, saved: list[str]) -> str:
    kept = default_storage.save(name, ContentFile(path.read_bytes()))
    saved.append(kept)
    return kept


def _read_when_ready(version: Version) -> None:
    """Start the reading that the uploader asked for, if there is still a model to ask."""
    if version.status != Status.READY or not version.read_when_ready:
        return
    if connection(version.proposal.workspace_id) is None:
        return
    uploader = Membership.objects.filter(
        workspace=version.proposal.workspace_id, user=version.uploaded_by
    ).first()
    if uploader is None:
        return
    try:
        start_review(by=uploader, version=version)
    except Refused as error:
        log.info("Version %s was not read on arrival: %s", version.pk, error.message)
