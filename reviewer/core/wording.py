"""How a number of things is said: `1 sheet`, `1,200 sheets`, `2 fixes`."""


def counted(number: int, one: str, many: str = "") -> str:
    """`number` with the word for it; without `many`, the plural is `one` with an s."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
