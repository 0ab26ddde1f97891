"""What it costs to let 200 sheets with 400 findings leave, and that memory does not grow.

    python tests/bench/bench_record.py [SHEETS]

Makes exports of a quarter of the sheets and of all of them, two findings a sheet, each in a
process of its own that calls the service a worker calls. Meanwhile the export's page is asked
for, as a browser does. Prints seconds of clock and of processor, pages and size of the record,
the most memory that the worker and its children held, how many steps of progress the page saw
and its slowest answer. Ends with 1 where memory grew, or a record made again is another.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

SAMPLE = ROOT / "reviewer" / "samples" / "harbor-claims-12-sheets.md"
FINDINGS_A_SHEET = 2
GROWTH_AT_MOST = 1.25
TEXT = (
    "The figure stands without a source, and a buyer who asks for it gets no answer from the "
    "page. It is repeated in the summary, where it reads as a promise of the result."
)


def main() -> int:
    if sys.argv[1:2] == ["make"]:
        return make(int(sys.argv[2]))
    sheets = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory(prefix="reviewer-bench-") as folder:
        os.environ.update(REVIEWER_VAR=folder, DJANGO_SETTINGS_MODULE="reviewer.settings")
        import django

        django.setup()
        from django.conf import settings
        from django.core.management import call_command

        settings.ALLOWED_HOSTS = ["testserver"]
        plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
        settings.STORAGES["staticfiles"]["BACKEND"] = plain
        call_command("migrate", verbosity=0)
        few, many = (measured(count) for count in (max(12, sheets // 4), sheets))
        again = measured(sheets, few["cast"], of=many["export"])
    growth = {who: many[who] / few[who] for who in ("worker", "child")}
    print(f"memory of {sheets} sheets against {max(12, sheets // 4)}: "
          + ", ".join(f"{who} {ratio:.2f}" for who, ratio in growth.items()))  # fmt: skip
    same = again["hashes"] == many["hashes"]
    print("made again it is", "the same" if same else "ANOTHER")
    return 0 if same and max(growth.values()) <= GROWTH_AT_MOST else 1


def measured(sheets: int, cast=None, of=None) -> dict:
    """One export made by a process of its own, and what was seen of it meanwhile."""
    from django.test import Client

    from reviewer.models import Export
    from tests.factories import make_cast

    if of is None:
        cast = make_cast() if not Export.objects.exists() else _cast()
        of = asked_for(cast, sheets)
    else:
        Export.objects.filter(pk=of.pk).update(status="waiting", attempts=0, record_sha256="")
    page = f"/w/field-systems/exports/{of.number}/"
    browser = Client()
    browser.force_login(of.made_by, backend="django.contrib.auth.backends.ModelBackend")
    browser.get(page)
    worker = subprocess.Popen(
        [sys.executable, __file__, "make", str(of.pk)], stdout=subprocess.PIPE, text=True
    )
    steps, slowest = set(), 0.0
    while worker.poll() is None:
        began = time.perf_counter()
        browser.get(page, headers={"HX-Request": "true"})
        slowest = max(slowest, time.perf_counter() - began)
        steps.add(Export.objects.values_list("doing", "done").get(pk=of.pk))
        time.sleep(0.1)
    told = json.loads(worker.stdout.read())
    of.refresh_from_db()
    assert of.status == "ready", of.reason
    print(f"{sheets:4} sheets, {FINDINGS_A_SHEET * sheets} findings: {told['clock']:6.1f} s "
          f"({told['processor']:.1f} s of processor), record of {told['pages']} pages, "
          f"{told['bytes'] / 1e6:.1f} MB; worker {told['worker']} MB, children at most "
          f"{told['child']} MB; {len(steps)} steps seen, slowest page {slowest * 1000:.0f} ms")  # fmt: skip
    return {**told, "export": of, "cast": cast, "hashes": (of.client_sha256, of.record_sha256)}


def make(number: int) -> int:
    """Make the export as a worker does; says as JSON what it cost."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "reviewer.settings")
    import django

    django.setup()
    import pikepdf

    from reviewer.documents.readers import readers
    from reviewer.services.exports import make_export

    began = time.perf_counter()
    export = make_export(number)
    clock = time.perf_counter() - began
    readers.close()  # what it used counts when it has been waited for
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    told = {
        "clock": clock,
        "processor": sum(r.ru_utime + r.ru_stime for r in (own, children)),
        "worker": own.ru_maxrss // 1024,
        "child": children.ru_maxrss // 1024,
    }
    with export.record_file.open("rb") as stored, pikepdf.open(stored) as record:
        told |= {"pages": len(record.pages), "bytes": export.record_file.size}
    print(json.dumps(told))
    return 0


def asked_for(cast, sheets: int):
    """An export of so many sheets, as a click leaves it."""
    from unittest.mock import patch

    from reviewer.services.approvals import seen
    from reviewer.services.exports import request_export

    version = stored(cast, sheets)
    with patch("reviewer.services.queue._took", lambda task, pk: True):
        return request_export(by=cast.wen, version=version, seal=seen(version).seal)


def stored(cast, sheets: int):
    """A version of the sample's sheets, over and over, with findings at words that stand there."""
    from django.core.files.base import ContentFile

    from reviewer.documents.intake import read_file
    from tests.bench.bench_documents import LIMITS, repeated
    from tests.factories import make_proposal, make_version

    with tempfile.TemporaryDirectory() as folder:
        read = read_file(SAMPLE, Path(folder) / "sample", name=SAMPLE.name)
        pdf = repeated([read.pdf], sheets, Path(folder) / "many.pdf")
        read = read_file(pdf, Path(folder) / "many", name="many.pdf", limits=LIMITS)
        proposal = make_proposal(cast.workspace, owner=cast.wen, kind="update", title="Harbor")
        version = make_version(proposal, texts=(), sheet_count=sheets, file_kind="pdf")
        version.pdf.save("rendered.pdf", ContentFile(read.pdf.read_bytes()), save=True)
        for sheet in read.sheets:
            store_sheet(version, sheet)
    return version


def store_sheet(version, sheet) -> None:
    """The sheet with its picture, and its findings."""
    from django.core.files.base import ContentFile

    from reviewer.models import Sheet
    from tests.factories import make_finding

    row = Sheet(version=version, number=sheet.number, label=sheet.label, text=sheet.text,
                width=sheet.width, height=sheet.height, words=[list(w) for w in sheet.words],
                image_width=sheet.image_width, image_height=sheet.image_height)  # fmt: skip
    row.image.save("sheet.png", ContentFile(sheet.image.read_bytes()), save=False)
    row.thumb.save("sheet.jpg", ContentFile(sheet.thumbnail.read_bytes()), save=False)
    row.save()
    severities = ("block", "fix", "consider")
    for turn in range(FINDINGS_A_SHEET):
        words = [word.text for word in sheet.words[8 * turn + 3 : 8 * turn + 9]]
        make_finding(version, sheet=sheet.number, quote=" ".join(words), text=TEXT,
                     severity=severities[(sheet.number + turn) % 3])  # fmt: skip


def _cast():
    from reviewer.models import Membership
    from tests.factories import Cast

    of = {m.user.username: m for m in Membership.objects.select_related("workspace", "user")}
    return Cast(of["wen"].workspace, of["wen"], of["rae"], of["max"], of["ola"])


if __name__ == "__main__":
    sys.exit(main())
