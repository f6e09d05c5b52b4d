"""A CUDA source as one text without macros: conditionals are decided by the real headers, macros of the user's own files are replaced.

The system's headers are not in that text. A pragma stands where one was included, so that the host's compiler and the device's can each include their own.
"""
from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

from archdef.errors import CompileError

INCLUDE_PRAGMA: Final = "#pragma archdef_include "
DEVICE_HEADERS: Final = ("cooperative_groups.h", "mma.h", "cuda_pipeline.h", "cuda_pipeline_primitives.h", "cuda_awbarrier.h", "cuda_awbarrier_primitives.h",
                         *(f"cooperative_groups/{name}.h" for name in ("memcpy_async", "reduce", "scan")))
"""Headers for devices alone: they define no macro that a source asks for, and some read headers that only CUDA's own compiler has."""
_PROFILER: Final = """#pragma once
#include "cuda_runtime_api.h"
#ifdef __cplusplus
extern "C" {
#endif
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
#ifdef __cplusplus
}
#endif
"""
_WHEELS: Final = {"nvToolsExt": "nvtx", "nvtx3/": "nvtx"}
"""What headers of a library begin with → its name in wheels, where they differ."""
_OF_LIBRARY: Final = re.compile(r"fatal error: '?((cublas|curand|cufft|cusparse|cusolver|cudnn|nvToolsExt|nvtx3/)\S*?\.h)'?:? "
                                r"(?:No such file|file not found)")
_OF_CPP: Final = re.compile(r"fatal error: '?(thrust|cub|cuda)/\S+ (?:No such file|file not found)")
_OF_SAMPLES: Final = re.compile(r"fatal error: '?((?:helper_\w+|nvrtc_helper|drvapi_error_string)\.h)'?:? (?:No such file|file not found)")
_WITHOUT_SUFFIX: Final = 13
"""The CUDA from which on wheels are named without it."""
CUDA_MACROS: Final = ("__CUDACC__", "__NVCC__")
"""What CUDA's compiler defines, for the host and for the device."""
_MARKER: Final = re.compile(r'^# (\d+) "((?:[^"\\]|\\.)*)"((?: \d)*)\s*$')
_INCLUDE: Final = re.compile(r'^\s*#\s*include\s*(<[^>]*>|"[^"]*")')
_DEFINE: Final = re.compile(r"^\s*#\s*(define|undef)\s+(\w+)")
_SYSTEM: Final = "3"
_PRAGMA_FLAGS: Final = {"-fopenmp": "_OPENMP", "-fopenacc": "_OPENACC"}
"""Options by which g++, with -fdirectives-only, takes the pragmas away that they are for → the macro that they define."""


@attrs.frozen
class Include:
    """A header of the system that the user's files include."""

    name: str
    """As it is written, with its brackets or quotes."""
    file: str
    line: int
    """Where it is included."""
    macros: tuple[str, ...]
    """Definitions of the user's own that the header sees."""

    def text(self) -> str:
        """Give the directives that include it as the user's files do, on lines of their own."""
        names = [match[2] for each in self.macros if (match := _DEFINE.match(each))]
        return "\n".join([*self.macros, f"#include {self.name}", *(f"#undef {name}" for name in names)])


@attrs.frozen
class Preprocessed:
    """One translation unit, for the host or for the device."""

    text: str
    includes: tuple[Include, ...]

    def with_includes(self, texts: Mapping[int, str]) -> str:
        """Put text in place of the pragmas, by number; a number without text leaves a line empty."""
        return restored(self.text, self.includes, texts)


def restored(text: str, includes: Sequence[Include], texts: Mapping[int, str]) -> str:
    """Put text in place of the pragmas of includes, by number, and say which line goes on behind it."""
    def one(match: re.Match[str]) -> str:
        number = int(match[1])
        if number not in texts:
            return ""
        return f'{texts[number]}\n#line {includes[number].line + 1} "{includes[number].file}"'
    return re.sub(rf"^{re.escape(INCLUDE_PRAGMA)}(\d+)$", one, text, flags=re.MULTILINE)


