"""MXMACA sources: headers of macros by which MXMACA's names are CUDA's, and the front end that compiles for waves of 64 lanes."""
from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from archdef import frontends
from archdef.errors import CompileError
from archdef.exec.vocabulary import SECTION
from archdef.runtime.maca_names import ATTRIBUTES, ERRORS, OTHERS

HEADER: Final = "archdef_maca_names.h"
MARK: Final = "archdef_maca_mark.h"
"""A header by which an object without code for devices says that it is MXMACA's."""
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
_RUNTIME_HEADERS: Final = ("mc_runtime.h", "mc_runtime_api.h", "mc_common.h", "mc_device_runtime.h", "mc_runtime_types.h", "mcr/mc_runtime.h",
                           "mcr/mc_runtime_api.h", "mcr/mc_common.h", "mcr/mc_device_runtime.h", "mcr/mc_runtime_types.h", "mcr/maca.h", "maca.h")
_LIBRARIES: Final = {"mcblas": ("cublas_v2.h", ("cublas_api.h", "cublas_v2.h")), "mcblasLt": ("cublasLt.h", ("cublasLt.h",)),
                     "mcfft": ("cufft.h", ("cufft.h",)), "mcsparse": ("cusparse.h", ("cusparse.h",)), "mcdnn": ("cudnn.h", ("cudnn*.h",)),
                     "mcsolverDn": ("cusolverDn.h", ("cusolver_common.h", "cusolverDn.h"))}
"""Header of a library without its suffix → CUDA's, and those that declare what is in it."""
_OWN_HEADERS: Final = {"mcComplex.h": "cuComplex.h", "mc_library_types.h": "library_types.h"}
_FOLDERS: Final = {"mcblas": ("", "mcblas/"), "mcblasLt": ("", "mcblas/", "mcblasLt/"), "mcfft": ("", "mcfft/"), "mcsparse": ("", "mcsparse/"),
                   "mcdnn": ("", "mcdnn/"), "mcsolverDn": ("", "mcsolver/")}
"""Where programs include a library's header from."""
_RUNTIME_LIBRARIES: Final = ("mcruntime", "mcrt", "runtime_cu", "mccompiler")
"""What MXMACA's programs link with for the runtime."""
_WORD: Final = re.compile(r"\bcuda([A-Z]\w*)")
_OF_LIBRARIES: Final = re.compile(r"\b(?:cu(?=blas|fft|sparse|solver|dnn)|CU(?=BLAS|FFT|SPARSE|SOLVER|DNN))\w+")
_OF_TYPES: Final = re.compile(r"\bCUDA_[RC]_\w+|\bcudaDataType(?:_t)?\b")
_OF_COMPLEX: Final = re.compile(r"\b(?:make_)?cu(?:\w*Complex\w*|C[a-z]+f?)\b")
_CALLS: Final = "archdef_maca_calls.h"
_LAUNCH: Final = ("#define mcLaunchKernelGGL(kernel, grid, block, shared, stream, ...) kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)\n"
                  "#define MC_SYMBOL(name) name\n")
