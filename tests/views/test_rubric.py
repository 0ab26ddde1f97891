"""The rubric's page: what is read by, what managers add and ban, and what each version changed."""

import pytest
from django.urls import reverse

from reviewer.core.rubric import RULES, Rule
from reviewer.models import Event, Rubric
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.rubric import (
    BannedPhrase,
    banned_phrases,
    change_rubric,
    house_rules,
    rubric_hash,
    rubric_in_force,
    rubric_versions,
    rule_titles,
)

pytestmark = pytest.mark.django_db

PLAIN = Rule("", "Plain prices", "Every price is in dollars and has no footnote.")


def _save(client, cast, **said):
    said = {"based_on": "0", "code": [""], "title": [PLAIN.title], "text": [PLAIN.text], **said}
    return client.post(reverse("rubric", args=[cast.workspace.slug]), said)


def _page(client, cast):
    return client.get(reverse("rubric", args=[cast.workspace.slug]))


def _change(cast, *rules, banned=(), based_on=0, note=""):
    return change_rubric(
        by=cast.max, house_rules=rules, banned=banned, based_on=based_on, note=note
    )


def test_everybody_reads_the_ten_rules_with_their_text(cast, client_of):
    shown = _page(client_of(cast.wen), cast).content.decode()
    for rule in RULES:
        assert rule.code in shown
        assert rule.title.replace("'", "&#x27;") in shown
    assert "<textarea" not in shown


def test_a_manager_adds_a_rule_and_a_phrase_and_the_page_says_what_changed(cast, client_of):
    client = client_of(cast.max)
    answer = _save(client, cast, banned="world-class => what we did\nsynergy", note="The pitch.")
    assert answer.status_code == 302
    made = rubric_in_force(cast.workspace)
    assert [(r.code, r.title) for r in house_rules(made)] == [("plain_prices", "Plain prices")]
    assert banned_phrases(made) == (
        BannedPhrase("world-class", "what we did"),
        BannedPhrase("synergy"),
    )
    shown = _page(client, cast).content.decode()
    assert "Added the rule “Plain prices”." in shown
    assert "Banned “synergy”." in shown
    assert "The pitch." in shown
    told = Event.objects.get(verb="rubric changed")
    assert (told.actor, told.from_state, told.to_state) == (cast.max.user, "0", "1")


def test_a_rule_is_removed_by_emptying_its_fields(cast, client_of):
    _change(cast, PLAIN)
    _save(client_of(cast.max), cast, based_on="1", code=["plain_prices"], title=[""], text=[""])
    assert house_rules(rubric_in_force(cast.workspace)) == ()
    assert rubric_versions(cast.workspace)[0].changes == ("Removed the rule “Plain prices”.",)


def test_what_cannot_be_used_keeps_what_was_typed(cast, client_of):
    answer = _save(client_of(cast.max), cast, title=["Grounding"], banned="synergy")
    assert answer.status_code == 422
    shown = answer.content.decode()
    assert "is one of the ten rules already" in shown
    assert PLAIN.text in shown
    assert "synergy" in shown
    assert not Rubric.objects.exists()


def test_of_two_managers_who_change_it_at_once_one_is_told(cast, client_of):
    _change(cast, PLAIN)
    answer = _save(client_of(cast.max), cast, title=["Another"], based_on="0")
    assert answer.status_code == 409
    assert "Somebody else changed the rubric" in answer.content.decode()
    with pytest.raises(MovedMeanwhile):
        _change(cast, PLAIN, Rule("", "Another", "Look for it."))


ALPHA = Rule("", "Alpha", "Look for alpha.")


def test_a_stale_save_shows_what_the_other_changed_and_loses_neither(cast, client_of):
    _change(cast, ALPHA, banned=[BannedPhrase("synergy")])
    client = client_of(cast.max)
    answer = _save(client, cast, banned="world-class")
    shown = answer.content.decode()
    assert answer.status_code == 409
    for sentence in (
        "Added the rule “Alpha”.",
        "Banned “synergy”.",
        "Added the rule “Plain prices”.",
    ):
        assert sentence in shown
    assert "Removed the rule" not in shown
    again = answer.context
    rows = [rule for rule in again["rows"] if rule.title]
    assert [rule.title for rule in rows] == ["Plain prices", "Alpha"]
    _save(
        client,
        cast,
        based_on=again["based_on"],
        code=[rule.code for rule in rows],
        title=[rule.title for rule in rows],
        text=[rule.text for rule in rows],
        banned=again["banned"],
    )
    made = rubric_in_force(cast.workspace)
    assert {rule.title for rule in house_rules(made)} == {"Alpha", "Plain prices"}
    assert {each.phrase for each in banned_phrases(made)} == {"synergy", "world-class"}


def test_a_rule_that_both_changed_is_shown_as_it_stands_before_it_is_saved_over(cast, client_of):
    _change(cast, PLAIN)
    _change(cast, Rule("plain_prices", "Plain prices", "Theirs."), based_on=1)
    mine = {"code": ["plain_prices"], "text": ["Mine."], "based_on": "1"}
    answer = _save(client_of(cast.max), cast, **mine)
    assert answer.status_code == 409
    assert [rule.text for rule in answer.context["against"].theirs] == ["Theirs."]
    assert answer.context["against"].would == ("Changed the rule “Plain prices”.",)
    assert "Theirs." in answer.content.decode()
    assert "Mine." in answer.content.decode()


def test_a_stale_save_that_cannot_be_used_does_not_name_the_newer_version(cast, client_of):
    _change(cast, ALPHA)
    client = client_of(cast.max)
    answer = _save(client, cast, title=["Grounding"])
    assert (answer.status_code, answer.context["based_on"]) == (422, 0)
    assert _save(client, cast).status_code == 409


def test_only_a_manager_changes_it(cast, client_of):
    assert _save(client_of(cast.rae), cast).status_code == 403
    with pytest.raises(NotAllowed):
        change_rubric(by=cast.rae, house_rules=[PLAIN], banned=[], based_on=0)


@pytest.mark.parametrize(
    ("rule", "says"),
    [
        (Rule("", "", "A text."), "needs a title"),
        (Rule("", "A title", " "), "needs a title"),
        (Rule("2nd", "A title", "A text."), "cannot be a code"),
        (Rule("other", "A title", "A text."), "one of the ten"),
        (Rule("grounding", "A title", "A text."), "one of the ten"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused_in_a_sentence(cast, rule, says):
    with pytest.raises(Refused, match=says):
        _change(cast, rule)


def test_what_is_no_phrase_and_what_changes_nothing_is_refused(cast):
    with pytest.raises(Refused, match="needs words"):
        _change(cast, banned=[BannedPhrase("!?")])
    with pytest.raises(Refused, match="Nothing is different"):
        _change(cast)


def test_a_version_is_never_changed(cast):
    made = _change(cast, PLAIN)
    made.note = "Changed."
    with pytest.raises(TypeError):
        made.save()


def test_phrases_are_no_part_of_what_text_is_read_under_and_rules_are(cast):
    plain = rubric_hash()
    assert rubric_hash(_change(cast, banned=[BannedPhrase("synergy")])) == plain
    assert rubric_hash(_change(cast, PLAIN, based_on=1)) != plain


def test_a_rule_that_is_gone_still_has_its_title(cast):
    _change(cast, PLAIN)
    _change(cast, based_on=1, banned=[BannedPhrase("synergy")])
    assert rule_titles(cast.workspace)["plain_prices"] == "Plain prices"
    assert rule_titles(cast.workspace)["grounding"] == "Grounding"
