"""Whatever an address, a form or a query string holds, nothing answers with an error of ours."""

from typing import Any
from urllib.parse import quote_plus, urlencode

import pytest
from django.db import connection, transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from reviewer.forms import NoForm
from tests.views.test_every_url import (
    TABLE,
    Line,
    Scene,
    _own_files,
    files,
    finding,
    says,
    scene,
    signed_in,
)

__all__ = ["_own_files", "files", "scene", "signed_in"]


@pytest.fixture
def max_(scene, signed_in) -> Client:
    """The manager's browser: who may do most reaches most."""
    return signed_in(scene.cast.max)


TOO_LARGE = ("2147483648", "9999999999", "9" * 30, "9" * 5000)


def _send(client: Client, line: Line, scene: Scene, args: dict[str, Any], data: Any) -> Any:
    """One request by who may do it, whose effects are taken back afterwards."""
    path = reverse(line.url, kwargs={"workspace": scene.cast.workspace.slug, **args})
    with transaction.atomic():
        answer = (client.get if line.gets else client.post)(path, data)
        transaction.set_rollback(True)
    if answer.streaming:
        b"".join(answer.streaming_content)
    return answer


@pytest.mark.parametrize("large", TOO_LARGE[:-1])
@pytest.mark.parametrize("line", TABLE, ids=str)
def test_a_number_in_an_address_that_nothing_has_is_not_found(line, large, scene, max_):
    args = line.args(scene)
    for name in [name for name, value in args.items() if isinstance(value, int)]:
        answer = _send(max_, line, scene, {**args, name: int(large)}, line.data(scene))
        assert answer.status_code == 404, name


@pytest.mark.parametrize("large", TOO_LARGE)
@pytest.mark.parametrize(
    ("line", "name"),
    [
        (
            Line(
                "triage-act", finding("fix", "accept"), posts=("max",), data=says(reason="Known.")
            ),
            "until_version",
        ),
        (Line("triage-act", finding("fix", "merge"), posts=("max",)), "into"),
        (Line("gate-refuse", lambda s: s.v, posts=("max",), data=says(reason="Not yet.")), "due"),
        (
            Line(
                "gate-waive",
                lambda s: s.v,
                posts=("max",),
                data=says(kind="unread", reason="Seen."),
            ),
            "sheet",
        ),
        (Line("read", lambda s: s.v, posts=("max",)), "sheet"),
        (Line("own-finding", lambda s: s.v, posts=("max",)), "on_sheet"),
        (
            Line("rubric", posts=("max",), data=says(title="Plain", text="Be plain.", code="")),
            "based_on",
        ),
        (Line("policy", posts=("max",)), "learning_wait_days"),
        (Line("model-settings", posts=("max",), data=says(depth="quick")), "monthly_limit"),
        (
            Line("finding-alike", lambda s: {**s.p, "finding": s.fix.number}, posts=("max",)),
            "other",
        ),
        (
            Line("offer-dismiss", posts=("max",), data=says(kind="look_for", text="A.", why="No.")),
            "finding",
        ),
        (Line("desk", lambda s: s.p, gets=("max",)), "finding"),
        (Line("learnings", gets=("max",)), "q"),
        (Line("proposals", gets=("max",)), "page"),
        (Line("own-finding", lambda s: s.v, gets=("max",)), "sheet"),
    ],
    ids=lambda value: str(value),
)
def test_a_number_that_is_too_large_is_answered_in_a_sentence(line, name, large, scene, max_):
    data = {**line.data(scene), name: large}
    answer = _send(max_, line, scene, line.args(scene), data)
    assert answer.status_code in {200, 302, 404, 409, 422}


@pytest.mark.parametrize("large", TOO_LARGE)
@pytest.mark.parametrize(
    "line",
    [
        Line("learning-new", posts=("max",)),
        Line("finding-learn", lambda s: {**s.v, "finding": s.fix.number}, posts=("max",)),
    ],
    ids=str,
)
def test_a_learning_of_a_number_that_is_too_large_is_merged_into_nothing(line, large, scene, max_):
    data = {"kind": "look_for", "text": "A rule.", "do": f"merge:{large}"}
    answer = _send(max_, line, scene, line.args(scene), data)
    assert answer.status_code in {200, 302, 404, 409, 422}


@pytest.mark.parametrize("page", [*TOO_LARGE, "-1", "x"])
def test_a_page_that_does_not_exist_is_the_nearest_that_does(page, scene, max_):
    path = reverse("proposals", args=[scene.cast.workspace.slug])
    assert max_.get(path, {"page": page}).context["page"].number == 1


@pytest.mark.parametrize("large", TOO_LARGE[1:])
def test_a_no_names_no_finding_that_no_proposal_can_have(large):
    form = NoForm(QueryDict(f"reason=Not+yet.&due={large}"))
    assert not form.is_valid()
    assert NoForm(QueryDict("reason=Not+yet.&due=12")).is_valid()


