"""A yes is a manager's, to what was on the page, and falls when that changes."""

import threading

import pytest
from django.core import mail
from django.core.files.base import ContentFile
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from reviewer.models import Approval, Decision, Event, Finding, Proposal
from reviewer.services.approvals import (
    approve,
    ask,
    asked_of,
    may_approve,
    say_no,
    seen,
    standing_approval,
)
from reviewer.services.asked_mail import send_mails
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.findings import dismiss
from reviewer.services.policy import change_policy
from reviewer.services.proposals import change_details
from reviewer.services.signing import take_back
from reviewer.services.triage import change_severity, raise_own
from tests.factories import make_finding, make_member, make_proposal, make_version
from tests.services.papers import open_version, ready_version, seal_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def version(cast):
    return open_version(cast.wen, cast.max)


def stands(version) -> bool:
    return standing_approval(seen(version)) is not None


@pytest.fixture
def approved(cast, version):
    approve(by=cast.max, version=version, seal=seal_of(version))
    assert stands(version)
    return version


def test_a_writer_asks_once_and_every_manager_is_told(
    cast, version, published, django_capture_on_commit_callbacks
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        asked = ask(by=cast.wen, version=version, note="The client waits.")
    assert [one.pk for one in asked_of(cast.max)] == [asked.pk]
    assert asked_of(cast.wen) == asked_of(cast.rae) == asked_of(cast.ola) == []
    assert published == [("tell_managers", asked.pk)]
    with pytest.raises(Refused):
        ask(by=cast.wen, version=version)


def test_mail_goes_to_managers_who_have_an_address_and_never_breaks_the_asking(
    cast, version, settings, monkeypatch
) -> None:
    settings.CSRF_TRUSTED_ORIGINS = ["https://reviewer.example"]
    silent = make_member(cast.workspace, "manager")
    silent.user.email = ""
    silent.user.save()
    asked = ask(by=cast.wen, version=version, note="Soon, <b>please</b>")
    assert send_mails(asked.pk) == 1
    assert mail.outbox[0].to == ["max@example.com"]
    assert "https://reviewer.example/w/field-systems/" in mail.outbox[0].body
    assert "Soon, <b>please</b>" in mail.outbox[0].body
    monkeypatch.setattr("django.core.mail.EmailMessage.send", _breaks)
    assert send_mails(asked.pk) == 0


@pytest.mark.django_db(transaction=True)
def test_no_connection_is_held_while_the_mail_server_takes_its_time(
    cast, published, monkeypatch
) -> None:
    held: list[object] = []
    asked = ask(by=cast.wen, version=open_version(cast.wen, cast.max))
    monkeypatch.setattr(
        "django.core.mail.EmailMessage.send", lambda mail: held.append(connection.connection) or 1
    )
    assert send_mails(asked.pk) == 1
    assert held == [None]


def test_a_mail_holds_nothing_that_is_obeyed(cast) -> None:
    title = "Tower\r\nBcc: ola@example.com\u202e\x1b[2J"
    version = open_version(cast.wen, cast.max, make_proposal(cast.workspace, title=title))
    asked = ask(by=cast.wen, version=version, note="Soon\u202e\x07")
    assert send_mails(asked.pk) == 1
    sent = mail.outbox[0]
    assert sent.recipients() == ["max@example.com"]
    assert "\n" not in sent.subject
    assert not set(sent.subject + sent.body) & set("\u202e\x1b\x07")


def _breaks(self) -> int:
    raise OSError("no mail server")


@pytest.mark.parametrize("who", ["wen", "rae"])
def test_only_a_manager_answers(cast, version, who) -> None:
    by = getattr(cast, who)
    with pytest.raises(NotAllowed):
        approve(by=by, version=version, seal=seal_of(version))
    with pytest.raises(NotAllowed):
        say_no(by=by, version=version, reason="No.")
    assert not Approval.objects.exists()


def test_a_yes_answers_the_question_and_is_bound(cast, version) -> None:
    asked = ask(by=cast.wen, version=version)
    given = approve(by=cast.max, version=version, seal=seal_of(version), note="Good.")
    now = seen(version)
    assert given.pk == asked.pk
    assert (given.bytes_hash, given.gate_key, given.policy_key) == (
        now.bytes_hash, now.gate.key, now.policy_key)  # fmt: skip
    assert given.residual == "No estimate: no model has read this document."
    assert asked_of(cast.max) == []
    event = Event.objects.get(subject="approval", to_state="given")
    assert (event.from_state, event.actor) == ("asked", cast.max.user)


def test_a_yes_is_refused_while_anything_holds(cast) -> None:
    version = ready_version(cast.wen)
    with pytest.raises(Refused):
        approve(by=cast.max, version=version, seal=seal_of(version))


def a_new_version(cast, version) -> None:
    make_version(version.proposal)


def an_upheld_block(cast, version) -> None:
    make_finding(version, severity="block", raised=Finding.Raised.CHECK)


def a_block_of_a_person(cast, version) -> None:
    raise_own(by=cast.rae, proposal=version.proposal, version=version, sheet=1, first_word=0,
              last_word=2, severity="block", rule="grounding", text="No.")  # fmt: skip


def the_policy(cast, version) -> None:
    change_policy(by=cast.max, fit=[])


def four_eyes_by_policy(cast, version) -> None:
    change_policy(by=cast.max, four_eyes=True)


def the_kind(cast, version) -> None:
    change_details(by=cast.max, proposal=Proposal.objects.get(pk=version.proposal_id), title="T",
                   client="C", kind="scope", checks_only=False)  # fmt: skip


def the_signature(cast, version) -> None:
    take_back(by=cast.max, waiver=version.waivers.get())


def the_bytes(cast, version) -> None:
    with version.pdf.open("rb") as stored:
        data = stored.read()
    version.pdf.save("rendered.pdf", ContentFile(data + b"\n"), save=True)


def a_dismissal(cast, version) -> None:
    finding = Finding.objects.get(number=1)
    dismiss(by=cast.rae, finding=finding, version=version, reason="Known.")


def a_lowering(cast, version) -> None:
    finding = Finding.objects.get(number=1)
    change_severity(by=cast.rae, finding=finding, version=version, severity="consider",
                    reason="Small.")  # fmt: skip


CHANGES = [
    a_new_version, an_upheld_block, a_block_of_a_person, the_policy, four_eyes_by_policy,
    the_kind, the_signature, the_bytes, a_dismissal, a_lowering,
]  # fmt: skip
IDS = [change.__name__ for change in CHANGES]


@pytest.fixture
def with_a_finding(cast):
    """A fix that holds nothing, since no reader agreed on it."""
    version = open_version(cast.wen, cast.max)
    make_finding(version, votes=1)
    return version


@pytest.mark.parametrize("change", CHANGES, ids=IDS)
def test_an_approval_falls_and_says_why(cast, with_a_finding, change) -> None:
    version = with_a_finding
    approval = approve(by=cast.max, version=version, seal=seal_of(version))
    change(cast, version)
    assert not stands(version)
    approval.refresh_from_db()
    assert approval.status == "fallen"
    assert approval.why_fallen
    event = Event.objects.get(subject="approval", to_state="fallen")
    assert (event.actor, event.why) == (None, approval.why_fallen)


@pytest.mark.parametrize("change", CHANGES, ids=IDS)
def test_a_click_on_a_page_that_is_not_what_is_there_now_approves_nothing(
    cast, with_a_finding, change
) -> None:
    version = with_a_finding
    seal = seal_of(version)
    change(cast, version)
    with pytest.raises((MovedMeanwhile, Refused)):
        approve(by=cast.max, version=version, seal=seal)
    assert not Approval.objects.exists()


def test_an_approval_that_fell_does_not_rise_when_the_block_is_dismissed(cast, approved) -> None:
    block = make_finding(approved, severity="block", raised=Finding.Raised.CHECK)
    dismiss(by=cast.rae, finding=block, version=approved, reason="It is the client's word.")
    assert seen(approved).gate.is_open
    assert not stands(approved)


def test_four_eyes_keep_the_last_editor_from_approving(cast) -> None:
    version = open_version(cast.max, cast.max)
    assert may_approve(cast.max, version)
    change_policy(by=cast.max, four_eyes=True)
    version.proposal.workspace.refresh_from_db()
    with pytest.raises(NotAllowed):
        approve(by=cast.max, version=version, seal=seal_of(version))
    other = make_member(cast.workspace, "manager")
    approve(by=other, version=version, seal=seal_of(version))
    assert stands(version)


def test_a_no_names_the_findings_that_stay_due_and_they_hold(cast, version) -> None:
    claimed = make_finding(version, votes=1, status="fix_claimed")
    dismissed = make_finding(version, votes=1, status="dismissed")
    left = make_finding(version, votes=1, status="dismissed")
    ask(by=cast.wen, version=version)
    no = say_no(by=cast.max, version=version, reason="Two figures.",
                due=[claimed.number, dismissed.number])  # fmt: skip
    assert (no.status, no.reason, no.due) == ("refused", "Two figures.", [1, 2])
    states = {f.number: f.status for f in Finding.objects.all()}
    assert states == {1: "open", 2: "open", left.number: "dismissed"}
    held = [reason.findings for reason in seen(version).gate.reasons]
    assert held == [("1", "2")]
    assert Decision.objects.filter(act="uphold", actor=cast.max.user).count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_no_opens_what_is_dismissed_at_the_same_moment(cast) -> None:
    version = open_version(cast.wen, cast.max)
    finding = make_finding(version, severity="fix")

    def refuse() -> None:
        try:
            say_no(by=cast.max, version=version, reason="It counts.", due=[finding.number])
        finally:
            connection.close()

    refusing = threading.Thread(target=refuse)
    with transaction.atomic():
        dismiss(by=cast.rae, finding=finding, version=version, reason="It does not.")
        refusing.start()
        refusing.join(0.3)  # it has looked at the findings by now, unless it waits its turn
    refusing.join(10)
    finding.refresh_from_db()
    assert (finding.status, finding.is_upheld) == ("open", True)


def test_a_no_that_is_pressed_twice_is_one_answer_and_another_no_is_a_second(cast) -> None:
    version = open_version(cast.wen, cast.max)
    finding = make_finding(version, severity="block")
    ask(by=cast.wen, version=version)
    first = say_no(by=cast.max, version=version, reason="Two figures.", due=[finding.number])
    events = Event.objects.count()
    again = say_no(by=cast.max, version=version, reason=" Two figures. ", due=[finding.number])
    assert (again.pk, Event.objects.count()) == (first.pk, events)
    other = say_no(by=cast.max, version=version, reason="And a date.")
    assert other.pk != first.pk


def test_a_no_takes_a_yes_back(cast, approved) -> None:
    say_no(by=cast.max, version=approved, reason="I looked again.")
    assert not stands(approved)


def test_a_no_without_a_reason_or_about_what_is_not_there_is_refused(cast, version) -> None:
    fixed = make_finding(version, raised="check", evidence="gone", recheck="does_not_hold",
                         status="fix_claimed")  # fmt: skip
    assert fixed.shown_state == "fixed"
    for reason, due in ((" ", []), ("No.", [99]), ("No.", [fixed.number])):
        with pytest.raises(Refused):
            say_no(by=cast.max, version=version, reason=reason, due=due)
    assert not Approval.objects.exists()


def test_what_is_not_gated_is_not_asked_about(cast) -> None:
    version = ready_version(cast.wen, make_proposal(cast.workspace, owner=cast.wen, kind="update"))
    with pytest.raises(Refused):
        ask(by=cast.wen, version=version)


def test_an_older_version_is_not_approved_though_nothing_held_it(cast, version) -> None:
    make_version(version.proposal)
    with pytest.raises(MovedMeanwhile):
        approve(by=cast.max, version=version, seal=seal_of(version))


def test_every_exception_stands_with_its_author(cast, with_a_finding) -> None:
    a_dismissal(cast, with_a_finding)
    the_kind(cast, with_a_finding)
    said = [(each.what, each.who, each.why) for each in seen(with_a_finding).exceptions]
    assert said == [
        ("dismissed", "Rae", "Known."),
        ("waived", "Max", "Read by hand."),
        ("changed the kind from proposal to scope of work", "Max", ""),
    ]


def _regrade(by, finding, version, severity: str) -> None:
    change_severity(
        by=by, finding=finding, version=version, severity=severity, reason=f"To {severity}."
    )


@pytest.mark.parametrize("after", [["consider", "fix"], ["fix", "consider"], ["consider"]])
def test_a_block_that_was_lowered_is_named_as_one_whatever_it_was_in_between(
    cast, version, after
) -> None:
    block = make_finding(version, severity="block")
    for severity in after:
        _regrade(cast.max, block, version, severity)
    (lowered,) = _of_findings(version)
    assert (lowered.what, lowered.severity, lowered.who) == (
        f"lowered from block to {after[-1]}",
        "block",
        "Max",
    )
    assert lowered.why == "To consider." if after[0] == "consider" else f"To {after[-1]}."
    _regrade(cast.rae, block, version, "block")
    assert not _of_findings(version)


def _of_findings(version) -> list:
    return [each for each in seen(version).exceptions if each.finding]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"status": "x"}, "approval_status_is_known"),
        ({"status": "given"}, "approval_answer_has_who_and_when"),
        ({"status": "given", "decided": True}, "approval_yes_is_bound"),
        ({"status": "refused", "decided": True}, "approval_no_has_a_reason"),
        ({"status": "fallen"}, "approval_fallen_says_why"),
    ],
)
def test_the_database_refuses_what_must_never_be(cast, version, fields, name) -> None:
    if fields.pop("decided", False):
        fields |= {"decided_by": cast.max.user, "decided_at": timezone.now()}
    with pytest.raises(IntegrityError, match=name):
        Approval.objects.create(version=version, **fields)


@pytest.mark.parametrize("status", ["asked", "given"])
def test_a_version_is_asked_about_and_approved_once(cast, version, status) -> None:
    fields = {"decided_by": cast.max.user, "decided_at": timezone.now(), "bytes_hash": "b",
              "gate_key": "g", "policy_key": "p"}  # fmt: skip
    Approval.objects.create(version=version, status=status, **fields)
    with pytest.raises(IntegrityError):
        Approval.objects.create(version=version, status=status, **fields)
