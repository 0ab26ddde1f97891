"""What people do beyond fixed and dismissed: who may, and what a merge keeps and gives back."""

from collections.abc import Callable

import pytest

from reviewer.models import Apart, Decision, Finding, Membership, Version
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.findings import dismiss
from reviewer.services.merging import settle_review
from reviewer.services.triage import (
    change_severity,
    close_as_fixed,
    may_lower,
    may_merge,
    may_raise,
    may_sign,
    merge,
    raise_own,
    take_apart,
    uphold,
)
from tests.factories import (
    Cast,
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)

pytestmark = pytest.mark.django_db


def _seen(finding: Finding) -> Finding:
    return Finding.objects.select_related("proposal", "merged_into__proposal").get(pk=finding.pk)


def _version(cast: Cast, *, owner: str = "wen", editor: str = "wen") -> Version:
    proposal = make_proposal(cast.workspace, owner=getattr(cast, owner))
    return make_version(proposal, uploaded_by=getattr(cast, editor).user)


def _uphold(by: Membership, finding: Finding, version: Version) -> Finding:
    return uphold(by=by, finding=finding, version=version)


def _close(by: Membership, finding: Finding, version: Version) -> Finding:
    Finding.objects.filter(pk=finding.pk).update(evidence="changed")
    return close_as_fixed(by=by, finding=_seen(finding), version=version, reason="It is gone.")


def _lower(by: Membership, finding: Finding, version: Version) -> Finding:
    said = {"version": version, "severity": "consider", "reason": "It is small."}
    return change_severity(by=by, finding=finding, **said)


def _raise_severity(by: Membership, finding: Finding, version: Version) -> Finding:
    said = {"version": version, "severity": "block", "reason": "It is grave."}
    return change_severity(by=by, finding=finding, **said)


def _merge(by: Membership, finding: Finding, version: Version) -> Finding:
    other = make_finding(version, severity=finding.severity, quote="two sites")
    return merge(by=by, finding=finding, into=_seen(other), version=version)


def _split(by: Membership, finding: Finding, version: Version) -> Finding:
    other = make_finding(version, severity=finding.severity, quote="two sites")
    Finding.objects.filter(pk=finding.pk).update(merged_into=other)
    return take_apart(by=by, finding=_seen(finding), version=version)


def _own(by: Membership, finding: Finding, version: Version) -> Finding:
    return raise_own(
        by=by,
        proposal=version.proposal,
        version=version,
        sheet=1,
        first_word=0,
        last_word=2,
        severity="fix",
        rule="structure",
        text="This comes too early.",
    )


Acts = Callable[[Membership, Finding, Version], Finding]
ACTS: dict[str, Acts] = {
    "uphold": _uphold,
    "close": _close,
    "lower": _lower,
    "raise": _raise_severity,
    "merge": _merge,
    "split": _split,
    "own": _own,
}
YES, NO = True, False
TABLE = [
    # act, severity, who edited last, whose proposal: what Wen, Rae and Max may
    ("uphold", "block", "wen", "wen", (NO, YES, YES)),
    ("uphold", "block", "rae", "wen", (NO, NO, YES)),
    ("uphold", "block", "max", "wen", (NO, YES, NO)),
    ("uphold", "fix", "rae", "wen", (NO, YES, YES)),
    ("close", "block", "wen", "wen", (NO, YES, YES)),
    ("close", "block", "rae", "wen", (NO, NO, YES)),
    ("close", "fix", "max", "wen", (NO, YES, YES)),
    ("lower", "block", "wen", "wen", (NO, YES, YES)),
    ("lower", "block", "rae", "wen", (NO, NO, YES)),
    ("lower", "block", "max", "wen", (NO, YES, NO)),
    ("lower", "fix", "rae", "wen", (NO, YES, YES)),
    ("raise", "consider", "wen", "max", (YES, YES, YES)),
    ("raise", "fix", "rae", "wen", (YES, YES, YES)),
    ("merge", "consider", "wen", "wen", (YES, YES, YES)),
    ("merge", "consider", "wen", "max", (NO, YES, YES)),
    ("merge", "fix", "wen", "wen", (NO, YES, YES)),
    ("merge", "block", "rae", "wen", (NO, YES, YES)),
    ("split", "consider", "wen", "wen", (YES, YES, YES)),
    ("split", "fix", "wen", "wen", (NO, YES, YES)),
    ("split", "block", "max", "wen", (NO, YES, YES)),
    ("own", "fix", "rae", "max", (YES, YES, YES)),
]


@pytest.mark.parametrize("who", ["wen", "rae", "max", "ola"])
@pytest.mark.parametrize(("act", "severity", "editor", "owner", "allowed"), TABLE)
def test_who_may_do_what(cast, who, act, severity, editor, owner, allowed):
    version = _version(cast, owner=owner, editor=editor)
    finding, by = _seen(make_finding(version, severity=severity)), getattr(cast, who)
    may = dict(zip(("wen", "rae", "max"), allowed, strict=True)).get(who, NO)
    asked = {
        "uphold": may_sign,
        "close": may_sign,
        "lower": may_lower,
        "merge": may_merge,
        "split": may_merge,
    }.get(act)
    if asked is not None:
        assert asked(by, finding) is may
    else:
        assert may_raise(by, version.proposal) is may
    if may:
        assert ACTS[act](by, finding, version)
        decision = Decision.objects.get()
        assert decision.actor == by.user
        return
    with pytest.raises(NotAllowed):
        ACTS[act](by, finding, version)
    assert not Decision.objects.exists()


