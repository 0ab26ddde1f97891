"""Whether a model finds planted faults under today's prompt: a run over the planted sample.

Its answers go through the same reader and the same measure of sameness as those of a
review. Only a model that passed clears text for a gate; any other reads, and clears nothing.
"""

import json
import logging
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from reviewer.core import matching
from reviewer.core.answers import read_answer
from reviewer.core.outcomes import Outcome, next_move, sentence
from reviewer.core.prompts import ReadingKind, Setting, SheetText, pass_request, recipe_of
from reviewer.core.raw import RawAnswer
from reviewer.core.rounds import is_calibrated
from reviewer.documents.intake import read_file
from reviewer.models import Calibration, Expense, Membership
from reviewer.providers.base import Provider, Request
from reviewer.services.connection import connection
from reviewer.services.demo import SAMPLES
from reviewer.services.errors import MovedMeanwhile, NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.lease import kept_lease, release_database
from reviewer.services.limits import conversion_limits, room_to_convert
from reviewer.services.queue import send_calibration
from reviewer.services.runs import GAVE_UP, MAX_ATTEMPTS, claim_run, end_run
from reviewer.services.spending import over_own_limit, record_expense
from reviewer.services.storable import storable, storable_json

log = logging.getLogger(__name__)

TAKEN = "Another worker has taken this calibration up."


