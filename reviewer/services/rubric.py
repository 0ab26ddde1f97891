"""The rubric that a review reads by, and its hash."""

import hashlib

from reviewer.core.rubric import RULES


def rubric_hash() -> str:
    """A hash of the rules' codes and texts, prefixed by the algorithm."""
    text = "\n".join(f"{rule.code}\t{rule.text}" for rule in RULES)
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"
