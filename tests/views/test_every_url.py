"""Every address, for an outsider, for each role and for nobody, plain and for htmx.

The table names what each URL needs and who may. A URL without a line in the table fails, so
that a new one cannot be forgotten.
"""

import copy
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest
from django.db import transaction
from django.test import Client, override_settings
from django.urls import get_resolver, reverse

from reviewer.core.raw import RawAnswer
from reviewer.models import (
    Answer,
    Export,
    Finding,
    Learning,
    Membership,
    Proposal,
    Source,
    Version,
    Waiver,
)
from tests.factories import (
    Cast,
    make_cast,
    make_export,
    make_finding,
    make_member,
    make_person,
    make_proposal,
    make_reading,
    make_review,
    make_source,
    make_text,
    make_version,
    make_waiver,
)
from tests.views.learned import in_force, proposed

ALL = ("wen", "rae", "max")
TRIAGE = ("rae", "max")
MANAGER = ("max",)
NOT_THERE, NOT_ALLOWED, WRONG_METHOD = 404, 403, 405
ANSWERED = {200, 302, 409, 422}
"""What an act that one may do answers: done, or refused with a sentence."""


@dataclass
class Scene:
    """A workspace in which every address of the table leads somewhere."""

    cast: Cast
    proposal: Proposal
    version: Version
    broken: Version
    fix: Finding
    block: Finding
    source: Source
    other: Membership
    answer: Answer
    waiver: Waiver
    export: Export
    learning: Learning
    waiting: Learning
    text: Version
    second: Version
    """Of a proposal that has one before it."""

    @classmethod
    def make(cls) -> "Scene":
        cast = make_cast()
        proposal = make_proposal(cast.workspace, owner=cast.wen, title="Control tower")
        version = make_version(proposal)
        unread = make_proposal(cast.workspace, owner=cast.wen)
        twice = make_version(make_proposal(cast.workspace, owner=cast.wen)).proposal
        return cls(
            cast=cast,
            proposal=proposal,
            version=version,
            broken=make_version(unread, status=Version.Status.UNREADABLE),
            fix=make_finding(version),
            block=make_finding(version, severity="block"),
            source=make_source(proposal),
            other=make_member(cast.workspace, user=make_person("iris")),
            answer=Answer.objects.create(
                reading=make_reading(make_review(version), sheet=1), raw=RawAnswer().as_json()
            ),
            waiver=make_waiver(version, cast.max),
            export=make_export(version, cast.wen),
            learning=in_force(cast),
            waiting=proposed(cast, "Prices have a currency."),
            text=make_text(make_version(make_proposal(cast.workspace, owner=cast.wen)), "A text."),
            second=make_version(twice),
        )

    @property
    def p(self) -> dict[str, Any]:
        return {"proposal": self.proposal.pk}

    @property
    def v(self) -> dict[str, Any]:
        return {**self.p, "number": self.version.number}

    @property
    def sheet(self) -> dict[str, Any]:
        return {"pk": self.version.sheets.get(number=1).pk}


@dataclass(frozen=True)
class Line:
    """One way to use a URL of a workspace. `may` are the members who are answered."""

    url: str
    args: Callable[[Scene], dict[str, Any]] = lambda scene: {}
    gets: tuple[str, ...] | None = None
    posts: tuple[str, ...] | None = None
    data: Callable[[Scene], dict[str, Any]] = field(default=lambda scene: {})

    def __str__(self) -> str:
        return f"{'GET' if self.gets else ''}{'POST' if self.posts else ''} {self.url}"


def on(proposal: Version) -> dict[str, Any]:
    return {"proposal": proposal.proposal_id, "number": proposal.number}


def finding(of: str, act: str) -> Callable[[Scene], dict[str, Any]]:
    return lambda scene: {**scene.v, "finding": getattr(scene, of).number, "act": act}


def learning(of: str, act: str) -> Callable[[Scene], dict[str, Any]]:
    return lambda scene: {"number": getattr(scene, of).number, "act": act}


def says(**data: Any) -> Callable[[Scene], dict[str, Any]]:
    return lambda scene: data


KIND = {"rule": "grounding", "severity": "fix", "reason": "The client gave it."}

