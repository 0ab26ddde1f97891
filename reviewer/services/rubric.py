"""The rubric that reviews read by: the ten rules, and what the workspace adds to them.

Every change is a version of its own, so that a review goes on by the version it started
with. Banned phrases are enforced by code and are no part of what a model is told, so they do
not change the hash under which text was read.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db import IntegrityError, transaction

from reviewer.core.rubric import OTHER, RULES, RULES_BY_CODE, Rule, rule_code
from reviewer.models import Membership, Rubric, Workspace
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.storable import storable, typed_text

HOUSE_RULES_AT_MOST = 20
BANNED_AT_MOST = 200
_CODE = re.compile(r"[a-z][a-z0-9_]{1,39}")


@dataclass(frozen=True, slots=True)
class BannedPhrase:
    """Words that never leave the house, and what to say in their place, if anything."""

    phrase: str
    instead: str = ""


@dataclass(frozen=True, slots=True)
class RubricVersion:
    """One version, and what it changed against the one before, a sentence each."""

    rubric: Rubric
    changes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Beside:
    """What somebody typed over an older version, beside the one in force.

    `since` are the versions made meanwhile, newest first. `rules` and `banned` are what was
    typed, then what others added meanwhile. `theirs` are the rules that read differently in
    force, and `would` is what saving `rules` and `banned` would change of it, a sentence each.
    """

    since: tuple[RubricVersion, ...]
    rules: tuple[Rule, ...]
    banned: tuple[BannedPhrase, ...]
    theirs: tuple[Rule, ...]
    would: tuple[str, ...]


def rubric_in_force(workspace: Workspace | int) -> Rubric | None:
    """The newest version; None where the ten rules stand alone."""
    return Rubric.objects.filter(workspace=workspace).order_by("-number").first()


def house_rules(rubric: Rubric | None) -> tuple[Rule, ...]:
    """The rules that a version adds to the ten, in its order."""
    if rubric is None:
        return ()
    return tuple(Rule(r["code"], r["title"], r["text"]) for r in rubric.house_rules)


def rules_of(rubric: Rubric | None) -> tuple[Rule, ...]:
    """All rules of a version: the ten, then the house's own."""
    return (*RULES, *house_rules(rubric))


def banned_phrases(rubric: Rubric | None) -> tuple[BannedPhrase, ...]:
    """The phrases that code looks for under a version."""
    if rubric is None:
        return ()
    return tuple(BannedPhrase(b["phrase"], b.get("instead", "")) for b in rubric.banned)


def rubric_hash(rubric: Rubric | None = None) -> str:
    """A hash of the rules' codes and texts, prefixed by the algorithm."""
    text = "\n".join(f"{rule.code}\t{rule.text}" for rule in rules_of(rubric))
    return f"sha256:{hashlib.sha256(text.encode()).hexdigest()[:32]}"


def code_under(rubric: Rubric | None, code: str, as_written: str) -> str:
    """The code to store for a rule that a reader named: a house rule's where it meant one."""
    if code != OTHER or rubric is None:
        return code
    folded = _folded(as_written)
    for rule in house_rules(rubric):
        if folded in {_folded(rule.code), _folded(rule.title)}:
            return rule.code
    return code


def rule_titles(workspace: Workspace | int) -> dict[str, str]:
    """The title of every code, those of house rules that are gone by now too; one query."""
    titles: dict[str, str] = {}
    for rules in Rubric.objects.filter(workspace=workspace).values_list("house_rules", flat=True):
        # Newest first: a code that was given another title is shown by its newest.
        for rule in rules:
            titles.setdefault(rule["code"], rule["title"])
    return {**titles, **{rule.code: rule.title for rule in RULES}, OTHER: "Other"}


def rubric_versions(workspace: Workspace | int) -> list[RubricVersion]:
    """Every version, newest first, with what it changed; one query."""
    rows = list(Rubric.objects.filter(workspace=workspace).select_related("changed_by"))
    older: list[Rubric | None] = [*rows[1:], None]
    return [
        RubricVersion(row, _changes(before, row))
        for row, before in zip(rows, older[: len(rows)], strict=True)
    ]


