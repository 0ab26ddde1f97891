"""The desk as a page: what it shows, to whom, and in how many queries."""

import re

import pytest
from django.urls import reverse

from reviewer.models import Finding, Version
from reviewer.services.comments import add_comment
from tests.factories import (
    make_finding,
    make_place,
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
    proposal = make_proposal(cast.workspace, owner=cast.wen, title="Warehouse control tower")
    return make_version(proposal)


def desk_url(version, query=""):
    at = (version.proposal.workspace.slug, version.proposal_id, version.number)
    return reverse("desk-version", args=at) + query


def page(client, version, query="", **kwargs):
    response = client.get(desk_url(version, query), **kwargs)
    assert response.status_code == 200
    return html_of(response)


def test_an_outsider_is_told_that_there_is_no_such_desk(cast, client_of, version):
    assert client_of(cast.ola).get(desk_url(version)).status_code == 404


@pytest.mark.parametrize("who", ["wen", "rae", "max"])
def test_every_member_sees_sheets_and_findings(cast, client_of, version, who):
    make_finding(version, text="There is no baseline.")
    html = page(client_of(getattr(cast, who)), version)
    assert "Warehouse control tower" in html
    assert "There is no baseline." in html
    assert html.count('class="sheet"') == 3


def test_the_address_without_a_version_is_the_newest(cast, client_of, version):
    make_version(version.proposal)
    url = reverse("desk", args=(cast.workspace.slug, version.proposal_id))
    assert "v2 of 2" in html_of(client_of(cast.rae).get(url))


def test_a_mark_lies_over_the_quoted_words_in_points(cast, client_of, version):
    finding = make_finding(version, severity="block", quote="cut detention costs by 30%")
    html = page(client_of(cast.rae), version)
    boxes = finding.places.get().boxes
    assert 'viewBox="0 0 612.0 792.0"' in html
    for x0, y0, x1, y1 in boxes:
        assert (
            f'<rect class="mark block" x="{x0}" y="{y0}" width="{x1 - x0}" height="{y1 - y0}"'
            in html
        )
    assert f'href="#finding-{finding.number}"' in html


def test_numbers_in_marks_are_written_for_svg_in_every_language(cast, client_of, version, settings):
    settings.LANGUAGE_CODE = "de"
    finding = make_finding(version)
    finding.places.update(boxes=[[1072.5, 72.25, 1100.0, 84.0]])
    assert 'x="1072.5"' in page(client_of(cast.rae), version)


def test_other_places_of_a_finding_are_links_to_their_own_marks(cast, client_of, version):
    finding = make_finding(version, also=[{"sheet": 2, "quote": "The total is $82,500"}])
    make_place(finding, version, position=1, quote="The total is $82,500", sheet=2)
    html = page(client_of(cast.rae), version)
    assert f'href="#mark-{finding.number}-1">sheet 2</a>' in html
    assert f'id="mark-{finding.number}-1"' in html


def test_nothing_on_the_page_needs_inline_style_or_script(cast, client_of, version):
    make_finding(version)
    html = page(client_of(cast.rae), version)
    assert not re.search(r"\sstyle=|<style|\son\w+=", html)
    assert all("src=" in script for script in re.findall(r"<script[^>]*>", html))


def test_text_from_outside_is_escaped(cast, client_of, version):
    make_finding(version, text="<img src=x onerror=alert(1)>", quote="", rule_as_written="<b>")
    html = page(client_of(cast.rae), version)
    assert "<img src=x" not in html
    assert "&lt;img src=x" in html


def test_the_same_address_answers_with_a_part_for_htmx_and_says_that_it_varies(
    cast, client_of, version
):
    make_finding(version)
    client = client_of(cast.rae)
    whole = client.get(desk_url(version))
    part = client.get(desk_url(version), headers=HTMX)
    assert "<html" in html_of(whole)
    assert "<html" not in html_of(part)
    assert 'id="list" hx-swap-oob="true"' in html_of(part)
    assert "HX-Request" in whole["Vary"]
    assert "HX-Request" in part["Vary"]


def test_a_tab_shows_its_findings_and_their_marks_alone(cast, client_of, version):
    make_finding(version, text="Still open.")
    gone = make_finding(version, text="Decided.", status="dismissed", decided_by=cast.max)
    client = client_of(cast.rae)
    opened, settled = page(client, version), page(client, version, "?tab=settled")
    assert "Still open." in opened
    assert "Decided." not in opened
    assert f'id="mark-{gone.number}"' not in opened
    assert "Decided." in settled
    assert f'id="mark-{gone.number}"' in settled
    assert "The client asked for it." in settled
    assert "by Max" in settled


def test_a_link_to_a_finding_shows_the_tab_that_it_is_in(cast, client_of, version):
    gone = make_finding(version, text="Decided.", status="dismissed")
    make_finding(version, text="Still open.")
    client = client_of(cast.rae)
    html = page(client, version, f"?finding={gone.number}&q=nowhere")
    assert "Decided." in html
    assert "Still open." not in html
    assert "Still open." in page(client, version, "?finding=99")
    assert "Still open." in page(client, version, "?finding=" + "9" * 5000)


def test_the_filter_works_as_a_plain_form(cast, client_of, version):
    make_finding(version, text="The price differs.")
    make_finding(version, text="No baseline.")
    html = page(client_of(cast.rae), version, "?q=PRICE")
    assert "The price differs." in html
    assert "No baseline." not in html
    assert 'value="PRICE"' in html


def test_a_filter_that_finds_nothing_says_so(cast, client_of, version):
    make_finding(version)
    assert "No finding here says “zebra”" in page(client_of(cast.rae), version, "?q=zebra")


def test_findings_of_one_kind_stand_on_one_line_that_opens(cast, client_of, version):
    for _ in range(11):
        make_finding(version)
    html = page(client_of(cast.rae), version)
    assert "11 fixes · Grounding" in html
    assert "Dismiss all 11…" in html
    assert html.count("<details id=") == 1
    assert "<details id=" in html.split("Fault 1:")[0]


def test_a_writer_is_not_offered_what_a_writer_may_not_do(cast, client_of, version):
    for _ in range(3):
        make_finding(version)
    html = page(client_of(cast.wen), version)
    assert 'data-act="fixed"' in html
    assert 'data-act="dismiss"' not in html
    assert 'data-act="accept"' not in html
    assert "Dismiss all" not in html


def test_a_block_is_not_offered_for_dismissal_to_its_last_editor(cast, client_of):
    version = make_version(make_proposal(cast.workspace, owner=cast.rae))
    make_finding(version, severity="block")
    make_finding(version, severity="fix")
    html = page(client_of(cast.rae), version)
    assert html.count('data-act="dismiss"') == 1
    assert page(client_of(cast.max), version).count('data-act="dismiss"') == 2


def test_an_earlier_version_is_to_look_at_and_says_where_to_decide(cast, client_of, version):
    make_finding(version)
    make_version(version.proposal)
    html = page(client_of(cast.rae), version)
    assert "This is v1, to look back at." in html
    assert "data-act=" not in html


def test_a_finding_that_lost_its_place_says_so_and_has_its_tab(cast, client_of, version):
    make_finding(version, evidence=Finding.Evidence.GONE, text="Where did it go?")
    html = page(client_of(cast.rae), version, "?tab=lost")
    assert "Lost its place 1" in html
    assert "Where did it go?" in html
    assert "Lost its place: its words are not in this version any more." in html


def test_sheets_that_were_not_read_say_so_in_the_rail_and_above_the_sheet(cast, client_of, version):
    version.sheets.filter(number=2).update(unread="no_text")
    html = page(client_of(cast.rae), version)
    assert "Not read: it is a picture without text." in html
    assert 'title="not read: it is a picture without text"' in html


def test_only_what_was_read_is_called_clear(cast, client_of, version):
    assert "read, nothing open" not in page(client_of(cast.rae), version)
    make_review(version)
    html = page(client_of(cast.rae), version)
    assert html.count('title="read, nothing open"') == 3


def test_what_does_not_fit_is_said_with_its_sheet(cast, client_of, version):
    fault = {"code": "clipped", "sheet": 2, "message": "Text is cut off at the right edge."}
    shows = {"code": "mixed_sizes", "sheet": 0, "message": "Sheets have two sizes."}
    Version.objects.filter(pk=version.pk).update(fit=[shows, fault])
    client = client_of(cast.rae)
    html = page(client, version)
    assert "1 fault of layout holds" in html
    assert '<a href="#sheet-2">Sheet 2: Text is cut off at the right edge.' in html
    assert html.index("holds the export") < html.index("Sheets have two sizes.")
    cast.workspace.policy["fit"] = []
    cast.workspace.save()
    assert "2 things do not fit" in page(client, version)


def test_how_the_file_was_read_is_told(cast, client_of, version):
    note = "Tracked changes are shown as if all of them were accepted."
    Version.objects.filter(pk=version.pk).update(notes=[note])
    client = client_of(cast.rae)
    assert "1 note on the file" in page(client, version)
    assert note in page(client, version)
    Version.objects.filter(pk=version.pk).update(layout_approximate=True)
    assert "layout approximate" in page(client, version)


@pytest.mark.parametrize("status", ["waiting", "converting"])
def test_a_file_on_its_way_to_sheets_shows_what_happens_and_asks_again(cast, client_of, status):
    version = make_version(
        make_proposal(cast.workspace), status=status, doing="Drawing the sheets", done=3, total=12
    )
    html = page(client_of(cast.rae), version)
    assert 'hx-trigger="every 1s"' in html
    assert "3 of 12" in html


def test_a_file_that_could_not_be_read_says_why_and_what_to_do(cast, client_of):
    version = make_version(make_proposal(cast.workspace), status="unreadable")
    html = page(client_of(cast.rae), version)
    assert "This PDF is locked with a password. Upload it without one." in html
    assert "Upload another file" in html
    assert "every 1s" not in html


def test_queries_do_not_grow_with_findings_sheets_and_versions(
    cast, client_of, version, django_assert_max_num_queries
):
    client = client_of(cast.rae)
    make_review(version)

    def queries():
        with django_assert_max_num_queries(15) as counted:
            page(client, version)
        return len(counted)

    for severity in ("block", "fix"):
        make_finding(version, severity=severity)
    page(client, version)
    few = queries()
    for number in range(198):
        make_finding(
            version,
            severity=("block", "fix", "consider")[number % 3],
            status=("open", "open", "dismissed")[number % 7 % 3],
            decided_by=cast.max,
            also=[{"sheet": 2, "quote": "The total is $82,500"}],
        )
    assert queries() == few


def test_a_part_costs_no_more_queries_than_the_page(
    cast, client_of, version, django_assert_max_num_queries
):
    client = client_of(cast.rae)
    make_finding(version, severity="block")
    page(client, version)
    with django_assert_max_num_queries(15):
        page(client, version, headers=HTMX)


def test_a_card_says_how_many_comments_it_has_and_leads_to_them(cast, client_of, version):
    silent, discussed = make_finding(version), make_finding(version)
    for text in ("Is it one?", "It is."):
        add_comment(by=cast.wen, finding=discussed, version=version, text=text)
    html = page(client_of(cast.rae), version)
    at = reverse("finding-history", args=(cast.workspace.slug, version.proposal_id, 0))
    links = re.findall(rf'href="{at[:-2]}(\d+)/#comment">([^<]*)<', html)
    assert dict(links) == {
        str(silent.number): "Comment…",
        str(discussed.number): "2 comments",
    }


@pytest.mark.parametrize(
    ("given", "fields", "says"),
    [
        (["fix", "fix"], {"severity": "fix"}, ""),
        (["fix", "block"], {"severity": "block"},
         "Named block by 1, fix by 1 of 2 readings; the gravest counts."),
        (["fix", "block", "fix"], {"severity": "fix", "severity_by_check": "fix"},
         "Named block by 1, fix by 2 of 3 readings; the fresh check made it fix."),
        (["consider"], {"severity": "block", "raised": "check"},
         "Named consider by 1 of 1 readings; a built-in check made it block."),
        (["block"], {"severity": "fix", "severity_by_person": True},
         "A person set how grave it is; readings do not change that."),
    ],
)  # fmt: skip
def test_a_card_says_why_it_is_as_grave_as_it_is(cast, client_of, version, given, fields, says):
    finding = make_finding(version, **fields)
    review = make_review(version)
    for number, severity in enumerate(given, start=1):
        reading = make_reading(review, sheet=1, pass_number=number)
        make_sighting(reading, finding, severity=severity)
    html = page(client_of(cast.rae), version)
    assert re.findall(r'<p class="note">([^<]*)</p>', html) == ([says] if says else [])
