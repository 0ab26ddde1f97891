"""The text of a proposal, edited where it is read: each save is a new version.

Only Markdown and plain text are edited so; of other files the program that made them is the
editor. A save names the version it began from, and where another came in the meantime it makes
nothing: what that one changed is for the person to see first.
"""

import hashlib
import re
from collections.abc import Iterator

from django.core.files.uploadedfile import SimpleUploadedFile

from reviewer.core.differences import Change, Paragraph, differences
from reviewer.models import Membership, Proposal, Version
from reviewer.services.as_checked import text_of_original
from reviewer.services.errors import MovedMeanwhile, Refused
from reviewer.services.uploads import upload_version


def save_edited(
    *,
    by: Membership,
    proposal: Proposal,
    based_on: Version,
    text: str,
    read_when_ready: bool = False,
) -> Version:
    """Make `text`, which began as that of `based_on`, the next version.

    What was saved twice, by a double click, is one version. Raises MovedMeanwhile where a newer
    version came, and Refused where nothing was changed.
    """
    written = text.replace("\r\n", "\n")
    if written == text_of_original(based_on):
        raise Refused("Nothing was changed in the text, so there is no new version.")
    try:
        return upload_version(
            by=by,
            proposal=proposal,
            file=SimpleUploadedFile(based_on.original_name, written.encode()),
            read_when_ready=read_when_ready,
            based_on=based_on.number,
        )
    except MovedMeanwhile:
        digest = hashlib.sha256(written.encode()).hexdigest()
        mine = proposal.versions.filter(number=based_on.number + 1, uploaded_by=by.user)
        if saved := mine.filter(sha256=digest).first():
            return saved
        raise


def changed_since(before: Version, after: Version) -> list[Change] | None:
    """What became of the text from one version to a later one, a change a paragraph; None where
    either is not edited as text."""
    old, new = text_of_original(before), text_of_original(after)
    if old is None or new is None:
        return None
    found = differences(list(_paragraphs(old)), list(_paragraphs(new)))
    return [one for one in found if isinstance(one, Change)]


def _paragraphs(text: str) -> Iterator[Paragraph]:
    for block in re.split(r"\n\s*\n", text):
        if said := block.strip():
            yield Paragraph(0, said, " ".join(said.split()))
