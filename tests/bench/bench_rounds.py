"""What the round after one edit costs, against round one: input and output as billed.

A draft of twelve sheets is read by the services of the pages through the real client; a server
of our own bills it as the Messages API does. Then one paragraph of one sheet is changed and
read again. Run it by itself, or with `make bench`; it fails where the share is too high, or
where the round after that, without any change, makes a call.
"""

import os
import re
import sys
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from reviewer.models import Review
    from tests.rounds.house import Fault

DRAFT = ROOT / "reviewer" / "samples" / "harbor-claims-12-sheets.md"
SHEETS, FAULTS_A_SHEET = 12, 8
SHARE_AT_MOST = 0.3
MODEL = "claude-opus-5-5"
"""Its prices are in the table, so that rounds are compared in dollars."""
RULES = ("grounding", "unambiguous_scope", "structure")


def main() -> int:
    """Print both rounds and their share; 1 where it misses what it has to reach."""
    with tempfile.TemporaryDirectory(prefix="reviewer-bench-") as folder:
        os.environ.update(
            REVIEWER_VAR=folder,
            DJANGO_SETTINGS_MODULE="reviewer.settings",
            ANTHROPIC_API_KEY="",
            REVIEWER_MODEL=MODEL,
            LOG_LEVEL="ERROR",
        )
        import django

        django.setup()
        from django.core.management import call_command

        call_command("migrate", verbosity=0)
        return rounds()


def rounds() -> int:
    """Round one, the round after an edit, and the round after nothing."""
    from django.conf import settings

    from reviewer.services import conversion
    from reviewer.services.errors import Refused
    from tests.factories import make_cast
    from tests.fakes.messages_server import MessagesServer
    from tests.rounds.house import House, Reader, kinds
    from tests.services.documents import plain_document

    conversion.read_file = lambda path, workdir, **options: plain_document(
        path.read_text(), workdir
    )
    text = the_draft()
    reader = Reader(faults=faults_in(text))
    with MessagesServer(reader) as server:
        settings.MODEL_BASE_URL, settings.MODEL_NAME, settings.PASSES = server.url, MODEL, 3
        house = House(make_cast(), server, reader)
        house.calibrate(MODEL)
        first = house.upload(text)
        one = house.read(first)
        second = house.upload(edited(text), of=first.proposal)
        two = house.read(second)
        try:
            house.read(second)
        except Refused:
            idle = 0
        else:
            idle = house.calls
    costs = [cost(review) for review in (one, two)]
    for name, review, dollars in zip(("one", "two"), (one, two), costs, strict=True):
        made = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds(review).items()))
        print(f"round {name}: ${dollars:.3f}, {made}")
    share = costs[1] / costs[0]
    sheets = first.sheet_count
    print(
        f"{sheets} sheets, {first.proposal.findings.count()} findings: round two / round one "
        f"{share:.3f} (at most {SHARE_AT_MOST}); a round without a change: {idle} calls"
    )
    return int(share > SHARE_AT_MOST or sheets != SHEETS or idle != 0)


def the_draft() -> str:
    """A real draft, a sheet from each heading of level 2."""
    parts = re.split(r"^(?=## )", DRAFT.read_text(encoding="utf-8"), flags=re.MULTILINE)
    sheets = [part.replace("\n---\n", "\n").strip() for part in parts if part.startswith("## ")]
    return "\n---\n".join(sheets[:SHEETS])


def edited(text: str) -> str:
    """The draft with one paragraph of its fifth sheet changed."""
    sheets = text.split("\n---\n")
    blocks = sheets[4].split("\n\n")
    longest = max(range(len(blocks)), key=lambda index: len(blocks[index]))
    blocks[longest] += " It is agreed with the client's operations lead."
    sheets[4] = "\n\n".join(blocks)
    return "\n---\n".join(sheets)


def faults_in(text: str) -> "list[Fault]":
    """Some faults on every sheet: half seen by every pass, half by one, a block among them."""
    from tests.rounds.house import Fault

    faults = []
    for number, sheet in enumerate(text.split("\n---\n"), start=1):
        blocks = [" ".join(block.split()) for block in sheet.split("\n\n") if block.strip()]
        words = " ".join(blocks).split()
        step = max(6, len(words) // FAULTS_A_SHEET)
        for index in range(min(FAULTS_A_SHEET, len(words) // step)):
            quote = " ".join(words[index * step : index * step + 5])
            if not any(quote in block for block in blocks):
                continue
            faults.append(
                Fault(
                    quote,
                    severity="block" if index == 0 else ("fix", "consider")[index % 2],
                    rule=RULES[index % len(RULES)],
                    says=f"A careful buyer stops at “{quote}” on sheet {number}: it can be read "
                    "in two ways, and nothing else in the document says which of them is meant.",
                    passes=range(1, 100) if index % 2 else {1 + index % 3},
                )
            )
    return faults


def cost(review: "Review") -> Decimal:
    """Dollars of all readings of a review, from the tokens as they were billed."""
    costs = list(review.readings.values_list("cost", flat=True))
    assert None not in costs, "a reading has no price"
    return sum(costs, Decimal(0))


if __name__ == "__main__":
    raise SystemExit(main())
