"""Uploads: what arrives, what is refused, and what is said of each file."""

import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from reviewer.models import Proposal, Version
from tests.factories import Cast, make_proposal, make_version

HTMX = {"HX-Request": "true"}


def a_file(name: str = "Control tower.md", content: bytes = b"# Tower\n") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


@pytest.fixture
def url(cast: Cast) -> str:
    return reverse("upload", args=[cast.workspace.slug])


@pytest.fixture
def wen(cast: Cast, client_of) -> Any:
    return client_of(cast.wen)


@pytest.fixture
def small_limit(settings) -> None:
    settings.MAX_UPLOAD_MB = 1


TOO_BIG = b"x" * (1024 * 1024 + 1)


def test_one_file_becomes_a_proposal_and_leads_to_its_desk(cast: Cast, wen, url) -> None:
    answer = wen.post(
        url,
        {"file": a_file(), "title": "Tower", "client": "Northwind", "kind": "scope"},
    )
    proposal = Proposal.objects.get()
    assert answer.url == reverse("desk", args=[cast.workspace.slug, proposal.pk])
    assert (proposal.title, proposal.client, proposal.kind) == ("Tower", "Northwind", "scope")
    assert proposal.owner == cast.wen.user
    version = proposal.versions.get()
    with version.original.open() as stored:
        assert stored.read() == b"# Tower\n"
    assert version.original_name == "Control tower.md"


def test_without_a_title_the_name_of_the_file_is_used(wen, url) -> None:
    wen.post(url, {"file": a_file("claims_intake-2026.final.md"), "kind": "proposal"})
    assert Proposal.objects.get().title == "claims intake 2026.final"


def test_several_files_share_client_and_kind_and_never_the_title(cast: Cast, wen, url) -> None:
    answer = wen.post(
        url,
        {
            "file": [a_file("one.md"), a_file("two.md")],
            "title": "Only for one",
            "client": "Northwind",
            "kind": "update",
        },
    )
    assert answer.url == reverse("proposals", args=[cast.workspace.slug])
    kept = set(Proposal.objects.values_list("title", "client", "kind"))
    assert kept == {("one", "Northwind", "update"), ("two", "Northwind", "update")}


def test_one_bad_file_does_not_cost_the_others(cast: Cast, wen, url) -> None:
    answer = wen.post(
        url, {"file": [a_file("good.md"), a_file("empty.md", b"")], "kind": "proposal"}, follow=True
    )
    said = [str(message) for message in answer.context["messages"]]
    assert [p.title for p in Proposal.objects.all()] == ["good"]
    assert any("“good.md” was uploaded" in one for one in said)
    assert any("“empty.md” is empty" in one for one in said)


def test_a_file_above_the_limit_is_named_and_not_kept(small_limit, wen, url, settings) -> None:
    answer = wen.post(url, {"file": a_file("huge.pdf", TOO_BIG), "kind": "proposal"})
    assert answer.status_code == 422
    assert "“huge.pdf” is larger than 1 MB, so it was not kept." in answer.content.decode()
    assert not Proposal.objects.exists()


def test_a_file_above_the_limit_does_not_cost_the_others(small_limit, wen, url) -> None:
    files = [a_file("huge.pdf", TOO_BIG), a_file("good.md")]
    answer = wen.post(url, {"file": files, "kind": "proposal"}, follow=True)
    said = " ".join(str(message) for message in answer.context["messages"])
    assert "“huge.pdf” is larger" in said
    assert [p.title for p in Proposal.objects.all()] == ["good"]


def test_the_limit_itself_is_taken(small_limit, wen, url) -> None:
    wen.post(url, {"file": a_file("full.pdf", TOO_BIG[:-1]), "kind": "proposal"})
    assert Version.objects.get().size == 1024 * 1024


def test_no_file_at_all_is_answered_with_what_to_do(wen, url) -> None:
    answer = wen.post(url, {"kind": "proposal"})
    assert answer.status_code == 422
    assert "No file was chosen" in answer.content.decode()


def test_a_form_that_is_not_right_keeps_nothing(wen, url) -> None:
    answer = wen.post(url, {"file": a_file(), "kind": "nonsense"})
    assert answer.status_code == 422
    assert "nothing was uploaded" in answer.content.decode()
    assert not Proposal.objects.exists()


def test_the_page_says_limits_and_types_before_anything_is_chosen(wen, url, settings) -> None:
    settings.MAX_UPLOAD_MB, settings.MAX_SHEETS = 12, 34
    page = wen.get(url).content.decode()
    assert "up to 12 MB and 34 sheets" in page
    assert "PDF, Word, " in page
    assert "Markdown, HTML or text" in page


def test_with_a_model_the_page_names_it_and_its_server_before_text_is_sent(
    wen, url, settings
) -> None:
    settings.MODEL_BASE_URL, settings.MODEL_NAME = "http://user:secret@llm.local:8080/", "qwen3"
    page = wen.get(url).content.decode()
    assert "Read with <b>qwen3</b> at <b>llm.local:8080</b>" in page
    assert "secret" not in page
    assert 'name="read_when_ready"' in page


