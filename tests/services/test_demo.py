"""The demo: made once, with passwords of its own, from recorded answers that say so."""

import json
import re
from io import StringIO

import pytest
from django.contrib.auth import authenticate
from django.core.management import call_command

from reviewer.models import Finding, Membership, Proposal, Reading, Review, Workspace
from reviewer.services import conversion, demo
from reviewer.services.demo import SAMPLES, add_samples, create_demo
from reviewer.services.recorded import record_review
from tests.factories import make_person, make_proposal, make_version
from tests.services.documents import plain_document

PASS = {
    "findings": [
        {
            "sheet": 1,
            "severity": "fix",
            "rule": "grounding",
            "quote": "12 weeks",
            "finding": "Twelve weeks has no source.",
            "fix": "Name it.",
        },
        {
            "sheet": 0,
            "severity": "block",
            "rule": "commercial_clarity",
            "quote": "",
            "finding": "No price stands anywhere.",
            "fix": "Name one.",
        },
        {
            "sheet": 2,
            "severity": "consider",
            "rule": "structure",
            "quote": "two sites",
            "finding": "Say which.",
            "fix": "Name them.",
        },
    ],
    "keeps": "A clear plan.",
}
TEXTS = ["The pilot runs for 12 weeks.", "It covers two sites."]


@pytest.fixture
def samples(monkeypatch, quick_reader) -> list[dict]:
    """The two small samples; the large one is tested where merging is."""
    small = [
        s for s in json.loads((SAMPLES / "samples.json").read_text()) if "harbor" not in s["file"]
    ]
    monkeypatch.setattr(demo, "_samples", lambda: small)
    return small


def _run() -> str:
    told = StringIO()
    call_command("demo", stdout=told)
    return told.getvalue()


# Recorded answers -----------------------------------------------------------------------------


def test_recorded_passes_become_a_finished_review_that_says_it_is_recorded(cast, settings):
    settings.MODEL_BASE_URL = "http://127.0.0.1:9"
    version = make_version(make_proposal(cast.workspace), texts=TEXTS)
    review = record_review(version=version, passes=[PASS, PASS], model="recorded by hand")
    assert (review.status, review.provenance) == (Review.Status.FINISHED, "recorded")
    assert review.server == ""
    readings = review.readings.order_by("pass_number", "sheet")
    assert [(r.pass_number, r.sheet) for r in readings] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert set(readings.values_list("outcome", "input_tokens", "cost")) == {("read", 0, None)}
    assert review.keeps == ["A clear plan."]
    assert {(f.sheet, f.votes, f.passes) for f in Finding.objects.all()} == {
        (0, 2, 2),
        (1, 2, 2),
        (2, 2, 2),
    }


def test_recorded_answers_lead_to_no_message_for_a_worker(
    cast, published, django_capture_on_commit_callbacks
):
    version = make_version(make_proposal(cast.workspace), texts=TEXTS)
    with django_capture_on_commit_callbacks(execute=True):
        record_review(version=version, passes=[PASS], model="m")
    assert published == []
    assert set(Reading.objects.values_list("kind", flat=True)) == {"pass"}


# The demo ----------------------------------------------------------------------------------------


def test_the_demo_is_made_once(samples, db):
    first = _run()
    assert Workspace.objects.get(is_demo=True).memberships.count() == 3
    assert Proposal.objects.count() == Review.objects.filter(status="finished").count() == 2
    findings = Finding.objects.count()
    assert findings > 10
    assert _run() == ""
    assert Finding.objects.count() == findings
    assert first.count("Preparing the sample") == 2


def test_each_of_the_three_signs_in_with_the_password_that_was_shown(samples, db, rf):
    shown = re.findall(r"^  (\w+) +(\S+)   \((\w+)\)$", _run(), re.MULTILINE)
    assert [(name, role) for name, _, role in shown] == [
        ("wen", "writer"),
        ("rae", "reviewer"),
        ("max", "manager"),
    ]
    for name, password, role in shown:
        user = authenticate(rf.post("/"), username=name, password=password)
        assert Membership.objects.get(user=user).role == role


def test_passwords_are_of_this_installation_alone(db):
    first = {person.password for person in create_demo()}
    Workspace.objects.update(is_demo=False, slug="another")
    second = {person.password for person in create_demo()}
    assert len(first | second) == 6
    assert min(len(password) for password in first) >= 18


def test_names_that_are_taken_get_a_number(db):
    make_person("wen")
    make_person("wen2")
    assert [person.username for person in create_demo()] == ["wen3", "rae", "max"]


def test_an_interrupted_demo_is_finished_by_the_next_run(samples, db, monkeypatch, kept_files):
    real = conversion.read_file

    def interrupted(path, workdir, **options):
        if Proposal.objects.count() == 2:
            raise KeyboardInterrupt
        return plain_document(path.read_text(), workdir)

    monkeypatch.setattr(conversion, "read_file", interrupted)
    told = StringIO()
    with pytest.raises(KeyboardInterrupt):
        call_command("demo", stdout=told)
    assert "wen" in told.getvalue()
    assert Review.objects.filter(status="finished").count() == 1
    monkeypatch.setattr(conversion, "read_file", real)
    again = _run()
    assert "passwords" not in again
    assert again.count("Preparing the sample") == 1
    assert Proposal.objects.count() == Review.objects.filter(status="finished").count() == 2


def test_a_sample_that_somebody_deleted_stays_deleted(samples, db):
    _run()
    Proposal.objects.first().delete()
    assert add_samples(say=print) == 0
    assert Proposal.objects.count() == 1


def test_every_sample_is_labelled_with_where_its_answers_come_from():
    for sample in json.loads((SAMPLES / "samples.json").read_text()):
        assert re.search(r"[Rr]ecorded|by hand", sample["recorded"])
        assert (SAMPLES / sample["file"]).is_file()
        assert len(sample["readings"]) == 3
