"""DOCX and PPTX become PDF through LibreOffice, true to their layout.

LibreOffice is used through its own library (LibreOfficeKit) and not through its program:
the program talks to itself over a socket, the library does not, so it runs in the same
confinement as everything else here, in a process of its own and with a profile of its own.
Macros are not run. Nothing is fetched: there is no network to fetch from.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_LIBRARIES = ("libmergedlo.so", "libsofficeapp.so")
# Scaling pictures down takes LibreOffice five times as long as all the rest, and saves little.
_OPTIONS = b'{"ReduceImageResolution":{"type":"boolean","value":"false"}}'
# A profile that is new, or of an older version, makes LibreOffice draw pictures of 64 MB to test
# itself before it opens anything, which takes three times as long as a short document.
_PROFILE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/Product">
<prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.9</value></prop>
</item>
</oor:items>
"""
_PLACES = (
    "/usr/lib/libreoffice/program",
    "/usr/lib64/libreoffice/program",
    "/usr/local/lib/libreoffice/program",
)


def installed() -> Path | None:
    """The folder of LibreOffice's programs, or None where it is not installed."""
    return next((place for place in _candidates() if _library(place)), None)


def convert_with_libreoffice(source: Path, pdf: Path, folder: Path) -> bool:
    """Write `source` to `pdf` with a profile under `folder`; False where it cannot be done."""
    program = installed()
    if program is None:
        return False
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_PROFILE, encoding="utf-8")
    # As a script and not as a module: the confined process may not look the package up.
    command = [sys.executable, "-P", "-s", "-B", str(Path(__file__).resolve())]
    ended = subprocess.run(
        [*command, str(program), str(source), str(pdf), str(profile)],
        env={**os.environ, "SAL_USE_VCLPLUGIN": "svp"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=False,
    )
    return ended.returncode == 0 and pdf.is_file() and pdf.stat().st_size > 0


def _candidates() -> Iterator[Path]:
    for name in ("soffice", "libreoffice"):
        if found := shutil.which(name):
            yield Path(found).resolve().parent
    yield from map(Path, _PLACES)
    yield from sorted(Path("/opt").glob("libreoffice*/program"), reverse=True)


def _library(program: Path) -> Path | None:
    return next((program / name for name in _LIBRARIES if (program / name).is_file()), None)


def _main(program: Path, source: Path, pdf: Path, profile: Path) -> bool:
    """Load and save once. The tables of functions are LibreOfficeKit's public interface:
    a size, then destroy, documentLoad and getError; for a document destroy and saveAs."""
    library = _library(program)
    assert library is not None
    loaded = ctypes.CDLL(str(library), mode=os.RTLD_NOW | os.RTLD_GLOBAL)
    hook = loaded.libreofficekit_hook_2
    hook.restype, hook.argtypes = ctypes.c_void_p, [ctypes.c_char_p, ctypes.c_char_p]
    office = hook(str(program).encode(), profile.as_uri().encode())
    if not office:
        return False
    load = _method(office, 2, ctypes.c_void_p, ctypes.c_char_p)
    document = load(office, source.as_uri().encode())
    if not document:
        return False
    save = _method(document, 2, ctypes.c_int, *[ctypes.c_char_p] * 3)
    return bool(save(document, pdf.as_uri().encode(), b"pdf", _OPTIONS))


def _method(owner: int, index: int, result: Any, *arguments: Any) -> Any:
    """Function `index` of an object whose first field points at its table of functions."""
    table = ctypes.c_void_p.from_address(owner).value
    assert table is not None
    address = ctypes.c_void_p.from_address(table + index * ctypes.sizeof(ctypes.c_void_p)).value
    assert address is not None
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)(address)


if __name__ == "__main__":
    done = _main(*map(Path, sys.argv[1:5]))
    os._exit(0 if done else 1)  # its own way of ending takes seconds and can hang
