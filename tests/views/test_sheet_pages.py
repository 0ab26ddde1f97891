"""One sheet on its own: its words over the image, its text as a page, its image larger."""

import pytest
from django.urls import reverse

from tests.factories import make_proposal, make_version
from tests.views.html import html_of

HTMX = {"HX-Request": "true"}


@pytest.fixture
def sheet(cast):
    proposal = make_proposal(cast.workspace, owner=cast.wen, title="Control tower")
    version = make_version(proposal, texts=["The <b>price</b> & term\nare fixed."])
    return version.sheets.get()


def url(name, sheet):
    return reverse(name, args=[sheet.version.proposal.workspace.slug, sheet.pk])


def test_every_word_is_there_once_at_its_place(cast, client_of, sheet):
    html = client_of(cast.rae).get(url("sheet-text", sheet), headers=HTMX).content.decode()
    assert html.count("<tspan") == len(sheet.words) == 6
    assert 'viewBox="0 0 612.0 792.0"' in html
    assert '<tspan x="72.0" textLength="18.0" lengthAdjust="spacingAndGlyphs">The</tspan> ' in html
    assert "&lt;b&gt;price&lt;/b&gt;" in html
    assert "style=" not in html


def test_numbers_are_written_for_svg_in_every_language(cast, client_of, sheet, settings):
    settings.LANGUAGE_CODE = "de"
    html = html_of(client_of(cast.rae).get(url("sheet-text", sheet), headers=HTMX))
    assert 'x="72.0"' in html


def test_as_a_page_it_is_the_text_of_the_sheet_with_a_way_back(cast, client_of, sheet):
    html = client_of(cast.rae).get(url("sheet-text", sheet)).content.decode()
    assert "The &lt;b&gt;price&lt;/b&gt; &amp; term\nare fixed." in html
    assert "#sheet-1" in html
    assert "<tspan" not in html


def test_a_sheet_without_text_says_why(cast, client_of, sheet):
    type(sheet).objects.filter(pk=sheet.pk).update(unread="no_text", text="", words=[])
    client = client_of(cast.rae)
    said = html_of(client.get(url("sheet-text", sheet)))
    assert "it is a picture without text" in said
    assert "<text" not in html_of(client.get(url("sheet-text", sheet), headers=HTMX))


def test_words_are_kept_by_the_browser_and_by_nobody_between(cast, client_of, sheet):
    client = client_of(cast.rae)
    part = client.get(url("sheet-text", sheet), headers=HTMX)
    assert "private" in part["Cache-Control"]
    assert "max-age=" in part["Cache-Control"]
    assert "HX-Request" in part["Vary"]
    assert "Cache-Control" not in client.get(url("sheet-text", sheet)).headers


def test_a_sheet_costs_a_constant_number_of_queries(
    cast, client_of, sheet, django_assert_max_num_queries
):
    client = client_of(cast.rae)
    client.get(url("sheet-text", sheet))
    with django_assert_max_num_queries(5):
        client.get(url("sheet-text", sheet), headers=HTMX)


def test_the_larger_image_is_a_picture_for_members_alone(cast, client_of, sheet):
    answer = client_of(cast.rae).get(url("sheet-closer", sheet))
    assert b"".join(answer.streaming_content).startswith(b"\x89PNG")
    assert answer["Content-Type"] == "image/png"
    assert "private" in answer["Cache-Control"]
    assert client_of(cast.ola).get(url("sheet-closer", sheet)).status_code == 404
    assert client_of(cast.ola).get(url("sheet-text", sheet), headers=HTMX).status_code == 404
