"""What a file of a program is written in: as its suffix says, as the headers say that it includes, or as is asked for (``-x``)."""
from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from archdef import values
from archdef.errors import CompileError
from archdef.programs import maca

CHOICES: Final = ("c", "c++", "cu", "maca")
"""What ``-x`` takes, beside ``cuda``, which is clang's word for ``cu``."""
OF_DEVICES: Final = ("cu", "maca")
"""Languages that have code for devices."""
SUFFIXES: Final = {".cu": "cu", ".maca": "maca", ".cpp": "c++", ".cc": "c++", ".cxx": "c++", ".c": "c"}
_INCLUDES: Final = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([\w./]+)[>"]', re.MULTILINE)
_FOR_DEVICES: Final = re.compile(r"<<<|\b__(?:global|device|constant|managed)__\b|\bmcLaunchKernelGGL\b")


def known(asked: str) -> str:
    """Give a language by its usual name. Raises CompileError."""
    if asked not in ("", "cuda", *CHOICES):
        raise CompileError(f"language must be {', '.join(CHOICES)}, got {values.shown(asked)}")
    return "cu" if asked == "cuda" else asked


def language(path: Path, asked: str = "") -> str:
    """Give the language of a source, or an empty text for what is linked as it is."""
    own = SUFFIXES.get(path.suffix, "")
    if asked and own:
        return asked
    if own in ("cu", "c++", "c") and is_maca(path) and (own == "cu" or _FOR_DEVICES.search(_text(path))):
        return "maca"
    return own


def is_maca(path: Path) -> bool:
    """Say whether a source is MXMACA's, by its suffix or by the headers that it includes; one without code for devices may be C."""
    return path.suffix == ".maca" or not maca.headers().isdisjoint(_INCLUDES.findall(_text(path)))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")
