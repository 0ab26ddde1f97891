"""A version whose PDF is one, for tests of what leaves."""

import io
from functools import cache

import pikepdf
from django.core.files.base import ContentFile

from reviewer.models import Membership, Proposal, Version
from reviewer.services.approvals import seen
from tests.factories import TEXTS, make_proposal, make_version, make_waiver


@cache
def letters(*texts: str) -> bytes:
    """A PDF of US letter pages that show these texts, with an author who made it."""
    with pikepdf.Pdf.new() as pdf:
        font = pdf.make_indirect(
            pikepdf.Dictionary(
                Type=pikepdf.Name.Font,
                Subtype=pikepdf.Name.Type1,
                BaseFont=pikepdf.Name.Helvetica,
            )
        )
        for text in texts:
            page = pdf.add_blank_page(page_size=(612, 792))
            page.obj.Resources = pikepdf.Dictionary(Font=pikepdf.Dictionary(F1=font))
            shown = text[:80].replace("(", "").replace(")", "").encode("latin-1", "replace")
            page.obj.Contents = pdf.make_stream(b"BT /F1 11 Tf 72 700 Td (" + shown + b") Tj ET")
        pdf.docinfo["/Author"] = "Wen of Field Systems"
        held = io.BytesIO()
        pdf.save(held, deterministic_id=True)
    return held.getvalue()


def ready_version(by: Membership, proposal: Proposal | None = None, **fields: object) -> Version:
    """A version that can be rewritten; nothing but the missing review holds it."""
    of = proposal or make_proposal(by.workspace, owner=by, title="Control tower")
    version = make_version(of, **fields)
    version.pdf.save("rendered.pdf", ContentFile(letters(*TEXTS)), save=True)
    return version


def open_version(by: Membership, manager: Membership, proposal: Proposal | None = None) -> Version:
    """One that nothing holds: a manager signed for the review that was not made."""
    version = ready_version(by, proposal)
    make_waiver(version, manager)
    return version


def seal_of(version: Version) -> str:
    """What the page of the version shows now."""
    return seen(Version.objects.get(pk=version.pk)).seal
