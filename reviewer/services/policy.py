"""What a workspace's policy says: which faults of fit hold an export, which kinds are gated."""

from dataclasses import dataclass
from typing import Any

from django.db import transaction

from reviewer.core.checks import CHECKS, CHECKS_BY_CODE, Check
from reviewer.core.schema import Severity
from reviewer.core.structure.forms import SETTINGS
from reviewer.documents.fit import CODES, HOLD_BY_DEFAULT
from reviewer.models import Kind, Membership, Proposal, Workspace
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record

WAIT_DAYS_AT_MOST = 90
GATED_BY_DEFAULT = frozenset({Kind.PROPOSAL.value, Kind.SCOPE.value, Kind.PARTNERSHIP.value})


def fit_that_holds(workspace: Workspace) -> frozenset[str]:
    """The codes of fit faults that hold an export; the others only show."""
    chosen = workspace.policy.get("fit")
    return HOLD_BY_DEFAULT if chosen is None else frozenset(chosen) & CODES


def gated_kinds(workspace: Workspace) -> frozenset[str]:
    """The kinds of document that leave only through the gate."""
    chosen = workspace.policy.get("gated")
    return GATED_BY_DEFAULT if chosen is None else frozenset(chosen) & set(Kind.values)


def is_gated(proposal: Proposal) -> bool:
    """Whether a document of this kind leaves only through the gate."""
    return proposal.kind in gated_kinds(proposal.workspace)


def four_eyes(workspace: Workspace) -> bool:
    """Whether another manager approves what a manager edited last."""
    return bool(workspace.policy.get("four_eyes", False))


def learning_wait_days(workspace: Workspace) -> int:
    """After how many days a learning that nobody declined is in force; 0 where a person must
    approve it."""
    return int(workspace.policy.get("learning_wait_days", 0))


@dataclass(frozen=True)
class CheckChoice:
    """What the workspace says of one built-in check."""

    check: Check
    is_on: bool
    severity: str


def check_choices(workspace: Workspace) -> list[CheckChoice]:
    """Every built-in check, with what the workspace chose, or the defaults."""
    chosen = workspace.policy.get("checks", {})
    return [
        CheckChoice(
            check,
            chosen.get(check.code, {}).get("on", check.on_by_default),
            chosen.get(check.code, {}).get("severity", check.severity.value),
        )
        for check in CHECKS
    ]


def checks_off(workspace: Workspace) -> set[str]:
    """The codes of the checks that do not run for this workspace."""
    return {choice.check.code for choice in check_choices(workspace) if not choice.is_on}


def check_severities(workspace: Workspace) -> dict[str, Severity]:
    """The severities that the workspace gave to checks, where they are not the checks' own."""
    return {
        choice.check.code: Severity(choice.severity)
        for choice in check_choices(workspace)
        if choice.severity != choice.check.severity
    }


def number_forms(workspace: Workspace) -> str:
    """How this workspace writes numbers and dates, one of SETTINGS; "" where it does not say."""
    chosen = workspace.policy.get("forms", "")
    return chosen if chosen in SETTINGS else ""


def change_checks(
    *, by: Membership, choices: dict[str, tuple[bool, str]], forms: str | None = None
) -> Workspace:
    """Turn checks on or off and set their severities, by code, and how numbers and dates are
    written; None leaves the latter as it is. Managers only.

    What a check raised before stays until a version is checked next: what is open of a check that
    is off ends then, and what stands becomes as grave as its check.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can change which checks run.")
    unknown = set(choices) - set(CHECKS_BY_CODE)
    if unknown or any(severity not in set(Severity) for _, severity in choices.values()):
        raise Refused("One of these checks or severities is not known. Nothing was changed.")
    if forms not in (None, "", *SETTINGS):
        raise Refused("This way of writing dates is not known. Nothing was changed.")
    checks = {
        code: {"on": on, "severity": severity}
        for code, (on, severity) in sorted(choices.items())
        if (on, severity)
        != (CHECKS_BY_CODE[code].on_by_default, CHECKS_BY_CODE[code].severity.value)
    }
    return _set(by, "checks changed", {"checks": checks, "forms": forms})


def change_policy(
    *,
    by: Membership,
    fit: list[str] | None = None,
    gated: list[str] | None = None,
    four_eyes: bool | None = None,
    learning_wait_days: int | None = None,
) -> Workspace:
    """Set which faults of fit hold, which kinds are gated, whether approving takes four eyes,
    and after how many days a learning is in force unless declined; None leaves each as it is."""
    if not by.is_manager:
        raise NotAllowed("Only a manager can change the workspace's policy.")
    unknown = set(fit or []) - CODES | set(gated or []) - set(Kind.values)
    if unknown:
        raise Refused(f"Not known: {', '.join(sorted(unknown))}. Nothing was changed.")
    if not 0 <= (learning_wait_days or 0) <= WAIT_DAYS_AT_MOST:
        raise Refused(
            f"A learning waits 0 to {WAIT_DAYS_AT_MOST} days; 0 means that a person approves it. "
            "Nothing was changed."
        )
    return _set(
        by,
        "policy changed",
        {
            "fit": None if fit is None else sorted(set(fit)),
            "gated": None if gated is None else sorted(set(gated)),
            "four_eyes": four_eyes,
            "learning_wait_days": learning_wait_days,
        },
    )


def _set(by: Membership, verb: str, said: dict[str, Any]) -> Workspace:
    """Set these parts of the policy and no other; what is None stays as it is.

    The policy is read again under a lock: what somebody else changed a moment ago stays.
    """
    workspace = by.workspace
    with transaction.atomic():
        locked = Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
        before = {name: locked.policy.get(name) for name in said}
        locked.policy |= {name: value for name, value in said.items() if value is not None}
        locked.save(update_fields=["policy"])
        record(workspace=locked, subject=locked, verb=verb, by=by, why=f"before: {before}")
    workspace.policy = locked.policy
    return workspace
