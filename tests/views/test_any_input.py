"""Whatever an address, a form or a query string holds, nothing answers with an error of ours."""

from typing import Any

import pytest
from django.db import transaction
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from reviewer.forms import NoForm
from tests.views import test_every_url as every
from tests.views.test_every_url import TABLE, Line, Scene, finding, says

# The scene of every address, and browsers signed in to it.
files, scene, signed_in, _own_files = every.files, every.scene, every.signed_in, every._own_files

TOO_LARGE = ("2147483648", "9999999999", "9" * 30, "9" * 5000)


def _send(client: Client, line: Line, scene: Scene, args: dict[str, Any], data: Any) -> Any:
    """One request by who may do it, whose effects are taken back afterwards."""
    path = reverse(line.url, kwargs={"workspace": scene.cast.workspace.slug, **args})
    with transaction.atomic():
        answer = (client.get if line.gets else client.post)(path, data)
        transaction.set_rollback(True)
    if answer.streaming:
        answer.close()
    return answer


@pytest.mark.parametrize("large", TOO_LARGE[:-1])
@pytest.mark.parametrize("line", TABLE, ids=str)
def test_a_number_in_an_address_that_nothing_has_is_not_found(line, large, scene, signed_in):
    args = line.args(scene)
    max_ = signed_in(scene.cast.max)
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
def test_a_number_that_is_too_large_is_answered_in_a_sentence(line, name, large, scene, signed_in):
    data = {**line.data(scene), name: large}
    answer = _send(signed_in(scene.cast.max), line, scene, line.args(scene), data)
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
def test_a_learning_of_a_number_that_is_too_large_is_merged_into_nothing(
    line, large, scene, signed_in
):
    data = {"kind": "look_for", "text": "A rule.", "do": f"merge:{large}"}
    answer = _send(signed_in(scene.cast.max), line, scene, line.args(scene), data)
    assert answer.status_code in {200, 302, 404, 409, 422}


@pytest.mark.parametrize("page", [*TOO_LARGE, "-1", "x"])
def test_a_page_that_does_not_exist_is_the_nearest_that_does(page, cast, client_of):
    path = reverse("proposals", args=[cast.workspace.slug])
    assert client_of(cast.wen).get(path, {"page": page}).context["page"].number == 1


@pytest.mark.parametrize("large", TOO_LARGE[1:])
def test_a_no_names_no_finding_that_no_proposal_can_have(large):
    form = NoForm(QueryDict(f"reason=Not+yet.&due={large}"))
    assert not form.is_valid()
    assert NoForm(QueryDict("reason=Not+yet.&due=12")).is_valid()
