"""Prompt files and the strict substitution into them.

A file may hold `{{ name }}`. Rendering takes exactly the names the file has: one missing
or one too many raises `PromptError`, so that a renamed variable cannot quietly leave a
prompt without its sheet. Values are put in once and never searched for names again.
"""

import hashlib
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_VARIABLE = re.compile(r"\{\{ ([a-z][a-z_]*) \}\}")
_HASH_PREFIX = "sha256:"


class PromptError(ValueError):
    """A prompt file is absent or malformed, or its variables do not match those given."""


@cache
def template(name: str) -> str:
    """The text of the prompt file `name` (without its ending).

    Raises `PromptError` where there is none, or where braces in it are no variable.
    """
    if not re.fullmatch(r"[a-z][a-z_]*", name):
        raise PromptError(f"{name!r} is not the name of a prompt.")
    resource = files(__package__).joinpath(f"{name}.txt")
    if not resource.is_file():
        raise PromptError(f"There is no prompt {name!r}.")
    text = resource.read_text(encoding="utf-8").strip()
    rest = _VARIABLE.sub("", text)
    if "{{" in rest or "}}" in rest:
        raise PromptError(f"Prompt {name!r} has braces that are no variable.")
    return text


def variables(name: str) -> frozenset[str]:
    """The names that the prompt file `name` takes."""
    return frozenset(_VARIABLE.findall(template(name)))


def render(name: str, **values: str) -> str:
    """The prompt file `name` with `values` put in; exactly the names it has, else `PromptError`."""
    wanted = variables(name)
    missing, extra = sorted(wanted - values.keys()), sorted(values.keys() - wanted)
    if missing or extra:
        raise PromptError(
            f"Prompt {name!r}: "
            + "; ".join(
                f"{word} {', '.join(names)}"
                for word, names in (("missing", missing), ("not taken", extra))
                if names
            )
        )
    return _VARIABLE.sub(lambda match: values[match[1]], template(name))


def content_hash(content: Any) -> str:
    """A hash of JSON-ready content in canonical form, with its algorithm as prefix."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return _HASH_PREFIX + hashlib.sha256(canonical.encode()).hexdigest()


def prompt_hash(names: tuple[str, ...], tools: tuple[Mapping[str, Any], ...] = ()) -> str:
    """The hash of how a reading is asked: its prompt files as written, and its tools.

    It does not depend on the document, so that readings of different documents under one
    prompt can be counted together, and it changes whenever a word of a file does.
    """
    return content_hash(
        {"files": {name: template(name) for name in names}, "tools": [dict(t) for t in tools]}
    )
