"""Where a version stands: what holds it, what each pass added, what reading again would cost."""

import pytest
from django.urls import reverse

from reviewer.models import Reading, Review
from reviewer.services.standing import PassAdded
from reviewer.views import reading_acts
from reviewer.views.desk_standing import bars_of
from tests.factories import (
    make_finding,
    make_proposal,
    make_reading,
    make_review,
    make_sighting,
    make_version,
)
from tests.views.html import html_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def version(cast):
    return make_version(make_proposal(cast.workspace, owner=cast.wen, title="Control tower"))


@pytest.fixture
def connected(settings):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"


def url(version, name="standing"):
    return reverse(
        name, args=[version.proposal.workspace.slug, version.proposal_id, version.number]
    )


def part(client, version):
    return html_of(client.get(url(version), headers=HTMX))


def read_in_passes(version, passes=2):
    """A finished review in which each pass saw a finding of its own beside a common one."""
    review = make_review(version, passes=passes)
    common = make_finding(version, severity="block", votes=passes, passes=passes)
    for number in range(1, passes + 1):
        readings = [
            make_reading(review, sheet=sheet, pass_number=number)
            for sheet in range(1, version.sheet_count + 1)
        ]
        own = make_finding(version, votes=1, passes=passes)
        make_sighting(readings[0], common)
        make_sighting(readings[0], own)
    return common


def test_it_is_a_part_of_the_desk_and_a_page_of_its_own(cast, client_of, version):
    client = client_of(cast.rae)
    whole, some = client.get(url(version)), client.get(url(version), headers=HTMX)
    assert "Where it stands" in html_of(whole)
    assert "<html" not in html_of(some)
    assert "HX-Request" in some["Vary"]
    assert url(version) in html_of(client.get(url(version, "desk-version")))


def test_the_reasons_stand_in_order_with_links_to_what_they_are_about(cast, client_of, version):
    block = read_in_passes(version)
    html = part(client_of(cast.rae), version)
    assert "hold the export" in html
    assert f'href="#finding-{block.number}"' in html
    assert url(version, "gate") in html


def test_what_each_pass_added_is_drawn_and_told(cast, client_of, version):
    read_in_passes(version)
    html = part(client_of(cast.rae), version)
    assert "Pass 1: 2 seen, 2 new" in html
    assert "Pass 2: 2 seen, 1 new" in html
    assert html.count('<rect class="seen"') == 2


def test_bars_are_as_long_as_what_they_count():
    passes = (
        PassAdded("Pass 1", 4, 4, (("block", 1), ("fix", 3), ("consider", 0))),
        PassAdded("Pass 2", 2, 1, (("block", 0), ("fix", 1), ("consider", 0))),
    )
    first, second = bars_of(passes)
    assert [(p.severity, p.x, p.width) for p in first.pieces] == [
        ("block", 0, 60),
        ("fix", 60, 180),
    ]
    assert (second.seen, second.pieces[0].width) == (120, 60)
    assert bars_of(passes[:1]) == []
    assert bars_of(()) == []


def test_what_reading_would_cost_is_told_before_it_starts(cast, client_of, version, connected):
    html = part(client_of(cast.rae), version)
    assert "What reading again would cost" in html
    assert "calls at least" in html
    assert 'formaction="' + url(version, "read") in html
    assert "Widen the sample" not in html


def test_a_version_that_was_read_can_have_its_sample_widened(cast, client_of, version, connected):
    read_in_passes(version)
    html = part(client_of(cast.rae), version)
    assert "1 more pass over" in html
    assert "how=widen" in html


@pytest.mark.parametrize(
    ("how", "asked"), [("", {}), ("widen", {"widen": 1}), ("anew", {"anew": True}), ("odd", {})]
)
def test_each_way_of_reading_again_starts_what_it_says(
    cast, client_of, version, monkeypatch, how, asked
):
    seen = []
    monkeypatch.setattr(reading_acts, "start_review", lambda **given: seen.append(given))
    client_of(cast.rae).post(f"{url(version, 'read')}?how={how}")
    assert {k: v for k, v in seen[0].items() if k not in {"by", "version"}} == asked


def test_nothing_is_offered_without_a_model_or_on_an_older_version(
    cast, client_of, version, settings
):
    client = client_of(cast.rae)
    assert "formaction" not in part(client, version)
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    make_version(version.proposal)
    assert "formaction" not in part(client, version)


def test_while_it_is_read_nothing_is_said(cast, client_of, version, connected):
    review = make_review(version, status=Review.Status.READING)
    make_reading(review, sheet=1, status=Reading.Status.CLAIMED)
    assert part(client_of(cast.rae), version).strip() == ""


def test_it_costs_a_constant_number_of_queries(
    cast, client_of, version, connected, django_assert_num_queries, django_assert_max_num_queries
):
    client = client_of(cast.rae)
    read_in_passes(version)
    part(client, version)
    with django_assert_max_num_queries(24) as few:
        part(client, version)
    for _ in range(30):
        make_finding(version, severity="block")
    with django_assert_num_queries(len(few)):
        part(client, version)
