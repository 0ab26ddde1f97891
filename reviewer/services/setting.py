"""What every reading of a review is told: the document, the client, the sources, the rules.

All but the text of the version is pinned when the review starts: what is changed, added or
removed while it runs is for the next one.
"""

from django.utils import timezone

from reviewer.core.prompts import LearningLine, Setting, SheetText, Source
from reviewer.models import Kind, Pinned, Review, Rubric, Version
from reviewer.services.ground import Ground
from reviewer.services.learnings import settle_waiting
from reviewer.services.learnings_given import pairs_in_force
from reviewer.services.rubric import rubric_in_force, rules_of

LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian"}


def pin(review: Review) -> Pinned:
    """Store what `review` reads with; call it in the transaction that creates the review."""
    settle_waiting(review.version.proposal.workspace)
    pinned = _as_it_is(review)
    pinned.save()
    return pinned


def pinned_of(review: Review) -> Pinned:
    """What the review reads with; as things stand now, unsaved, for one that pinned nothing."""
    try:
        return review.pinned
    except Pinned.DoesNotExist:
        return _as_it_is(review)


def setting_with(
    version: Version,
    pinned: Pinned,
    ground: Ground | None = None,
    learnings: tuple[LearningLine, ...] = (),
) -> Setting:
    """The setting of a version read with what is pinned; sheets in their order.

    From rows alone: the same rows give the same bytes. `ground` is for who has the version's
    sheets loaded.
    """
    sheets = (ground or Ground(version)).sheets
    return Setting(
        sheets=tuple(
            SheetText(number, sheet.label, sheet.text) for number, sheet in sheets.items()
        ),
        client=pinned.client,
        kind=Kind(pinned.kind).label,
        language=LANGUAGES.get(pinned.language, pinned.language),
        today=pinned.today.isoformat(),
        rules=rules_of(pinned.rubric),
        learnings=learnings,
        sources=tuple(Source(name, text) for name, text in pinned.sources),
    )


def rule_codes_of(review: Review) -> list[str]:
    """The codes of the rules that the review reads by, in their order."""
    return [rule.code for rule in rules_of(rubric_of(review))]


def rubric_of(review: Review) -> Rubric | None:
    """The version of the workspace's rubric that the review reads by."""
    kept = Pinned.objects.select_related("rubric").defer("sources").filter(review=review).first()
    return kept.rubric if kept else rubric_in_force(review.version.proposal.workspace_id)


def _as_it_is(review: Review) -> Pinned:
    proposal = review.version.proposal
    return Pinned(
        review=review,
        client=proposal.client,
        kind=proposal.kind,
        language=proposal.workspace.language,
        today=timezone.localdate(),
        sources=[
            [name, text]
            for name, text in proposal.sources.order_by("id").values_list("name", "text")
        ],
        rubric=rubric_in_force(proposal.workspace_id),
        learnings=pairs_in_force(proposal),
    )
