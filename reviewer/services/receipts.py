"""The receipt of a stored version: the same text on its pages and in its record."""

from reviewer.core.estimate import Residual
from reviewer.core.gate import Gate
from reviewer.core.receipt import Line, receipt
from reviewer.core.wording import counted
from reviewer.models import Finding, Reading, Review, Version
from reviewer.models.finding import DUE
from reviewer.services.coverage import History
from reviewer.services.learnings_used import named, used_on
from reviewer.services.rests import made_good
from reviewer.services.standing import NotRead, not_read

LONGEST = 600
"""Letters of one text in a receipt; a finding has fewer than 60 words."""

NAMES = (("block", "blocks"), ("fix", "fixes"), ("to consider", "to consider"))
"""How findings of each severity are called, one and many."""


def receipt_of(version: Version, gate: Gate, *, history: History | None = None) -> str:
    """What is due on `version`, blocks first, what was not read, and what holds it, as plain text.

    `history` may be given where a page has loaded it already.
    """
    findings = Finding.objects.shown().filter(proposal=version.proposal_id)
    due = [f for f in findings.order_by("sheet", "number") if f.shown_state in DUE]
    reviews = list(
        Review.objects.filter(
            version__proposal=version.proposal_id,
            version__number__lte=version.number,
            provenance=Review.Provenance.LIVE,
        ).order_by("pk")
    )
    done = Reading.objects.filter(review__in=reviews, status=Reading.Status.DONE)
    readings = list(done.defer("dropped", "verdicts").order_by("pk"))
    keeps = [keep for review in reviews[-1:] for keep in review.keeps]
    return receipt(
        title=version.proposal.title,
        models=sorted({reading.model for reading in readings} - {""}),
        passes=max((review.passes for review in reviews), default=0),
        sheets=version.sheet_count,
        lines=[Line(f.severity, f.sheet, f.rule, f.text[:LONGEST], f.edit[:LONGEST]) for f in due],
        keeps=keeps,
        learnings=named(used_on(version)),
        not_read=[
            *(
                f"sheet {sheet.number}, {sheet.get_unread_display()}"
                for sheet in version.sheets.for_desk().exclude(unread="")
            ),
            *map(_not_read, not_read(history or History(version))),
        ],
        answers=[
            told
            for review in reviews[-1:]
            for told in made_good([one for one in readings if one.review_id == review.pk])
        ],
        reasons=[reason.text for reason in gate.reasons],
        left=residual_sentence(gate),
        next_move=next_move(gate),
    )


def _not_read(lacking: NotRead) -> str:
    """`sheets 1, 2, 6 answers: The model answered, but …`"""
    sheets = [f"{number}" for number in lacking.sheets if number]
    where = f"sheet{'' if len(sheets) == 1 else 's'} {', '.join(sheets)}" if sheets else "document"
    return f"{where}, {counted(lacking.count, 'answer')}: {lacking.sentence} {lacking.next_move}"


def next_move(gate: Gate) -> str:
    """What is to be done first, in a sentence."""
    moves = {
        "fit": "Repair the layout and upload a new version, or have a manager sign for it.",
        "unread": "Upload these sheets with text, or have a manager sign for them.",
        "blocks_open": "Fix the blocks and upload a new version.",
        "blocks_undecided": "A reviewer looks at each undecided block and signs.",
        "fixes_undecided": "Decide each fix: mark it fixed, dismiss or accept it.",
        "not_cleared": "Have this version read.",
    }
    if gate.is_open:
        return "Nothing holds it: a manager can approve it."
    return moves[gate.reasons[0].kind.value]


def residual_sentence(judged: Gate) -> str:
    """What is probably left, in a sentence for people."""
    left = judged.residual
    if left is None:
        return "No estimate of what is left."
    if not isinstance(left, Residual):
        return left.reason
    parts = [
        f"{counted(each.seen, one, many)} seen, at most {each.high} likely"
        for each, (one, many) in zip(left.by_severity, NAMES, strict=True)
        if each.seen or each.high
    ]
    return f"By this reader: {'; '.join(parts)}. That is an estimate from {left.all.passes} passes."
