"""Managers are told by mail that approval was asked for, where they have an address.

The request of the person who asked never fails for it: what cannot be sent is logged, and
the question waits in the app all the same. While the version is being read nobody is told:
the question follows the end of the reading, so that a manager sees what was found.
"""

import logging

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.template.loader import render_to_string
from django.urls import reverse

from reviewer.core.legible import legible
from reviewer.models import Approval, Event, Membership, Role, Version
from reviewer.services.events import record
from reviewer.services.lease import release_database
from reviewer.services.queue import send

log = logging.getLogger(__name__)
TOLD = "managers told"


def tell_managers(version: Version) -> None:
    """Have a worker send the mails of the question that waits on `version`, once.

    Not while it is being read: the end of the reading calls this again. Where no worker takes
    it, nothing is lost but the mail.
    """
    if version.reviews.running().exists():
        return
    for approval in Approval.objects.asked().filter(version=version):
        told = Event.objects.filter(subject="approval", subject_id=approval.pk, verb=TOLD)
        if told.exists():
            continue
        record(
            workspace=version.proposal.workspace_id,
            subject=approval,
            verb=TOLD,
            by=None,
            to_state=approval.status,
            proposal_id=version.proposal_id,
        )
        send("tell_managers", approval.pk)


def send_mails(approval_id: int) -> int:
    """Mail every manager who has an address and is not who asked; how many were sent."""
    approval = (
        Approval.objects.select_related("version__proposal__workspace", "asked_by")
        .filter(pk=approval_id, status=Approval.Status.ASKED)
        .first()
    )
    if approval is None:
        return 0
    workspace = approval.version.proposal.workspace
    managers = (
        Membership.objects.filter(workspace=workspace, role=Role.MANAGER, user__is_active=True)
        .exclude(user=approval.asked_by)
        .exclude(user__email="")
        .select_related("user")
    )
    context = {"approval": approval, "address": _address(approval)}
    subject = " ".join(legible(render_to_string("gate/asked_subject.txt", context)).split())[:200]
    body = legible(render_to_string("gate/asked_mail.txt", context))
    addresses = [manager.user.email for manager in managers]
    # A mail server may take its time.
    release_database()
    sent = 0
    for address in addresses:
        try:
            with get_connection() as connection:
                mail = EmailMessage(
                    subject,
                    body,
                    settings.DEFAULT_FROM_EMAIL,
                    [address],
                    connection=connection,
                )
                sent += mail.send()
        except Exception as error:  # noqa: BLE001  each mail server's client has errors of its own
            log.warning("The mail to a manager could not be sent: %s", error)
    return sent


def _address(approval: Approval) -> str:
    """Where the gate page is: under the first address this installation is told to trust, else
    under that of the person who asked."""
    version = approval.version
    slug = version.proposal.workspace.slug
    path = reverse("gate", args=[slug, version.proposal_id, version.number])
    trusted = [each for each in settings.CSRF_TRUSTED_ORIGINS if "*" not in each]
    root = trusted[0] if trusted else approval.asked_under
    return f"{root.rstrip('/')}{path}"