def start_calibration(*, by: Membership, model: str = "") -> Calibration:
    """Queue a run over the planted sample; the row is what a page watches.

    Raises Refused where no model is connected, the month's limit is reached, or a run of this
    model is under way.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can calibrate a model.")
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused("No model is connected, so there is none to calibrate.")
    spent = over_own_limit(by.workspace_id)
    if spent:
        raise Refused(spent)
    asked = (model or connected.model)[:120]
    with transaction.atomic():
        try:
            with transaction.atomic():
                run = Calibration.objects.create(
                    workspace=by.workspace,
                    server=connected.server,
                    model=asked,
                    asked=asked,
                    recipe=recipe_of(ReadingKind.PASS),
                    run_by=by.user,
                )
        except IntegrityError as error:
            raise Refused("A calibration of this model is running already.") from error
        _tell(run, by, "started")
        send_calibration(run.pk)
    return run


def run_calibration(run_id: int, *, provider: Provider | None = None) -> Calibration | None:
    """Read the planted sample once, sheet by sheet, and store what was found.

    None where it is over or somebody else has it. What a worker that died had asked is not
    asked again. It fails where the model could not be asked about so much of the sample that
    the rest says nothing of the model.
    """
    run = claim_run(Calibration, run_id)
    if run is None:
        return None
    try:
        with kept_lease(run):
            return _run(run, provider)
    except MovedMeanwhile:
        log.info("Calibration %s was taken by another worker; it goes on there", run.pk)
        return None


def _run(run: Calibration, given: Provider | None) -> Calibration:
    """The claimed run, ended. Raises MovedMeanwhile where another worker took it."""
    refused, provider = _whom_to_ask(run, given)
    if provider is None:
        return _fail(run, refused)
    sample = _sample()
    sheets = _sheets(sample["file"])
    answers, spent = _read(provider, run, sample, sheets)
    if spent:
        return _fail(run, spent)
    missed, planted = _missed(sample, sheets, answers)
    named = next((raw.model for raw in answers.values() if raw.model), run.model)
    found = planted - len(missed)
    faults = [raw.fault for raw in answers.values() if raw.fault]
    if faults and not is_calibrated(found, planted):
        said = sentence(Outcome.PROVIDER_ERROR, fault=faults[0], server=run.server, model=run.asked)
        move = next_move(Outcome.PROVIDER_ERROR, fault=faults[0])
        count = f"{len(faults)} of {len(answers)} sheets of the sample were not answered."
        return _fail(run, f"{count} {said} {move}")
    return _end(
        run,
        Calibration.Status.DONE,
        found=found,
        planted=planted,
        missed=missed,
        model=storable(named)[:120],
    )


def _whom_to_ask(run: Calibration, given: Provider | None) -> tuple[str, Provider | None]:
    """Whoever is asked, or the sentence that says why nobody is."""
    if run.attempts > MAX_ATTEMPTS:
        return GAVE_UP, None
    if run.recipe != recipe_of(ReadingKind.PASS):
        return "The prompt was changed meanwhile. Run it again.", None
    if given is not None:
        return "", given
    connected = connection(run.workspace_id)
    if connected is None:
        return "The model was disconnected.", None
    if connected.server != run.server:
        return f"The workspace was connected to {connected.server} meanwhile.", None
    return "", connected.provider()


def _fail(run: Calibration, reason: str) -> Calibration:
    return _end(run, Calibration.Status.FAILED, reason=reason)


def _end(run: Calibration, status: str, **changes: Any) -> Calibration:
    with transaction.atomic():
        if not end_run(run, status, answers={}, **changes):
            raise MovedMeanwhile(TAKEN)
        run.refresh_from_db()
        _tell(run, None, f"{run.found} of {run.planted}: {run.reason}".rstrip(": "))
    return run


def _tell(run: Calibration, by: Membership | None, why: str) -> None:
    record(
        workspace=run.workspace_id,
        subject=run,
        verb="calibration",
        by=by,
        to_state=run.status,
        why=f"{run.model}: {why}",
    )


def _sample() -> dict[str, Any]:
    samples = json.loads((SAMPLES / "samples.json").read_text())
    return next(sample for sample in samples if "faults" in sample)


def _sheets(name: str) -> dict[int, tuple[str, str]]:
    """Label and text of each sheet of the sample, by number."""
    with room_to_convert(), tempfile.TemporaryDirectory(prefix="reviewer-calibrate-") as folder:
        read = read_file(
            SAMPLES / name, Path(folder) / "read", name=name, limits=conversion_limits()
        )
    return {sheet.number: (sheet.label, sheet.text) for sheet in read.sheets}


def _read(
    provider: Provider,
    run: Calibration,
    sample: Mapping[str, Any],
    sheets: Mapping[int, tuple[str, str]],
) -> tuple[dict[int, RawAnswer], str]:
    """The answers by sheet, and the sentence that says why not all of them were asked for."""
    setting = Setting(
        sheets=tuple(SheetText(number, *sheet) for number, sheet in sheets.items()),
        client=sample["client"],
        kind=sample["kind"],
        today=timezone.localdate().isoformat(),
    )
    answers = {int(number): RawAnswer.from_json(raw) for number, raw in run.answers.items()}
    for number in sheets:
        if number in answers:
            continue
        spent = over_own_limit(run.workspace_id)
        if spent:
            return answers, spent
        release_database()
        prompt = pass_request(setting, sheet=number, number=1)
        answers[number] = provider.ask(Request.of(prompt, model=run.asked))
        _keep(run, number, answers[number])
    return answers, ""


def _keep(run: Calibration, number: int, raw: RawAnswer) -> None:
    """Store what an answer took and, unless it is an error, the answer, until the run ends.

    Raises MovedMeanwhile where another worker has the run; what it took is stored all the same.
    """
    if raw.fault is None:
        run.answers[str(number)] = storable_json(raw.as_json())
    held = Calibration.objects.filter(pk=run.pk, status=run.status, token=run.token)
    with transaction.atomic():
        record_expense(run.workspace_id, Expense.What.CALIBRATION, raw, asked=run.asked)
        kept = held.update(answers=run.answers)
    if kept != 1:
        raise MovedMeanwhile(TAKEN)


def _missed(
    sample: Mapping[str, Any],
    sheets: Mapping[int, tuple[str, str]],
    answers: Mapping[int, RawAnswer],
) -> tuple[list[str], int]:
    """The planted faults that no answer named, and how many were planted."""
    texts = {number: text for number, (_, text) in sheets.items()}
    planted = json.loads((SAMPLES / sample["faults"]).read_text())
    faults = planted["faults"] if isinstance(planted, dict) else planted
    known = [
        matching.Known(str(index), (_as_sighting(f"planted-{index}", "planted", fault),))
        for index, fault in enumerate(faults)
    ]
    sightings = [
        matching.Sighting(
            id=f"{number}.{found.index}",
            reading="pass",
            sheet=found.sheet,
            severity=found.severity.value,
            rule=found.rule,
            quote=found.quote,
            finding=found.finding,
            also=tuple((place.sheet, place.quote) for place in found.also),
        )
        for number, raw in answers.items()
        for found in read_answer(raw, sheets=texts).findings
    ]
    met = {match.finding for match in matching.match_to_known(sightings, known, texts=texts)}
    missed = [
        f"sheet {fault['sheet']}, {fault['rule']}: {fault['finding']}"
        for index, fault in enumerate(faults)
        if str(index) not in met
    ]
    return missed, len(faults)


def _as_sighting(id: str, reading: str, fault: Mapping[str, Any]) -> matching.Sighting:
    return matching.Sighting(
        id=id,
        reading=f"{reading}-{id}",
        sheet=fault["sheet"],
        severity=fault["severity"],
        rule=fault["rule"],
        quote=fault["quote"],
        finding=fault["finding"],
        also=tuple((place["sheet"], place["quote"]) for place in fault.get("also") or ()),
    )
