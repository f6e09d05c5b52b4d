"""A program by clang, which knows CUDA: the device's half of a source becomes PTX, and the host's half holds it. It needs CUDA's headers, and no toolkit."""
from __future__ import annotations

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import attrs

from archdef.errors import CompileError
from archdef.exec import fatbin
from archdef.frontends import nvrtc
from archdef.programs import assembly
from archdef.programs.linking import call
from archdef.programs.options import BuildOptions
from archdef.programs.preprocess import write_headers
from archdef.programs.syntax import Unsupported
from archdef.programs.translating import Unit, common_flags

INSTALL: Final = ("no clang++ that compiles CUDA is on the PATH or in the variable CXX (Debian, Ubuntu: apt install clang); its CUDA headers are those of "
                  "archdef[cuda,build] or archdef[cuda12,build12]")
_LIBDEVICE: Final = "nvvm/libdevice/libdevice.10.bc"
_OLDEST_OF_DRIVER: Final = 35
"""Older targets have no libdevice in clang's eyes, although the one there is suits all; clang's compiler proper is told of them behind its driver's back."""
_SAYS_WIDTH: Final = "__clang_cuda_builtin_vars.h"
_FOR_SHUFFLES: Final = "__clang_cuda_intrinsics.h"
_FOR_TEXTURES: Final = "__clang_cuda_texture_intrinsics.h"
_WIDTH_IS_32: Final = "__attribute__((device)) const int warpSize = 32;"
_READS_WIDTH: Final = re.compile(r"\bld\.global(?:\.nc)?\.[usb]32(\s+%r\d+), \[warpSize\];")
_EXTERN_WIDTH: Final = re.compile(r"^\s*\.extern \.global .*\bwarpSize;\n", re.MULTILINE)
_WRAPPER: Final = "__clang_cuda_runtime_wrapper.h"
_NO_LINES: Final = "__attribute__((nodebug))"
_WITHOUT_LINES: Final = (f"#define always_inline always_inline, nodebug\n#define __inline__ __inline__ {_NO_LINES}\n",
                         "\n#undef always_inline\n#undef __inline__\n")
"""Around headers: what they define belongs to the lines that call it, as CUDA's own compiler has it, which knows the functions itself."""
_SHARED_POINTERS: Final = "bits/shared_ptr_base.h"
_FOR_OLD_CLANG: Final = ('#pragma push_macro("__noinline__")\n#undef __noinline__\n'
                         f'#include_next <{_SHARED_POINTERS}>\n#pragma pop_macro("__noinline__")\n')
"""A header of GNU's C++ library, since version 12, and CUDA mean different things by that name; clang has known it since version 15."""
_KEPT_FOR_HOSTS: Final = re.compile(r"^\.global [^;]*\b__clang_gpu_used_external\[[^;]*;\n", re.MULTILINE)
"""A list of what the host's code names. A kernel of another file stands in it as a function, which it is not."""
_DECLARED: Final = re.compile(r"^\.extern \.func\s+(?:\([^)]*\)\s*)?([\w$]+)\s*\([^)]*\)\s*;\n", re.MULTILINE)
_NEW_DRIVER_SINCE: Final = 15
_OLD_DRIVER: Final[dict[bool, list[str]]] = {False: [], True: ["--no-offload-new-driver"]}
"""With its new driver clang registers device code in a way that only its own linking completes."""
_MANAGED: Final = re.compile(r"^(\S+?:\d+):\d+: warning: 'managed' attribute ignored", re.MULTILINE)
_PREPROCESSORS: Final = ("-D", "-U", "-I", "-fopenmp")
"""Options for the host's compiler that the device's half must see as well, since nvcc has that one preprocess both."""


@attrs.frozen
class Toolchain:
    """One clang++ with the CUDA headers that it reads."""

    path: Path
    version: str
    resources: Path
    """Folder of clang's own headers."""
    targets: tuple[int, ...]
    """Targets that it compiles for, ascending."""
    cuda: nvrtc.Toolchain
    """The compiler whose headers these are."""
    libdevice: Path

    def __str__(self) -> str:
        return f"clang {self.version} with the headers of CUDA {'.'.join(map(str, self.cuda.version))}"

    @property
    def usual_targets(self) -> tuple[int, ...]:
        """Those that the headers are for, too: what suits all machines, and is not made for one, is compiled for these."""
        return tuple(each for each in self.targets if each >= min(self.cuda.targets)) or self.targets


def toolchain() -> Toolchain | None:
    """Give the first clang++ that compiles CUDA with the installed headers: of the variable CXX, the PATH's, and those with a version in their name,
    newest first; or None."""
    cuda = nvrtc.toolchain()
    libdevice = next((found for folder in cuda.include if (found := folder.parent / _LIBDEVICE).is_file()), None) if cuda else None
    if cuda is None or libdevice is None:
        return None
    return next((chain for name in _names() if (chain := _probe(name, cuda, libdevice))), None)


