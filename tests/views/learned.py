"""Learnings for tests of pages, made by the people who would make them."""

from typing import Any

from reviewer.models import Finding, Learning, Version
from reviewer.services.learnings import approve, promote
from reviewer.services.learnings_alike import say_same
from tests.factories import Cast, make_finding, make_proposal, make_version

RULE = "Name every integration, or say that it comes later."
HELD = {"votes": 3, "passes": 3, "is_agreed": True, "verdict": "holds"}
"""What makes a finding of a model upheld."""


def proposed(cast: Cast, text: str = RULE, **said: Any) -> Learning:
    """What Rae proposed and nobody approved."""
    said = {"kind": Learning.Kind.LOOK_FOR, "rule": "unambiguous_scope", **said}
    return promote(actor=cast.rae, workspace=cast.workspace, text=text, **said)


def in_force(cast: Cast, text: str = RULE, **said: Any) -> Learning:
    """What Rae proposed and Max approved."""
    return approve(learning=proposed(cast, text, **said), actor=cast.max)


def a_version(cast: Cast, client: str = "Northwind Logistics", **fields: Any) -> Version:
    """A version of a new proposal for `client`."""
    return make_version(make_proposal(cast.workspace, owner=cast.wen, client=client, **fields))


def upheld(version: Version, **fields: Any) -> Finding:
    """A finding that every pass saw and a check upheld."""
    said = {"rule": "unambiguous_scope", "text": "“other tools as needed” has no end.", **HELD}
    return make_finding(version, **said | fields)


def met_twice(cast: Cast) -> tuple[Finding, Finding]:
    """The same fault on the proposals of two clients; nobody has said so yet."""
    return upheld(a_version(cast)), upheld(a_version(cast, client="Harbor Mutual"))


def said_same(cast: Cast) -> tuple[Finding, Finding]:
    """The same fault on two proposals, as Rae said."""
    one, other = met_twice(cast)
    say_same(finding=one, other=other, actor=cast.rae, same=True)
    return one, other
