"""What a review reads with, as it was when the review started.

Kept apart from the review, so that lists of reviews do not load the text of sources.
"""

from django.db import models

from reviewer.models.review import Review
from reviewer.models.rubric import Rubric


class Pinned(models.Model):
    """The client, kind, sources and rubric of one review; what changes later is for later ones."""

    review = models.OneToOneField(Review, models.CASCADE, related_name="pinned")
    client = models.CharField(max_length=120, blank=True)
    kind = models.CharField(max_length=20)
    language = models.CharField(max_length=12)
    today = models.DateField()
    """The day that every reading of the review is told, however long it takes."""
    sources = models.JSONField(default=list, blank=True)
    """`[[name, text], …]` in the order in which they were added."""
    rubric = models.ForeignKey(Rubric, models.RESTRICT, null=True, related_name="+")
    """None is the ten rules alone."""
    learnings = models.JSONField(default=list, blank=True)
    """`[[number, version], …]` of the learnings of all kinds that it uses, by number."""

    def __str__(self) -> str:
        return f"what review {self.review_id} reads with"
