"""What the desk of 20 sheets and 200 findings costs, against its template alone.

    python tests/bench/bench_desk.py [--times 20]

Prints the number of queries, with few findings and with many, and the processor time of a
whole request as a multiple of rendering the same template from the same context in memory:
the least of so many tries each, taken by turns. Ends with 1 where the queries grow or are
more than 15, or where the request takes more than 4 times the template.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

SHEETS, FINDINGS = 20, 200
QUERIES_AT_MOST, TIMES_AT_MOST = 15, 4.0
PAGE = "desk/desk.html"
SENTENCE = "Site {0} has {1} gates, and the pilot there will cut detention costs by {1} percent."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=20)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="reviewer-bench-") as folder:
        os.environ.update(
            REVIEWER_VAR=folder, DJANGO_SETTINGS_MODULE="reviewer.settings", ALLOWED_HOSTS="*"
        )
        (Path(folder) / "static").mkdir()
        import django

        django.setup()
        return _measure(asked.times)


def _measure(times: int) -> int:
    from django.conf import settings
    from django.core.management import call_command
    from django.test import Client
    from django.urls import reverse

    from tests.factories import make_cast

    settings.STORAGES["staticfiles"]["BACKEND"] = (
        "django.contrib.staticfiles.storage.StaticFilesStorage"
    )
    call_command("migrate", verbosity=0)
    cast = make_cast()
    client = Client()
    client.force_login(cast.rae.user, backend="django.contrib.auth.backends.ModelBackend")
    queries: list[int] = []
    for sheets, findings in ((2, 10), (SHEETS, FINDINGS)):
        version = _version(cast, sheets, findings)
        at = (cast.workspace.slug, version.proposal_id, version.number)
        url = reverse("desk-version", args=at)
        queries.append(_queries(client, url))
    template, context = _in_memory(client, url)
    asked, alone = _least(times, lambda: client.get(url), lambda: template.render(context))
    return _say(queries, asked, alone)


def _version(cast: Any, sheets: int, findings: int) -> Any:
    """A version that was read, with so many findings, each at words of its own."""
    from tests.factories import (
        make_finding,
        make_proposal,
        make_reading,
        make_review,
        make_sighting,
        make_version,
    )

    a_sheet = findings // sheets
    texts = [
        " ".join(SENTENCE.format(sheet, 10 + line) for line in range(2 * a_sheet))
        for sheet in range(1, sheets + 1)
    ]
    version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=texts)
    review = make_review(version, passes=1)
    for sheet in range(1, sheets + 1):
        reading = make_reading(review, sheet=sheet)
        for line in range(a_sheet):
            severity = ("block", "fix", "fix", "consider")[line % 4]
            quote = f"cut detention costs by {10 + line} percent"
            raised = make_finding(version, sheet=sheet, severity=severity, quote=quote)
            make_sighting(reading, raised)
    return version


def _queries(client: Any, url: str) -> int:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    client.get(url)
    with CaptureQueriesContext(connection) as counted:
        assert client.get(url).status_code == 200
    return len(counted)


def _in_memory(client: Any, url: str) -> tuple[Any, dict[str, Any]]:
    """The page's template, and all that a request gave it."""
    from django.template.loader import get_template
    from django.test.utils import setup_test_environment, teardown_test_environment

    setup_test_environment()
    try:
        response = client.get(url)
        said = next(c for t, c in zip(response.templates, response.context, strict=False)
                    if t.name == PAGE)  # fmt: skip
    finally:
        teardown_test_environment()
    context = said.flatten()
    template = get_template(PAGE)
    alone, whole = len(template.render(context)), len(response.content.decode())
    assert abs(alone - whole) < whole / 100, "the template alone does not give the page"
    return template, context


def _least(times: int, *acts: Callable[[], object]) -> list[float]:
    """The least processor time of each, in seconds; they take turns."""
    least = [float("inf")] * len(acts)
    for _ in range(times):
        for number, act in enumerate(acts):
            began = time.process_time()
            act()
            least[number] = min(least[number], time.process_time() - began)
    return least


def _say(queries: list[int], asked: float, alone: float) -> int:
    few, many = queries
    ratio = asked / alone
    print(
        f"desk with {SHEETS} sheets and {FINDINGS} findings: {many} queries, {few} with few "
        f"(at most {QUERIES_AT_MOST}); request {asked * 1000:.0f} ms, template alone "
        f"{alone * 1000:.0f} ms: {ratio:.2f} times (at most {TIMES_AT_MOST:.0f})"
    )
    return int(few != many or many > QUERIES_AT_MOST or ratio > TIMES_AT_MOST)


if __name__ == "__main__":
    sys.exit(main())