def _names() -> Iterator[str]:
    for name in (os.environ.get("CXX"), "clang++"):
        if name and (path := shutil.which(name)):
            yield path
    found = {int(match[1]): str(path) for folder in reversed(os.get_exec_path()) for path in sorted(Path(folder).glob("clang++-*"))
             if (match := re.fullmatch(r"clang\+\+-(\d+)", path.name))}
    yield from (found[number] for number in sorted(found, reverse=True))


@functools.cache
def _probe(name: str, cuda: nvrtc.Toolchain, libdevice: Path) -> Toolchain | None:
    """Ask a compiler what it is, and have it read CUDA's headers; None if it is no clang or cannot."""
    try:
        version = re.search(r"clang version (\d[\w.]*)", _ask(name, "--version"))
        targets = sorted({int(each) for each in re.findall(r"\bsm_(\d+)\b", _ask(name, "--target=nvptx64-nvidia-cuda", "-print-supported-cpus"))})
        if not version or not targets:
            return None
        made = Toolchain(Path(name), version[1], Path(_ask(name, "-print-resource-dir").strip()), tuple(targets), cuda, libdevice)
        with tempfile.TemporaryDirectory(prefix="archdef-build-") as folder:
            _ask(name, "-x", "cuda", "--cuda-device-only", "-fsyntax-only", "-w", *write_toolkit(Path(folder), made),
                 f"--cuda-gpu-arch=sm_{made.usual_targets[0]}", "-")
    except (OSError, subprocess.SubprocessError):
        return None
    return made


def _ask(name: str, *question: str) -> str:
    done = subprocess.run([name, *question], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60, check=True)
    return done.stdout + done.stderr


def write_toolkit(folder: Path, chain: Toolchain) -> list[str]:
    """Lay out what clang's driver takes for a toolkit, and headers that stand in its way or are missing; gives the options for both halves."""
    toolkit, before, after = folder / "cuda", folder / "before", folder / "after"
    for made in (*(toolkit / name for name in ("bin", "include", "lib64", "nvvm/libdevice")), before / "bits", after):
        made.mkdir(parents=True)
    (toolkit / _LIBDEVICE).symlink_to(chain.libdevice)
    where = next(each for each in chain.cuda.include if (each / "cuda.h").is_file())
    (toolkit / "include" / "cuda.h").symlink_to(where / "cuda.h")       # says the version
    (after / "curand_mtgp32_kernel.h").touch()      # clang includes it always, and a wheel of its own has it
    if not (chain.resources / "include/cuda_wrappers" / _SHARED_POINTERS).is_file():
        (before / _SHARED_POINTERS).write_text(_FOR_OLD_CLANG, encoding="utf-8")
    lacking, _ = write_headers(folder, chain.cuda.include)
    return [f"--cuda-path={toolkit}", "--no-cuda-version-check", "-Wno-unknown-cuda-version",
            *(part for each in (before, lacking, *chain.cuda.include) for part in ("-isystem", str(each))), "-idirafter", str(after)]


def _write_overlay(folder: Path, chain: Toolchain) -> Path:
    """Write what the device's half reads in place of some of clang's headers, and give the list of that.

    What they define belongs to the lines of those that call it, as in what CUDA's own compiler makes, which has it built in. The machine is asked for ``warpSize``, since it may have other warps than of 32 lanes; the shuffles keep to segments of 32, as nvcc's do.
    """
    own = chain.resources / "include"
    found = {name: (own / name).read_text(encoding="utf-8") for name in (_SAYS_WIDTH, _FOR_SHUFFLES, _FOR_TEXTURES, _WRAPPER)}
    if _WIDTH_IS_32 not in found[_SAYS_WIDTH]:
        raise CompileError(f"{chain} says warpSize in another way than those that are known ({own / _SAYS_WIDTH})")
    changed = {_SAYS_WIDTH: found[_SAYS_WIDTH].replace(_WIDTH_IS_32, 'extern "C" __attribute__((device)) const int warpSize;'),
               _FOR_SHUFFLES: re.sub(r"\bwarpSize\b", "32", found[_FOR_SHUFFLES]).replace("inline __device__", f"inline {_NO_LINES} __device__"),
               _FOR_TEXTURES: found[_FOR_TEXTURES].replace("__device__", f"{_NO_LINES} __device__"),
               _WRAPPER: found[_WRAPPER].join(_WITHOUT_LINES)}
    roots = []
    for name, text in changed.items():
        (folder / name).write_text(text, encoding="utf-8")
        roots.append({"name": str(own / name), "type": "file", "external-contents": str(folder / name)})
    listed = folder / "overlay.yaml"
    listed.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}), encoding="utf-8")
    return listed