@attrs.frozen
class Preprocessor:
    """The host's compiler as a preprocessor."""

    compiler: str
    standard: str
    include: tuple[str, ...]
    """The user's own folders of headers."""
    system: tuple[Path, ...]
    """CUDA's."""
    defines: tuple[str, ...]
    version: tuple[int, int]
    """Of CUDA."""
    first: tuple[str, ...] = ()
    """Headers that are included before the source."""
    flags: tuple[str, ...] = ()
    """For the host's compiler, which may define macros of its own by them."""
    no_macros_of: str = ""
    """A header whose macros no other header is shown."""
    macros: tuple[str, ...] = ()
    """What the language's compiler defines besides CUDA's macros."""
    device_macros: tuple[str, ...] = ()
    """Of these, what it defines for the device alone."""

    def run(self, source: Path, architecture: int | None) -> Preprocessed:
        """Preprocess for the device of a compute capability (70), or for the host. Raises CompileError."""
        whole = self._call(["-fdirectives-only", "-dI", *self.seen_by(architecture), str(source)], None, source)
        text, includes = _users_own(whole, self.no_macros_of)
        expanded = self._call(["-nostdinc", *(f"-D{macro}" for macro in self.defines), "-"], text, source)
        return Preprocessed(_own_lines(expanded), includes)

    def seen_by(self, architecture: int | None) -> list[str]:
        """Give the options for folders, macros and headers that the device or the host sees."""
        macros = [*(f"{name}=1" for name in CUDA_MACROS), *(f"__CUDACC_VER_{part}__={number}" for part, number in zip(("MAJOR", "MINOR"), self.version)),
                  "__CUDACC_VER_BUILD__=0", *self.macros,
                  *([f"__CUDA_ARCH__={architecture * 10}", *self.device_macros] if architecture else [])]
        return [*(f"-I{folder}" for folder in self.include), *(part for folder in self.system for part in ("-isystem", str(folder))),
                "-D__NV_NO_HOST_COMPILER_CHECK=1", *(f"-D{macro}" for macro in (*macros, *self.defines)), "-include", "cuda_runtime.h", *self._flags(),
                *(part for header in self.first for part in ("-include", header))]

    def _flags(self) -> list[str]:
        """Give the flags for the host's compiler; in place of those that lose pragmas the macros that they define."""
        lossy = [flag for flag in self.flags if flag.startswith(tuple(_PRAGMA_FLAGS))]
        if not lossy:
            return list(self.flags)
        defined = re.findall(rf"^#define ({'|'.join(_PRAGMA_FLAGS.values())}) (\w+)$", self._call(["-dM", *lossy, "-"], "", Path("-")), re.MULTILINE)
        return [*(flag for flag in self.flags if flag not in lossy), *(f"-D{name}={value}" for name, value in defined)]

    def _call(self, flags: Sequence[str], text: str | None, source: Path) -> str:
        done = subprocess.run([self.compiler, "-E", "-x", "c++", f"-std={self.standard}", "-w", *flags], input=text, capture_output=True, text=True,
                              errors="replace", check=False)
        if done.returncode:
            raise CompileError(f"{source}: {missing_header(done.stderr, self.version[0]) or 'does not preprocess:'}\n{done.stderr.strip()}")
        return done.stdout


def write_headers(folder: Path, system: Sequence[Path]) -> tuple[Path, Path]:
    """Write headers that stand before CUDA's: those that its wheels lack, for all; and empty ones, for the preprocessor alone."""
    lacking, empty = folder / "headers", folder / "empty"
    (empty / "cooperative_groups").mkdir(parents=True, exist_ok=True)
    lacking.mkdir(exist_ok=True)
    for name in DEVICE_HEADERS:
        if any((each / name).is_file() for each in system):
            (empty / name).write_text("#pragma once\n", encoding="utf-8")
    if not any((each / "cuda_profiler_api.h").is_file() for each in system):
        (lacking / "cuda_profiler_api.h").write_text(_PROFILER, encoding="utf-8")
    return lacking, empty


