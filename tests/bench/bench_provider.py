"""What the prompt cache saves, as the server bills it, and how early a first piece arrives.

Run it by itself, or with `make bench`. It starts a server of its own, sends nothing beyond
this machine, prints ratios, and fails where one misses what it has to reach.
"""

import re
import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from reviewer.core.prompts import (  # noqa: E402
    Candidate,
    KnownFinding,
    Prompt,
    Setting,
    SheetText,
    check_request,
    document_request,
    pass_request,
    sweep_request,
)
from reviewer.providers.base import Request  # noqa: E402
from reviewer.providers.messages import MessagesProvider  # noqa: E402
from tests.fakes.messages_server import MessagesServer, Seen  # noqa: E402
from tests.fakes.replies import Reply, finding, finds, judges  # noqa: E402

SHEETS, PASSES, AT_ONCE = 12, 3, 8
INPUT_SHARE_AT_MOST = 0.2
FIRST_PIECE_AT_MOST = 0.25
MODELS = ("claude-opus-5-5", "claude-opus-4-8", "qwen2.5-coder-1.5b-instruct")


def made_document() -> str:
    """A document of twelve sheets, about as long as a real proposal."""
    sentence = "On {0} of its {1} routes the client books {2} loads a week, and re-keys each. "
    return "\n".join(
        f"## Part {sheet}\n\n"
        + "\n\n".join(
            "".join(sentence.format(sheet, line + 3, line * 31 + sheet) for _ in range(2))
            for line in range(10)
        )
        for sheet in range(1, SHEETS + 1)
    )


def the_document() -> tuple[str, str]:
    """A real draft where the shared cases are, and where it came from."""
    from tests.shared_cases import CASES

    if CASES is not None:
        path = CASES / "documents" / "proposals" / "harbor-claims-12-sheets.md"
        if path.is_file():
            return path.read_text(encoding="utf-8"), path.name
    return made_document(), "a made document (the shared cases are absent)"


def sheets_of(text: str) -> tuple[SheetText, ...]:
    """The sheets of a Markdown document: one from each heading of level 2."""
    parts = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.strip()]
    return tuple(
        SheetText(number, *(part.split("\n", 1))) for number, part in enumerate(parts, start=1)
    )


def answered(seen: Seen) -> Reply:
    """Ten findings, or a verdict on each of ten."""
    if "report_verdicts" in seen.task:
        return judges({"number": n, "why": "It holds.", "verdict": "holds"} for n in range(1, 11))
    return finds([finding(sheet=seen.sheet or 0) for _ in range(10)])


def ask_all(url: str, model: str, prompts: Iterable[Prompt]) -> None:
    """Ask for all readings: the first alone, then the rest at once."""
    provider = MessagesProvider(api_key="bench", base_url=url)
    first, *rest = [Request.of(prompt, model=model) for prompt in prompts]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for answer in [provider.ask(first), *pool.map(provider.ask, rest)]:
            assert answer.fault is None, answer.fault
    provider.close()


def passes_of(setting: Setting) -> list[Prompt]:
    """Three passes over all sheets."""
    return [
        pass_request(setting, sheet=sheet.number, number=number)
        for number in range(1, PASSES + 1)
        for sheet in setting.sheets
    ]


def the_rest_of(setting: Setting) -> list[Prompt]:
    """A check of each sheet, the reading of the document, and two sweeps."""
    listed = [
        Candidate(number, 1, "fix", "grounding", "a quote of some words", "It has no source.")
        for number in range(1, 11)
    ]
    known = [KnownFinding(1, "grounding", "a quote of some words", "No source.")] * 60
    return [
        *(check_request(setting, sheet=s.number, candidates=listed) for s in setting.sheets),
        document_request(setting),
        *(sweep_request(setting, known=known, number=number) for number in (1, 2)),
    ]


def billed_share(model: str, prompts: list[Prompt]) -> float:
    """Input as billed with the cache, as a share of the same calls without it."""
    with MessagesServer(answered) as server:
        ask_all(server.url, model, prompts)
        return server.billed / server.unbilled


def first_piece_share() -> float:
    """When the first piece of a slow answer arrives, as a share of the answer's time."""
    with MessagesServer(finds([finding()] * 15, characters_per_second=3000)) as server:
        prompt = pass_request(Setting(sheets=sheets_of(made_document())), sheet=1, number=1)
        provider = MessagesProvider(api_key="bench", base_url=server.url)
        provider.ask(Request.of(prompt, model=MODELS[0]))
        answer = provider.ask(Request.of(prompt, model=MODELS[0]))
        provider.close()
    assert answer.first_content_seconds is not None
    return answer.first_content_seconds / answer.seconds


def main() -> int:
    """Print every figure; 1 where one misses what it has to reach."""
    text, name = the_document()
    setting = Setting(sheets=sheets_of(text), client="Harbor Mutual", today="2025-11-14")
    print(f"{name}: {len(setting.sheets)} sheets, {len(text):,} characters")
    missed = len(setting.sheets) != SHEETS
    for model in MODELS:
        passes = billed_share(model, passes_of(setting))
        review = billed_share(model, [*passes_of(setting), *the_rest_of(setting)])
        missed = missed or passes > INPUT_SHARE_AT_MOST
        print(
            f"input billed with the cache / without, {model}: {passes:.3f} for 3 passes "
            f"(at most {INPUT_SHARE_AT_MOST}), {review:.3f} for a whole review"
        )
    first = first_piece_share()
    missed = missed or first > FIRST_PIECE_AT_MOST
    print(f"first piece of an answer / its time: {first:.3f} (at most {FIRST_PIECE_AT_MOST})")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
