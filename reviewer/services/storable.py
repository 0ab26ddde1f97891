"""Text as every database can hold it.

PostgreSQL refuses NUL, and no database takes half a surrogate pair. Models write the one,
names of files hold the other; each is replaced by the replacement character, so that one
character never costs the rest.
"""

from typing import Any

REPLACED = "\N{REPLACEMENT CHARACTER}"
LONGEST_TYPED = 2000


def storable(text: str) -> str:
    """`text` without what a database refuses."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", REPLACED)


def typed_text(text: str, longest: int = LONGEST_TYPED) -> str:
    """What a person typed into a field: storable, without the space around it, within its bound."""
    return storable(text).strip()[:longest]


def storable_json(value: Any) -> Any:
    """`value`, made of lists, dictionaries and scalars, with all its text storable."""
    match value:
        case str():
            return storable(value)
        case dict():
            return {storable(str(name)): storable_json(part) for name, part in value.items()}
        case list() | tuple():
            return [storable_json(part) for part in value]
        case _:
            return value
