"""An offer that a person does not want stays on record, so that it is not offered again."""

from collections.abc import Sequence

from django.db import transaction

from reviewer.models import Finding, Learning, Membership, Workspace
from reviewer.services.learnings import decline, promote


def dismiss_offer(
    *,
    actor: Membership,
    workspace: Workspace,
    kind: str,
    text: str,
    rule: str,
    findings: Sequence[Finding],
    why: str,
) -> Learning:
    """Turn down what was offered to be learned from these findings, with the reason.

    It is kept as a learning that was proposed and declined at once, with its sources, and is
    given to no reading. Raises NotAllowed for a writer or an outsider, Refused without a
    reason; nothing is kept then.
    """
    with transaction.atomic():
        made = promote(
            actor=actor,
            workspace=workspace,
            kind=kind,
            text=text,
            rule=rule,
            findings=findings,
        )
        return decline(learning=made, actor=actor, why=why)