def change_rubric(
    *,
    by: Membership,
    house_rules: Sequence[Rule],
    banned: Sequence[BannedPhrase],
    note: str = "",
    based_on: int,
) -> Rubric:
    """Make the next version of the workspace's rubric. Managers only.

    `based_on` is the number of the version that was edited, 0 for the ten rules alone.
    Raises MovedMeanwhile where a newer one is in force, and Refused where nothing changed or
    a rule or phrase cannot be used.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can change the rubric.")
    rules = [_usable(rule) for rule in house_rules]
    phrases = _usable_phrases(banned)
    if len({rule.code for rule in rules}) != len(rules):
        raise Refused("Two house rules have the same code, so nothing was changed.")
    if len(rules) > HOUSE_RULES_AT_MOST or len(phrases) > BANNED_AT_MOST:
        raise Refused(
            f"At most {HOUSE_RULES_AT_MOST} house rules and {BANNED_AT_MOST} phrases can be "
            "kept: a longer list is not read. Nothing was changed."
        )
    before = rubric_in_force(by.workspace_id)
    if (before.number if before else 0) != based_on:
        raise MovedMeanwhile(_STALE)
    made = Rubric(
        workspace=by.workspace,
        number=based_on + 1,
        house_rules=[{"code": r.code, "title": r.title, "text": r.text} for r in rules],
        banned=[{"phrase": b.phrase, "instead": b.instead} for b in phrases],
        note=typed_text(note),
        changed_by=by.user,
    )
    changes = _changes(before, made)
    if not changes:
        raise Refused("Nothing is different from the rubric in force, so no version was made.")
    with transaction.atomic():
        try:
            with transaction.atomic():
                made.save()
        except IntegrityError as error:
            raise MovedMeanwhile(_STALE) from error
        record(
            workspace=by.workspace_id,
            subject=made,
            verb="rubric changed",
            by=by,
            from_state=str(based_on),
            to_state=str(made.number),
            why=" ".join(changes),
        )
    return made


_STALE = (
    "Somebody else changed the rubric since you opened it, so nothing was saved. What you typed "
    "is kept below, with what was added meanwhile; look at what differs, then save again."
)


def beside(
    workspace: Workspace | int,
    *,
    rules: Sequence[Rule],
    banned: Sequence[BannedPhrase],
    based_on: int,
) -> Beside:
    """What was typed over the version `based_on`, beside what others made of it since.

    Rules and phrases that they added come after what was typed, so that saving it does not
    take them away; what they changed or removed stays as it was typed, and is told.
    """
    since = [row for row in rubric_versions(workspace) if row.rubric.number > based_on]
    now = since[0].rubric if since else rubric_in_force(workspace)
    started = Rubric.objects.filter(workspace=workspace, number=based_on).first()
    coded = [replace(rule, code=rule.code or _folded(rule.title)[:40]) for rule in rules]
    known = {rule.code for rule in (*coded, *house_rules(started))}
    added = [rule for rule in house_rules(now) if rule.code not in known]
    said = {each.phrase.casefold() for each in (*banned, *banned_phrases(started))}
    phrases = [each for each in banned_phrases(now) if each.phrase.casefold() not in said]
    typed = {rule.code: rule for rule in coded}
    saved = Rubric(
        house_rules=[
            {"code": r.code, "title": r.title.strip(), "text": r.text.strip()}
            for r in (*coded, *added)
        ],
        banned=[{"phrase": b.phrase, "instead": b.instead} for b in (*banned, *phrases)],
    )
    return Beside(
        since=tuple(since),
        rules=(*rules, *added),
        banned=(*banned, *phrases),
        theirs=tuple(rule for rule in house_rules(now) if typed.get(rule.code, rule) != rule),
        would=_changes(now, saved),
    )


def _usable(rule: Rule) -> Rule:
    code, title, text = (typed_text(each) for each in (rule.code, rule.title, rule.text))
    if not title or not text:
        raise Refused("A house rule needs a title and what a reader is to look for.")
    code = code or _folded(title)[:40]
    if not _CODE.fullmatch(code):
        raise Refused(
            f"“{code}” cannot be a code: it takes small letters, digits and underscores, and "
            "begins with a letter."
        )
    if code == OTHER or code in RULES_BY_CODE or rule_code(title) != OTHER:
        raise Refused(f"“{title}” is one of the ten rules already. Give yours another name.")
    return Rule(code, title[:80], text[:1000])


def _usable_phrases(banned: Sequence[BannedPhrase]) -> list[BannedPhrase]:
    kept: dict[str, BannedPhrase] = {}
    for given in banned:
        phrase = storable(" ".join(given.phrase.split()))[:120]
        if not any(character.isalnum() for character in phrase):
            raise Refused("A banned phrase needs words to look for, so nothing was changed.")
        kept.setdefault(phrase.casefold(), BannedPhrase(phrase, typed_text(given.instead, 200)))
    return list(kept.values())


def _folded(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.casefold()).strip("_")


def _changes(before: Rubric | None, after: Rubric) -> tuple[str, ...]:
    """What `after` changed, a sentence each; rules before phrases, in their order."""
    was = {rule.code: rule for rule in house_rules(before)}
    now = {rule.code: rule for rule in house_rules(after)}
    said = [f"Added the rule “{r.title}”." for r in now.values() if r.code not in was]
    said += [
        f"Changed the rule “{r.title}”." for r in now.values() if r.code in was and was[r.code] != r
    ]
    said += [f"Removed the rule “{r.title}”." for r in was.values() if r.code not in now]
    if set(was) == set(now) and list(was) != list(now):
        said.append("Changed the order of the house rules.")
    phrases_was = {b.phrase: b for b in banned_phrases(before)}
    phrases_now = {b.phrase: b for b in banned_phrases(after)}
    said += [f"Banned “{p}”." for p in phrases_now if p not in phrases_was]
    said += [
        f"Changed what to say instead of “{p}”."
        for p, b in phrases_now.items()
        if p in phrases_was and phrases_was[p] != b
    ]
    said += [f"Allowed “{p}” again." for p in phrases_was if p not in phrases_now]
    return tuple(said)
