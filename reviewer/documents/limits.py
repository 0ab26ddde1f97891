"""What one file may cost. Every limit is enforced outside the code that parses the file."""

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds for reading one file.

    `seconds` is wall-clock and processor time alike; `memory_bytes` is address space for
    a parser that runs in Python, and resident memory for LibreOffice, which reserves more
    address space than it uses; `output_bytes` bounds what is written for all sheets.
    `libreoffice` False reads as on a machine without it.
    """

    max_bytes: int = 25 * MIB
    max_sheets: int = 200
    seconds: int = 120
    memory_bytes: int = 1024 * MIB
    output_bytes: int = 512 * MIB
    libreoffice: bool = True


def in_words(size: int) -> str:
    """A number of bytes as people say it: '25 MB', '640 KB'."""
    if size >= MIB:
        return f"{size / MIB:.1f}".rstrip("0").rstrip(".") + " MB"
    return f"{max(1, round(size / 1024))} KB"