def compile_unit(path: Path, out: Path, chain: Toolchain, target: str, toolkit: list[str], options: BuildOptions) -> Unit:
    """Compile a ``.cu`` file. Raises CompileError, Unsupported."""
    number, oldest = int(target.removeprefix("compute_")), min(chain.cuda.targets)
    try:
        return _compile(path, out, chain, number, toolkit, options)
    except CompileError as error:
        if number >= oldest or isinstance(error, Unsupported):
            raise
        unit = _compile(path, out, chain, oldest, toolkit, options)
        return attrs.evolve(unit, warnings=(f"compiled for compute_{oldest}, since it is not for compute_{number}: {_first_line(error)}", *unit.warnings))


def _compile(path: Path, out: Path, chain: Toolchain, number: int, toolkit: list[str], options: BuildOptions) -> Unit:
    command = [*_command(path, chain, number, options), *toolkit]
    ptx, said = _to_ptx(path, out, command, _write_overlay(out.parent, chain), number, options)
    assembly.check_alone(path, ptx, options.relocatable)
    image = out.with_suffix(".fatbin")
    image.write_bytes(fatbin.packed(ptx, number))
    call([*command, "--cuda-host-only", "-c", "-w", "-fPIE", *common_flags(options), "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(image),
          "-o", str(out), str(path)], f"{path} does not compile for the host")
    return Unit(tuple(assembly.kernels_of(ptx).values()), (said,) if said else ())


def _first_line(error: CompileError) -> str:
    return next(iter(str(error).splitlines()[1:]), str(error))


def _command(path: Path, chain: Toolchain, number: int, options: BuildOptions) -> list[str]:
    """Give what both halves are compiled with."""
    unit = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:16]       # by which both name what is static
    return [str(chain.path), "-x", "cuda", f"--cuda-gpu-arch=sm_{max(number, _OLDEST_OF_DRIVER)}", f"-std={options.standard}", f"-cuid={unit}",
            "-fno-caret-diagnostics", "-Xclang", "-fcuda-allow-variadic-functions", f"-D__CUDA_ARCH_LIST__={number * 10}",
            *(["-fgpu-rdc", *_OLD_DRIVER[int(chain.version.partition(".")[0]) >= _NEW_DRIVER_SINCE]] if options.relocatable else []),
            *(f"-I{each}" for each in options.include), *(f"-D{each}" for each in options.defines)]


def _to_ptx(path: Path, out: Path, command: list[str], overlay: Path, number: int, options: BuildOptions) -> tuple[str, str]:
    """Compile the device's half, which is optimised as nvcc does, whatever is asked for the host; gives PTX and warnings."""
    listing = out.with_suffix(".ptx")
    older = ["-Xclang", "-target-cpu", "-Xclang", f"sm_{number}"] if number < _OLDEST_OF_DRIVER else []
    fused = ["-ffp-contract=off"] if options.fused_multiply_add is False else []
    shared = [each for each in options.host_flags if each.startswith(_PREPROCESSORS)]
    said = call([*command, "--cuda-device-only", "-S", *older, "-O3", "-gline-tables-only", *fused, *shared, "-Wno-everything", "-Wignored-attributes",
                 "-ivfsoverlay", str(overlay), "-o", str(listing), str(path)], f"{path} does not compile")
    if managed := _MANAGED.findall(said):
        raise Unsupported("\n".join(f"{where}: clang knows no __managed__ variables; cudaMallocManaged, or CUDA's own compiler (--compiler nvcc)"
                                    for where in dict.fromkeys(managed)))
    return _without_kept(_with_width(path, listing.read_text(encoding="utf-8", errors="replace"))), said


def _without_kept(ptx: str) -> str:
    """Take away what stands in PTX for the sake of the host's code alone, and the declarations that only served for that."""
    ptx, found = _KEPT_FOR_HOSTS.subn("", ptx)
    return _DECLARED.sub(lambda declared: declared[0] if len(re.findall(rf"(?<![\w$]){re.escape(declared[1])}(?![\w$])", ptx)) > 1 else "", ptx) if found else ptx


def _with_width(path: Path, ptx: str) -> str:
    """Make what reads ``warpSize`` from memory the name of it that PTX has."""
    ptx, found = _EXTERN_WIDTH.subn("", ptx)
    ptx = _READS_WIDTH.sub(r"mov.u32\1, WARP_SZ;", ptx) if found else ptx
    if found and re.search(r"\bwarpSize\b", ptx):
        raise Unsupported(f"{path}: takes the address of warpSize, which has none (int(warpSize) is its value)")
    return ptx
