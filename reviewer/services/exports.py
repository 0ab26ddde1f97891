"""What leaves: asked for at a click, made by a worker, kept with its hashes.

The facts of the record are taken at the click, under the proposal's lock, from the state that
the approval was checked against; so the files are a function of the row, and the same row
gives the same bytes. Refused: a gated kind without a standing approval, a click on a page
that is not what is there now, and files for an approval that fell while they were made.
"""

import hashlib
import json
import logging
import secrets
import tempfile
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.core.files.base import File
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from reviewer.core.legible import legible
from reviewer.documents.errors import UnreadableFile
from reviewer.documents.outgoing import KEEPABLE
from reviewer.models import Export, ExportNumber, Membership, Proposal, Version
from reviewer.services.approvals import STALE, seen, standing_approval
from reviewer.services.clean_pdf import make_client_pdf
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import move, record
from reviewer.services.files import forget_files
from reviewer.services.lease import kept_lease, lease_from, release_database
from reviewer.services.naming import file_name
from reviewer.services.queue import send_export
from reviewer.services.record_facts import facts_of
from reviewer.services.record_pdf import Progress, make_record

log = logging.getLogger(__name__)

Status = Export.Status
MAX_ATTEMPTS = 3
OUR_FAULT = (
    "Something went wrong on our side while the files were made, and nothing left. Export again."
)
FELL = "The approval fell while the files were made, so nothing left. Look at the gate again."
CLIENT = {"converting": "Rewriting the PDF", "sheets": "Comparing it with what was read"}
RECORD = {"sheets": "Writing the record"}
SECONDS_BETWEEN = 0.5
"""How often at most the row says how far it is: the page asks once a second."""


def request_export(
    *, by: Membership, version: Version, seal: str, keeps: Sequence[str] = ()
) -> Export:
    """Let a version leave: a row, made into files by a worker. `seal` names what was shown.

    A gated kind takes a standing approval; another kind may be exported by every member.
    `keeps` (of `KEEPABLE`) takes a manager. Raises MovedMeanwhile for a stale page.
    """
    _refuse_at_sight(by, version, keeps)
    standing_approval(seen(version))  # what fell is written down whatever comes of the click
    with transaction.atomic():
        Proposal.objects.select_for_update(no_key=True).get(pk=version.proposal_id)
        now = seen(version)
        if not now.is_newest:
            raise MovedMeanwhile("There is a newer version, so this one does not leave any more.")
        approval = standing_approval(now) if now.is_gated else None
        if now.is_gated and approval is None:
            raise Refused("This version is not approved, so nothing left. Look at the gate.")
        if seal != now.seal:
            raise MovedMeanwhile(STALE.replace("approved", "exported"))
        if not now.bytes_hash:
            raise Refused("The PDF of this version is gone. Upload the document again.")
        export = Export(
            workspace=by.workspace,
            version=version,
            approval=approval,
            is_gated=now.is_gated,
            bytes_hash=now.bytes_hash,
            keeps=sorted(set(keeps)),
            made_by=by.user,
            created_at=timezone.now(),
        )
        export.facts = facts_of(export, now)
        begun = _begun(export)
        if begun is not None:
            return begun
        export.number = export.facts["number"] = _next_number(by.workspace_id)
        export.client_name = file_name(now.version.proposal, version)
        export.record_name = file_name(now.version.proposal, version, record=export.number)
        export.save()
        _tell(by, export, "exported", f"export {export.number}")
        send_export(export.pk)
    return export


def _refuse_at_sight(by: Membership, version: Version, keeps: Sequence[str]) -> None:
    if by.workspace_id != version.proposal.workspace_id:
        raise NotAllowed("Only members of the workspace export its documents.")
    if keeps and not by.is_manager:
        raise NotAllowed("Only a manager can leave something in the PDF.")
    if set(keeps) - KEEPABLE:
        raise Refused("What is to be kept in the PDF is not known. Nothing left.")
    if version.status != Version.Status.READY:
        raise Refused("The sheets of this version are not ready, so nothing left.")


def _begun(export: Export) -> Export | None:
    """The same export that the same person began and that is not made yet: a second click."""
    facts = json.loads(json.dumps(export.facts))
    for begun in Export.objects.filter(
        version=export.version,
        approval=export.approval,
        made_by=export.made_by,
        status__in=[Status.WAITING, Status.MAKING],
    ):
        if begun.facts == facts | {key: begun.facts[key] for key in ("number", "made_at")}:
            return begun
    return None


def make_export(export_id: int) -> Export | None:
    """Make the files of one export, if nobody else does; returns it settled, or None."""
    export = _claim(export_id)
    if export is None:
        return None
    try:
        return _make(export)
    except MovedMeanwhile:
        log.info("Export %s was taken by another worker; these files are not kept", export.pk)
        return None


def waiting_exports() -> list[int]:
    """Exports that no worker has and no message in sight will bring."""
    unseen = timezone.now() - timedelta(seconds=settings.RESEND_SECONDS)
    rows = Export.objects.filter(_claimable()).exclude(sent_at__gt=unseen, status=Status.WAITING)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def exports_with_hash(by: Membership, digest: str) -> list[Export]:
    """The exports of the workspace of which one file has this sha256, newest first."""
    # Copied from a page or a PDF it may be broken over lines, and hold what is not seen.
    wanted = "".join(legible(digest).split()).lower().removeprefix("sha256:")
    if len(wanted) != 64 or set(wanted) - set("0123456789abcdef"):
        raise Refused("A hash has 64 digits, 0 to 9 and a to f. Look at what was pasted.")
    rows = Export.objects.visible_to(by).filter(
        Q(client_sha256=wanted) | Q(record_sha256=wanted), status=Status.READY
    )
    return list(rows.for_list())


