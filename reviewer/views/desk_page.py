"""What the desk shows, loaded in a number of queries that does not grow with the findings."""

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from django.db.models import Prefetch, prefetch_related_objects
from django.http import Http404
from django.urls import reverse

from reviewer.core.outcomes import Outcome
from reviewer.core.schema import Severity
from reviewer.models import Finding, Membership, Proposal, Version
from reviewer.services.findings import may_accept, may_dismiss, may_mark_fixed
from reviewer.services.learnings import may_promote
from reviewer.services.learnings_alike import same_as
from reviewer.services.offers import spent
from reviewer.services.policy import fit_that_holds
from reviewer.services.progress import conversion_progress, reading_progress
from reviewer.views.access import met_on
from reviewer.views.desk_cards import Card, Learned, Rights, cards_of
from reviewer.views.desk_fit import fit_of
from reviewer.views.desk_lines import (
    ORDERS,
    TABS,
    Asked,
    by_gravity,
    by_sheet,
    cards_in,
    counted_as,
    in_tab,
    matching,
)
from reviewer.views.desk_sheets import leaves_of, titles_of
from reviewer.views.desk_zoom import zoom_links
from reviewer.views.rows import answer_standing

Context = dict[str, Any]


def version_shown(proposal: Proposal, number: int | None) -> Version:
    """The version of that number, or the newest; Http404 where there is none.

    Loads all versions of the proposal, which the desk lists, and which its context then finds
    loaded.
    """
    versions = _versions(proposal)
    wanted = [one for one in versions if number in (None, one.number)]
    if not wanted:
        raise Http404
    return wanted[-1]


def _versions(proposal: Proposal) -> list[Version]:
    shown = Version.objects.with_answers().select_related("uploaded_by")
    prefetch_related_objects([proposal], Prefetch("versions", shown))
    return sorted(proposal.versions.all(), key=lambda one: one.number)


def _newest_before(version: Version, versions: Sequence[Version]) -> Version | None:
    """What the version can be compared with: the last one before it that has sheets."""
    ready = [one for one in versions if one.status == Version.Status.READY]
    return next((one for one in reversed(ready) if one.number < version.number), None)


def desk_context(
    membership: Membership, version: Version, asked: Asked, zoom: str = "fit"
) -> Context:
    """All that the desk's templates name, for one version and one view of its findings."""
    proposal = version.proposal
    versions = _versions(proposal)
    newest, slug = versions[-1], membership.workspace.slug
    context: Context = {
        "section": "proposals",
        "proposal": proposal,
        "version": version,
        "versions": versions[::-1],
        "newest": newest,
        "is_newest": version.pk == newest.pk,
        "earlier": _newest_before(version, versions),
        "answer": answer_standing(next(one for one in versions if one.pk == version.pk)),
        "chosen": asked,
        "query": asked.query(),
        "acts_url": _acts_url(membership, version),
        "learnings_url": reverse("learnings", args=(slug,)),
        "history_url": reverse("finding-history", args=(slug, proposal.pk, 0)).removesuffix("0/"),
        "fit": fit_of(version.fit, fit_that_holds(proposal.workspace)),
    }
    if version.status != Version.Status.READY:
        return context | {"conversion": conversion_progress(version)}
    findings = list(
        proposal.findings.for_desk(version).select_related("learning__current", "learning__pending")
    )
    rights = rights_of(membership, findings) if context["is_newest"] else Rights()
    cards = cards_of(findings, version, rights, _learned(findings))
    asked = asked.at_finding(cards)
    context |= {"chosen": asked, "query": asked.query()}
    return context | _shown(membership, version, cards, asked, zoom)


def _shown(
    membership: Membership, version: Version, cards: Sequence[Card], asked: Asked, zoom: str
) -> Context:
    sheets = list(version.sheets.for_desk())
    listed = matching(in_tab(cards, asked.tab), asked.words)
    if asked.order == "sheet":
        sections = by_sheet(listed, titles_of(sheets))
    else:
        sections = by_gravity(listed, together=not asked.words)
    stamp = stamp_of(cards)
    due = [card for card in cards if card.is_due]
    progress = reading_progress(version)
    return {
        "leaves": leaves_of(sheets, cards, listed, zoom),
        "zoom": zoom,
        "zooms": zoom_links(zoom, asked.query()),
        "tabs": [
            (key, name, len(in_tab(cards, key)), asked.query(tab=key)) for key, name in TABS.items()
        ],
        "orders": [(key, name, asked.query(order=key)) for key, name in ORDERS.items()],
        "sections": sections,
        "listed": [card for section in sections for card in cards_in(section.items)],
        "all_findings": len(cards),
        "open_blocks": sum(card.severity == Severity.BLOCK for card in due),
        "counts": severity_counts(due),
        "reading": progress,
        "spent": spent(progress.effort) if progress.effort else "",
        "is_read": progress.state == "finished" and not progress.failures,
        "unread_answers": sum(
            failure.count for failure in progress.failures if failure.outcome != Outcome.PARTLY_READ
        ),
        "stamp": stamp,
        "poll_url": _poll_url(membership, version, asked, stamp),
    }


def _learned(findings: Sequence[Finding]) -> Learned:
    """What the house knows of these from other proposals."""
    under = {finding.learning_id for finding in findings if finding.learning_id is not None}
    return Learned(met_on=met_on(under) if under else {}, same_on=same_as(findings))


def rights_of(by: Membership, findings: Iterable[Finding]) -> Rights:
    """What the person may do. Services look at a finding's severity and proposal alone, so one
    finding of each severity is asked about, not two hundred."""
    one_of_each = {finding.severity: finding for finding in findings}
    return Rights(
        learn=may_promote(by),
        triage=by.may_triage,
        fixed=all(may_mark_fixed(by, finding) for finding in one_of_each.values()),
        dismiss={severity: may_dismiss(by, one) for severity, one in one_of_each.items()},
        accept={severity: may_accept(by, one) for severity, one in one_of_each.items()},
    )


def severity_counts(cards: Sequence[Card]) -> list[tuple[str, str]]:
    """`[("block", "20 blocks"), …]`, without those of which there is none."""
    numbers = {
        severity.value: sum(card.severity == severity for card in cards) for severity in Severity
    }
    return [
        (severity, counted_as(number, severity)) for severity, number in numbers.items() if number
    ]


def stamp_of(cards: Iterable[Card]) -> str:
    """Changes exactly when a card would show something else; a poll brings it back."""
    told = hashlib.sha256()
    for card in cards:
        f = card.finding
        told.update(
            f"{f.number} {f.severity} {f.sheet} {card.state} {card.seen} {f.decided_at} "
            f"{card.notes} {card.acts} {len(card.places)} {f.quote} {f.text} {f.edit} "
            f"{card.learning} {card.met_on} {card.same_on} {card.comments}\n".encode()
        )
    return told.hexdigest()[:12]


def _acts_url(membership: Membership, version: Version) -> str:
    """The address of every act on a finding, up to the finding's number.

    A template that reversed it for each button would spend most of its time on that.
    """
    at = (membership.workspace.slug, version.proposal_id, version.number)
    whole = reverse("finding-act", args=(*at, 0, "fixed"))
    return whole.removesuffix("0/fixed/")


def _poll_url(membership: Membership, version: Version, asked: Asked, stamp: str) -> str:
    at = (membership.workspace.slug, version.proposal_id, version.number)
    query = asked.query()
    return f"{reverse('progress', args=at)}{query}{'&' if query else '?'}seen={stamp}"
