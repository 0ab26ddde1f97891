"""A version as the built-in checks read it, and what is kept of its file for them."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.utils import timezone

from reviewer.core.checks import CheckedDocument, CheckedSheet, FitSeen, Leftover
from reviewer.documents.decode import decode
from reviewer.documents.sheets import SourceRead
from reviewer.models import Paragraph, Proposal, Version
from reviewer.services.ground import Ground
from reviewer.services.learnings_given import never_said_in
from reviewer.services.policy import fit_that_holds, number_forms
from reviewer.services.rubric import banned_phrases, rubric_in_force


def as_stored(source: SourceRead) -> dict[str, Any]:
    """What a file tells beside its sheets, in the form in which a version keeps it."""
    return {
        "leftovers": [list(left) for left in source.leftovers],
        "tables": [[list(row) for row in table] for table in source.tables],
        "headings": [list(heading) for heading in source.headings],
    }


def told_of(stored: dict[str, Any]) -> dict[str, Any]:
    """The same in the types of checks, as arguments of a CheckedDocument."""
    return {
        "leftovers": tuple(Leftover(*left) for left in stored.get("leftovers", [])),
        "tables": tuple(tuple(map(tuple, table)) for table in stored.get("tables", [])),
        "outline": tuple((level, text) for level, text in stored.get("headings", [])),
    }


def text_of_source(kind: str, raw: bytes) -> str | None:
    """The text a Markdown or plain text file was read from; None for any other, or a long one."""
    if kind not in Version.KINDS_OF_TEXT or len(raw) > Version.MOST_TEXT:
        return None
    return decode(raw).text


def fit_seen(
    faults: Iterable[tuple[str, int, str]], holding: frozenset[str]
) -> tuple[FitSeen, ...]:
    """Faults of fit for checks, each with whether the policy already holds an export for it."""
    return tuple(FitSeen(code, sheet, said, code in holding) for code, sheet, said in faults)


def checked_document(version: Version, ground: Ground) -> CheckedDocument:
    """The version as checks read it: sheets, client, the workspace's other clients, sources."""
    proposal = version.proposal
    workspace = proposal.workspace
    others = (
        Proposal.objects.filter(workspace_id=proposal.workspace_id)
        .exclude(client="")
        .exclude(client__iexact=proposal.client)
        .values_list("client", flat=True)
        .distinct()
    )
    paragraphs = _paragraphs(version)
    return CheckedDocument(
        sheets=tuple(
            CheckedSheet(
                number=sheet.number,
                label=sheet.label,
                text=sheet.text,
                words=tuple(sheet.words),
                paragraphs=tuple(paragraphs[sheet.number]),
            )
            for sheet in ground.sheets.values()
        ),
        client=proposal.client,
        other_clients=tuple(sorted(set(others))),
        sources=tuple(proposal.sources.values_list("text", flat=True)),
        today=timezone.localdate(),
        language=workspace.language,
        source_text=text_of_original(version),
        kind=proposal.kind,
        banned=tuple(
            (each.phrase, each.instead)
            for each in banned_phrases(rubric_in_force(proposal.workspace_id))
        ),
        never_say=tuple(never_said_in(proposal)),
        fit=fit_seen(
            ((fault["code"], fault["sheet"], fault["message"]) for fault in version.fit),
            fit_that_holds(workspace),
        ),
        number_forms=number_forms(workspace),
        **told_of(version.source_read),
    )


def _paragraphs(version: Version) -> dict[int, list[str]]:
    found: dict[int, list[str]] = defaultdict(list)
    rows = Paragraph.objects.filter(sheet__version=version).order_by("sheet__number", "position")
    for number, text in rows.values_list("sheet__number", "text"):
        found[number].append(text)
    return found


def text_of_original(version: Version) -> str | None:
    """The text of the file a version came as; None where it is none, or is gone."""
    if not version.is_edited_as_text:
        return None
    try:
        with version.original.open("rb") as stored:
            return text_of_source(version.file_kind, stored.read())
    except (OSError, ValueError):  # it is gone, or was never kept: its sheets are still read
        return None
