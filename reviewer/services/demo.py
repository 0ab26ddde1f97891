"""The demo workspace, made once per installation with passwords of its own."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from reviewer.models import Event, Membership, Proposal, Review, Role, Version, Workspace
from reviewer.services.conversion import convert_version
from reviewer.services.events import record
from reviewer.services.members import create_workspace, password_to_show
from reviewer.services.proposals import delete_proposal
from reviewer.services.recorded import record_review
from reviewer.services.uploads import upload_proposal

RECORDED = "recorded answers"
"""What stands in place of a model's name: nobody was asked."""
SAMPLES = Path(__file__).resolve().parent.parent / "samples"
PEOPLE = (
    ("wen", "Wen", Role.WRITER),
    ("rae", "Rae", Role.REVIEWER),
    ("max", "Max", Role.MANAGER),
)
PREPARED = "samples prepared"


@dataclass(frozen=True)
class Person:
    """One sign-in of the demo, shown once."""

    username: str
    password: str
    role: str


def create_demo() -> list[Person]:
    """Create the demo workspace and its people, whose passwords are known this once.

    An empty list where there is one already.
    """
    if Workspace.objects.filter(is_demo=True).exists():
        return []
    with transaction.atomic():
        workspace = create_workspace(name="Field Systems", slug="field-systems", is_demo=True)
        return [_person(workspace, *person) for person in PEOPLE]


def add_samples(*, say: Callable[[str], object]) -> int:
    """Add the samples that the demo workspace lacks; returns how many were added.

    Each takes some seconds, and `say` is told before. What an interrupted run left half-made
    is made anew; once all were there nothing is added any more, also where one was deleted.
    """
    workspace = Workspace.objects.filter(is_demo=True).first()
    if workspace is None or Event.objects.filter(workspace=workspace, verb=PREPARED).exists():
        return 0
    lacking = [sample for sample in _samples() if not _is_there(workspace, sample)]
    members = workspace.memberships.select_related("workspace", "user").order_by("pk")
    writer = members.filter(role=Role.WRITER).first() or members[0]
    manager = members.filter(role=Role.MANAGER)[0]
    for sample in lacking:
        say(f"Preparing the sample “{sample['title']}” …")
        for half_made in Proposal.objects.filter(workspace=workspace, title=sample["title"]):
            delete_proposal(by=manager, proposal=half_made)
        _add(sample, writer)
    if all(_is_there(workspace, sample) for sample in lacking):
        record(workspace=workspace, subject=workspace, verb=PREPARED, by=None)
    return len(lacking)


def _samples() -> list[dict[str, Any]]:
    samples: list[dict[str, Any]] = json.loads((SAMPLES / "samples.json").read_text())
    return samples


def _is_there(workspace: Workspace, sample: dict[str, Any]) -> bool:
    return Review.objects.filter(
        version__proposal__workspace=workspace,
        version__proposal__title=sample["title"],
        provenance=Review.Provenance.RECORDED,
        status=Review.Status.FINISHED,
    ).exists()


def _person(workspace: Workspace, username: str, name: str, role: str) -> Person:
    users = get_user_model()
    password = password_to_show()
    user = users.objects.create_user(
        _free_name(username), f"{username}@example.com", password, first_name=name
    )
    Membership.objects.create(workspace=workspace, user=user, role=role)
    return Person(user.get_username(), password, role)


def _free_name(username: str) -> str:
    """`username`, or with a number where somebody of this installation has it already."""
    users = get_user_model().objects
    taken = set(users.filter(username__startswith=username).values_list("username", flat=True))
    names = (username, *(f"{username}{number}" for number in range(2, 1000)))
    return next(name for name in names if name not in taken)


def _add(sample: dict[str, Any], writer: Membership) -> None:
    data = (SAMPLES / sample["file"]).read_bytes()
    version = upload_proposal(
        by=writer,
        file=SimpleUploadedFile(sample["file"], data),
        title=sample["title"],
        client=sample["client"],
        kind=sample["kind"],
    )
    ready = convert_version(version.pk)
    if ready is None or ready.status != Version.Status.READY:
        return
    passes = [json.loads((SAMPLES / name).read_text()) for name in sample["readings"]]
    record_review(version=ready, passes=passes, model=RECORDED)
