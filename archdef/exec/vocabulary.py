"""Names of the runtime's functions and errors as a program's own language has them: MXMACA's, if its sources were MXMACA."""
from __future__ import annotations

import mmap
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from archdef.runtime.maca_names import ERRORS

SECTION: Final = ".archdef.maca"
"""What programs have that were built of MXMACA sources."""
_ERROR: Final = re.compile(rf"\bcudaError({'|'.join(ERRORS)})\b")
_NAME: Final = re.compile(r"\bcuda(?=[A-Z])")
_OF_LIBRARY: Final = re.compile(r"\b(cu|CU)((?:blas|fft|sparse|solver|dnn|BLAS|FFT|SPARSE|SOLVER|DNN)[A-Z_]\w*?)(?:_v2)?\b")


def of(program: str) -> Callable[[str], str]:
    """Give what makes a program's own words of CUDA's."""
    return _as_maca if _is_maca(Path(program)) else str


def _is_maca(program: Path) -> bool:
    try:
        with open(program, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return data.find(f"\0{SECTION}\0".encode()) >= 0
    except (OSError, ValueError):       # a command that is looked for on the PATH was not built here; an empty file cannot be mapped
        return False


def _as_maca(text: str) -> str:
    text = _ERROR.sub(lambda found: f"mcError{ERRORS[found[1]]}", text)
    return _OF_LIBRARY.sub(lambda found: f"{'mc' if found[1] == 'cu' else 'MC'}{found[2]}", _NAME.sub("mc", text))