def test_without_a_model_the_page_says_how_to_connect_one(wen, url, cast, client_of) -> None:
    page = wen.get(url).content.decode()
    assert 'name="read_when_ready"' not in page
    assert "A manager can connect one." in page
    assert "ANTHROPIC_API_KEY" not in page
    settings = reverse("model-settings", args=[cast.workspace.slug])
    manager = client_of(cast.max)
    line = manager.get(url).content.decode().split('aria-label="Who reads"')[1].split("</aside>")[0]
    assert "No model is connected: only the built-in checks read." in line
    assert f'href="{settings}"' in line
    assert "ANTHROPIC_API_KEY" in manager.get(settings).content.decode()


@pytest.mark.parametrize(
    ("ticked", "read"),
    [
        ({"read_when_ready": "on"}, True),
        ({}, False),
        ({"read_when_ready": "on", "checks_only": "on"}, False),
    ],
)
def test_a_model_reads_only_what_it_was_asked_to(ticked, read: bool, wen, url) -> None:
    wen.post(url, {"file": a_file(), "kind": "proposal", **ticked})
    version = Version.objects.get()
    assert version.read_when_ready is read
    assert version.proposal.checks_only is ("checks_only" in ticked)


def test_the_script_gets_a_line_that_follows_its_own_conversion(cast: Cast, wen, url) -> None:
    answer = wen.post(url, {"file": a_file(), "kind": "proposal"}, headers=HTMX)
    version = Version.objects.get()
    line = answer.content.decode()
    follow = reverse("upload-result", args=[cast.workspace.slug, version.pk])
    assert answer.status_code == 200
    assert f'hx-get="{follow}"' in line
    assert "Control tower.md" in line
    assert "waiting to be converted" in line


def test_the_script_gets_the_reason_of_a_refusal(wen, url) -> None:
    answer = wen.post(url, {"file": a_file("empty.md", b""), "kind": "proposal"}, headers=HTMX)
    assert answer.status_code == 422
    assert "“empty.md” is empty" in answer.content.decode()


@pytest.mark.parametrize(
    ("status", "fields", "words", "follows"),
    [
        ("converting", {"done": 3, "total": 12}, "converting, 3 of 12", True),
        ("ready", {}, "3 sheets", False),
        ("unreadable", {"reason": "It is locked."}, "It is locked.", False),
    ],
)
def test_a_line_follows_its_conversion_until_it_is_settled(
    status: str, fields, words: str, follows: bool, cast: Cast, wen
) -> None:
    version = make_version(make_proposal(cast.workspace), status=status, **fields)
    url = reverse("upload-result", args=[cast.workspace.slug, version.pk])
    answer = wen.get(url, headers=HTMX)
    assert words in answer.content.decode()
    assert ("hx-get" in answer.content.decode()) is follows
    assert (answer.headers.get("HX-Trigger") == "proposals-changed") is not follows


def test_a_name_that_is_markup_is_shown_as_given_and_never_runs(cast: Cast, wen, url) -> None:
    name = "<img src=x onerror=alert(1)>.md"
    file = io.BytesIO(b"# Tower\n")
    file.name = name
    wen.post(url, {"file": file, "kind": "proposal"})
    page = wen.get(reverse("proposals", args=[cast.workspace.slug])).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page


def test_a_new_version_comes_after_the_last(cast: Cast, wen) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    make_version(proposal)
    url = reverse("new-version", args=[cast.workspace.slug, proposal.pk])
    assert "Upload v2" in wen.get(url).content.decode()
    answer = wen.post(url, {"file": a_file("second.md"), "read_when_ready": "on"})
    newest = proposal.versions.get(number=2)
    assert answer.url == reverse("desk", args=[cast.workspace.slug, proposal.pk])
    assert newest.original_name == "second.md"
    assert newest.read_when_ready


def test_a_version_of_what_is_kept_to_checks_is_never_queued_for_a_model(cast: Cast, wen) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen, checks_only=True)
    make_version(proposal)
    url = reverse("new-version", args=[cast.workspace.slug, proposal.pk])
    wen.post(url, {"file": a_file(), "read_when_ready": "on"})
    assert not proposal.versions.get(number=2).read_when_ready


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({}, "No file was chosen"),
        ({"file": ("empty.md", b"")}, "“empty.md” is empty"),
        ({"file": ("huge.md", TOO_BIG)}, "“huge.md” is larger than 1 MB"),
    ],
)
def test_a_refused_version_says_why_and_leaves_the_old_one(
    sent, said: str, small_limit, cast: Cast, wen
) -> None:
    proposal = make_proposal(cast.workspace, owner=cast.wen)
    make_version(proposal)
    url = reverse("new-version", args=[cast.workspace.slug, proposal.pk])
    answer = wen.post(url, {name: a_file(*value) for name, value in sent.items()})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert proposal.versions.count() == 1


def test_a_version_that_could_not_be_read_can_be_tried_again(cast: Cast, wen) -> None:
    version = make_version(make_proposal(cast.workspace), status=Version.Status.UNREADABLE)
    args = [cast.workspace.slug, version.proposal_id, version.number]
    assert wen.post(reverse("retry-conversion", args=args)).status_code == 302
    version.refresh_from_db()
    assert version.status == Version.Status.WAITING
    # Sent twice it is still waiting, and the second time says so instead of failing.
    answer = wen.post(reverse("retry-conversion", args=args))
    assert answer.status_code == 302