TABLE = [
    Line("proposals", gets=ALL),
    Line("upload", gets=ALL, posts=ALL),
    Line("upload-result", lambda s: {"pk": s.version.pk}, gets=ALL),
    Line("new-version", lambda s: s.p, gets=ALL, posts=ALL),
    Line("edit", lambda s: {"proposal": s.text.proposal_id}, gets=ALL),
    Line(
        "edit",
        lambda s: {"proposal": s.text.proposal_id},
        posts=ALL,
        data=says(text="Another text.", based_on="1"),
    ),
    Line("details", lambda s: s.p, gets=ALL),
    Line("details", lambda s: s.p, posts=ALL, data=says(title="Tower", kind="proposal")),
    Line("archive", lambda s: s.p, posts=ALL),
    Line("restore", lambda s: s.p, posts=ALL),
    Line("delete", lambda s: s.p, posts=MANAGER, data=says(confirm="Control tower")),
    Line("sources", lambda s: s.p, gets=ALL, posts=ALL),
    Line("source-remove", lambda s: {**s.p, "pk": s.source.pk}, posts=ALL),
    Line("retry-conversion", lambda s: on(s.broken), posts=ALL),
    Line("desk", lambda s: s.p, gets=ALL),
    Line("desk-version", lambda s: s.v, gets=ALL),
    Line("progress", lambda s: s.v, gets=ALL),
    Line("conversion-progress", lambda s: on(s.broken), gets=ALL),
    Line("finding-history", lambda s: {**s.p, "finding": s.fix.number}, gets=ALL),
    Line(
        "finding-comment",
        lambda s: {**s.p, "finding": s.fix.number},
        posts=ALL,
        data=says(text="Ask the client."),
    ),
    Line("finding-act", finding("fix", "fixed"), posts=ALL),
    Line("finding-act", finding("fix", "dismiss"), gets=TRIAGE),
    Line("finding-act", finding("fix", "dismiss"), posts=TRIAGE, data=says(reason="Known.")),
    Line("finding-act", finding("fix", "accept"), gets=TRIAGE),
    Line("finding-act", finding("block", "accept"), posts=TRIAGE, data=says(reason="Known.")),
    Line("finding-act", finding("fix", "reopen"), posts=ALL),
    Line("dismiss-kind", lambda s: s.v, posts=TRIAGE, data=says(**KIND)),
    Line("undo", lambda s: s.v, posts=ALL),
    Line("read", lambda s: s.v, posts=ALL),
    Line("cancel", lambda s: s.v, posts=ALL),
    Line("gate", lambda s: s.v, gets=ALL),
    Line("gate-ask", lambda s: s.v, posts=ALL),
    Line("gate-approve", lambda s: s.v, posts=MANAGER),
    Line("gate-refuse", lambda s: s.v, posts=MANAGER, data=says(reason="Not yet.")),
    Line("gate-waive", lambda s: s.v, posts=MANAGER, data=says(kind="not_cleared", reason="Seen.")),
    Line("gate-take-back", lambda s: {**s.v, "waiver": s.waiver.pk}, posts=MANAGER),
    Line("gate-read", lambda s: s.v, posts=ALL),
    Line("export-version", lambda s: s.v, posts=ALL),
    Line("exports", gets=ALL, posts=ALL, data=says(hash="0" * 64)),
    Line("export", lambda s: {"number": s.export.number}, gets=ALL),
    Line("export-file", lambda s: {"number": s.export.number, "which": "client"}, gets=ALL),
    Line("export-file", lambda s: {"number": s.export.number, "which": "record"}, gets=ALL),
    Line("standing", lambda s: s.v, gets=ALL),
    Line("own-finding", lambda s: s.v, gets=ALL, posts=ALL),
    Line("compare", lambda s: {**on(s.second), "other": 1}, gets=ALL),
    Line("finding-more", lambda s: {**s.v, "finding": s.fix.number}, gets=ALL),
    Line("triage-act", finding("block", "sign"), posts=TRIAGE),
    Line("triage-act", finding("fix", "merge"), posts=ALL, data=says(into="none")),
    Line("sheet-image", lambda s: s.sheet, gets=ALL),
    Line("sheet-closer", lambda s: s.sheet, gets=ALL),
    Line("sheet-text", lambda s: s.sheet, gets=ALL),
    Line("sheet-thumb", lambda s: s.sheet, gets=ALL),
    Line("original", lambda s: {"pk": s.version.pk}, gets=ALL),
    Line("pdf", lambda s: {"pk": s.version.pk}, gets=ALL),
    Line("finding-learn", lambda s: {**s.v, "finding": s.fix.number}, gets=TRIAGE),
    Line(
        "finding-learn",
        lambda s: {**s.v, "finding": s.fix.number},
        posts=TRIAGE,
        data=says(kind="look_for", text="Figures have a source.", do="new"),
    ),
    Line("finding-alike", lambda s: {**s.p, "finding": s.fix.number}, gets=TRIAGE, posts=TRIAGE),
    Line("learnings", gets=ALL),
    Line("learning-new", gets=TRIAGE, posts=TRIAGE, data=says(kind="look_for", text="A rule.")),
    Line("offer-dismiss", posts=TRIAGE, data=says(kind="look_for", text="A rule.", why="No.")),
    Line("learnings-export", gets=ALL),
    Line("learnings-import", gets=MANAGER, posts=MANAGER),
    Line("learning", lambda s: {"number": s.learning.number}, gets=ALL),
    Line("learning-act", learning("waiting", "approve"), posts=MANAGER),
    Line("learning-act", learning("waiting", "decline"), posts=TRIAGE, data=says(why="No.")),
    Line("learning-act", learning("learning", "revise"), posts=TRIAGE, data=says(text="A rule.")),
    Line("learning-act", learning("learning", "retire"), posts=MANAGER, data=says(why="No.")),
    Line("learning-act", learning("learning", "expiry"), posts=MANAGER),
    Line("models", gets=ALL),
    Line("answers", gets=TRIAGE),
    Line("answer", lambda s: {"pk": s.answer.pk}, gets=TRIAGE),
    Line("replay", posts=MANAGER),
    Line("queue", gets=MANAGER),
    Line("queue-retry", lambda s: {"pk": s.answer.reading_id}, posts=MANAGER),
    Line("model-settings", gets=MANAGER, posts=MANAGER),
    Line("key-forget", posts=MANAGER),
    Line("model-prices", posts=MANAGER),
    Line("try-model", posts=MANAGER),
    Line("calibrate", posts=MANAGER),
    Line("rubric", gets=ALL),
    Line("rubric", posts=MANAGER, data=says(based_on="0", banned="world-class")),
    Line("checks", gets=ALL, posts=MANAGER),
    Line("policy", gets=ALL, posts=MANAGER, data=says(fit=["clipped"])),
    Line("members", gets=ALL),
    Line("members", posts=MANAGER, data=says(username="new", email="n@x.org", role="writer")),
    Line("member-change", lambda s: {"pk": s.other.pk}, posts=MANAGER, data=says(role="reviewer")),
    Line("member-remove", lambda s: {"pk": s.other.pk}, posts=MANAGER),
]

