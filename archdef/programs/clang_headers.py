"""What clang is given in place of a toolkit: CUDA's headers and its library of mathematics laid out as one, and a few headers changed."""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Final

from archdef.errors import CompileError
from archdef.programs.preprocess import write_headers

LIBDEVICE: Final = "nvvm/libdevice/libdevice.10.bc"
_WIDTH: Final = "__clang_cuda_builtin_vars.h"
_WIDTH_IS_32: Final = "__attribute__((device)) const int warpSize = 32;"
_SHUFFLES: Final = "__clang_cuda_intrinsics.h"
_TEXTURES: Final = "__clang_cuda_texture_intrinsics.h"
_ALL: Final = "__clang_cuda_runtime_wrapper.h"
_NO_LINES: Final = "__attribute__((nodebug))"
_WITHOUT_LINES: Final = (f"#define always_inline always_inline, nodebug\n#define __inline__ __inline__ {_NO_LINES}\n",
                         "\n#undef always_inline\n#undef __inline__\n")
_DEFINED: Final = re.compile(r"^(?:__host__ )?__device__(?= (?:static )?inline\b| void __nv_tex_surf_handler\b)", re.MULTILINE)
_SHARED_POINTERS: Final = "bits/shared_ptr_base.h"
_FOR_OLD_CLANG: Final = ('#pragma push_macro("__noinline__")\n#undef __noinline__\n'
                         f'#include_next <{_SHARED_POINTERS}>\n#pragma pop_macro("__noinline__")\n')
"""GNU's C++ library, since version 12, and CUDA mean different things by that name; clang knows that since version 17."""
_LAST: Final = "archdef_after_cuda.h"
UNMANAGED: Final = "clang knows no __managed__ variables"
_NO_MANAGED: Final = f"""#undef __managed__
#define __managed__ _Pragma("GCC error \\"{UNMANAGED}; cudaMallocManaged does, or another compiler (--compiler nvcc or nvrtc)\\"")
"""
_INTEGERS: Final = [(f"{sign_a}{size}", f"{sign_b}{size}", f"{'unsigned ' * bool(sign_a or sign_b)}{size}")
                    for size in ("int", "long", "long long") for sign_a in ("", "unsigned ") for sign_b in ("", "unsigned ")]
_NUMBERS: Final = [*_INTEGERS, *((a, b, "float" if a == b == "float" else "double") for a in ("float", "double") for b in ("float", "double"))]
_AFTER_ALL: Final = ("#include <new>\n#define H static inline __attribute__((host))\n" + "".join(
    f"H {c} {name}({a} x, {b} y) {{ return ({c})x {sign} ({c})y ? ({c})x : ({c})y; }}\n" for a, b, c in _NUMBERS for name, sign in (("min", "<"), ("max", ">")))
    + "#undef H\n" + _NO_MANAGED)
"""What CUDA has for hosts, too, and clang for devices alone; what clang ignores with a warning. Reference: crt/math_functions.hpp of CUDA."""


def write_toolkit(folder: Path, resources: Path, include: tuple[Path, ...], libdevice: Path) -> list[str]:
    """Lay out what clang's driver takes for a toolkit, and the headers that stand in its way or are missing; gives the options for both halves.

    resources : folder of clang's own headers.
    include   : folders of CUDA's headers.
    """
    toolkit, before, after = folder / "cuda", folder / "before", folder / "after"
    for made in (*(toolkit / name for name in ("bin", "include", "lib64", "nvvm/libdevice")), before / "bits", after):
        made.mkdir(parents=True)
    (toolkit / LIBDEVICE).symlink_to(libdevice)
    where = next(each for each in include if (each / "cuda.h").is_file())
    (toolkit / "include" / "cuda.h").symlink_to(where / "cuda.h")       # says the version
    (after / "curand_mtgp32_kernel.h").touch()      # clang includes it always, and a wheel of its own has it
    (after / _LAST).write_text(_AFTER_ALL, encoding="utf-8")
    if not (resources / "include/cuda_wrappers" / _SHARED_POINTERS).is_file():
        (before / _SHARED_POINTERS).write_text(_FOR_OLD_CLANG, encoding="utf-8")
    lacking, _ = write_headers(folder, include)
    return [f"--cuda-path={toolkit}", "--no-cuda-version-check", "-Wno-unknown-cuda-version",
            *(part for each in (before, lacking, *include) for part in ("-isystem", str(each))), "-idirafter", str(after), "-include", _LAST]


def write_overlay(folder: Path, resources: Path) -> Path:
    """Write what the device's half reads in place of some of clang's headers, and give the list of that. Raises CompileError.

    What they define belongs to the lines that call it, as in what CUDA's own compiler makes, which has it built in. The machine is asked for ``warpSize``,
    since it may have other warps than of 32 lanes; the shuffles keep to segments of 32, as nvcc's do.
    """
    own = resources / "include"
    found = {name: (own / name).read_text(encoding="utf-8") for name in (_WIDTH, _SHUFFLES, _TEXTURES, _ALL)}
    if _WIDTH_IS_32 not in found[_WIDTH]:
        raise CompileError(f"{own / _WIDTH} says warpSize in another way than clang 14 to 22 do")
    changed = {_WIDTH: found[_WIDTH].replace(_WIDTH_IS_32, 'extern "C" __attribute__((device)) const int warpSize;'),
               _SHUFFLES: re.sub(r"\bwarpSize\b", "32", found[_SHUFFLES]).replace("inline __device__", f"inline {_NO_LINES} __device__"),
               _TEXTURES: found[_TEXTURES].replace("__device__", f"{_NO_LINES} __device__"),
               _ALL: _DEFINED.sub(rf"\g<0> {_NO_LINES}", found[_ALL]).join(_WITHOUT_LINES)}
    roots = []
    for name, text in changed.items():
        (folder / name).write_text(text, encoding="utf-8")
        roots.append({"name": str(own / name), "type": "file", "external-contents": str(folder / name)})
    listed = folder / "overlay.yaml"
    listed.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}), encoding="utf-8")
    return listed
