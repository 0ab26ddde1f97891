"""Whether a model finds planted faults under today's prompt: a run over the planted sample.

Its answers go through the same reader and the same measure of sameness as those of a
review. Only a model that passed clears text for a gate; any other reads, and clears nothing.
"""

import json
import tempfile
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
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
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.lease import release_database
from reviewer.services.limits import conversion_limits, room_to_convert
from reviewer.services.queue import send
from reviewer.services.spending import over_own_limit, record_expense
from reviewer.services.storable import storable

GIVE_UP_SECONDS = 3600


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
            _tell(run, by, "started")
            send("run_calibration", run.pk)
    except IntegrityError as error:
        raise Refused("A calibration of this model is running already.") from error
    return run


def run_calibration(run_id: int, *, provider: Provider | None = None) -> Calibration:
    """Read the planted sample once, sheet by sheet, and store what was found.

    One worker runs it, once, however often its message is delivered. It fails where the model
    could not be asked about so much of the sample that the rest says nothing of the model.
    """
    run = Calibration.objects.select_related("workspace").get(pk=run_id)
    taken = Calibration.objects.filter(
        pk=run_id, status=Calibration.Status.RUNNING, taken_at__isnull=True
    )
    if taken.update(taken_at=timezone.now()) != 1:
        return run
    connected = connection(run.workspace_id)
    if provider is None and connected is None:
        return _fail(run, "The model was disconnected.")
    if provider is None and connected is not None:
        if connected.server != run.server:
            return _fail(run, f"The workspace was connected to {connected.server} meanwhile.")
        provider = connected.provider()
    assert provider is not None
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


def _fail(run: Calibration, reason: str) -> Calibration:
    return _end(run, Calibration.Status.FAILED, reason=reason)


def _end(run: Calibration, status: str, **changes: Any) -> Calibration:
    ended = Calibration.objects.filter(pk=run.pk, status=Calibration.Status.RUNNING)
    with transaction.atomic():
        if ended.update(status=status, **changes) == 1:
            run.refresh_from_db()
            _tell(run, None, f"{run.found} of {run.planted}: {run.reason}".rstrip(": "))
    run.refresh_from_db()
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


def give_up_old_runs() -> int:
    """End the runs whose worker or message was lost; returns how many."""
    old = timezone.now() - timedelta(seconds=GIVE_UP_SECONDS)
    lost = Calibration.objects.filter(status=Calibration.Status.RUNNING, at__lt=old)
    for run in lost:
        _end(run, Calibration.Status.FAILED, reason="It did not come to its end. Run it again.")
    return len(lost)


def newest_calibration(workspace_id: int, server: str, model: str) -> Calibration | None:
    """The newest run under today's prompt of the model that `server` is asked for as `model`.

    Its server may name it otherwise; either name finds it. Whether it ended or not, if any.
    """
    return Calibration.objects.filter(
        Q(model=model) | Q(asked=model),
        workspace=workspace_id,
        server=server,
        recipe=recipe_of(ReadingKind.PASS),
    ).first()


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
    answers: dict[int, RawAnswer] = {}
    for number in sheets:
        spent = over_own_limit(run.workspace_id)
        if spent:
            return answers, spent
        release_database()
        prompt = pass_request(setting, sheet=number, number=1)
        answers[number] = provider.ask(Request.of(prompt, model=run.asked))
        what = Expense.What.CALIBRATION
        record_expense(run.workspace_id, what, answers[number], asked=run.asked)
    return answers, ""


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
