"""A version that was never read is read on the way out, before a manager is asked about it."""

from reviewer.core.gate import Gate, ReasonKind
from reviewer.models import Membership, Version
from reviewer.services.errors import Refused
from reviewer.services.reviews import start_review


def read_first(*, by: Membership, version: Version, gate: Gate) -> bool:
    """Start the review of a version that has had none; whether one is under way now.

    Where it cannot be started (no model is connected, the proposal is kept to checks, no sheet
    has text) the question goes out all the same: the gate says what was not read, and a manager
    decides.
    """
    if is_being_read(version):
        return True
    lacks = any(reason.kind is ReasonKind.NOT_CLEARED for reason in gate.reasons)
    if not lacks or version.reviews.exists():
        return False
    try:
        start_review(by=by, version=version)
    except Refused:
        return False
    return True


def is_being_read(version: Version) -> bool:
    """Whether a review of `version` is under way."""
    return version.reviews.running().exists()
