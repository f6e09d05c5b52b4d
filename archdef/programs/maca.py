"""MXMACA's names for CUDA's: a header of macros, made of the names in CUDA's own headers."""
from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

HEADER: Final = "archdef_maca_names.h"
_NAMED: Final = ("cuda_runtime_api.h", "driver_types.h", "cuda_runtime.h", "device_types.h", "surface_types.h", "texture_types.h")
_RUNTIME_HEADERS: Final = ("mc_runtime.h", "mc_runtime_api.h", "mc_common.h", "mcr/mc_runtime.h", "mcr/mc_runtime_api.h", "maca.h")
_WORD: Final = re.compile(r"\bcuda([A-Z]\w*)")
_ALSO: Final = {"mcDeviceProp_t": "cudaDeviceProp", "waveSize": "warpSize"}


def write_headers(folder: Path, include: Sequence[Path]) -> Path:
    """Write the headers that MXMACA sources include, and give their folder."""
    place = folder / "maca"
    (place / "mcr").mkdir(parents=True, exist_ok=True)
    names: set[str] = set()
    for header in _NAMED:
        for path in (each / header for each in include):
            if path.is_file():
                names |= set(_WORD.findall(path.read_text(encoding="utf-8", errors="replace")))
    pairs = {**{f"mc{name}": f"cuda{name}" for name in sorted(names)}, **_ALSO}
    text = "#pragma once\n" + "".join(f"#define {mine} {other}\n" for mine, other in pairs.items())
    (place / HEADER).write_text(text, encoding="utf-8")
    for name in _RUNTIME_HEADERS:
        (place / name).write_text(f'#pragma once\n#include "{HEADER}"\n#include <cuda_runtime.h>\n', encoding="utf-8")
    return place
