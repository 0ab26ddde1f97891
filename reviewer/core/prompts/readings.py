"""The request of each kind of reading, as plain data.

All of them share tools, role, sources and document byte for byte, so that a provider's
cache serves the whole review; what differs stands after the last cache breakpoint.
"""

import functools
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from reviewer.core.prompts.blocks import (
    Candidate,
    KnownFinding,
    LearningLine,
    Prompt,
    PromptBlock,
    ReadingKind,
    SheetText,
    Source,
    attribute,
    fenced,
    harmless,
    learning_text,
    mark_of,
)
from reviewer.core.prompts.context import document_blocks
from reviewer.core.prompts.files import prompt_hash, render
from reviewer.core.rubric import RULES, Rule
from reviewer.core.schema import FINDINGS_ALLOWED, TOOL_NAME, tool_definition
from reviewer.core.verdicts import VERDICTS_TOOL_NAME, verdicts_tool_definition

_STARTS = (
    "Read the sheet from its first line to its last.",
    "Read the sheet from its last line to its first.",
    "Read the figures, dates and names of the sheet first, then its sentences, then its headings.",
    "Read the headings and the first sentence of every paragraph first, then the rest.",
    "Read the tables and lists of the sheet first, then its paragraphs.",
)


@dataclass(frozen=True, slots=True)
class Setting:
    """What all readings of one review share.

    `today` is the date in words or ISO form, `language` the English name of the workspace's
    language. Learnings are given in a stable order by the caller, and so are sources.
    """

    sheets: tuple[SheetText, ...]
    client: str = ""
    kind: str = "proposal"
    language: str = "English"
    today: str = "not known"
    rules: tuple[Rule, ...] = RULES
    learnings: tuple[LearningLine, ...] = ()
    sources: tuple[Source, ...] = ()


def pass_request(
    setting: Setting,
    *,
    sheet: int,
    number: int,
    rules: Sequence[str] = (),
    allowed: int = FINDINGS_ALLOWED,
) -> Prompt:
    """The request of pass `number` (from 1) over one sheet, blind to what others found.

    `rules` limits it to some codes, for a censored reading that is asked again by halves.
    """
    codes = tuple(rules) or tuple(rule.code for rule in setting.rules)
    task = render(
        "task_pass",
        sheet=str(sheet),
        order=", ".join(rule_order(codes, number)),
        start=_STARTS[(number - 1) % len(_STARTS)],
        allowed=str(allowed),
        today=attribute(setting.today),
        language=attribute(setting.language),
        tool=TOOL_NAME,
    )
    return _prompt(setting, ReadingKind.PASS, task, sheets=(sheet,))


def picture_request(
    setting: Setting,
    *,
    sheet: int,
    number: int,
    image: bytes,
    image_type: str = "image/png",
    allowed: int = FINDINGS_ALLOWED,
) -> Prompt:
    """The request of pass `number` over a sheet that has no text, from its picture."""
    codes = [rule.code for rule in setting.rules]
    task = render(
        "task_picture",
        sheet=str(sheet),
        order=", ".join(rule_order(codes, number)),
        allowed=str(allowed),
        today=attribute(setting.today),
        language=attribute(setting.language),
        tool=TOOL_NAME,
    )
    picture = PromptBlock(task, image=image, image_type=image_type)
    return _prompt(setting, ReadingKind.PICTURE, picture, sheets=(sheet,))


def document_request(
    setting: Setting, *, number: int = 1, allowed: int = FINDINGS_ALLOWED
) -> Prompt:
    """The request of the reading for what is missing and what contradicts across sheets."""
    task = render(
        "task_document",
        order=", ".join(rule_order([rule.code for rule in setting.rules], number)),
        allowed=str(allowed),
        today=attribute(setting.today),
        language=attribute(setting.language),
        tool=TOOL_NAME,
    )
    return _prompt(setting, ReadingKind.DOCUMENT, task)


def sweep_request(
    setting: Setting,
    *,
    known: Sequence[KnownFinding],
    sheet: int | None = None,
    number: int = 1,
    allowed: int = FINDINGS_ALLOWED,
) -> Prompt:
    """The request of a sweep: what is left on `sheet`, or anywhere, beside what is known."""
    mark = mark_of(*(f"{item.quote}{item.finding}" for item in known))
    told = "\n".join(
        f"- sheet {item.sheet}, {attribute(item.rule)}: {_one_line(item.finding)}"
        + (f" Quote: {_one_line(item.quote)}" if item.quote else "")
        for item in known
    )
    task = render(
        "task_sweep",
        where=f"sheet {sheet}" if sheet is not None else "the whole document",
        known=fenced("known", told or "nothing", mark),
        order=", ".join(rule_order([rule.code for rule in setting.rules], number)),
        allowed=str(allowed),
        today=attribute(setting.today),
        language=attribute(setting.language),
        tool=TOOL_NAME,
    )
    return _prompt(setting, ReadingKind.SWEEP, task, sheets=() if sheet is None else (sheet,))


def check_request(setting: Setting, *, sheet: int, candidates: Sequence[Candidate]) -> Prompt:
    """The request of a fresh check that tries to refute the candidates of one sheet."""
    return _verdicts_prompt(setting, ReadingKind.CHECK, "task_check", candidates, (sheet,))


def targeted_check_request(setting: Setting, *, candidates: Sequence[Candidate]) -> Prompt:
    """The request of a check whether earlier findings are gone from the text as it stands."""
    touched = sorted(
        {candidate.sheet for candidate in candidates}
        | {sheet for candidate in candidates for sheet, _ in candidate.places}
    )
    there = {sheet.number for sheet in setting.sheets}
    return _verdicts_prompt(
        setting,
        ReadingKind.TARGETED_CHECK,
        "task_targeted_check",
        candidates,
        tuple(number for number in touched if number in there),
    )


