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
from django.utils import timezone

from reviewer.core import matching
from reviewer.core.answers import read_answer
from reviewer.core.outcomes import Outcome, next_move, sentence
from reviewer.core.prompts import ReadingKind, Setting, SheetText, pass_request, recipe_of
from reviewer.core.raw import RawAnswer
from reviewer.documents.intake import read_file
from reviewer.models import Calibration, Membership
from reviewer.providers.base import Provider, Request
from reviewer.services.connection import connection
from reviewer.services.demo import SAMPLES
from reviewer.services.errors import NotAllowed, Refused
from reviewer.services.events import record
from reviewer.services.lease import release_database
from reviewer.services.limits import conversion_limits
from reviewer.services.queue import send

GIVE_UP_SECONDS = 3600


def start_calibration(*, by: Membership, model: str = "") -> Calibration:
    """Queue a run over the planted sample; the row is what a page watches.

    Raises Refused where no model is connected or a run of this model is under way.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can calibrate a model.")
    connected = connection(by.workspace_id)
    if connected is None:
        raise Refused("No model is connected, so there is none to calibrate.")
    try:
        with transaction.atomic():
            run = Calibration.objects.create(
                workspace=by.workspace,
                server=connected.server,
                model=(model or connected.model)[:120],
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

    A run that ended stays as it is, so a message delivered twice runs it once.
    """
    run = Calibration.objects.select_related("workspace").get(pk=run_id)
    if run.status != Calibration.Status.RUNNING:
        return run
    connected = connection(run.workspace_id)
    reader = provider or (connected.provider() if connected else None)
    if reader is None:
        return _end(run, Calibration.Status.FAILED, reason="The model was disconnected.")
    sample = _sample()
    sheets = _sheets(sample["file"])
    release_database()
    answers = _read(reader, run.model, sample, sheets)
    if all(raw.fault for raw in answers.values()):
        fault = next(raw.fault for raw in answers.values() if raw.fault)
        said = sentence(Outcome.PROVIDER_ERROR, fault=fault, server=run.server, model=run.model)
        move = next_move(Outcome.PROVIDER_ERROR, fault=fault)
        return _end(run, Calibration.Status.FAILED, reason=f"{said} {move}")
    missed, planted = _missed(sample, sheets, answers)
    named = next((raw.model for raw in answers.values() if raw.model), run.model)
    return _end(
        run,
        Calibration.Status.DONE,
        found=planted - len(missed),
        planted=planted,
        missed=missed,
        model=named[:120],
    )


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


def newest_calibration(workspace_id: int, model: str) -> Calibration | None:
    """The newest run of this model under today's prompt, whether it ended or not, if any."""
    return Calibration.objects.filter(
        workspace=workspace_id, model=model, recipe=recipe_of(ReadingKind.PASS)
    ).first()


def _sample() -> dict[str, Any]:
    samples = json.loads((SAMPLES / "samples.json").read_text())
    return next(sample for sample in samples if "faults" in sample)


def _sheets(name: str) -> dict[int, tuple[str, str]]:
    """Label and text of each sheet of the sample, by number."""
    with tempfile.TemporaryDirectory(prefix="reviewer-calibrate-") as folder:
        read = read_file(
            SAMPLES / name, Path(folder) / "read", name=name, limits=conversion_limits()
        )
    return {sheet.number: (sheet.label, sheet.text) for sheet in read.sheets}


def _read(
    provider: Provider,
    model: str,
    sample: Mapping[str, Any],
    sheets: Mapping[int, tuple[str, str]],
) -> dict[int, RawAnswer]:
    setting = Setting(
        sheets=tuple(SheetText(number, *sheet) for number, sheet in sheets.items()),
        client=sample["client"],
        kind=sample["kind"],
        today=timezone.localdate().isoformat(),
    )
    return {
        number: provider.ask(Request.of(pass_request(setting, sheet=number, number=1), model=model))
        for number in sheets
    }


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
