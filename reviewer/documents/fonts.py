"""Which characters no font on this machine can draw, and which fonts it has, asked of fontconfig.

A text in Chinese on a server without a Chinese font becomes a row of empty boxes: its words
are in the PDF and cannot be read on the page. Where fontconfig cannot be asked, nothing is
said.
"""

import ctypes
from collections.abc import Iterable, Iterator

_NAMES = ("libfontconfig.so.1", "libfontconfig.so", "libfontconfig.1.dylib")


class _FontSet(ctypes.Structure):
    _fields_ = (
        ("count", ctypes.c_int),
        ("room", ctypes.c_int),
        ("fonts", ctypes.POINTER(ctypes.c_void_p)),
    )


def without_a_font(characters: Iterable[str]) -> set[str]:
    """Those of the characters that no installed font has."""
    missing = set(characters)
    if not missing:
        return missing
    library = _library()
    if library is None:
        return set()
    for charset in _charsets(library):
        missing = {one for one in missing if not library.FcCharSetHasChar(charset, ord(one))}
        if not missing:
            break
    return missing


def has_family(name: str) -> bool:
    """Whether a font family is installed; True where fontconfig cannot be asked."""
    library = _library()
    if library is None:
        return True
    pattern = library.FcNameParse(name.encode().replace(b"-", b"\\-"))
    fonts = library.FcFontList(None, pattern, library.FcObjectSetCreate())
    return bool(fonts) and fonts.contents.count > 0


def _library() -> ctypes.CDLL | None:
    for name in _NAMES:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        pointer = ctypes.c_void_p
        library.FcPatternCreate.restype = pointer
        library.FcNameParse.restype = pointer
        library.FcNameParse.argtypes = [ctypes.c_char_p]
        library.FcObjectSetCreate.restype = pointer
        library.FcObjectSetAdd.argtypes = [pointer, ctypes.c_char_p]
        library.FcFontList.restype = ctypes.POINTER(_FontSet)
        library.FcFontList.argtypes = [pointer, pointer, pointer]
        library.FcPatternGetCharSet.argtypes = [
            pointer,
            ctypes.c_char_p,
            ctypes.c_int,
            ctypes.POINTER(pointer),
        ]
        library.FcCharSetHasChar.argtypes = [pointer, ctypes.c_uint32]
        return library
    return None


def _charsets(library: ctypes.CDLL) -> Iterator[ctypes.c_void_p]:
    """The characters of each installed font, as fontconfig holds them."""
    wanted = library.FcObjectSetCreate()
    library.FcObjectSetAdd(wanted, b"charset")
    fonts = library.FcFontList(None, library.FcPatternCreate(), wanted)
    if not fonts:
        return
    for index in range(fonts.contents.count):
        charset = ctypes.c_void_p()
        font = fonts.contents.fonts[index]
        if library.FcPatternGetCharSet(font, b"charset", 0, ctypes.byref(charset)) == 0:
            yield charset
