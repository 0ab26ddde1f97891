"""One page of a version, and the blocks of its text."""

from django.db import models

from reviewer.models.version import Version
from reviewer.models.workspace import Membership


def _image_path(sheet: "Sheet", name: str) -> str:
    suffix = name.rsplit(".", 1)[-1]
    version = sheet.version
    return f"proposals/{version.proposal_id}/v{version.number}/sheets/{sheet.number}.{suffix}"


def _thumb_path(sheet: "Sheet", name: str) -> str:
    suffix = name.rsplit(".", 1)[-1]
    version = sheet.version
    return f"proposals/{version.proposal_id}/v{version.number}/thumbs/{sheet.number}.{suffix}"


class SheetQuerySet(models.QuerySet["Sheet"]):
    def visible_to(self, membership: Membership) -> "SheetQuerySet":
        return self.filter(version__proposal__workspace=membership.workspace)

    def for_desk(self) -> "SheetQuerySet":
        """In reading order, without the word boxes, which only anchoring needs."""
        return self.defer("words").order_by("number")


class Unread(models.TextChoices):
    """Why a sheet has nothing to read, as `reviewer.documents` tells it."""

    BLANK = "blank", "nothing is on it"
    NO_TEXT = "no_text", "it is a picture without text"
    UNKNOWN_LETTERS = "unknown_letters", "its letters are known to its font alone"


class Sheet(models.Model):
    """One page: number, label, text, words with boxes, image. Lengths in points as shown."""

    version = models.ForeignKey(Version, models.CASCADE, related_name="sheets")
    number = models.PositiveIntegerField()
    label = models.CharField(max_length=120, blank=True)
    text = models.TextField(blank=True)
    words = models.JSONField(default=list)
    """`[[text, x0, y0, x1, y1], …]`, points from the top left of the page as shown."""
    width = models.FloatField()
    height = models.FloatField()
    image = models.FileField(upload_to=_image_path, max_length=200)
    image_width = models.PositiveIntegerField()
    image_height = models.PositiveIntegerField()
    thumb = models.FileField(upload_to=_thumb_path, max_length=200, blank=True)
    unread = models.CharField(max_length=20, choices=Unread.choices, blank=True)
    """Why nothing on it can be read; empty where it can."""

    objects = SheetQuerySet.as_manager()

    class Meta:
        ordering = ["version_id", "number"]
        constraints = [
            models.UniqueConstraint(
                fields=["version", "number"], name="sheet_number_once_a_version"
            )
        ]

    def __str__(self) -> str:
        return f"sheet {self.number}"


class Paragraph(models.Model):
    """A block of a sheet's text (a table row is one), hashed without running heads and numbers."""

    sheet = models.ForeignKey(Sheet, models.CASCADE, related_name="paragraphs")
    position = models.PositiveIntegerField()
    text = models.TextField()
    hash = models.CharField(max_length=80, db_index=True)
    first_word = models.PositiveIntegerField()
    last_word = models.PositiveIntegerField()

    class Meta:
        ordering = ["sheet_id", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["sheet", "position"], name="paragraph_position_once_a_sheet"
            )
        ]
