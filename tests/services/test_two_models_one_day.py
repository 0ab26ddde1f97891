"""A day of two models, of which one writes its calls as text; over HTTP with the real SDK.

A reader that knows native calls alone would take each of that model's answers for one that
found nothing, and no page would say a word. Now what it found stands on the desk, and what
of it was lost is named with the model.
"""

import html
import json

import pytest
from django.core.cache import cache
from django.urls import reverse

from reviewer.core.proportions import losses_follow
from reviewer.core.raw import RawAnswer
from reviewer.core.schema import TOOL_NAME
from reviewer.models import Finding, ModelSettings, Reading
from reviewer.services.model_stats import model_stats
from reviewer.services.readings import perform_reading
from reviewer.services.reviews import start_review
from reviewer.views.model_lines import p_value
from tests.factories import make_proposal, make_version
from tests.fakes.messages_server import MessagesServer
from tests.fakes.replies import says
from tests.fakes.workers import two_faults_a_sheet
from tests.views.html import html_of

NATIVE, WRITER = "tool-model-1", "text-model-1"
SHEETS = 6
TEXTS = [
    f"Sheet {number} promises {10 + number} percent less delay. Its price is {number},000 dollars "
    "and whatever else is needed."
    for number in range(1, SHEETS + 1)
]


def _written(report) -> str:
    """A report as the second model writes its calls."""
    findings = json.dumps(report["findings"], ensure_ascii=False)
    return (
        f"<tool_call>\n<function={TOOL_NAME}>\n<parameter=findings>\n{findings}\n</parameter>\n"
        "<parameter=keeps>\n[]\n</parameter>\n</function>\n</tool_call>"
    )


def _day(seen):
    """Each model in its own way; the second one says its call twice on every other sheet."""
    reply = two_faults_a_sheet(seen)
    if seen.model == NATIVE:
        return reply
    call = _written(reply.content[0]["input"])
    return says(call if seen.sheet % 2 else f"{call}\n{call}")


@pytest.fixture
def day(cast, settings):
    """The review of a day, read to its end; what the server was asked is on it as `asked`."""
    cache.clear()
    settings.MODEL_RETRIES = 0
    with MessagesServer(_day) as server:
        ModelSettings.objects.create(
            workspace=cast.workspace, base_url=server.url, model=NATIVE, second_model=WRITER
        )
        version = make_version(make_proposal(cast.workspace, owner=cast.wen), texts=TEXTS)
        review = start_review(by=cast.wen, version=version, depth="thorough")
        waiting = review.readings.filter(status=Reading.Status.WAITING).order_by("pk")
        while pk := waiting.values_list("pk", flat=True).first():
            perform_reading(pk)
    review.refresh_from_db()
    return review


def _as_native_calls_alone(reading: Reading) -> int:
    """How many findings a reader sees that looks at nothing but native calls."""
    raw = RawAnswer.from_json(reading.answer.raw)
    return sum(len(json.loads(call.raw_input)["findings"]) for call in raw.calls)


def test_what_is_written_as_text_is_kept_and_what_is_lost_is_named_with_its_model(
    cast, client_of, day
):
    passes = list(day.readings.filter(kind=Reading.Kind.PASS).select_related("answer"))
    written = [one for one in passes if one.model == WRITER]
    native = [one for one in passes if one.model == NATIVE]
    assert len(written) == len(native) == 2 * SHEETS

    # Before: nothing found, nothing lost, nobody told.
    assert [_as_native_calls_alone(one) for one in native] == [2] * len(native)
    assert [_as_native_calls_alone(one) for one in written] == [0] * len(written)
    assert losses_follow({NATIVE: (0, len(native)), WRITER: (0, len(written))}) == []

    # Now: half of them are read as what they say, half are refused.
    assert {(one.sheet % 2, one.outcome, one.kept) for one in written} == {
        (1, "read", 2),
        (0, "refused_text_call", 0),
    }
    seen = Finding.objects.filter(sightings__reading__in=written).distinct()
    assert seen.count() == SHEETS
    _the_models_page_names_the_model(cast, client_of)
    _managers_and_nobody_else_are_told(cast, client_of)
    _the_desk_leads_reviewers_to_the_raw_answers(cast, client_of, day)


def _the_models_page_names_the_model(cast, client_of) -> None:
    [named] = model_stats(cast.workspace).follows
    assert (named.model, named.lost, named.others_lost) == (WRITER, SHEETS, 0)
    assert named.p < 0.005
    rae, here = client_of(cast.rae), [cast.workspace.slug]
    page = html_of(rae.get(reverse("models", args=here)))
    assert f"<b>{WRITER} loses one answer in two</b> where the others lose none" in page
    read = named.answers - named.lost
    assert f"It writes its calls as text; {read} of {named.answers} were read." in page
    assert f'title="{p_value(named.p)}: the chance of so large a difference' in html.unescape(page)
    lost = rae.get(reverse("answers", args=here), {"model": WRITER, "outcome": "lost"})
    assert html_of(lost).count("refused text call<small>") == SHEETS


def _managers_and_nobody_else_are_told(cast, client_of) -> None:
    stats = model_stats(cast.workspace)
    percent = round(100 * stats.lost / stats.answers)
    told = f"{percent} % of the answers of the last 30 days were lost: {stats.lost} of"
    page = reverse("proposals", args=[cast.workspace.slug])
    assert told in html_of(client_of(cast.max).get(page))
    assert told not in html_of(client_of(cast.wen).get(page))


def _the_desk_leads_reviewers_to_the_raw_answers(cast, client_of, day) -> None:
    here = cast.workspace.slug
    at = [here, day.version.proposal_id, day.version.number]
    desk = reverse("desk-version", args=at)
    lost = day.readings.filter(outcome="refused_text_call").order_by("pass_number", "sheet").first()
    link = reverse("answer", args=[here, lost.answer.pk])
    assert link in html_of(client_of(cast.rae).get(desk))
    assert link not in html_of(client_of(cast.wen).get(desk))
    page = html_of(client_of(cast.rae).get(link))
    assert "in a form that is not safe to read, so none is kept" in page
    assert "Look at the raw answer, then try another way of asking or another model." in page
    assert "&lt;function=report_findings&gt;" in page
