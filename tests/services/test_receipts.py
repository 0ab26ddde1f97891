"""The receipt in its one form, compared with files that people have read."""

import pytest

from reviewer.services.gates import gate_of
from reviewer.services.receipts import receipt_of
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_version,
    make_waiver,
)
from tests.golden import RECEIPTS, as_it_was

pytestmark = pytest.mark.django_db


def nothing_read(cast, version) -> None:
    """Neither a model nor a check said anything."""


def blocks_first(cast, version) -> None:
    make_finding(version, raised="check", text="No source for 30%.", edit="Name the source.")
    make_finding(version, sheet=2, severity="block", raised="check", rule="commercial_clarity",
                 text="The total is\n$82,500, the rows add up to $81,500.", edit="")  # fmt: skip
    make_finding(version, sheet=0, severity="consider", quote="", rule="structure",
                 text="No next step at the end.", edit="Close with one.")  # fmt: skip


def read_in_part(cast, version) -> None:
    version.sheets.filter(number=3).update(unread="no_text")
    review = make_review(version, keeps=["The price is given as one number."])
    for number in (1, 2, 3):
        make_reading(review, sheet=1, pass_number=number, model="claude-opus-5-5")
    make_finding(version, severity="block", votes=3, text="Promises a result.", edit="Say how.")


def signed_and_open(cast, version) -> None:
    make_waiver(version, cast.max)
    make_finding(version, status="dismissed", raised="check")


CASES = [nothing_read, blocks_first, read_in_part, signed_and_open]


@pytest.mark.parametrize("case", CASES, ids=[case.__name__ for case in CASES])
def test_a_receipt_is_as_it_was(cast, case) -> None:
    version = make_version(make_proposal(cast.workspace, title="Control tower"))
    case(cast, version)
    text = receipt_of(version, gate_of(version))
    assert as_it_was(text, RECEIPTS / f"{case.__name__}.txt")


def test_every_golden_file_has_its_case() -> None:
    assert {path.stem for path in RECEIPTS.glob("*.txt")} == {case.__name__ for case in CASES}