def _claimable() -> Q:
    lapsed = Q(status=Status.MAKING, leased_until__lt=timezone.now())
    return Q(status=Status.WAITING) | lapsed


def _claim(export_id: int) -> Export | None:
    token, now = secrets.token_hex(16), timezone.now()
    export = (
        Export.objects.filter(_claimable(), pk=export_id)
        .select_related("version__proposal__workspace", "approval", "made_by")
        .first()
    )
    if export is None:
        return None
    claimed = Export.objects.filter(
        pk=export_id, status=export.status, token=export.token, attempts=export.attempts
    ).update(
        status=Status.MAKING,
        token=token,
        leased_until=lease_from(now),
        attempts=export.attempts + 1,
        doing="Opening",
        done=0,
        total=0,
    )
    if claimed != 1:
        return None
    export.refresh_from_db(fields=["status", "token", "attempts", "leased_until"])
    return export


def _make(export: Export) -> Export:
    if export.attempts > MAX_ATTEMPTS:
        return _fail(export, OUR_FAULT)
    if not _may_leave(export):
        return _fail(export, FELL)
    with tempfile.TemporaryDirectory(prefix="reviewer-export-") as folder, kept_lease(export):
        client, paper = Path(folder) / "client.pdf", Path(folder) / "record.pdf"
        try:
            release_database()
            made = make_client_pdf(export, client, _telling(export, CLIENT))
            telling = _telling(export, RECORD)
            telling("sheets", 0, len(export.facts["sheets"]))
            make_record(export, made, paper, telling)
        except UnreadableFile as error:
            return _fail(export, error.message)
        except Exception:  # whatever broke is ours, and the person gets a sentence for it
            log.exception("Export %s could not be made", export.pk)
            return _fail(export, OUR_FAULT)
        return _keep(export, client, paper, made.removed)


def _may_leave(export: Export) -> bool:
    """Whether what the export was asked under still stands."""
    version = export.version
    now = seen(version)
    if now.bytes_hash != export.bytes_hash or now.is_gated != export.is_gated:
        return False
    return not export.is_gated or standing_approval(now) == export.approval


def _keep(export: Export, client: Path, paper: Path, removed: Sequence[str]) -> Export:
    if not _may_leave(export):
        return _fail(export, FELL)
    saved: list[str] = []
    try:
        # Under names of this attempt: what a worker that died left is not met, and goes below.
        at = f"{export.folder}/{export.token[:8]}"
        client_name, client_hash = _stored(client, f"{at}-client.pdf", saved)
        record_name, record_hash = _stored(paper, f"{at}-record.pdf", saved)
        _move(
            export,
            Status.READY,
            why=f"client sha256 {client_hash}, record sha256 {record_hash}",
            client_file=client_name,
            client_sha256=client_hash,
            record_file=record_name,
            record_sha256=record_hash,
            removed=list(removed),
        )
    except BaseException:
        forget_files(saved)
        raise
    export.refresh_from_db()
    _forget_others(export)
    return export


def _forget_others(export: Export) -> None:
    """Delete what workers that died left in the folder of an export that is ready."""
    own = {export.client_file.name, export.record_file.name}
    try:
        _, names = default_storage.listdir(export.folder)
    except FileNotFoundError:
        return
    forget_files([path for name in names if (path := f"{export.folder}/{name}") not in own])


def _stored(path: Path, name: str, saved: list[str]) -> tuple[str, str]:
    with path.open("rb") as made:
        digest = hashlib.file_digest(made, "sha256").hexdigest()
        made.seek(0)
        kept = default_storage.save(name, File(made))
    saved.append(kept)
    return kept, digest


def _telling(export: Export, stages: dict[str, str]) -> Progress:
    """What stores how far it is, in the words of `stages`: each new stage, then now and then."""
    last, at = "", 0.0

    def tell(stage: str, done: int, total: int) -> None:
        nonlocal last, at
        now = time.monotonic()
        if stage == last and done < total and now - at < SECONDS_BETWEEN:
            return
        last, at = stage, now
        Export.objects.filter(pk=export.pk, token=export.token).update(
            doing=stages.get(stage, "Making the files"), done=done, total=total
        )
        release_database()

    return tell


def _fail(export: Export, reason: str) -> Export:
    _move(export, Status.FAILED, why=reason, reason=reason)
    return export


def _move(export: Export, to: str, *, why: str, **changes: object) -> None:
    move(
        export,
        to,
        by=None,
        workspace_id=export.workspace_id,
        proposal_id=export.version.proposal_id,
        why=why,
        guard={"token": export.token},
        leased_until=None,
        doing="",
        finished_at=timezone.now(),
        **changes,  # type: ignore[arg-type]
    )


def _next_number(workspace_id: int) -> int:
    """The next number of the workspace; numbers are given once, in the click's transaction."""
    ExportNumber.objects.get_or_create(workspace_id=workspace_id)
    row = ExportNumber.objects.select_for_update().get(workspace_id=workspace_id)
    row.last += 1
    row.save(update_fields=["last"])
    return row.last


def _tell(by: Membership, export: Export, verb: str, why: str) -> None:
    record(
        workspace=by.workspace_id,
        subject=export,
        verb=verb,
        by=by,
        to_state=export.status,
        why=why,
        proposal_id=export.version.proposal_id,
    )
