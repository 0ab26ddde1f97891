"""What a workspace's policy says: which faults of fit hold an export, which kinds are gated."""

from django.db import transaction

from reviewer.documents.fit import CODES, HOLD_BY_DEFAULT
from reviewer.models import Kind, Membership, Proposal, Workspace
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record

GATED_BY_DEFAULT = frozenset({Kind.PROPOSAL.value, Kind.SCOPE.value, Kind.PARTNERSHIP.value})


def fit_that_holds(workspace: Workspace) -> frozenset[str]:
    """The codes of fit faults that hold an export; the others only show."""
    chosen = workspace.policy.get("fit")
    return HOLD_BY_DEFAULT if chosen is None else frozenset(chosen) & CODES


def gated_kinds(workspace: Workspace) -> frozenset[str]:
    """The kinds of document that leave through the gate alone."""
    chosen = workspace.policy.get("gated")
    return GATED_BY_DEFAULT if chosen is None else frozenset(chosen) & set(Kind.values)


def is_gated(proposal: Proposal) -> bool:
    """Whether a document of this kind leaves through the gate alone."""
    return proposal.kind in gated_kinds(proposal.workspace)


def change_policy(
    *, by: Membership, fit: list[str] | None = None, gated: list[str] | None = None
) -> Workspace:
    """Set which faults of fit hold and which kinds are gated; None leaves either as it is."""
    if not by.is_manager:
        raise NotAllowed("Only a manager can change the workspace's policy.")
    unknown = set(fit or []) - CODES | set(gated or []) - set(Kind.values)
    if unknown:
        raise Refused(f"Not known: {', '.join(sorted(unknown))}. Nothing was changed.")
    workspace = by.workspace
    before = dict(workspace.policy)
    if fit is not None:
        workspace.policy["fit"] = sorted(set(fit))
    if gated is not None:
        workspace.policy["gated"] = sorted(set(gated))
    with transaction.atomic():
        workspace.save(update_fields=["policy"])
        record(
            workspace=workspace,
            subject=workspace,
            verb="policy changed",
            by=by,
            why=f"before: {before}",
        )
    return workspace
