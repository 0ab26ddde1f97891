"""The demo workspace, made once per installation with passwords of its own."""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction

from reviewer.models import Membership, Role, Version, Workspace
from reviewer.services.conversion import convert_version
from reviewer.services.members import create_workspace
from reviewer.services.recorded import record_review
from reviewer.services.uploads import upload_proposal

SAMPLES = Path(__file__).resolve().parent.parent / "samples"
PEOPLE = (
    ("wen", "Wen", Role.WRITER),
    ("rae", "Rae", Role.REVIEWER),
    ("max", "Max", Role.MANAGER),
)


@dataclass(frozen=True)
class Person:
    """One sign-in of the demo, shown once."""

    username: str
    password: str
    role: str


def create_demo(*, say: Callable[[str], object]) -> list[Person]:
    """Create the demo workspace and its people; an empty list where there is one already.

    `say` is told what is being made, since converting the samples takes some seconds.
    """
    if Workspace.objects.filter(is_demo=True).exists():
        return []
    with transaction.atomic():
        workspace = create_workspace(name="Field Systems", slug="field-systems", is_demo=True)
        people = [_person(workspace, *person) for person in PEOPLE]
    writer = Membership.objects.select_related("workspace", "user").get(
        workspace=workspace, role=Role.WRITER
    )
    for sample in json.loads((SAMPLES / "samples.json").read_text()):
        say(f"Preparing the sample “{sample['title']}” …")
        _add(sample, writer)
    return people


def _person(workspace: Workspace, username: str, name: str, role: str) -> Person:
    users = get_user_model()
    password = "-".join(secrets.token_hex(3) for _ in range(3))
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
    record_review(version=ready, passes=passes, model=sample["recorded"])