_FUNCTIONS: Final = """#pragma once
#include <cuda_runtime.h>
#include <cuda_profiler_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
typedef void *mcDeviceptr_t;
static inline cudaError_t mcMemcpyHtoD(mcDeviceptr_t to, const void *from, size_t n) { return cudaMemcpy(to, from, n, cudaMemcpyHostToDevice); }
static inline cudaError_t mcMemcpyDtoH(void *to, mcDeviceptr_t from, size_t n) { return cudaMemcpy(to, from, n, cudaMemcpyDeviceToHost); }
static inline cudaError_t mcMemcpyDtoD(mcDeviceptr_t to, mcDeviceptr_t from, size_t n) { return cudaMemcpy(to, from, n, cudaMemcpyDeviceToDevice); }
static inline cudaError_t mcMemcpyHtoDAsync(mcDeviceptr_t to, const void *from, size_t n, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, n, cudaMemcpyHostToDevice, stream);
}
static inline cudaError_t mcMemcpyDtoHAsync(void *to, mcDeviceptr_t from, size_t n, cudaStream_t stream)
{
    return cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToHost, stream);
}
static inline const char *mcGetErrorName(cudaError_t error)
{
    static char names[1000][64];
    const char *said = cudaGetErrorName(error);
    switch ((int)error) {
RENAMED    default: break;
    }
    if (strncmp(said, "cuda", 4) != 0 || (unsigned)error >= 1000 || strlen(said) >= 64)
        return said;
    memcpy(names[error], "mc", 2);      /* whoever else does so at this moment writes the same */
    return strcpy(names[error] + 2, said + 4) - 2;
}
"""
"""What no macro can be: calls that CUDA has under other names in its driver, and names of errors."""


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
    """Write the headers of the runtime and of libraries that MXMACA sources include, which are read like the user's own, and give their folder."""
    place = folder / "maca"
    place.mkdir(parents=True, exist_ok=True)
    pairs = {**dict(_runtime_names(include)), **dict(_library_names(include)), **OTHERS}
    pairs |= {f"mcDeviceAttribute{mine}": f"cudaDevAttr{other}" for mine, other in ATTRIBUTES.items()}
    (place / HEADER).write_text("#pragma once\n" + "".join(f"#define {mine} {other}\n" for mine, other in pairs.items()) + _LAUNCH, encoding="utf-8")
    (place / MARK).write_text(f'__asm__(".section {SECTION},\\"\\",@progbits\\n.string \\"MXMACA\\"\\n.previous");\n', encoding="utf-8")
    renamed = "".join(f'    case cudaError{other}: return "mcError{mine}";\n' for other, mine in ERRORS.items())
    (place / _CALLS).write_text(_FUNCTIONS.replace("RENAMED", renamed), encoding="utf-8")
    for name in _RUNTIME_HEADERS:
        _write(place / name, _CALLS)
    for name, other in _OWN_HEADERS.items():
        _write(place / name, other)
    for library, (other, _) in _LIBRARIES.items():
        for within in _FOLDERS[library]:
            _write(place / f"{within}{library}.h", other)
    return place


def _write(path: Path, included: str) -> None:
    """Write a header that includes another one; no two are alike, or compilers would take them for one file and read the first only."""
    path.parent.mkdir(exist_ok=True)
    quoted = f'"{included}"' if included == _CALLS else f"<{included}>"
    path.write_text(f'#pragma once\n// {path.parent.name}/{path.name}\n#include "{HEADER}"\n#include {quoted}\n', encoding="utf-8")


def _runtime_names(include: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Give MXMACA's names of the runtime, and CUDA's."""
    gone = {f"Error{name}" for name in ERRORS} | {"GetErrorName"}
    for name in sorted(set(_found(_WORD, include, _NAMED)) - gone):
        yield f"mc{name}", f"cuda{name}"
    for other, mine in ERRORS.items():
        yield f"mcError{mine}", f"cudaError{other}"


def _library_names(include: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """Give MXMACA's names in libraries, and CUDA's, of those whose headers are there."""
    for header in (header for _, headers in _LIBRARIES.values() for header in headers):
        for name in sorted(set(_found(_OF_LIBRARIES, include, (header,)))):
            yield f"{'mc' if name[0] == 'c' else 'MC'}{name[2:]}", name
    for name in sorted(set(_found(_OF_TYPES, include, ("library_types.h",)))):
        yield name.replace("CUDA_", "MACA_").replace("cuda", "maca"), name
    for name in sorted(set(_found(_OF_COMPLEX, include, ("cuComplex.h",)))):
        yield name.replace("cu", "mc", 1), name


def _found(pattern: re.Pattern[str], include: Sequence[Path], headers: Sequence[str]) -> Iterator[str]:
    """List what a pattern finds in headers."""
    for path in sorted(path for header in headers for folder in include for path in folder.glob(header)):
        yield from pattern.findall(path.read_text(encoding="utf-8", errors="replace"))


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


def headers() -> frozenset[str]:
    """List the headers by which a source is known to be MXMACA's."""
    libraries = {f"{within}{library}.h" for library in _LIBRARIES for within in _FOLDERS[library]}
    return frozenset({*_RUNTIME_HEADERS, *_OWN_HEADERS, *_HALVES, *(f"common/{name}" for name in _HALVES), *libraries})


def library(name: str) -> str | None:
    """Give CUDA's name of a library that MXMACA's programs link with; None for what they are linked with as they are built here."""
    if name in _RUNTIME_LIBRARIES:
        return None
    return f"cu{name[2:]}" if re.fullmatch(r"mc(?:blas|blasLt|fft|sparse|solver|dnn)", name) else name
