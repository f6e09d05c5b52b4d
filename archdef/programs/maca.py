"""MXMACA sources: headers of macros by which MXMACA's names are CUDA's, and the front end that compiles for waves of 64 lanes."""
from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from archdef import frontends
from archdef.errors import CompileError

HEADER: Final = "archdef_maca_names.h"
FRONT_END: Final = "maca"
"""The front end that compiles the device's half; the plugin of MXMACA's machines brings it."""
MACROS: Final = ("__MACA__=1", "__MACACC__=1")
"""What MXMACA's compiler defines, for the host and for the device."""
DEVICE_MACROS: Final = ("__MACA_ARCH__=1000",)
_HALVES: Final = {"maca_fp16.h": "#include <cuda_fp16.h>\ntypedef __half maca_half;\n",
                  "maca_bfloat16.h": "#include <cuda_bf16.h>\ntypedef __nv_bfloat16 __maca_bfloat16, maca_bfloat16;\n"
                                     "typedef __nv_bfloat162 __maca_bfloat162, maca_bfloat162;\n",
                  "maca_cooperative_groups.h": ""}
"""Headers of which the front end has the device's half → the host's."""
_NAMED: Final = ("cuda_runtime_api.h", "driver_types.h", "cuda_runtime.h", "device_types.h", "surface_types.h", "texture_types.h")
_RUNTIME_HEADERS: Final = ("mc_runtime.h", "mc_runtime_api.h", "mc_common.h", "mc_device_runtime.h", "mcr/mc_runtime.h", "mcr/mc_runtime_api.h", "maca.h")
_WORD: Final = re.compile(r"\bcuda([A-Z]\w*)")
_ALSO: Final = {"mcDeviceProp_t": "cudaDeviceProp", "waveSize": "warpSize"}


def target(compiler: str, capability: str) -> str:
    """Give the virtual architecture that the front end compiles for on a machine of a compute capability, or of none. Raises CompileError."""
    if FRONT_END not in frontends.names():
        raise CompileError(f"{compiler} compiles no MXMACA sources by itself: their waves have 64 lanes, and the front end {FRONT_END!r}, which knows them, "
                           "comes with the extra 'maca' of the plugin of MXMACA's machines")
    ptx = frontends.compile("// nothing\n", frontends.Options(compiler=FRONT_END, capability=capability)).ptx
    found = re.search(r"^\s*\.target\s+sm_(\d+)", ptx, re.MULTILINE)
    if found is None:
        raise CompileError(f"the front end {FRONT_END!r} gives PTX without a target")
    return f"compute_{found[1]}"


def write_headers(folder: Path, include: Sequence[Path]) -> Path:
    """Write the headers of the runtime that MXMACA sources include, which are read like the user's own, and give their folder."""
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


def write_halves(folder: Path) -> Path:
    """Write the host's half of headers that the device has its own of, and give their folder."""
    place = folder / "maca-host"
    (place / "common").mkdir(parents=True, exist_ok=True)
    for name, text in _HALVES.items():
        for path in (place / name, place / "common" / name):
            path.write_text(f"#pragma once\n{text}", encoding="utf-8")
    return place


def is_half(name: str) -> bool:
    """Say whether a header is one that the front end has for the device."""
    return name.removeprefix("common/") in _HALVES
