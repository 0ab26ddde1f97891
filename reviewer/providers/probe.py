"""Trying a model: one small real reading, and what it showed.

Nothing is stored and no proposal is sent; the page that is read is made up and has three
faults. What comes back says how the model takes to be asked, how it answers, how long it
takes and what it costs, so that a person can decide before a real document goes there.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from reviewer.core.answers import AnswerRead, read_answer
from reviewer.core.outcomes import Outcome, next_move, sentence
from reviewer.core.prompts import probe_request, render
from reviewer.core.raw import RawAnswer, Way
from reviewer.core.wording import counted
from reviewer.providers.base import Provider, Request
from reviewer.providers.prices import TABLE, Price, Row, cost
from reviewer.providers.ways import ORDER, first_way

PLANTED = ("$82,500", "30%", "[CLIENT LOGO HERE]")
"""Words of the three faults on the made page: a wrong sum, a promise, a placeholder."""

_WAYS = {
    Way.FORCED_TOOL: "by forcing the tool",
    Way.STRICT_TOOL: "by offering the tool with a strict schema",
    Way.OUTPUT_FORMAT: "by asking for JSON of a given schema",
    Way.TEXT: "by asking for JSON in text",
}


@dataclass(frozen=True, slots=True)
class Trial:
    """What one trial showed. `refused` are the ways that the server did not take."""

    model: str
    raw: RawAnswer
    read: AnswerRead
    refused: tuple[Way, ...]
    planted_found: int
    cost: Decimal | None
    """Dollars, or None where the model's price is not known."""

    @property
    def works(self) -> bool:
        """Whether this model's answers can be used."""
        return self.read.outcome in {Outcome.READ, Outcome.PARTLY_READ}

    def as_dict(self) -> dict[str, Any]:
        """A JSON-ready form, with the raw answer in it."""
        return {
            "model": self.model,
            "works": self.works,
            "asked": self.raw.way.value,
            "refused": [way.value for way in self.refused],
            "outcome": self.read.outcome.value,
            "way": self.read.way.value if self.read.way else None,
            "reason": self.read.reason,
            "findings": [finding.as_dict() for finding in self.read.findings],
            "planted_found": self.planted_found,
            "planted": len(PLANTED),
            "seconds": round(self.raw.seconds, 3),
            "first_content_seconds": self.raw.first_content_seconds,
            "usage": self.raw.as_json()["usage"],
            "cost": None if self.cost is None else str(self.cost),
            "raw": self.raw.as_json(),
        }


def try_model(
    provider: Provider,
    model: str,
    *,
    today: str = "not known",
    language: str = "English",
    own_prices: Mapping[str, Price] | None = None,
    table: Sequence[Row] = TABLE,
) -> Trial:
    """Ask `model` for the small reading. The provider should not remember a way yet.

    `own_prices` are prices by model that stand before the `table`.
    """
    prompt = probe_request(today=today, language=language)
    raw = provider.ask(Request.of(prompt, model=model))
    read = read_answer(raw, sheets={1: render("probe_sheet")})
    asked_first = ORDER.index(first_way(model))
    costs = (cost(raw.usage, name, table, own=own_prices) for name in (raw.model, model))
    return Trial(
        model=model,
        raw=raw,
        read=read,
        refused=ORDER[asked_first : ORDER.index(raw.way)],
        planted_found=sum(
            any(words in finding.quote for finding in read.findings) for words in PLANTED
        ),
        cost=next(
            (known for known in costs if known is not None),
            None,
        ),
    )


def told(trial: Trial, *, server: str) -> list[str]:
    """What a trial showed, as sentences for a person."""
    raw, read = trial.raw, trial.read
    said = sentence(
        read.outcome,
        reason=read.reason,
        fault=raw.fault,
        refusal_category=raw.refusal_category,
        server=server,
        model=trial.model,
    )
    move = next_move(read.outcome, fault=raw.fault)
    if read.outcome is Outcome.PROVIDER_ERROR:
        words = raw.fault.message if raw.fault and raw.fault.message not in said else ""
        return [said, *([f"In its own words: {words}"] if words else []), move]
    lines = [f"{raw.model or trial.model} was asked {_WAYS[raw.way]}."]
    lines += [f"It could not be asked {_WAYS[way]}." for way in trial.refused]
    lines.append(said)
    if trial.works:
        lines.append(
            f"It reported {counted(len(read.findings), 'finding')} "
            f"and saw {trial.planted_found} of the {len(PLANTED)} faults that the page has."
        )
    else:
        lines.append(move)
    lines.append(_effort(trial))
    return lines


def _effort(trial: Trial) -> str:
    usage = trial.raw.usage
    tokens_in = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
    price = "its price is not known" if trial.cost is None else f"it cost ${trial.cost:.4f}"
    return (
        f"It took {trial.raw.seconds:.1f} seconds, {tokens_in} tokens in and "
        f"{usage.output_tokens} out; {price}."
    )
