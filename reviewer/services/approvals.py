"""May a version leave? Asked by those who write it, answered by a manager, bound to what was seen.

A yes is bound to the bytes, to the gate with every exception on it, and to the policy. It
falls by itself when one of these changes: whether it stands is computed each time, and the
first who notices that it fell writes it down. Refused: a yes through a gate that is shut,
and a yes to something other than what the page showed.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import transaction
from django.db.models import Exists, OuterRef
from django.utils import timezone

from reviewer.core.gate import Approval as Bound
from reviewer.core.gate import Gate, approval_stands
from reviewer.core.state import Shown
from reviewer.models import (
    Approval,
    Decision,
    Finding,
    Membership,
    Proposal,
    Review,
    Version,
    Workspace,
)
from reviewer.services.asked_mail import tell_managers
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import move, record
from reviewer.services.exceptions import Exceptional, exceptions_on
from reviewer.services.findings import reopen
from reviewer.services.gates import gate_of
from reviewer.services.policy import fit_that_holds, four_eyes, gated_kinds, is_gated
from reviewer.services.read_first import read_first
from reviewer.services.receipts import residual_sentence
from reviewer.services.storable import typed_text

Status = Approval.Status
RECIPE = "outgoing-1"
"""Names the way in which the PDF that leaves is made from the one that was read."""
STALE = (
    "Something changed since this page was shown, so nothing was approved. Look at the reasons "
    "as they are now, and decide again."
)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a page shows of one version's gate, and what an approval is bound to."""

    version: Version
    gate: Gate
    exceptions: tuple[Exceptional, ...]
    bytes_hash: str
    policy_key: str
    is_gated: bool
    is_newest: bool

    @property
    def bound(self) -> Bound:
        return Bound(self.bytes_hash, self.gate.key, self.policy_key)

    @property
    def seal(self) -> str:
        """One name for all that a click on the page agrees to."""
        parts = [self.bytes_hash, self.gate.key, self.policy_key, self.is_newest]
        return "s1-" + hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def seen(version: Version) -> Seen:
    """The gate of `version` as it is now: version, proposal and policy are asked for anew."""
    version = Version.objects.select_related("proposal__workspace").get(pk=version.pk)
    proposal = version.proposal
    exceptions = exceptions_on(version)
    judged = gate_of(version)
    # A decision that lets the version through is part of what is agreed to.
    signed = (*judged.signed, *(each.sentence for each in exceptions))
    newest = not proposal.versions.filter(number__gt=version.number).exists()
    return Seen(
        version=version,
        gate=replace(judged, signed=signed),
        exceptions=exceptions,
        bytes_hash=bytes_hash(version),
        policy_key=policy_key(proposal.workspace, proposal.kind),
        is_gated=is_gated(proposal),
        is_newest=newest,
    )


def bytes_hash(version: Version) -> str:
    """A name for the bytes that leave: those that were read, and how they are rewritten.

    The stored file is read, so one that was changed in its place has another name.
    """
    if not version.pdf:
        return ""
    try:
        with version.pdf.open("rb") as stored:
            digest = hashlib.file_digest(stored, "sha256").hexdigest()
    except FileNotFoundError:
        return ""
    return f"b1-{RECIPE}-{digest}"


def policy_key(workspace: Workspace, kind: str) -> str:
    """A name for what the policy says of a document of this kind."""
    says = [
        sorted(fit_that_holds(workspace)),
        sorted(gated_kinds(workspace)),
        four_eyes(workspace),
        kind,
    ]
    return "p1-" + hashlib.sha256(json.dumps(says).encode()).hexdigest()[:32]


def standing_approval(now: Seen) -> Approval | None:
    """The yes that counts for what is seen now; one that fell is written down as fallen."""
    given = list(
        Approval.objects.given()
        .filter(version__proposal=now.version.proposal_id)
        .select_related("version", "decided_by")
    )
    found = None
    for approval in given:
        why = _why_fallen(approval, now)
        if why:
            _let_fall(approval, why)
        elif approval.version_id == now.version.pk:
            found = approval
    return found


