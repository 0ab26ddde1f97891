"""Which learnings stand behind what is said of a version: by number and version."""

from reviewer.models import Pinned, Review, Version
from reviewer.services.learnings_given import Pairs


def used_on(version: Version) -> Pairs:
    """What the live reviews of this and earlier versions used, and its built-in checks.

    Of a learning that was worded anew in between, every wording that was used. One query.
    """
    pinned = Pinned.objects.filter(
        review__version__proposal=version.proposal_id,
        review__version__number__lte=version.number,
        review__provenance=Review.Provenance.LIVE,
    ).exclude(learnings=[])
    used = {tuple(pair) for pairs in pinned.values_list("learnings", flat=True) for pair in pairs}
    used |= {tuple(pair) for pair in version.checked_with}
    return sorted(list(pair) for pair in used)


def numbers_of(pairs: Pairs) -> str:
    """`12, 15, 31`: for a line that has room for no more."""
    return ", ".join(map(str, sorted({number for number, _ in pairs})))


def named(pairs: Pairs) -> str:
    """`12 v2, 15 v1`: each wording that was used."""
    return ", ".join(f"{number} v{version}" for number, version in pairs)
