"""What each kind of reading asks: the prompt, from rows."""

import mimetypes

from reviewer.core.prompts import (
    Candidate,
    KnownFinding,
    Prompt,
    Setting,
    check_request,
    document_request,
    pass_request,
    picture_request,
    sweep_request,
    targeted_check_request,
)
from reviewer.models import Reading

Kind = Reading.Kind


def prompt_of(reading: Reading, setting: Setting) -> Prompt:
    """The whole prompt of one reading; the same rows give the same bytes."""
    match reading.kind:
        case Kind.PASS:
            return pass_request(
                setting, sheet=reading.sheet, number=reading.pass_number, rules=reading.rules
            )
        case Kind.PICTURE:
            return _from_picture(reading, setting)
        case Kind.DOCUMENT:
            return document_request(setting, number=reading.pass_number)
        case Kind.SWEEP:
            return sweep_request(
                setting,
                known=_known(reading),
                sheet=reading.sheet or None,
                number=reading.pass_number,
            )
        case Kind.CHECK:
            return check_request(setting, sheet=reading.sheet, candidates=_candidates(reading))
        case Kind.RECHECK:
            return targeted_check_request(setting, candidates=_candidates(reading))
    raise ValueError(f"a reading of an unknown kind: {reading.kind}")


def _from_picture(reading: Reading, setting: Setting) -> Prompt:
    sheet = reading.review.version.sheets.for_desk().get(number=reading.sheet)
    kind, _ = mimetypes.guess_type(str(sheet.image.name))
    with sheet.image.open("rb") as stored:
        return picture_request(
            setting,
            sheet=reading.sheet,
            number=reading.pass_number,
            image=stored.read(),
            image_type=kind or "image/png",
        )


def _known(reading: Reading) -> list[KnownFinding]:
    """What a sweep is told of: its candidates. A quick look has none."""
    findings = reading.review.version.proposal.findings.filter(number__in=reading.candidates)
    return [
        KnownFinding(finding.sheet, finding.rule, finding.quote, finding.text)
        for finding in findings.order_by("sheet", "number")
    ]


def _candidates(reading: Reading) -> list[Candidate]:
    findings = reading.review.version.proposal.findings.filter(number__in=reading.candidates)
    return [
        Candidate(
            number=finding.number,
            sheet=finding.sheet,
            severity=finding.severity,
            rule=finding.rule,
            quote=finding.quote,
            finding=finding.text,
            fix=finding.edit,
            places=tuple((place["sheet"], place["quote"]) for place in finding.also),
        )
        for finding in findings.order_by("number")
    ]