def ask(*, by: Membership, version: Version, note: str = "", under: str = "") -> Approval:
    """Ask for approval; those who can give it are told. Anybody of the workspace may ask.

    `under` is the address under which the person reached this installation.

    A version that was never read is read first where a model is connected; the managers are
    told when that is over.
    """
    standing_approval(seen(version))
    with transaction.atomic():
        Proposal.objects.select_for_update(no_key=True).get(pk=version.proposal_id)
        now = _may_be_decided(by, version)
        if not now.is_gated:
            raise Refused("This kind of document is not gated, so there is nothing to approve.")
        if standing_approval(now):
            raise Refused("This version is approved already, so nothing was asked.")
        if Approval.objects.asked().filter(version=version).exists():
            raise Refused("Approval was asked for already. A manager will answer it.")
        approval = Approval.objects.create(
            version=now.version,
            status=Status.ASKED,
            asked_by=by.user,
            asked_at=timezone.now(),
            note=typed_text(note),
            asked_under=under[:300],
        )
        _tell(by, approval, "approval asked for", approval.note)
        read_first(by=by, version=now.version, gate=now.gate)
        tell_managers(now.version)
    return approval


def approve(*, by: Membership, version: Version, seal: str, note: str = "") -> Approval:
    """A manager's yes to what `seal` names, which is what the page showed.

    Raises MovedMeanwhile where that is not what is there now, Refused where the gate is shut,
    and NotAllowed by who may not, under the four-eyes rule too.
    """
    standing_approval(seen(version))  # what fell is written down whatever comes of the click
    with transaction.atomic():
        # Nobody uploads or decides between the look and the yes.
        Proposal.objects.select_for_update(no_key=True).get(pk=version.proposal_id)
        now = _may_be_decided(by, version)
        if not may_approve(by, now.version):
            raise NotAllowed(_who_may(by))
        if not now.is_gated:
            raise Refused("This kind of document is not gated, so there is nothing to approve.")
        if seal != now.seal:
            raise MovedMeanwhile(STALE)
        if not now.gate.is_open:
            raise Refused("Something still holds this version, so it was not approved.")
        standing = standing_approval(now)
        if standing is not None:
            return standing
        asked = Approval.objects.asked().filter(version=version).first()
        answer = {
            "decided_by": by.user,
            "decided_at": timezone.now(),
            "reason": typed_text(note),
            "residual": residual_sentence(now.gate),
            "bytes_hash": now.bytes_hash,
            "gate_key": now.gate.key,
            "policy_key": now.policy_key,
        }
        if asked is None:
            approval = Approval.objects.create(version=version, status=Status.GIVEN, **answer)
            _tell(by, approval, "approved", str(answer["residual"]))
        else:
            approval = asked
            _move(approval, Status.GIVEN, by=by, why=str(answer["residual"]), **answer)
    return approval


def say_no(*, by: Membership, version: Version, reason: str, due: Sequence[int] = ()) -> Approval:
    """A manager's no, with the reason and the numbers of the findings that stay due.

    The findings named are open again, whatever was claimed or decided of them.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can answer this. Ask one.")
    if not reason.strip():
        raise Refused("Say why, in a few words: the writer reads it beside the no.")
    with transaction.atomic():
        # Nobody uploads or decides between the look and the no.
        Proposal.objects.select_for_update(no_key=True).get(pk=version.proposal_id)
        now = _may_be_decided(by, version)
        findings = _that_can_be_due(version, due)
        answer = {
            "decided_by": by.user,
            "decided_at": timezone.now(),
            "reason": typed_text(reason),
            "due": sorted(set(due)),
        }
        last = Approval.objects.filter(version=version).order_by("-pk").first()
        if last is not None and _is_same_no(last, answer):
            return last
        approval = Approval.objects.asked().filter(version=version).first()
        approval = approval or standing_approval(now)
        if approval is None:
            approval = Approval.objects.create(version=version, status=Status.REFUSED, **answer)
            _tell(by, approval, "not approved", str(answer["reason"]))
        else:
            _move(approval, Status.REFUSED, by=by, why=str(answer["reason"]), **answer)
        for finding in findings:
            finding.proposal = now.version.proposal
            _make_due(by, finding, version, str(answer["reason"]))
    return approval


def _that_can_be_due(version: Version, due: Sequence[int]) -> list[Finding]:
    findings = list(Finding.objects.shown().filter(proposal=version.proposal_id, number__in=due))
    if len(findings) != len(set(due)):
        raise Refused("One of the findings named is not there any more. Nothing was answered.")
    if any(finding.shown_state == Shown.FIXED for finding in findings):
        raise Refused("One of the findings named is confirmed fixed, so it cannot be due.")
    return findings


def may_approve(by: Membership, version: Version) -> bool:
    """Managers; where the policy asks for four eyes, not who edited the proposal last."""
    if not by.is_manager or by.workspace_id != version.proposal.workspace_id:
        return False
    return not (
        four_eyes(version.proposal.workspace) and last_editor(version.proposal) == by.user_id
    )


def last_editor(proposal: Proposal) -> int | None:
    """The id of whoever uploaded the newest version."""
    newest = proposal.versions.order_by("-number").values_list("uploaded_by", flat=True).first()
    return newest


def asked_of(by: Membership) -> list[Approval]:
    """The questions that wait for an answer of the member, oldest first; none but for managers.

    Not those of a version that is being read, or that a newer one took the place of.
    """
    if not by.is_manager:
        return []
    newer = Version.objects.filter(
        proposal=OuterRef("version__proposal"), number__gt=OuterRef("version__number")
    )
    running = Review.objects.running().filter(version=OuterRef("version"))
    waiting = Approval.objects.visible_to(by).asked().exclude(Exists(newer) | Exists(running))
    return list(waiting.select_related("version__proposal", "asked_by"))


def last_answers(version: Version) -> list[Approval]:
    """What was asked and answered of the proposal's versions, newest first."""
    return list(
        Approval.objects.filter(version__proposal=version.proposal_id)
        .select_related("version", "asked_by", "decided_by")
        .order_by("-pk")[:8]
    )


