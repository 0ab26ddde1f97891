"""Whether a model finds planted faults under today's prompt: a run over the planted sample.

Its answers go through the same reader and the same measure of sameness as those of a
review. Only a model that passed clears text for a gate; any other reads, and clears nothing.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.utils import timezone

from reviewer.core import matching
from reviewer.core.answers import read_answer
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


def calibrate(*, by: Membership, model: str = "", provider: Provider | None = None) -> Calibration:
    """Read the planted sample once, sheet by sheet, and store what was found.

    Raises Refused where no model is connected, or where no sheet could be read at all.
    """
    if not by.is_manager:
        raise NotAllowed("Only a manager can calibrate a model.")
    connected = connection(by.workspace_id)
    if connected is None and provider is None:
        raise Refused("No model is connected, so there is none to calibrate.")
    asked = model or (connected.model if connected else "")
    reader = provider or (connected.provider() if connected else None)
    assert reader is not None
    sample = _sample()
    sheets = _sheets(sample["file"])
    release_database()
    answers = _read(reader, asked, sample, sheets)
    named = next((raw.model for raw in answers.values() if raw.model), asked)
    if all(raw.fault for raw in answers.values()):
        raise Refused(f"No sheet of the sample could be read: {_first_fault(answers)}.")
    missed, planted = _missed(sample, sheets, answers)
    run = Calibration.objects.create(
        workspace=by.workspace,
        server=connected.server if connected else "",
        model=named[:120],
        recipe=recipe_of(ReadingKind.PASS),
        found=planted - len(missed),
        planted=planted,
        missed=missed,
        run_by=by.user,
    )
    record(
        workspace=by.workspace_id,
        subject=run,
        verb="calibrated",
        by=by,
        to_state="passed" if run.passed else "not passed",
        why=f"{run.model}: {run.found} of {run.planted}",
    )
    return run


def newest_calibration(workspace_id: int, model: str) -> Calibration | None:
    """The newest run of this model under today's prompt, if any."""
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


def _first_fault(answers: Mapping[int, RawAnswer]) -> str:
    fault = next(raw.fault for raw in answers.values() if raw.fault)
    return f"{fault.kind.value.replace('_', ' ')} {fault.message}".strip()
