"""A question that was answered before in this workspace is not paid for again.

Text is known by its hash in the whole workspace. Where a text is uploaded again as a new
proposal, and a reading would be asked exactly what a reading of the other proposal was asked
(same text, client, kind, sources, rubric, prompt, picture, pass, model and server), that
answer is read again instead: the new proposal meets the same findings, open, whatever was
decided about them on the other. Only the day may differ. Within one proposal nothing is
taken up so: its passes are blind to each other, and each is asked anew.
"""

import hashlib
from dataclasses import replace

from reviewer.core.outcomes import Outcome
from reviewer.core.prompts import Prompt, PromptBlock, Setting
from reviewer.core.prompts.files import content_hash
from reviewer.core.raw import RawAnswer, Usage
from reviewer.models import Answer, Reading, Review, Version


def question_of(reading: Reading, prompt: Prompt, setting: Setting) -> str:
    """A name for all that this reading asks, and whom; the day is left out."""
    *shared, task = prompt.user
    task = replace(task, text=task.text.replace(f"Today is {setting.today}.", "", 1))
    return content_hash(
        {
            "server": reading.review.server,
            "model": reading.model or reading.review.model,
            "kind": reading.kind,
            "pass": reading.pass_number,
            "tool": prompt.tool,
            "tools": [dict(tool) for tool in prompt.tools],
            "system": [_block(block) for block in prompt.system],
            "user": [_block(block) for block in (*shared, task)],
        }
    )


def answered_before(reading: Reading, question: str) -> tuple[Reading, RawAnswer] | None:
    """The reading of another proposal that was asked this, and its whole answer, if any.

    The answer is as it came, but that it took no tokens and no time.
    """
    if reading.review.provenance != Review.Provenance.LIVE:
        return None
    asked = Reading.objects.filter(question=question, answered_by=None, status=Reading.Status.DONE)
    if not asked.exists():
        return None
    proposal = reading.review.version.proposal
    known = (
        Answer.objects.filter(
            reading__in=asked,
            reading__outcome=Outcome.READ.value,
            reading__review__provenance=Review.Provenance.LIVE,
            reading__review__version__proposal__workspace=proposal.workspace_id,
        )
        .exclude(reading__review__version__proposal=proposal)
        .select_related("reading")
        .order_by("pk")
        .first()
    )
    if known is None:
        return None
    raw = RawAnswer.from_json(known.raw)
    return known.reading, replace(raw, usage=Usage(), seconds=0.0, first_content_seconds=None)


def was_read_elsewhere(version: Version) -> bool:
    """Whether a model read the same file as a version of another proposal of the workspace."""
    return (
        Version.objects.filter(
            sha256=version.sha256,
            proposal__workspace=version.proposal.workspace_id,
            proposal__client=version.proposal.client,
            reviews__status=Review.Status.FINISHED,
            reviews__provenance=Review.Provenance.LIVE,
        )
        .exclude(proposal=version.proposal_id)
        .exists()
    )


def _block(block: PromptBlock) -> list[str]:
    picture = hashlib.sha256(block.image).hexdigest() if block.image else ""
    return [block.text, picture]
