"""The text of a proposal edited in a page: each save is a version, and none is lost."""

import pytest
from django.urls import reverse

from reviewer.models import Version
from tests.factories import Cast, make_finding, make_proposal, make_text, make_version
from tests.views.html import html_of

TEXT = "# Tower\n\nThe pilot costs $54,000.\n\nThank you.\n"


@pytest.fixture
def version(cast: Cast) -> Version:
    return make_text(make_version(make_proposal(cast.workspace, owner=cast.wen)), TEXT)


@pytest.fixture
def writer(client_of, cast):
    return client_of(cast.wen)


@pytest.fixture
def url(cast, version) -> str:
    return reverse("edit", args=(cast.workspace.slug, version.proposal_id))


def newest(version: Version) -> Version:
    return version.proposal.versions.order_by("-number")[0]


def kept(version: Version) -> str:
    with version.original.open() as stored:
        return stored.read().decode()


def test_what_is_saved_is_the_next_version_byte_for_byte(writer, url, version, cast) -> None:
    assert "The pilot costs $54,000." in html_of(writer.get(url))
    text = TEXT.replace("54", "58") + "\n  indented at the end  "
    answer = writer.post(url, {"text": text.replace("\n", "\r\n"), "based_on": 1})
    assert answer.status_code == 302
    made = newest(version)
    assert (made.number, made.original_name, made.uploaded_by) == (2, "tower.md", cast.wen.user)
    assert kept(made) == text
    assert kept(version) == TEXT


def test_a_double_click_saves_once(writer, url, version) -> None:
    for _ in range(2):
        assert writer.post(url, {"text": "Another.", "based_on": 1}).status_code == 302
    assert newest(version).number == 2


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ({"text": TEXT, "based_on": 1}, "Nothing was changed in the text"),
        ({"text": "", "based_on": 1}, "The text is empty, so nothing was saved."),
        ({"text": "Another.", "based_on": "9" * 30}, "Another."),
        ({"text": "Another."}, "Another."),
    ],
)
def test_what_cannot_be_saved_makes_nothing_and_keeps_what_was_typed(
    writer, url, version, said, sentence
) -> None:
    answer = writer.post(url, said)
    assert answer.status_code == 422
    assert sentence in html_of(answer)
    assert newest(version) == version


def test_a_stale_save_gets_the_comparison_and_can_then_be_saved(writer, url, version, cast) -> None:
    other = make_version(version.proposal, uploaded_by=cast.rae.user)
    make_text(other, TEXT.replace("Thank you.", "We <b>thank</b> you."))
    mine = TEXT.replace("54", "58")
    answer = writer.post(url, {"text": mine, "based_on": 1})
    html = html_of(answer)
    assert answer.status_code == 409
    assert "v2 came while you were editing v1, so nothing was saved yet." in html
    assert "&lt;b&gt;thank&lt;/b&gt;</ins>" in html.replace("<ins>&lt;b&gt;", "&lt;b&gt;")
    assert "The pilot costs $58,000." in html
    assert newest(version) == other
    assert 'name="based_on" value="2"' in html
    assert writer.post(url, {"text": mine, "based_on": 2}).status_code == 302
    assert kept(newest(version)) == mine


def test_a_stale_save_against_a_file_that_is_no_text_says_so(writer, url, version) -> None:
    make_version(version.proposal, file_kind="pdf")
    answer = writer.post(url, {"text": "Mine.", "based_on": 1})
    assert answer.status_code == 409
    assert "v2 is not edited as text" in html_of(answer)
    assert "Mine." in html_of(answer)


def test_what_is_open_stands_beside_the_text_blocks_first(writer, url, version) -> None:
    make_finding(version, severity="fix", text="Say when.")
    make_finding(version, severity="block", text="Two prices.", edit="Give one.")
    make_finding(version, severity="fix", text="Settled long ago.", status="dismissed")
    html = html_of(writer.get(url))
    assert html.index("Two prices.") < html.index("Give one.") < html.index("Say when.")
    assert "Settled long ago." not in html


def test_only_a_text_is_edited_and_only_while_it_is_not_archived(
    writer, url, version, cast
) -> None:
    desk = reverse("desk", args=(cast.workspace.slug, version.proposal_id))
    assert url in html_of(writer.get(desk))
    version.proposal.archived_at = version.created_at
    version.proposal.save()
    assert url not in html_of(writer.get(desk))
    answer = writer.post(url, {"text": "Another.", "based_on": 1})
    assert (answer.status_code, newest(version)) == (422, version)
    for kind, size in (("pdf", 10), ("markdown", Version.MOST_TEXT + 1)):
        Version.objects.filter(pk=version.pk).update(file_kind=kind, size=size)
        assert writer.get(url).status_code == 404
        assert url not in html_of(writer.get(desk))