def probe_request(*, today: str = "not known", language: str = "English") -> Prompt:
    """A small real reading of a made page, to see how a model answers and what it costs."""
    page = SheetText(1, "Investment", render("probe_sheet"))
    setting = Setting(sheets=(page,), client="Northwind Logistics", today=today, language=language)
    task = render(
        "task_probe",
        sheet="1",
        allowed=str(FINDINGS_ALLOWED),
        today=attribute(today),
        language=attribute(language),
        tool=TOOL_NAME,
    )
    return _prompt(setting, ReadingKind.PROBE, task, sheets=(1,))


def rule_order(codes: Sequence[str], number: int) -> list[str]:
    """The order in which pass `number` looks for `codes`: a fixed shuffle, another each pass.

    The first pass keeps the order of the rubric.
    """
    if number <= 1:
        return list(codes)

    def place(code: str) -> str:
        return hashlib.sha256(f"{number}:{code}".encode()).hexdigest()

    return sorted(codes, key=place)


def halves(codes: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A set of rules in two halves, for a reading that was full; empty where one is left."""
    middle = (len(codes) + 1) // 2
    return tuple(codes[:middle]), tuple(codes[middle:])


def tools_for(rules: Iterable[Rule]) -> tuple[dict[str, Any], ...]:
    """Both tools, in the order in which every request lists them, with the codes of `rules`.

    They are shared between requests: nobody changes them.
    """
    return _tools_for(tuple(rule.code for rule in rules))


@functools.lru_cache(maxsize=64)
def _tools_for(codes: tuple[str, ...]) -> tuple[dict[str, Any], ...]:
    tool = tool_definition()
    finding = tool["input_schema"]["properties"]["findings"]["items"]
    finding["properties"]["rule"]["enum"] = list(codes)
    return (tool, verdicts_tool_definition())


def _verdicts_prompt(
    setting: Setting,
    kind: ReadingKind,
    file: str,
    candidates: Sequence[Candidate],
    sheets: tuple[int, ...],
) -> Prompt:
    values = {
        "candidates": _listed(candidates),
        "language": attribute(setting.language),
        "tool": VERDICTS_TOOL_NAME,
        "today": attribute(setting.today),
    }
    if kind is ReadingKind.CHECK:
        values["where"] = f"sheet {sheets[0]}" if sheets[0] else "the whole document"
    return _prompt(setting, kind, render(file, **values), sheets=sheets, tool=VERDICTS_TOOL_NAME)


def _prompt(
    setting: Setting,
    kind: ReadingKind,
    task: str | PromptBlock,
    *,
    sheets: tuple[int, ...] = (),
    tool: str = TOOL_NAME,
) -> Prompt:
    tools = tools_for(setting.rules)
    document = document_blocks(
        setting.sheets,
        client=attribute(setting.client),
        kind=attribute(setting.kind),
        focus=[number for number in sheets if number],
    )
    return Prompt(
        kind=kind,
        system=_system(setting),
        user=(
            *_sources(setting),
            *document,
            PromptBlock(task) if isinstance(task, str) else task,
        ),
        tools=tools,
        tool=tool,
        recipe=recipe_of(kind),
        sheets=sheets,
    )


def recipe_of(kind: ReadingKind) -> str:
    """The hash of how a reading of this kind is asked, whatever the document and whatever
    rules the house adds to the ten: those are the rubric's, which has a hash of its own."""
    return prompt_hash(_files_of(kind), tools_for(RULES))


def _files_of(kind: ReadingKind) -> tuple[str, ...]:
    return ("role", "learnings", "sources", "document", "excerpt", f"task_{kind.value}")


def _system(setting: Setting) -> tuple[PromptBlock, ...]:
    rules = "\n".join(f"- {rule.code} ({rule.title}): {rule.text}" for rule in setting.rules)
    blocks = [PromptBlock(render("role", rules=harmless(rules)))]
    if setting.learnings:
        mark = mark_of(*(learning.text for learning in setting.learnings))
        lines = "\n".join(map(learning_text, setting.learnings))
        blocks.append(PromptBlock(render("learnings", learnings=fenced("learning", lines, mark))))
    return tuple(blocks)


def _sources(setting: Setting) -> tuple[PromptBlock, ...]:
    if not setting.sources:
        return ()
    mark = mark_of(*(source.text for source in setting.sources))
    listed = "\n".join(
        fenced("source", source.text, mark, title=source.title) for source in setting.sources
    )
    return (PromptBlock(render("sources", sources=listed), cache=True),)


def _listed(candidates: Sequence[Candidate]) -> str:
    mark = mark_of(*(f"{candidate.quote}{candidate.finding}" for candidate in candidates))
    return "\n".join(
        fenced("finding", _described(candidate), mark, number=str(candidate.number))
        for candidate in candidates
    )


def _described(candidate: Candidate) -> str:
    where = f"sheet {candidate.sheet}" if candidate.sheet else "the whole document"
    lines = [
        f"{where}, {attribute(candidate.severity)}, {attribute(candidate.rule)}",
        f"Quote: {_one_line(candidate.quote) or 'none; something is missing'}",
    ]
    lines += [f"Also on sheet {sheet}: {_one_line(quote)}" for sheet, quote in candidate.places]
    if candidate.before:
        lines.append(f"Its paragraph before the change: {_one_line(candidate.before)}")
    lines.append(f"Finding: {_one_line(candidate.finding)}")
    if candidate.fix:
        lines.append(f"Edit that was asked for: {_one_line(candidate.fix)}")
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