def _may_be_decided(by: Membership, version: Version) -> Seen:
    if by.workspace_id != version.proposal.workspace_id:
        raise NotAllowed("Only members of the workspace decide this.")
    if version.status != Version.Status.READY:
        raise Refused("The sheets of this version are not ready, so nothing was decided.")
    now = seen(version)
    if not now.is_newest:
        raise MovedMeanwhile(
            "There is a newer version, so nothing was decided about this one. Look at that."
        )
    return now


def _who_may(by: Membership) -> str:
    if by.is_manager:
        return (
            "You edited this proposal last, and the policy asks for four eyes: another manager "
            "approves it."
        )
    return "Only a manager can approve what leaves. Ask for approval instead."


def _why_fallen(approval: Approval, now: Seen) -> str:
    """Why a yes does not stand any more; empty where it does."""
    if not now.is_newest or approval.version_id != now.version.pk:
        newest = _newest_number(now.version)
        if approval.version.number < newest:
            return f"Version {newest} was uploaded."
        return ""  # the yes is for the newest version, and this page is about an older one
    if not now.is_gated:
        return "The kind of document is not gated any more."
    bound = Bound(approval.bytes_hash, approval.gate_key, approval.policy_key)
    if approval_stands(bound, bytes_hash=now.bytes_hash, gate=now.gate, policy_key=now.policy_key):
        return ""
    if not now.gate.is_open:
        return "Something holds it now: " + " ".join(r.text for r in now.gate.reasons)
    if approval.policy_key != now.policy_key:
        return "The policy, or the kind of document, was changed."
    if approval.bytes_hash != now.bytes_hash:
        return "The file is not the one that was approved."
    return "What was decided about its findings, or signed for, was changed."


def _newest_number(version: Version) -> int:
    newest = version.proposal.versions.order_by("-number").values_list("number", flat=True)
    return int(newest[0])


def _let_fall(approval: Approval, why: str) -> None:
    try:
        _move(approval, Status.FALLEN, by=None, why=why, fallen_at=timezone.now(), why_fallen=why)
    except MovedMeanwhile:
        approval.refresh_from_db()  # somebody else noticed at the same moment


def _is_same_no(last: Approval, answer: dict[str, object]) -> bool:
    """Whether the last answer is this very no: the button was pressed twice."""
    return last.status == Status.REFUSED and (last.decided_by, last.reason, last.due) == (
        answer["decided_by"],
        answer["reason"],
        answer["due"],
    )


def _make_due(by: Membership, finding: Finding, version: Version, reason: str) -> None:
    """Open it again, signed as standing, so that it holds until it is fixed or decided anew."""
    if finding.status != Finding.Status.OPEN:
        reopen(by=by, finding=finding, version=version, reason=reason)
    Finding.objects.filter(pk=finding.pk).update(is_upheld=True, is_closed_by_reviewer=False)
    Decision.objects.create(
        finding=finding,
        version=version,
        act=Decision.Act.UPHOLD,
        reason=reason,
        status_before=finding.status,
        status_after=finding.status,
        actor=by.user,
    )


def _move(
    approval: Approval, to: str, *, by: Membership | None, why: str, **changes: object
) -> None:
    proposal = approval.version.proposal
    move(
        approval,
        to,
        by=by,
        workspace_id=proposal.workspace_id,
        proposal_id=proposal.pk,
        why=why,
        **changes,  # type: ignore[arg-type]
    )


def _tell(by: Membership, approval: Approval, verb: str, why: str) -> None:
    record(
        workspace=by.workspace_id,
        subject=approval,
        verb=verb,
        by=by,
        to_state=approval.status,
        why=why,
        proposal_id=approval.version.proposal_id,
    )
