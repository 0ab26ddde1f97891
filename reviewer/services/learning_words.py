"""What a learning may say: its words within their bounds, its scope, what it comes from."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.utils import timezone

from reviewer.models import Finding, Learning, Membership, Workspace
from reviewer.models.proposal import Kind as ProposalKind
from reviewer.services.errors import Refused
from reviewer.services.rubric import rule_titles
from reviewer.services.storable import storable, typed_text

Kind = Learning.Kind

TEXT_CHARACTERS = 600
"""Characters a wording may have: it is one rule, said once."""
DISMISSALS_NEEDED = 2
"""So many dismissed findings a *do not raise* learning comes from, at least."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The words of a version. `phrase` and `instead` are for *never say this* alone."""

    text: str
    phrase: str = ""
    instead: str = ""


def usable(kind: str, given: Wording) -> Wording:
    """The words as they are kept: on one line, within their bounds."""
    if kind not in Kind.values:
        raise Refused("That kind of learning is not known. Nothing was kept.")
    text, phrase, instead = (
        storable(" ".join(part.split())) for part in (given.text, given.phrase, given.instead)
    )
    if kind == Kind.NEVER_SAY:
        if not any(character.isalnum() for character in phrase):
            raise Refused("Name the phrase that is never to be said. Nothing was kept.")
        if len(phrase) > 120 or len(instead) > 200:
            raise Refused(
                "A phrase has at most 120 characters and what to say instead at most 200. "
                "Nothing was kept."
            )
        text = text or f"Never say “{phrase}”."
    elif phrase or instead:
        raise Refused("Only a “never say this” learning has a phrase. Nothing was kept.")
    if not any(character.isalnum() for character in text):
        raise Refused("Word the rule in a sentence. Nothing was kept.")
    if len(text) > TEXT_CHARACTERS:
        raise Refused(
            f"A learning has at most {TEXT_CHARACTERS} characters, this one has {len(text)}. "
            "Say one rule, and make a second learning of the rest."
        )
    return Wording(text, phrase, instead)


def refuse_scope(
    workspace: Workspace, rule: str, proposal_kind: str, expires_on: date | None
) -> None:
    """Refuse a rule or a kind of document that is not known, and a day that has passed."""
    if rule and rule not in rule_titles(workspace):
        raise Refused("That rule is not in the rubric, so nothing was proposed. Choose one of it.")
    if proposal_kind and proposal_kind not in ProposalKind.values:
        raise Refused("That kind of document is not known, so nothing was proposed.")
    refuse_past(expires_on)


def refuse_past(expires_on: date | None) -> None:
    """Refuse a last day that is not after today."""
    if expires_on is not None and expires_on <= timezone.localdate():
        raise Refused("Its last day has to be after today. Nothing was changed.")


def refuse_sources(actor: Membership, kind: str, findings: Sequence[Finding]) -> None:
    """Refuse findings of another house, and too few dismissals."""
    refuse_strangers(actor, findings)
    dismissed = {one.pk for one in findings if one.status == Finding.Status.DISMISSED}
    if kind == Kind.DO_NOT_RAISE and len(dismissed) < DISMISSALS_NEEDED:
        raise Refused(
            f"A “do not raise this” learning comes from at least {DISMISSALS_NEEDED} findings "
            "that were dismissed. Nothing was proposed."
        )


def refuse_strangers(actor: Membership, findings: Sequence[Finding]) -> None:
    """Refuse findings of another workspace."""
    if any(finding.proposal.workspace_id != actor.workspace_id for finding in findings):
        raise Refused("A learning comes from findings of its own workspace. Nothing was changed.")


def reason_given(why: str) -> str:
    """The reason, within its bound; Refused where there is none."""
    given = typed_text(why)
    if not given:
        raise Refused("Say why, in a few words: the reason stays beside the learning.")
    return given
