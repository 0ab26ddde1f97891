"""What people, ends and exported files are called; a file after title, client and version, and
harmless everywhere."""

import unicodedata
from datetime import date
from typing import Any

from reviewer.models import Proposal, Version

LONGEST = 60
"""Letters of the title or the client in a name."""
_NOT_IN_NAMES = set("\\/:*?\"<>|%;&$`'~#{}[]^")


def name_of(user: Any) -> str:
    """The name a team uses: the first name, else the user name; nobody is "someone who left"."""
    if user is None:
        return "someone who left"
    return str(user.first_name or user.get_username())


def end_of(last_day: date | None, last_version: int | None) -> str:
    """`until 15 January 2027`, `until version 4`, or both; empty where it has no end."""
    named = [
        *([f"{last_day:%-d %B %Y}"] if last_day else []),
        *([f"version {last_version}"] if last_version else []),
    ]
    if not named:
        return ""
    return f"until {' or '.join(named)}" + (", whichever comes first" if named[1:] else "")


def file_name(proposal: Proposal, version: Version, *, record: int = 0) -> str:
    """`Title - Client - v3.pdf`; with `record`, the number of the export whose record it is."""
    parts = [harmless(proposal.title) or "Document", harmless(proposal.client)]
    name = " - ".join([*(part for part in parts if part), f"v{version.number}"])
    return f"{name} - record {record}.pdf" if record else f"{name}.pdf"


def harmless(text: str) -> str:
    """`text` for a file's name: letters, digits and plain marks, at most `LONGEST` of them.

    What no file system takes, what turns the direction of writing and what cannot be seen is
    gone; so are dots and blanks at either end.
    """
    plain = unicodedata.normalize("NFKC", text)
    kept = "".join(
        " " if c.isspace() else c
        for c in plain
        if c not in _NOT_IN_NAMES and (c.isspace() or not unicodedata.category(c).startswith("C"))
    )
    return " ".join(kept.split())[:LONGEST].strip(" .-_")
