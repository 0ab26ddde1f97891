"""A review from recorded answers, labelled as recorded: for the demo, never for a gate.

The answers go through the same reading, merging and ending as those of a live model.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from django.db import transaction

from reviewer.core.raw import RawAnswer, RawToolCall
from reviewer.core.schema import TOOL_NAME
from reviewer.models import Reading, Review, Version
from reviewer.providers.scripted import ScriptedProvider
from reviewer.services.readings import perform_reading
from reviewer.services.rubric import rubric_hash

Pass = Mapping[str, Any]
"""One recorded pass over a whole document, in the form of the tool's input."""


def record_review(*, version: Version, passes: Sequence[Pass], model: str) -> Review:
    """Store `passes` as a finished review of `version`, one reading a sheet and pass.

    What a pass said of the document as a whole goes with its first sheet.
    """
    sheets = list(
        version.sheets.filter(unread="").order_by("number").values_list("number", flat=True)
    )
    with transaction.atomic():
        review = Review.objects.create(
            version=version,
            provenance=Review.Provenance.RECORDED,
            passes=len(passes),
            model=model,
            server="",
            rubric_hash=rubric_hash(),
        )
        Reading.objects.bulk_create(
            Reading(review=review, pass_number=number, sheet=sheet, model=model)
            for number in range(1, len(passes) + 1)
            for sheet in sheets
        )
    for reading in review.readings.order_by("pass_number", "sheet"):
        answer = _answer(passes[reading.pass_number - 1], reading.sheet, sheets, model)
        perform_reading(reading.pk, provider=ScriptedProvider([answer], streams=False))
    review.refresh_from_db()
    return review


def _answer(recorded: Pass, sheet: int, sheets: Sequence[int], model: str) -> RawAnswer:
    first, last = sheets[0], sheets[-1]
    wanted = {sheet} | ({0} if sheet == first else set())
    report = {
        "findings": [finding for finding in recorded["findings"] if finding["sheet"] in wanted],
        "keeps": _keeps(recorded) if sheet == last else [],
    }
    call = RawToolCall(name=TOOL_NAME, raw_input=json.dumps(report, ensure_ascii=False))
    return RawAnswer(model=model, calls=(call,), stop_reason="tool_use")


def _keeps(recorded: Pass) -> list[str]:
    """What a pass would keep; an older recording has it as one sentence."""
    keeps = recorded.get("keeps") or []
    return [keeps] if isinstance(keeps, str) else list(keeps)
