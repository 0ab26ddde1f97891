"""`manage.py review --format receipt` has the form of every other receipt, to the line."""

import pytest
from django.urls import reverse

from reviewer.core.gate import Gate
from reviewer.models import Version
from reviewer.services.approvals import seen
from reviewer.services.file_receipt import receipt_of_file
from reviewer.services.oneoff import OneOff
from reviewer.services.receipts import receipt_of
from tests.commands.test_review import FAULTY, _review, proposal, reads
from tests.fakes.replies import fails, finding, finds
from tests.golden import RECEIPTS, as_it_was

__all__ = ["proposal", "reads"]
FILES = RECEIPTS / "of_files"
LABELS = ("Keep:", "Not read:", "Holds:", "Left:", "Next:")
FIVE = [
    finding(severity=severity, quote=quote, finding=f"Fault about “{quote}”.", rule=rule)
    for severity, quote, rule in (
        ("fix", "The pilot runs for twelve weeks", "grounding"),
        ("consider", "Northwind owns what is built", "structure"),
        ("block", "invoiced when each step is accepted", "commercial_clarity"),
        ("fix", "Please sign by 4 May 2099", "one_decision"),
        ("fix", "work starts on 18 May 2099", "grounding"),
    )
]


def test_by_checks_alone(proposal) -> None:
    proposal.write_text(FAULTY)
    assert as_it_was(_review(proposal, "--offline", status=1), FILES / "offline.txt")


def test_read_by_three_passes(proposal, reads) -> None:
    reads(finds(FIVE, keeps=["The price is one number."]))
    assert as_it_was(_review(proposal, "--passes", 3, status=1), FILES / "three_passes.txt")


def test_with_an_answer_that_did_not_come(proposal, reads) -> None:
    reads(lambda seen: fails(500) if seen.number == 2 else finds(FIVE[:2]))
    assert as_it_was(_review(proposal, "--passes", 2, status=2), FILES / "failed.txt")


def test_what_not_every_pass_saw_gives_no_number(proposal, reads) -> None:
    reads(lambda seen: finds(FIVE if seen.number < 3 else FIVE[:4]))
    told = _review(proposal, "--passes", 3, status=1)
    assert "Left: No estimate: " in told
    reads(lambda seen: finds([*FIVE, LATE] if seen.number < 3 else FIVE))
    told = _review(proposal, "--passes", 3, status=1)
    assert "Left: No estimate: what only some of the passes saw is checked" in told


LATE = finding(severity="consider", quote="The pilot", finding="Two readers differ.")


@pytest.mark.django_db
def test_a_kept_review_has_the_receipt_of_its_pages_and_its_record(
    cast, proposal, reads, client_of
) -> None:
    reads(finds(FIVE[:1]))
    told = _review(proposal, "--workspace", cast.workspace.slug, "--passes", 1, status=2)
    version = Version.objects.get()
    assert told == receipt_of(version, seen(version).gate)
    for page in ("standing", "gate"):
        at = [cast.workspace.slug, version.proposal_id, version.number]
        shown = client_of(cast.wen).get(reverse(page, args=at)).context["receipt"]
        assert shown == told


@pytest.mark.parametrize("golden", sorted(FILES.glob("*.txt")), ids=lambda path: path.stem)
def test_every_part_stands_in_the_one_order(golden) -> None:
    found = [line.split(" ")[0] for line in golden.read_text().splitlines()]
    labels = [LABELS.index(word) for word in found if word in LABELS]
    assert labels == sorted(labels)
    assert {LABELS.index("Left:"), LABELS.index("Next:")} <= set(labels)


def test_nothing_in_it_is_obeyed_by_a_terminal() -> None:
    evil = "\x1b]0;owned\x07\x1b[2J\u202eexe.fdp\x9b31m"
    result = OneOff(outcome="read", models=("m\x1b[0m",), passes=1, fit=(), findings=(),
                    keeps=(evil,), gate=Gate(()), sheets=1, fully_read=True, not_read=(evil,))  # fmt: skip
    told = receipt_of_file(f"{evil}.md", result)
    assert not set(told) & set("\x1b\x07\x9b\u202e")
    assert "exe.fdp" in told
