"""A house keeps its learnings in git: export, import, and what a file may not do."""

import io
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.utils import timezone

from reviewer.models import Event, Learning, LearningVersion
from reviewer.services.errors import NotAllowed
from reviewer.services.learnings import approve, merge_into, promote, retire, revise
from reviewer.services.learnings_file import BadFile, export_yaml, import_yaml
from reviewer.services.learnings_given import learned_on
from tests.factories import Cast, make_finding, make_proposal, make_version, make_workspace
from tests.learned import TEXT, make_learning


def _house(cast: Cast) -> str:
    """A house with every state and kind, and its file."""
    day = timezone.localdate()
    version = make_version(make_proposal(cast.workspace))
    first = promote(
        actor=cast.rae,
        workspace=cast.workspace,
        kind="look_for",
        text=TEXT,
        rule="unambiguous_scope",
        client="Northwind: Logistics",
        proposal_kind="scope",
        expires_on=day + timedelta(days=90),
        findings=[make_finding(version)],
    )
    approve(learning=first, actor=cast.max)
    revise(learning=first, actor=cast.rae, text="Name each integration, or say “later”.")
    merge_into(learning=first, findings=[make_finding(version)], actor=cast.rae)
    make_learning(
        cast, kind="never_say", text="Never say it.", phrase="leverage", instead="use: yes"
    )
    make_learning(cast, status="declined", text="yes")
    make_learning(cast, text="Old.", expires_on=day, proposed_on=day - timedelta(days=3))
    gone = make_learning(cast, text="Retired by and by.")
    retire(learning=gone, actor=cast.max, why="It is no longer so.")
    new = promote(
        actor=cast.rae,
        workspace=cast.workspace,
        kind="look_for",
        text="Name what is old, too.",
        supersedes=make_learning(cast, text="One."),
    )
    approve(learning=new, actor=cast.max)
    return export_yaml(cast.workspace)


def _command(*args: str) -> str:
    out = io.StringIO()
    call_command("learnings", *args, stdout=out)
    return out.getvalue()


def test_out_and_in_again_is_the_identity_in_the_same_house_and_in_an_empty_one(cast, tmp_path):
    text = _house(cast)
    events = Event.objects.count()
    done = import_yaml(workspace=cast.workspace, actor=cast.max, text=text)
    assert (done.added, done.changed, len(done.unchanged)) == ((), (), 7)
    assert (export_yaml(cast.workspace), Event.objects.count()) == (text, events)

    other = make_workspace("Other")
    file = tmp_path / "learnings.yaml"
    _command("export", str(file), "--workspace", cast.workspace.slug)
    assert "7 added" in _command("import", str(file), "--workspace", other.slug)
    assert export_yaml(other) == text.replace("house: field-systems", f"house: {other.slug}")


def test_a_manager_who_imports_cannot_put_anything_into_force(cast):
    text = _house(cast)
    elsewhere = cast.ola.workspace
    done = import_yaml(workspace=elsewhere, actor=cast.ola, text=text)
    assert (len(done.added), len(done.waiting), len(done.skipped)) == (3, 3, 4)
    assert learned_on(elsewhere.pk, timezone.localdate()) == []
    assert set(elsewhere.learnings.values_list("author", flat=True)) == {cast.ola.user_id}


def test_the_command_leaves_proposed_what_nobody_here_approved(cast):
    text = _house(cast).replace("approved_by: max", "approved_by: nobody")
    other = make_workspace("Other")
    path = "-"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("sys.stdin", io.StringIO(text))
        _command("import", path, "--workspace", other.slug)
    assert not other.learnings.filter(status="in_force").exists()


def test_other_words_in_the_file_are_the_next_version_and_wait(cast):
    make_learning(cast)
    text = export_yaml(cast.workspace).replace(TEXT, "Name every system.")
    done = import_yaml(workspace=cast.workspace, actor=cast.max, text=text)
    assert (done.changed, done.waiting) == ((1,), (1,))
    assert [each.text for each in learned_on(cast.workspace.pk, timezone.localdate())] == [TEXT]
    again = import_yaml(workspace=cast.workspace, actor=cast.max, text=text)
    assert (again.changed, LearningVersion.objects.count()) == ((), 2)


def test_what_the_file_retires_is_retired_and_what_it_does_not_name_stays(cast):
    make_learning(cast)
    make_learning(cast, text="Name the price.")
    text = f"""format: 1
learnings:
  - number: 1
    state: retired
    kind: look_for
    text: {TEXT}
    ended_why: Buyers stopped asking.
"""
    done = import_yaml(workspace=cast.workspace, actor=cast.max, text=text)
    assert done.changed == (1,)
    assert list(Learning.objects.values_list("status", flat=True)) == ["retired", "in_force"]


def test_an_entry_without_a_number_is_added_once(cast):
    text = f"format: 1\nlearnings:\n  - kind: look_for\n    text: {TEXT}\n"
    assert import_yaml(workspace=cast.workspace, actor=cast.max, text=text).added == (1,)
    assert import_yaml(workspace=cast.workspace, actor=cast.max, text=text).unchanged == (1,)
    assert Learning.objects.get().status == "proposed"


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("kind: look_for\n    text: Name it.\n    rule: no_such_rule", "not in the rubric"),
        ("kind: look_for\n    text: Name it.\n    document: novel", "not known"),
        ("kind: look_for\n    text: Name it.\n    until: 2001-01-01", "after today"),
        ("kind: do_not_raise\n    text: Weeks are weeks.", "sources"),
        ("number: 1\n    kind: never_say\n    text: No.\n    phrase: leverage", "another learning"),
        ("number: 1\n    kind: look_for\n    text: Name it.\n    client: Calder", "scope"),
        (f"kind: look_for\n    text: {'long ' * 200}", "600 characters"),
    ],
)
def test_one_fault_is_told_with_its_line_and_imports_nothing(cast, entry, why):
    make_learning(cast)
    before = export_yaml(cast.workspace)
    text = f"format: 1\nlearnings:\n  - kind: look_for\n    text: A good one.\n  - {entry}\n"
    with pytest.raises(BadFile) as bad:
        import_yaml(workspace=cast.workspace, actor=cast.max, text=text)
    assert [line for line, _ in bad.value.problems] == [5]
    assert why in bad.value.message
    assert export_yaml(cast.workspace) == before
    assert not Event.objects.exists()


def test_the_command_names_file_and_line_and_ends_with_a_status(cast, tmp_path, capsys):
    file = tmp_path / "bad.yaml"
    file.write_text("format: 1\nlearnings:\n  - kind: guess\n    text: A.\n")
    with pytest.raises(SystemExit) as ended:
        call_command("learnings", "import", str(file), "--workspace", cast.workspace.slug)
    assert ended.value.code == 1
    assert f"{file}:3: “kind” is one of" in capsys.readouterr().err


@pytest.mark.parametrize("who", ["wen", "rae", "ola"])
def test_only_a_manager_of_the_house_imports(cast, who):
    with pytest.raises(NotAllowed):
        import_yaml(workspace=cast.workspace, actor=getattr(cast, who), text="")
