"""The Models page in numbers for its bars and charts: pure, from counted lines."""

from dataclasses import dataclass

from reviewer.core.outcomes import Outcome
from reviewer.core.proportions import Follows
from reviewer.core.wording import counted
from reviewer.services.model_stats import ModelLine, ModelStats

WAYS = {
    "forced_tool": "forced tool",
    "strict_tool": "strict tool",
    "output_format": "output format",
    "text": "text",
}
LOST = {
    Outcome.NO_CALL: ("no call", "no call"),
    Outcome.REFUSED_TEXT_CALL: ("refused text call", ""),
    Outcome.OUT_OF_ROOM: ("out of room", "out of room"),
    Outcome.INVALID_CALL: ("invalid call", ""),
}
FAULTS = {"refusal": ("refused", "refused"), "provider_error": ("provider error", "")}
CHART_WIDTH, CHART_HEIGHT = 120, 34


@dataclass(frozen=True, slots=True)
class Bar:
    """One day of a chart, in its units: all answers, and the lost ones at their foot."""

    x: float
    width: float
    y: float
    height: float
    lost_y: float
    lost_height: float
    title: str


@dataclass(frozen=True, slots=True)
class Alarm:
    """What is said of a model that losses follow, in parts of a sentence."""

    model: str
    loses: str
    others: str
    counts: str
    p: str
    written: str
    """A sentence on what came as text; empty where nothing did."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One model and way as a row of the table."""

    line: ModelLine
    way: str
    whole: float
    in_part: float
    lost: float
    """Shares of the answers, in percent, that fill the bar."""
    losses: str
    bars: tuple[Bar, ...]
    cache_percent: int | None


def shown_lines(stats: ModelStats) -> list[Shown]:
    """The rows in the order of the statistics."""
    most = max((answers for line in stats.lines for _, answers, _ in line.days), default=0)
    return [_shown(line, most) for line in stats.lines]


def alarms(stats: ModelStats) -> list[Alarm]:
    """What is said of each model that losses follow, strongest first."""
    return [_alarm(stats, one) for one in stats.follows]


def _alarm(stats: ModelStats, one: Follows) -> Alarm:
    mine = [line for line in stats.lines if line.model == one.model]
    written = sum(line.written for line in mine)
    read = sum(line.written_read for line in mine)
    return Alarm(
        model=one.model,
        loses=f"{one.model} loses {_share(one.lost, one.answers)}",
        others=_share(one.others_lost, one.others),
        counts=f"{one.lost} of {one.answers}, against {one.others_lost} of {one.others}",
        p=p_value(one.p),
        written=f"It writes its calls as text; {read} of {written} were read." if written else "",
    )


def p_value(p: float) -> str:
    """How a p-value is written: 'p < 0.001', 'p = 0.004'."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


NUMBERS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def _share(lost: int, answers: int) -> str:
    """A share as people say it: 'one answer in four', 'two answers in three', 'none of 40'."""
    if not lost:
        return f"none of {answers}"
    share = lost / answers
    if share >= 0.6:
        return "nearly every answer" if share >= 0.85 else "two answers in three"
    one_in = max(2, round(1 / share))
    return f"one answer in {NUMBERS[one_in - 2] if one_in <= 10 else f'{one_in:,}'}"


def _shown(line: ModelLine, most: int) -> Shown:
    answers = max(line.answers, 1)
    losses = [counted(count, *LOST[Outcome(name)]) for name, count in _by_size(line.lost)]
    losses += [
        counted(count, *FAULTS.get(name, (name.replace("_", " "),) * 2))
        for name, count in _by_size(line.not_answered)
    ]
    if line.in_part:
        losses.insert(0, f"{line.in_part} read in part")
    share = line.cache_share
    return Shown(
        line=line,
        way=WAYS.get(line.way, line.way or "–"),
        whole=round(100 * line.whole / answers, 1),
        in_part=round(100 * line.in_part / answers, 1),
        lost=round(100 * line.lost_answers / answers, 1),
        losses=", ".join(losses) or "all read whole",
        bars=tuple(_bars(line, most)),
        cache_percent=None if share is None else round(100 * share),
    )


def _by_size(counts: dict[str, int]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _bars(line: ModelLine, most: int) -> list[Bar]:
    if not line.days or not most:
        return []
    step = min(12.0, CHART_WIDTH / len(line.days))
    bars = []
    for place, (day, answers, lost) in enumerate(line.days):
        height = round(CHART_HEIGHT * answers / most, 1)
        lost_height = round(CHART_HEIGHT * lost / most, 1)
        bars.append(
            Bar(
                x=round(place * step, 1),
                width=round(max(1.0, step - 2), 1),
                y=round(CHART_HEIGHT - height, 1),
                height=height,
                lost_y=round(CHART_HEIGHT - lost_height, 1),
                lost_height=lost_height,
                title=f"{day:%-d %B}: {answers} answers, {lost} lost",
            )
        )
    return bars