OPEN_TO_ALL = {
    "healthz": 200,
    "sign-in": 200,
    "password-reset": 200,
    "password-reset-sent": 200,
    "password-reset-confirm": 200,
}
"""What needs no sign-in, and what it answers to a plain request."""

OWN = {"home": 302, "password-change": 200, "sign-out": WRONG_METHOD}
"""What belongs to whoever is signed in, without a workspace; and what reading it answers."""

HTMX = pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["plain", "htmx"])


def names() -> set[str]:
    return {str(pattern.name) for pattern in get_resolver().url_patterns}


def test_every_url_of_the_product_has_a_line_in_the_table() -> None:
    known = {line.url for line in TABLE} | set(OPEN_TO_ALL) | set(OWN)
    assert names() == known


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> str:
    return str(tmp_path_factory.mktemp("files"))


@pytest.fixture(autouse=True)
def _own_files(settings, files) -> None:
    """The files of the scene; no request here leaves any."""
    settings.MEDIA_ROOT = files


@pytest.fixture(scope="module")
def scene(django_db_setup, django_db_blocker, files) -> Iterator[Scene]:
    """Made once: what a request does to it is taken back."""
    with django_db_blocker.unblock(), override_settings(MEDIA_ROOT=files), transaction.atomic():
        yield Scene.make()
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def signed_in(scene) -> Callable[[Membership], Client]:
    """`signed_in(person)` is a new browser with the person's session."""

    @cache
    def session(person: Membership) -> Client:
        client = Client()
        client.force_login(person.user, backend="django.contrib.auth.backends.ModelBackend")
        return client

    def browser(person: Membership) -> Client:
        client = Client()
        client.cookies = copy.deepcopy(session(person).cookies)
        return client

    return browser


