"""Learnings for tests, made directly: by Rae, approved by Max, unless a test says otherwise."""

from typing import Any

from django.db.models import Max
from django.utils import timezone

from reviewer.models import Learning, LearningVersion
from tests.factories import Cast

TEXT = "Name every integration, or say that it comes later."


def make_learning(
    cast: Cast, *, text: str = TEXT, phrase: str = "", instead: str = "", **fields: Any
) -> Learning:
    """A learning in force; of another `status`, one that waits or has ended."""
    status = fields.setdefault("status", Learning.Status.IN_FORCE)
    fields.setdefault("kind", Learning.Kind.LOOK_FOR)
    last = cast.workspace.learnings.aggregate(last=Max("number"))["last"] or 0
    fields.setdefault("number", last + 1)
    now = timezone.now()
    if status in {Learning.Status.DECLINED, Learning.Status.RETIRED}:
        fields.setdefault("ended_why", "It is no longer so.")
        fields.setdefault("ended_at", now)
        fields.setdefault("ended_by", cast.max.user)
    author = fields.pop("author", cast.rae.user)
    learning = Learning.objects.create(
        workspace=fields.pop("workspace", cast.workspace),
        author=author,
        **{**fields, "status": Learning.Status.PROPOSED, "superseded_by": None},
    )
    version = LearningVersion.objects.create(
        learning=learning,
        number=1,
        kind=learning.kind,
        text=text,
        phrase=phrase,
        instead=instead,
        by=author,
    )
    learning.status = status
    learning.superseded_by = fields.get("superseded_by")
    if status in {Learning.Status.PROPOSED, Learning.Status.DECLINED}:
        learning.pending = version
    else:
        learning.current, learning.in_force_at = version, now
        learning.approved_by, learning.approved_at = cast.max.user, now
    learning.save()
    return learning
