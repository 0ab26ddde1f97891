"""A version becomes sheets: claimed by one worker, converted in a child, stored whole or not at all."""

import logging
import secrets
import tempfile
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection as database
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reviewer.documents.errors import UnreadableFile
from reviewer.documents.intake import read_file
from reviewer.documents.sheets import DocumentRead, SheetRead
from reviewer.models import Membership, Paragraph, Sheet, Version
from reviewer.services.checking import check_version
from reviewer.services.connection import connection
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.events import move
from reviewer.services.files import forget_files
from reviewer.services.limits import conversion_limits
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
    with tempfile.TemporaryDirectory(prefix="reviewer-convert-") as folder:
        try:
            read = _read(version, Path(folder))
        except UnreadableFile as error:
            return _end_unreadable(version, error.message)
        except Exception:  # whatever broke is ours, and the person gets a sentence for it
            log.exception("Version %s could not be converted", version.pk)
            return _end_unreadable(version, OUR_FAULT)
        return _store(version, read)


def waiting_versions() -> list[int]:
    """Versions that wait, or whose worker is gone: what the rescue sends again."""
    return list(Version.objects.filter(_claimable()).values_list("pk", flat=True))


def _claimable() -> Q:
    lapsed = Q(status=Status.CONVERTING, leased_until__lt=timezone.now())
    return Q(status=Status.WAITING) | lapsed


def _claim(version_id: int) -> Version | None:
    token = secrets.token_hex(16)
    now = timezone.now()
    lease = now + timedelta(seconds=2 * settings.CONVERSION_SECONDS + 60)
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
            leased_until=lease,
            attempts=version.attempts + 1,
            started_at=now,
            doing="Opening the file",
            done=0,
            total=0,
        )
    if claimed != 1:
        return None
    version.refresh_from_db()
    if version.attempts > MAX_ATTEMPTS:
        # A file that has taken three workers with it does not get a fourth.
        _end_unreadable(version, OUR_FAULT)
        return None
    return version


def _read(version: Version, folder: Path) -> DocumentRead:
    path = folder / "original"
    with version.original.open("rb") as stored, path.open("wb") as copy:
        for chunk in stored.chunks():
            copy.write(chunk)
    release_database()
    return read_file(
        path,
        folder / "read",
        name=version.original_name,
        limits=conversion_limits(),
        on_progress=lambda doing, done, total: _tell(version, doing, done, total),
    )


def release_database() -> None:
    """Let the connection go before something slow, so that nothing is held meanwhile."""
    if not database.in_atomic_block:
        database.close()


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


def _store(version: Version, read: DocumentRead) -> Version | None:
    saved: list[str] = []
    try:
        sheets = [_sheet(version, sheet, saved) for sheet in read.sheets]
        pdf = _keep_file(read.pdf, f"{_folder(version)}/rendered.pdf", saved)
        with transaction.atomic():
            _store_rows(version, read, sheets, pdf)
    except MovedMeanwhile:
        # Another worker took it when this one's lease ran out: theirs is kept.
        forget_files(saved)
        return None
    except Exception:
        forget_files(saved)
        raise
    _read_when_ready(version)
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
    before = (
        version.proposal.versions.filter(status=Status.READY, number__lt=version.number)
        .order_by("-number")
        .first()
    )
    if before is not None:
        carry_findings(before, version)
    check_version(version)
    touch(version)


def _folder(version: Version) -> str:
    return f"proposals/{version.proposal_id}/v{version.number}"


def _sheet(version: Version, sheet: SheetRead, saved: list[str]) -> Sheet:
    folder = _folder(version)
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
    if not version.read_when_ready or connection(version.proposal.workspace_id) is None:
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
