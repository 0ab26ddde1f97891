"""What people say to each other about a finding. Rows are added, never changed."""

from django.conf import settings
from django.db import models

from reviewer.models.finding import Finding
from reviewer.models.version import Version

LONGEST_COMMENT = 2_000
"""Characters."""


class Comment(models.Model):
    """One thing that one person said of one finding; it decides nothing."""

    finding = models.ForeignKey(Finding, models.CASCADE, related_name="comments")
    version = models.ForeignKey(Version, models.CASCADE, related_name="+")
    """The version that its author had before them."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    """Empty where the account was deleted; what was said stays."""
    text = models.TextField(max_length=LONGEST_COMMENT)
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["finding_id", "id"]
        constraints = [
            models.CheckConstraint(condition=~models.Q(text=""), name="comment_says_something")
        ]

    def __str__(self) -> str:
        return f"a comment on finding {self.finding_id}"
