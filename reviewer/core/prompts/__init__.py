"""What a model is told, built from files by strict substitution.

A prompt file is text with `{{ name }}` in it; a variable that is missing or left over
raises. The builders give plain data (blocks of text, the tools, the tool to be called)
and know nothing of any client.

Order of every prompt, so that a provider's prompt cache holds across readings: tools, then
role, rubric and learnings, then sources, the document, and last what this one reading is
to do and in which order to look, which is the only part in which passes differ.

A document is data. It is fenced with a mark that its own text cannot contain, whatever in
it looks like one of our tags or like a tool call is defused, and the role says that nothing
inside the fence is an instruction.
"""

from reviewer.core.prompts.blocks import (
    Candidate,
    KnownFinding,
    LearningLine,
    Prompt,
    PromptBlock,
    ReadingKind,
    SheetText,
    Source,
)
from reviewer.core.prompts.context import LONG_DOCUMENT_TOKENS, estimated_tokens
from reviewer.core.prompts.files import PromptError, prompt_hash, render
from reviewer.core.prompts.readings import (
    Setting,
    check_request,
    document_request,
    halves,
    pass_request,
    picture_request,
    probe_request,
    recipe_of,
    sweep_request,
    targeted_check_request,
)

__all__ = [
    "LONG_DOCUMENT_TOKENS",
    "Candidate",
    "KnownFinding",
    "LearningLine",
    "Prompt",
    "PromptBlock",
    "PromptError",
    "ReadingKind",
    "Setting",
    "SheetText",
    "Source",
    "check_request",
    "document_request",
    "estimated_tokens",
    "halves",
    "pass_request",
    "picture_request",
    "probe_request",
    "prompt_hash",
    "recipe_of",
    "render",
    "sweep_request",
    "targeted_check_request",
]
