"""A number that somebody typed, or that an address or a form names.

What is longer than any number the house counts to is none: a database refuses it, and Python
reads no text of thousands of figures as one.
"""

FIGURES = 9
"""A number of so many figures still fits the smallest column that holds one."""


def typed_number(text: str, *, figures: int = FIGURES) -> int | None:
    """The number that `text` is, of at most so many figures; None for anything else."""
    named = text.strip()
    is_one = named.isascii() and named.isdigit() and len(named) <= figures
    return int(named) if is_one else None
