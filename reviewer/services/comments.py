"""What people say to each other about a finding: kept in order, deciding nothing.

A comment moves no state, is no reason of a decision, and never leaves the house: it is not
in the record of an export.
"""

from django.db import transaction

from reviewer.models import Comment, Finding, Membership, Version
from reviewer.models.comment import LONGEST_COMMENT
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.storable import storable

NOTHING_SAID = "There is nothing in the comment, so nothing was added. Write what you want to say."
TOO_LONG = (
    f"A comment holds {LONGEST_COMMENT:,} characters and this one has {{:,}}, so nothing was "
    "added. Shorten it, or write two."
)


def may_comment(by: Membership, finding: Finding) -> bool:
    """Everyone in the workspace."""
    return by.workspace_id == finding.proposal.workspace_id


def add_comment(*, by: Membership, finding: Finding, version: Version, text: str) -> Comment:
    """Say something of a finding. Raises Refused where it is empty or too long."""
    if not may_comment(by, finding):
        raise NotAllowed("Only members of the workspace can comment on its findings.")
    said = storable(text.replace("\r\n", "\n")).strip()
    if not said:
        raise Refused(NOTHING_SAID)
    if len(said) > LONGEST_COMMENT:
        raise Refused(TOO_LONG.format(len(said)))
    with transaction.atomic():
        comment = Comment.objects.create(
            finding=finding, version=version, author=by.user, text=said
        )
        record(
            workspace=by.workspace_id,
            subject=comment,
            verb="commented",
            by=by,
            why=f"on {finding}",
            proposal_id=finding.proposal_id,
        )
    return comment
