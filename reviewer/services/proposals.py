"""A proposal's details, its sources, and its way in and out of the archive."""

import hashlib
from typing import Any

from django.core.files.base import ContentFile
from django.core.files.uploadedfile import UploadedFile
from django.db import IntegrityError, transaction
from django.utils import timezone

from reviewer.models import Kind, Membership, Proposal, Source, Version
from reviewer.services.checking import check_version
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.files import files_of, forget_files, kept_whole, storable_name
from reviewer.services.locking import hold_row
from reviewer.services.placing import source_came
from reviewer.services.source_text import text_of
from reviewer.services.spending import keep_what_it_cost
from reviewer.services.storable import storable, typed_text


def change_details(
    *,
    by: Membership,
    proposal: Proposal,
    title: str,
    client: str,
    kind: str,
    checks_only: bool,
) -> Proposal:
    """Change what a proposal is called, for whom it is, its kind, and who may read it.

    The kind decides whether an export is gated, so changing it takes a manager. What stays as
    it was loaded is not written: what somebody else changed of it a moment ago stays.
    """
    if not title.strip():
        raise Refused("A proposal needs a title, so nothing was changed. Give it one.")
    if kind not in Kind.values:
        raise Refused("That kind is not known, so nothing was changed. Choose one of the list.")
    if kind != proposal.kind and not by.is_manager:
        raise NotAllowed("Only a manager can change what kind of document this is.")
    said: dict[str, Any] = {
        "title": typed_text(title, 200),
        "client": typed_text(client, 120),
        "kind": kind,
        "checks_only": checks_only,
    }
    changed = {name: value for name, value in said.items() if value != getattr(proposal, name)}
    with transaction.atomic():
        hold_row(Proposal, proposal.pk)
        proposal.refresh_from_db(fields=list(said))
        before = f"{proposal.title} · {proposal.client} · {proposal.kind}"
        for name, value in changed.items():
            setattr(proposal, name, value)
        proposal.save(update_fields=list(changed))
        _tell(by, proposal, "details changed", why=before)
    if changed.keys() & {"client", "kind"}:
        _check_again(proposal)
    return proposal


def _check_again(proposal: Proposal) -> None:
    """What code decides depends on client, kind and sources too: gone when its cause is gone."""
    newest = (
        proposal.versions.filter(status=Version.Status.READY)
        .select_related("proposal__workspace")
        .order_by("-number")
        .first()
    )
    if newest is not None:
        check_version(newest)


def archive_proposal(*, by: Membership, proposal: Proposal) -> Proposal:
    """Take a proposal off the list; nothing is lost, and it can be brought back."""
    return _set_archived(by, proposal, archived=True)


def restore_proposal(*, by: Membership, proposal: Proposal) -> Proposal:
    """Bring an archived proposal back to the list."""
    return _set_archived(by, proposal, archived=False)


def delete_proposal(*, by: Membership, proposal: Proposal) -> None:
    """Delete a proposal with its versions, findings and files. Managers only; final.

    The event that it was deleted, by whom, stays.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can delete a proposal. Archive it instead.")
    with transaction.atomic():
        paths = files_of(proposal)
        keep_what_it_cost(proposal)
        _tell(by, proposal, "deleted", why=f"{proposal.title} · {proposal.client}")
        proposal.delete()
        transaction.on_commit(lambda: forget_files(paths))


def add_source(*, by: Membership, proposal: Proposal, file: "UploadedFile[Any]") -> Source:
    """Attach what the seller knows, as text, for readings to judge "unsourced" against.

    Raises Refused where no text can be read from it, where it is attached already and where
    the proposal is gone; nothing is kept then.
    """
    data = file.read()
    name = storable_name(file.name or "source")
    text = storable(text_of(data, name))
    digest = hashlib.sha256(data).hexdigest()
    source = Source(proposal=proposal, name=name, text=text, sha256=digest, added_by=by.user)
    with kept_whole(f"proposals/{proposal.pk}/sources/{digest[:24]}", name):
        source.original.save(name, ContentFile(data), save=False)
    try:
        with transaction.atomic():
            _hold(proposal, name)
            _save(source)
            source_came(proposal)
            _tell(by, proposal, "source added", why=name)
    except BaseException:
        forget_files([str(source.original.name)])
        raise
    _check_again(proposal)
    return source


def _hold(proposal: Proposal, name: str) -> None:
    """Keep a proposal from being deleted while a source comes to it; raises where it was."""
    if Proposal.objects.select_for_update().filter(pk=proposal.pk).first() is None:
        raise Refused(f"This proposal was deleted meanwhile, so “{name}” was not attached.")


def _save(source: Source) -> None:
    """Store a source of a proposal that is held; raises where the same is attached already."""
    try:
        with transaction.atomic():
            source.save()
    except IntegrityError as error:
        raise Refused(f"“{source.name}” is attached already, so nothing was added.") from error


def remove_source(*, by: Membership, source: Source) -> None:
    """Take a source off its proposal. Findings raised while it was there stay."""
    proposal = source.proposal
    path = source.original.name
    with transaction.atomic():
        _tell(by, proposal, "source removed", why=source.name)
        source.delete()
        transaction.on_commit(lambda: forget_files([path] if path else []))
    _check_again(proposal)


def _set_archived(by: Membership, proposal: Proposal, *, archived: bool) -> Proposal:
    if bool(proposal.archived_at) != archived:
        proposal.archived_at = timezone.now() if archived else None
        with transaction.atomic():
            proposal.save(update_fields=["archived_at"])
            _tell(by, proposal, "archived" if archived else "restored")
    return proposal


def _tell(by: Membership, proposal: Proposal, verb: str, *, why: str = "") -> None:
    record(
        workspace=by.workspace_id,
        subject=proposal,
        verb=verb,
        by=by,
        why=why,
        proposal_id=proposal.pk,
    )