NO_TEXT = "a%00b%ED%A0%80c"
"""NUL and half of a surrogate pair, as a form and an address send them."""
MAX = ("max",)
FILLED = [
    Line("own-finding", lambda s: s.v, posts=MAX, data=lambda s: own_words(s)),
    Line("triage-act", finding("fix", "severity"), posts=MAX, data=says(severity="consider", reason="R.")),
    Line("triage-act", finding("block", "sign"), posts=MAX, data=says(reason="R.")),
    Line("triage-act", finding("fix", "accept"), posts=MAX, data=says(reason="R.")),
    Line("triage-act", finding("fix", "close"), posts=MAX, data=says(reason="R.")),
    Line(
        "triage-act",
        finding("fix", "merge"),
        posts=MAX,
        data=lambda s: {"into": s.block.number, "reason": "R."},
    ),
    Line("finding-act", finding("fix", "reopen"), posts=MAX, data=says(reason="R.")),
    Line("gate-ask", lambda s: s.v, posts=MAX, data=says(note="N.")),
    Line(
        "rubric",
        posts=MAX,
        data=says(based_on="0", code="", title="Plain", text="T.", banned="x => y", note="N."),
    ),
    Line(
        "learning-new",
        posts=MAX,
        data=says(kind="never_say", text="T.", phrase="synergy", instead="I.", client="C.", do="new"),
    ),
    Line(
        "learning-act",
        lambda s: {"number": s.learning.number, "act": "revise"},
        posts=MAX,
        data=says(text="Another rule.", why="W."),
    ),
    Line(
        "model-settings",
        posts=MAX,
        data=says(
            depth="quick", calls_at_once="1", keep_answers_days="9", lost_alarm_percent="9",
            base_url="http://127.0.0.1:8080", model="m", second_model="n", api_key="sk-1",
        ),
    ),
    Line(
        "model-prices",
        posts=MAX,
        data=says(**{
            "price-TOTAL_FORMS": "1", "price-INITIAL_FORMS": "0", "price-0-model": "m",
            "price-0-input": "3", "price-0-output": "15",
        }),
    ),
]  # fmt: skip
FORM = "application/x-www-form-urlencoded"
ANSWERED = {200, 302, 400, 403, 404, 405, 409, 422}


def own_words(scene: Scene) -> dict[str, Any]:
    sheet = scene.version.sheets.get(number=1)
    words = " ".join(
        word["text"] if isinstance(word, dict) else word[0] for word in sheet.words[:2]
    )
    said = {"severity": "fix", "rule": "grounding", "text": "T.", "edit": "E."}
    return {"on_sheet": 1, "quote": words, **said}


@pytest.fixture
def asked_for(monkeypatch) -> set[str]:
    """The names of all fields that are read of a form or a query string."""
    names: set[str] = set()
    for method in ("get", "getlist", "__getitem__"):
        plain = getattr(QueryDict, method)

        def spy(self, key, *more, _plain=plain, **named):
            names.add(key)
            return _plain(self, key, *more, **named)

        monkeypatch.setattr(QueryDict, method, spy)
    return names


def _no_nul(execute, sql, params, many, context):
    """Refuse what PostgreSQL refuses, on every database."""
    for value in params or ():
        if isinstance(value, str):
            value.encode()
            assert "\0" not in value and "\\u0000" not in value, (sql, value)  # noqa: PT018
    return execute(sql, params, many, context)


@pytest.mark.parametrize("line", [*TABLE, *FILLED], ids=str)
def test_no_field_brings_what_a_database_refuses(line, scene, max_, asked_for):
    args, data = line.args(scene), line.data(scene)
    _send(max_, line, scene, args, data)
    for name in sorted(asked_for | {"q", "page"} if line.gets else asked_for):
        if name in {"csrfmiddlewaretoken", "HX-Request"}:
            continue
        body = urlencode({**data, name: ""}, doseq=True).replace(
            f"{quote_plus(name)}=", f"{quote_plus(name)}={NO_TEXT}", 1
        )
        path = reverse(line.url, kwargs={"workspace": scene.cast.workspace.slug, **args})
        with transaction.atomic(), connection.execute_wrapper(_no_nul):
            if line.gets:
                answer = max_.get(f"{path}?{body}")
            else:
                answer = max_.post(path, body, content_type=FORM)
            transaction.set_rollback(True)
        if answer.streaming:
            b"".join(answer.streaming_content)
        assert answer.status_code in ANSWERED, name


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["sign-in", "password-reset"])
def test_nor_does_a_field_that_is_open_to_everybody(url, client, scene):
    with connection.execute_wrapper(_no_nul):
        for name in ("username", "password", "email", "next"):
            said = {"username": "wen", "password": "x", "email": "a@example.org", name: ""}
            body = urlencode(said).replace(f"{name}=", f"{name}={NO_TEXT}", 1)
            answer = client.post(reverse(url), body, content_type=FORM)
            assert answer.status_code in ANSWERED, name
