"""The receipt of a file that is reviewed and not kept, in the form of every other receipt."""

from reviewer.core.receipt import Line, receipt
from reviewer.services.oneoff import OneOff
from reviewer.services.receipts import LONGEST, residual_sentence


def receipt_of_file(name: str, result: OneOff) -> str:
    """What was found in the file called `name`, blocks first, and what holds it, as plain text.

    Where the review was kept it is the receipt of its version, as its pages show it.
    """
    if result.receipt:
        return result.receipt
    return receipt(
        title=name,
        models=result.models,
        passes=result.passes,
        sheets=result.sheets,
        lines=[
            Line(f.record.severity, f.record.sheet, f.rule, f.finding[:LONGEST], f.fix[:LONGEST])
            for f in result.findings
        ],
        keeps=result.keeps,
        not_read=result.not_read,
        reasons=[reason.text for reason in result.gate.reasons],
        left=residual_sentence(result.gate),
        next_move=_next_move(result),
    )


def _next_move(result: OneOff) -> str:
    if not result.models:
        return "Connect a model to have it read: set ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL."
    return "Nothing holds it." if result.gate.is_open else "Decide or fix what holds it, then read."