# Merging and taking apart -----------------------------------------------------------------------


@pytest.fixture
def version(cast) -> Version:
    return _version(cast)


def _one_into(cast, version, one: Finding, other: Finding) -> Finding:
    return merge(by=cast.rae, finding=_seen(one), into=_seen(other), version=version)


def test_a_merge_never_lowers_a_severity_and_taking_apart_gives_it_back(cast, version):
    block = make_finding(version, severity="block")
    fix = make_finding(version, quote="two sites")
    kept = _one_into(cast, version, block, fix)
    assert (kept.severity, _seen(block).merged_into) == ("block", fix)
    take_apart(by=cast.rae, finding=_seen(block), version=version)
    assert (_seen(fix).severity, _seen(block).severity) == ("fix", "block")
    assert Apart.objects.count() == 1
    acts = Decision.objects.filter(finding=block).values_list("act", flat=True)
    assert list(acts) == ["merge", "split"]


def test_taking_apart_leaves_a_severity_that_a_person_set_since(cast, version):
    block = make_finding(version, severity="block")
    fix = make_finding(version, quote="two sites")
    kept = _one_into(cast, version, block, fix)
    why = {"version": version, "reason": "It is small."}
    change_severity(by=cast.rae, finding=_seen(kept), severity="consider", **why)
    change_severity(by=cast.rae, finding=_seen(kept), severity="block", **why)
    take_apart(by=cast.rae, finding=_seen(block), version=version)
    assert _seen(fix).severity == "block"


def test_a_signature_goes_with_the_merge_and_comes_back_with_the_split(cast, version):
    own = _seen(_own(cast.wen, make_finding(version), version))
    unseen = make_finding(version, quote="two sites", votes=1)
    kept = _one_into(cast, version, own, unseen)
    assert kept.is_upheld
    take_apart(by=cast.rae, finding=_seen(own), version=version)
    assert not _seen(unseen).is_upheld


def test_votes_of_a_merged_finding_are_those_of_both(cast, version):
    first, second = make_finding(version), make_finding(version, quote="two sites")
    review = make_review(version)
    for number, of in ((1, first), (2, second)):
        make_sighting(make_reading(review, sheet=1, pass_number=number), of)
    make_reading(review, sheet=1, pass_number=3)
    kept = _one_into(cast, version, second, first)
    assert (kept.votes, kept.passes) == (2, 3)
    take_apart(by=cast.rae, finding=_seen(second), version=version)
    assert [(_seen(one).votes, _seen(one).passes) for one in (first, second)] == [(1, 3), (1, 3)]


def test_settling_again_keeps_the_graver_severity_of_what_was_merged(cast, version):
    block, fix = make_finding(version, severity="block"), make_finding(version, quote="two sites")
    review = make_review(version)
    for number, of in ((1, block), (2, fix)):
        make_sighting(make_reading(review, sheet=1, pass_number=number), of)
    _one_into(cast, version, block, fix)
    settle_review(review)
    assert _seen(fix).severity == "block"
    assert Finding.objects.shown().count() == 1


def test_what_a_check_raised_is_not_hidden_in_another(cast, version):
    of_check = make_finding(version, raised="check", check_code="promised_result")
    with pytest.raises(Refused, match="built-in check"):
        _one_into(cast, version, of_check, make_finding(version, quote="two sites"))


def test_what_is_open_is_not_hidden_in_what_is_fixed(cast, version):
    fixed = make_finding(
        version, quote="two sites", evidence="changed", recheck="does_not_hold", verdict="holds"
    )
    with pytest.raises(Refused, match="is fixed"):
        _one_into(cast, version, make_finding(version), fixed)


def test_a_block_is_not_dismissed_by_merging_it_into_what_was_dismissed(cast):
    version = _version(cast, editor="rae")
    block = make_finding(version, severity="block")
    small = make_finding(version, quote="two sites", severity="consider")
    dismiss(by=cast.rae, finding=_seen(small), version=version, reason="A matter of taste.")
    with pytest.raises(NotAllowed, match="decide it too"):
        _one_into(cast, version, block, small)
    kept = merge(by=cast.max, finding=_seen(block), into=_seen(small), version=version)
    assert (kept.status, kept.severity) == ("open", "block")


def test_what_is_merged_is_taken_apart_first(cast, version):
    one, two, three = (make_finding(version, quote=q) for q in ("two sites", "12 weeks", "pilot"))
    _one_into(cast, version, one, two)
    with pytest.raises(Refused, match="merged already"):
        _one_into(cast, version, three, one)
    assert _one_into(cast, version, two, three).number == three.number
    with pytest.raises(Refused, match="nothing to take apart"):
        take_apart(by=cast.rae, finding=_seen(three), version=version)


def test_what_stands_unchanged_is_not_signed_as_fixed(cast, version):
    with pytest.raises(Refused, match="stand unchanged"):
        close_as_fixed(
            by=cast.rae, finding=_seen(make_finding(version)), version=version, reason="Gone."
        )


def test_a_finding_of_ones_own_needs_words_a_rule_and_something_to_say(cast, version):
    said = {
        "by": cast.wen,
        "proposal": version.proposal,
        "version": version,
        "sheet": 1,
        "first_word": 0,
        "last_word": 2,
        "severity": "fix",
        "rule": "structure",
        "text": "Too early.",
    }
    for wrong in ({"last_word": 999}, {"sheet": 99}, {"text": " "}, {"rule": "no_such_rule"}):
        with pytest.raises(Refused):
            raise_own(**{**said, **wrong})
    assert not Finding.objects.exists()