def missing_header(log: str, cuda: int) -> str | None:
    """Say which header of CUDA's a compiler did not find, and what brings it; None if that is not what it says."""
    if missing := _OF_CPP.search(log):
        algorithms = "" if missing[1] == "cuda" else "; algorithms that the host calls need a compiler that knows CUDA (--compiler nvcc or clang)"
        return (f"{missing[1]}'s headers are not installed: pip install 'archdef[thrust]' brings them to those of archdef[cuda,build], and "
                f"archdef[cuda12,build12] has them{algorithms}")
    if re.search(r"fatal error: '?crt/", log):
        return ("the host's part of CUDA's headers is missing: pip install 'archdef[build]' brings it to those of archdef[cuda], 'archdef[build12]' to "
                "those of archdef[cuda12], the wheel nvidia-cuda-crt to those of CUDA 13")
    if missing := _OF_LIBRARY.search(log):
        if missing[2] == "nvToolsExt" and cuda >= _WITHOUT_SUFFIX:
            return f"{missing[1]} is not in CUDA {cuda}, which has nvtx3/nvToolsExt.h"
        wheel = f"nvidia-{_WHEELS.get(missing[2], missing[2])}{f'-cu{cuda}' if cuda < _WITHOUT_SUFFIX or missing[2] == 'cudnn' else ''}"
        return f"{missing[1]} is not installed: pip install {wheel} brings it (the library itself need not be there)"
    if missing := _OF_SAMPLES.search(log):
        return f"{missing[1]} is a header of cuda-samples, in its folder Common (common/inc before CUDA 11.6), which -I must name"
    return None


def _users_own(whole: str, hidden: str) -> tuple[str, tuple[Include, ...]]:
    """Keep what the user's own files say, and list the system's headers that they include."""
    kept: list[str] = []
    includes: list[Include] = []
    macros: dict[str, str] = {}
    mine: set[str] = set()
    pending, system, file, line = "", True, "", 0
    for each in whole.splitlines():
        marker = _MARKER.match(each)
        if marker:
            flags = marker[3].split()
            system = _SYSTEM in flags or marker[2].startswith("<")
            if pending and "1" in flags:
                if not system:      # it was none of the system's: its text follows
                    mine.add(pending)
                    includes.pop()
                    kept[kept.index(f"{INCLUDE_PRAGMA}{len(includes)}")] = ""
                pending = ""
            if not system:
                kept.append(f'# {marker[1]} "{marker[2]}"')
                file, line = marker[2], int(marker[1])
            continue
        if system:
            continue
        if included := _INCLUDE.match(each):
            pending = included[1]
            if pending in mine or (pending.startswith('"') and pending[1:-1] == hidden):
                pending = ""
            else:
                kept.append(f"{INCLUDE_PRAGMA}{len(includes)}")
                includes.append(Include(pending, file, line, tuple(macros.values())))
            line += 1
            continue
        line += 1
        if defined := _DEFINE.match(each):
            macros.pop(defined[2], None)
            if defined[1] == "define" and Path(file).name != (hidden or None):
                macros[defined[2]] = each
        kept.append(each)
    return "\n".join(kept) + "\n", tuple(includes)


def _own_lines(expanded: str) -> str:
    """Drop the markers of what no file holds, and flags that only a preprocessor gives."""
    kept, ours = [], True
    for each in expanded.splitlines():
        if marker := _MARKER.match(each):
            ours = not marker[2].startswith("<") and marker[1] != "0"
            if ours:
                kept.append(f'# {marker[1]} "{marker[2]}"')
        elif ours:
            kept.append(each)
    return "\n".join(kept) + "\n"
