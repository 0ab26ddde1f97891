"""How fast answers are read, against `json.loads` and Pydantic, and that it stays linear.

Run it by itself, or with `make bench`. The same native answers are read by the reader, with
all its guards, and by `Report.model_validate(json.loads(text))`, which has none. Their shape
is that of the recorded readings: six members an entry, and other places in one of twenty.
Prints ratios, and fails where one misses what it has to reach. Both are measured here, on one
core, in turns, and the best of each is taken.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.answers import AnswerRead, read_answer  # noqa: E402
from reviewer.core.raw import RawAnswer, RawToolCall  # noqa: E402
from reviewer.core.schema import TOOL_NAME, Report  # noqa: E402
from reviewer.core.stream import StreamedFindings  # noqa: E402

SPEED_AT_LEAST = 0.5
GROWTH_AT_MOST = 1.5
FINDINGS = (12, 45, 150)
"""Of one sheet read by a model that finds much, of a long sweep, of a whole review."""
SHORT, LONG = 150, 2600
"""Findings in some 57 kB and in 1 MB."""
PIECE = 12
"""Characters a fragment of a stream has."""


def entry(number: int) -> dict[str, Any]:
    """An entry as long as those of the recorded readings, some 390 characters."""
    fields: dict[str, Any] = {
        "sheet": number % 12 + 1,
        "severity": ("block", "fix", "consider")[number % 3],
        "rule": ("grounding", "structure", "commercial_clarity")[number % 3],
        "quote": f"Our platform will cut detention costs by {number}% – and pays for itself soon.",
        "finding": (
            "The promise of a business result has no agreed baseline, so the buyer cannot check "
            "it and procurement will strike it."
        ),
        "fix": "State the work that is promised, and name the baseline and who measures it.",
    }
    if number % 20 == 0:
        fields["also"] = [{"sheet": 3, "quote": "pays for itself"}]
    return fields


def report(findings: int) -> str:
    """A report of so many findings, as a model streams it."""
    entries = [entry(number) for number in range(findings)]
    return json.dumps({"findings": entries, "keeps": ["clear cover"]}, ensure_ascii=False)


def as_call(text: str) -> str:
    """The same report as a call written as text."""
    findings = text[text.index("[") : text.rindex(', "keeps"')]
    return f"<function={TOOL_NAME}>\n<parameter=findings>\n{findings}\n</parameter>\n</function>"


def native(text: str) -> RawAnswer:
    """The report as a native call, as a provider hands it over."""
    return RawAnswer(calls=(RawToolCall(TOOL_NAME, text),), stop_reason="tool_use")


def read_native(text: str) -> AnswerRead:
    """The report read as a native call's input."""
    return read_answer(native(text))


def read_cut(text: str) -> AnswerRead:
    """The report read as a native call's input that was cut near its end."""
    return read_native(text[:-40])


def read_text(text: str) -> AnswerRead:
    """The report read as a call written as text."""
    return read_answer(RawAnswer(text=as_call(text), stop_reason="end_turn"))


def stream(text: str) -> int:
    """The report read as it arrives, in small fragments; how many findings it gave."""
    findings = StreamedFindings()
    return sum(len(findings.feed(text[at : at + PIECE])) for at in range(0, len(text), PIECE))


def best(*measured: Callable[[], object], turns: int = 30) -> list[float]:
    """The shortest of several runs of each, in turns, in seconds of the processor."""
    shortest = [float("inf")] * len(measured)
    for _ in range(turns):
        for place, run in enumerate(measured):
            started = time.process_time()
            run()
            shortest[place] = min(shortest[place], time.process_time() - started)
    return shortest


def speeds() -> list[float]:
    """The reader's speed against its measure, for each length, printed."""
    ratios = []
    for findings in FINDINGS:
        text = report(findings)
        answer = native(text)
        assert len(read_answer(answer).findings) == findings
        theirs, ours = best(
            lambda text=text: Report.model_validate(json.loads(text)),
            lambda answer=answer: read_answer(answer),
            turns=12_000 // findings,
        )
        ratios.append(theirs / ours)
        print(
            f"{findings} findings, {len(text) / 1000:.0f} kB: read in {ours * 1e6:.0f} µs; "
            f"speed / json.loads and Pydantic: {ratios[-1]:.2f} (at least {SPEED_AT_LEAST})"
        )
    return ratios


def growths() -> list[float]:
    """Time a character in a long answer against a short one, for each way, printed."""
    ratios = []
    short, long = report(SHORT), report(LONG)
    for name, read in (
        ("native", read_native),
        ("native, cut", read_cut),
        ("call in text", read_text),
        ("streamed", stream),
    ):
        once, often = best(lambda: read(short), lambda: read(long), turns=8)  # noqa: B023
        ratios.append((often / len(long)) / (once / len(short)))
        print(
            f"{name}: {len(long) / 1e6:.1f} MB in {often * 1000:.0f} ms; time a character against "
            f"{len(short) / 1000:.0f} kB: {ratios[-1]:.2f} (at most {GROWTH_AT_MOST})"
        )
    return ratios


def main() -> int:
    """Print every figure; 1 where one misses what it has to reach."""
    return int(min(speeds()) < SPEED_AT_LEAST or max(growths()) > GROWTH_AT_MOST)


if __name__ == "__main__":
    raise SystemExit(main())
