"""Sheets without text, read from their pictures: asked for by a person, never by itself.

What is found so is kept and shown, and marks no words: a block among it is for a person to
sign. The sheet counts as read for the gate by the rules that clear text: as many whole,
uncensored passes of calibrated models over the same picture, under one client, sources,
rubric and prompt, as its review set out to make. Until then it stays unread.
"""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict

from django.db import transaction

from reviewer.core.outcomes import Outcome
from reviewer.core.prompts import ReadingKind, recipe_of
from reviewer.core.rounds import Context
from reviewer.models import Membership, Reading, Review, Sheet, Version
from reviewer.models.reading import ReadingQuerySet
from reviewer.models.review import Purpose
from reviewer.services.connection import connection, why_not_connected
from reviewer.services.coverage import History, as_context
from reviewer.services.dispatch import send_next
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.laying_out import reading
from reviewer.services.placing import touch
from reviewer.services.reviews import create_running, passes_for, refuse_unready, tell_started
from reviewer.services.setting import pin
from reviewer.services.waivers import picture_of

HAS_TEXT = "This sheet is read by its text, or is blank, so nothing was started."
READ_ALREADY = (
    "This picture was read as often as it takes, so no call was made. What was found is in the "
    "list."
)
NOT_A_REVIEWER = "A reviewer or a manager has a sheet read from its picture. Ask one of them."


def may_read_picture(by: Membership, version: Version) -> bool:
    """Reviewers and managers: it is asked for where somebody looked at the sheet."""
    return by.may_triage and by.workspace_id == version.proposal.workspace_id


def read_picture(*, by: Membership, version: Version, sheet: int) -> Review:
    """Have a sheet that has no text read from its picture, by the passes that are still due.

    Raises Refused where no model is connected, the proposal is kept to checks only, the sheet
    can be read by its text or was read already, or a review is running.
    """
    if not may_read_picture(by, version):
        raise NotAllowed(NOT_A_REVIEWER)
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused(why_not_connected(by.workspace_id))
    refuse_unready(version)
    if sheet not in {one.number for one in without_text(version)}:
        raise Refused(HAS_TEXT)
    history = History(version)
    due = passes_due(history, sheet, passes_for(connected.depth))
    if not due:
        raise Refused(READ_ALREADY)
    with transaction.atomic():
        review = create_running(
            version=version,
            passes=passes_for(connected.depth),
            model=connected.model,
            second_model=connected.second_model,
            server=connected.server,
            depth=connected.depth,
            purpose=Purpose.PICTURE,
            context=asdict(history.now),
            rubric_hash=history.now.rubric,
            started_by=by.user,
        )
        pin(review)
        begun = _of_pictures(version).filter(sheet=sheet).count()
        Reading.objects.bulk_create(
            reading(review, Reading.Kind.PICTURE, sheet=sheet, number=begun + number)
            for number in range(1, due + 1)
        )
        tell_started(by, review)
        touch(version)
        send_next(by.workspace_id)
    return review


def without_text(version: Version) -> list[Sheet]:
    """The sheets of a version on which something stands that cannot be read as text."""
    return list(version.sheets.for_desk().exclude(unread__in=["", "blank"]))


def was_looked_at(version: Version) -> bool:
    """Whether any sheet was read from its picture."""
    return _of_pictures(version).filter(status=Reading.Status.DONE).exists()


def passes_due(history: History, sheet: int, wanted: int) -> int:
    """How many more passes over its picture a sheet needs; none where they would clear no more.

    What a model that is not calibrated read counts here: asking it again would clear nothing.
    """
    return max(0, wanted - _passes(history, {sheet}, proven=False).get(sheet, 0))


def read_from_pictures(history: History, sheets: Collection[Sheet]) -> dict[int, tuple[int, int]]:
    """Of sheets of this version: passes over the picture that count for the gate, and how many
    it takes. Those that nobody had read from their pictures are left out."""
    numbers = {sheet.number for sheet in sheets}
    if not numbers:
        return {}
    wanted: dict[int, int] = {}
    for number, passes in (
        _of_pictures(history.version)
        .filter(sheet__in=numbers)
        .values_list("sheet", "review__passes")
    ):
        wanted[number] = max(wanted.get(number, 0), passes)
    if not wanted:
        return {}
    counted = _passes(history, set(wanted), proven=True)
    return {number: (counted.get(number, 0), passes) for number, passes in wanted.items()}


def _passes(history: History, sheets: set[int], *, proven: bool) -> dict[int, int]:
    """Whole passes under one and the same context over the pictures as they are now."""
    done = _of_pictures(history.version).filter(
        sheet__in=sheets,
        status=Reading.Status.DONE,
        outcome=Outcome.READ.value,
        is_censored=False,
        prompt_hash=recipe_of(ReadingKind.PICTURE),
    )
    contexts = _contexts(history)
    made: dict[tuple[int, Context], set[tuple[int, int]]] = defaultdict(set)
    for one in done.select_related("review__version"):
        context = as_context(one.review.context)
        may_clear = (one.review.server, one.model, context.prompt) in history.calibrated
        if (may_clear or not proven) and context in contexts and _is_same(one, history):
            made[one.sheet, context].add((one.review_id, one.pass_number))
    most: dict[int, int] = {}
    for (sheet, _), names in made.items():
        most[sheet] = max(most.get(sheet, 0), len(names))
    return most


def _contexts(history: History) -> set[Context]:
    """Those under which passes over text count, and that of readings of pictures alone."""
    pictures = _of_pictures(history.version).values_list("review__context", flat=True)
    seen = {as_context(stored) for stored in pictures}
    return history.contexts() | {c for c in seen if c.client == history.now.client}


def _is_same(one: Reading, history: History) -> bool:
    """Whether the picture that was read is that of the sheet as it is now."""
    then, now = one.review.version, history.version
    if then.pk == now.pk:
        return True
    sheets = Sheet.objects.filter(version__in=(then, now), number=one.sheet).for_desk()
    pictures = [picture_of(sheet) for sheet in sheets]
    return len(pictures) == 2 and pictures[0] == pictures[1] != ""


def _of_pictures(version: Version) -> ReadingQuerySet:
    return Reading.objects.filter(
        kind=Reading.Kind.PICTURE,
        review__version__proposal=version.proposal_id,
        review__version__number__lte=version.number,
        review__provenance=Review.Provenance.LIVE,
    )