def ask(
    client: Client, line: Line, method: str, scene: Scene, slug: str, headers: dict[str, str]
) -> int:
    """The status of one request, whose effects are taken back afterwards."""
    path = reverse(line.url, kwargs={"workspace": slug, **line.args(scene)})
    with transaction.atomic():
        send = client.get if method == "GET" else client.post
        answer = send(path, line.data(scene), headers=headers)
        transaction.set_rollback(True)
    if answer.streaming:
        assert b"".join(answer.streaming_content)
    if answer.status_code == 302 and answer.url.startswith(reverse("sign-in")):
        return 401
    return answer.status_code


def uses() -> list[Any]:
    found = []
    for number, line in enumerate(TABLE):
        for method, may in (("GET", line.gets), ("POST", line.posts)):
            if may is not None:
                found.append(pytest.param(line, method, may, id=f"{method}-{line.url}-{number}"))
    return found


@HTMX
@pytest.mark.parametrize(("line", "method", "may"), uses())
def test_it_answers_those_who_may_and_nobody_else(
    line: Line,
    method: str,
    may: tuple[str, ...],
    headers: dict[str, str],
    scene: Scene,
    client: Client,
    signed_in: Callable[[Membership], Client],
) -> None:
    slug, elsewhere = scene.cast.workspace.slug, scene.cast.ola.workspace.slug
    ola = signed_in(scene.cast.ola)

    assert ask(client, line, method, scene, slug, headers) == 401
    assert ask(ola, line, method, scene, slug, headers) == NOT_THERE
    if line.args(scene):
        # Nor through the address of a workspace that is one's own.
        assert ask(ola, line, method, scene, elsewhere, headers) == NOT_THERE
    for name in ALL:
        status = ask(signed_in(getattr(scene.cast, name)), line, method, scene, slug, headers)
        assert status in (ANSWERED if name in may else {NOT_ALLOWED}), (name, status)


@pytest.mark.parametrize("url", sorted({line.url for line in TABLE}))
def test_a_method_without_a_line_is_refused(
    url: str, scene: Scene, signed_in: Callable[[Membership], Client]
) -> None:
    lines = [line for line in TABLE if line.url == url]
    max_ = signed_in(scene.cast.max)
    slug = scene.cast.workspace.slug
    if not any(line.gets for line in lines) and url != "dismiss-kind":
        assert ask(max_, lines[0], "GET", scene, slug, {}) == WRONG_METHOD
    if not any(line.posts for line in lines):
        assert ask(max_, lines[0], "POST", scene, slug, {}) == WRONG_METHOD


@HTMX
@pytest.mark.parametrize(("url", "status"), OPEN_TO_ALL.items())
def test_it_is_open_to_everybody(url: str, status: int, headers, client: Client, db) -> None:
    args = {"uidb64": "MQ", "token": "x"} if url == "password-reset-confirm" else {}
    assert client.get(reverse(url, kwargs=args), headers=headers).status_code == status


@HTMX
@pytest.mark.parametrize(("url", "status"), OWN.items())
def test_it_belongs_to_whoever_is_signed_in(
    url: str, status: int, headers, cast: Cast, client: Client, client_of
) -> None:
    signed_out = client.get(reverse(url), headers=headers)
    assert signed_out.status_code == 302
    assert signed_out.url.startswith(reverse("sign-in"))
    for member in (*cast.members, cast.ola):
        assert client_of(member).get(reverse(url), headers=headers).status_code == status


def test_a_person_who_left_the_workspace_meets_nothing_of_it(scene: Scene, signed_in) -> None:
    iris = signed_in(scene.other)
    line = next(line for line in TABLE if line.url == "desk")
    assert ask(iris, line, "GET", scene, scene.cast.workspace.slug, {}) == 200
    with transaction.atomic():
        Membership.objects.filter(pk=scene.other.pk).delete()
        assert ask(iris, line, "GET", scene, scene.cast.workspace.slug, {}) == NOT_THERE
        transaction.set_rollback(True)


def test_a_workspace_that_does_not_exist_is_like_one_that_is_not_ones_own(
    cast: Cast, client_of
) -> None:
    wen = client_of(cast.wen)
    nowhere = wen.get(reverse("proposals", args=["nowhere"]))
    not_hers = wen.get(reverse("proposals", args=[cast.ola.workspace.slug]))
    assert nowhere.status_code == not_hers.status_code == NOT_THERE
    told = [
        re.sub(rb'Token": "[^"]+|value="[^"]+', b"", one.content) for one in (nowhere, not_hers)
    ]
    assert told[0] == told[1]
