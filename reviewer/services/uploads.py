"""A file arrives: kept byte for byte, queued for conversion."""

import hashlib
from pathlib import PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.utils import timezone

from reviewer.models import Kind, Membership, Proposal, Version
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.events import move, record
from reviewer.services.files import folder_of, forget_files, kept_whole, storable_name
from reviewer.services.queue import send_version
from reviewer.services.storable import typed_text

MAX_TITLE = 200
MAX_CLIENT = 120


def upload_proposal(
    *,
    by: Membership,
    file: "UploadedFile[Any]",
    title: str = "",
    client: str = "",
    kind: str = Kind.PROPOSAL,
    checks_only: bool = False,
    read_when_ready: bool = False,
) -> Version:
    """A new proposal with `file` as its first version, on its way to becoming sheets.

    Raises Refused for a file that is empty or too big; nothing is kept then.
    """
    _refuse_unfit(file)
    with transaction.atomic():
        proposal = Proposal.objects.create(
            workspace=by.workspace,
            title=typed_text(title, MAX_TITLE)
            or _title_from(storable_name(file.name or ""))[:MAX_TITLE],
            client=typed_text(client, MAX_CLIENT),
            kind=kind if kind in Kind.values else Kind.PROPOSAL,
            owner=by.user,
            checks_only=checks_only,
        )
        record(
            workspace=by.workspace,
            subject=proposal,
            verb="created",
            by=by,
            proposal_id=proposal.pk,
        )
        return _store(by, proposal, file, read_when_ready)


def upload_version(
    *,
    by: Membership,
    proposal: Proposal,
    file: "UploadedFile[Any]",
    read_when_ready: bool = False,
    based_on: int | None = None,
) -> Version:
    """The next version of `proposal`. Raises Refused as `upload_proposal` does.

    Of two that are uploaded at once both are kept, one as the version after the other; of what
    names the version it was `based_on`, MovedMeanwhile is raised where that is not the newest.
    """
    _refuse_unfit(file)
    with transaction.atomic():
        locked = Proposal.objects.select_for_update(no_key=True).get(pk=proposal.pk)
        if locked.archived_at:
            raise Refused(
                "This proposal is archived. Bring it back first, then upload the version."
            )
        newest = locked.versions.order_by("-number").values_list("number", flat=True).first()
        if based_on not in {None, newest}:
            raise MovedMeanwhile(
                f"v{newest} came while you were editing v{based_on}, so nothing was saved yet."
            )
        return _store(by, proposal, file, read_when_ready)


def retry_conversion(*, by: Membership, version: Version) -> Version:
    """Convert once more a version that could not be read."""
    with transaction.atomic():
        move(
            version,
            Version.Status.WAITING,
            by=by,
            workspace_id=by.workspace_id,
            proposal_id=version.proposal_id,
            attempts=0,
            sent_at=None,
        )
        send_version(version.pk)
    return version


def _refuse_unfit(file: "UploadedFile[Any]") -> None:
    size = file.size or 0
    limit = settings.MAX_UPLOAD_MB * 1024 * 1024
    if size == 0:
        raise Refused(
            f"“{file.name}” is empty, so nothing was uploaded. Save it again and upload it."
        )
    if size > limit:
        raise Refused(
            f"“{file.name}” has {size / 1024 / 1024:.1f} MB; the limit is "
            f"{settings.MAX_UPLOAD_MB} MB. Nothing was uploaded. Make its pictures smaller or "
            "split it, then upload it again."
        )


def _title_from(name: str) -> str:
    stem = PurePosixPath(name.replace("\\", "/")).stem
    return " ".join(stem.replace("_", " ").replace("-", " ").split()) or "Untitled proposal"


def _store(
    by: Membership, proposal: Proposal, file: "UploadedFile[Any]", read_when_ready: bool
) -> Version:
    digest = hashlib.sha256()
    for chunk in file.chunks():
        digest.update(chunk)
    newest = proposal.versions.order_by("-number").first()
    version = Version(
        proposal=proposal,
        number=newest.number + 1 if newest else 1,
        original_name=storable_name(file.name or "file"),
        size=file.size or 0,
        sha256=digest.hexdigest(),
        uploaded_by=by.user,
        read_when_ready=read_when_ready,
    )
    with kept_whole(f"{folder_of(version)}/original", version.original_name):
        version.original.save(version.original_name, file, save=False)
    try:
        return _keep(by, proposal, version)
    except BaseException:
        forget_files([str(version.original.name)])
        raise


def _keep(by: Membership, proposal: Proposal, version: Version) -> Version:
    version.save()
    Proposal.objects.filter(pk=proposal.pk).update(touched_at=timezone.now())
    record(
        workspace=by.workspace_id,
        subject=version,
        verb="uploaded",
        by=by,
        to_state=version.status,
        proposal_id=proposal.pk,
    )
    send_version(version.pk)
    return version
