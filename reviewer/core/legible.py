"""Text that people typed, as it may stand in what leaves: on paper, in a title, in a terminal.

Gone is what cannot be seen but is obeyed: control characters, marks that turn the direction
of writing, letters without a width. Kept are tabs and line ends, and the joiners that Persian
and the scripts of India are spelled with.
"""

import re

_OBEYED = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def legible(text: str) -> str:
    """`text` without what is obeyed and not seen."""
    return _OBEYED.sub("", text)
