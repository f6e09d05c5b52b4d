"""A program by clang, which knows CUDA: the device's half of a source becomes PTX, and the host's half holds it. It needs CUDA's headers, and no toolkit."""
from __future__ import annotations

import functools
import hashlib
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
from archdef.programs import assembly, clang_headers
from archdef.programs.linking import call
from archdef.programs.options import BuildOptions
from archdef.programs.syntax import Unsupported
from archdef.programs.translating import Unit, common_flags

INSTALL: Final = ("no clang++ that compiles CUDA is on the PATH or in the variable CXX (Debian, Ubuntu: apt install clang); its CUDA headers are those of "
                  "archdef[cuda,build] or archdef[cuda12,build12]")
UNMANAGED: Final = clang_headers.UNMANAGED
"""What it says of managed variables."""
_OLDEST_OF_DRIVER: Final = 35
"""Older targets have no libdevice in clang's eyes, although the one there is suits all; clang's compiler proper is told of them behind its driver's back."""
_READS_WIDTH: Final = re.compile(r"\bld\.global(?:\.nc)?\.[usb]\d+(\s+%(rs|rd|r)\d+), \[warpSize\];")
_BITS: Final = {"rs": 16, "r": 32, "rd": 64}
"""Of clang's registers, by what their names begin with; any of them holds the width of a warp, whatever part of it is read."""
_EXTERN_WIDTH: Final = re.compile(r"^\s*\.extern \.global .*\bwarpSize;\n", re.MULTILINE)
_KEPT_FOR_HOSTS: Final = re.compile(r"^\.global [^;]*\b__clang_gpu_used_external\[[^;]*;\n", re.MULTILINE)
"""A list of what the host's code names. A kernel of another file stands in it as a function, which it is not."""
_DECLARED: Final = re.compile(r"^\.extern \.func\s+(?:\([^)]*\)\s*)?([\w$]+)\s*\([^)]*\)\s*;\n", re.MULTILINE)
_PURE: Final = re.compile(r"^\.extern \.func\s+(__cxa_(?:pure|deleted)_virtual)\s*\(\s*\)\s*;", re.MULTILINE)
"""Functions that stand in tables of virtual ones for those that have no body; no file has them, and a call of one is an error."""
_NEW_DRIVER_SINCE: Final = 15
_OLD_DRIVER: Final[dict[bool, list[str]]] = {False: [], True: ["--no-offload-new-driver"]}
"""With its new driver clang registers device code in a way that only its own linking completes."""
_OTHER_WAYS: Final = "kernels that launch kernels take another compiler: --compiler nvcc or nvrtc"
_LAUNCH: Final = re.compile(r"error: reference to __global__ function|error: kernel launch from __device__ or __global__ function")
_ADVICE: Final = ((_LAUNCH, _OTHER_WAYS),
                  (re.compile(r"'omp\.h' file not found|cannot find -lomp\b"), "clang's OpenMP is not installed (Debian, Ubuntu: apt install libomp-dev)"))
"""What clang says → what to do."""
_LAUNCHES: Final = re.compile(r"^\.extern \.func\s[^;]*\b(?:cuda|__cudaCDP2)GetParameterBuffer\s*$", re.MULTILINE)
_FAST: Final = ["-fcuda-approx-transcendentals"]
"""What nvcc's -use_fast_math stands for, beside what is said apart as well: clang's -ffast-math would have neither NaN nor infinity."""
_FLUSH: Final = {True: ["-fcuda-flush-denormals-to-zero"], False: []}
_DIVISION: Final = {True: ["-mllvm", "-nvptx-prec-divf32=2"], False: ["-mllvm", "-nvptx-prec-divf32=1"]}
_FASTEST_DIVISION: Final = ["-mllvm", "-nvptx-prec-divf32=0"]
_ROOTS: Final = {True: ["-mllvm", "-nvptx-prec-sqrtf32=1"], False: ["-mllvm", "-nvptx-prec-sqrtf32=0"]}
_NEAR_ROOT: Final = re.compile(r"(// begin inline asm.*?// end inline asm)|\bsqrt\.approx(?=(?:\.ftz)?\.f32)", re.DOTALL)
"""What CUDA's library of mathematics makes of a root under clang (14), whatever is asked for; only PTX written in a source has a name for it."""
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

    def toolkit(self, folder: Path) -> list[str]:
        """Write what it needs into a folder, and give the options for it."""
        return clang_headers.write_toolkit(folder, self.resources, self.cuda.include, self.libdevice)


def toolchain() -> Toolchain | None:
    """Give the first clang++ that compiles CUDA with the installed headers: of the variable CXX, the PATH's, and those with a version in their name,
    newest first; or None."""
    cuda = nvrtc.toolchain()
    libdevice = next((found for folder in cuda.include if (found := folder.parent / clang_headers.LIBDEVICE).is_file()), None) if cuda else None
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
            _ask(name, "-x", "cuda", "--cuda-device-only", "-fsyntax-only", "-w", *made.toolkit(Path(folder)),
                 f"--cuda-gpu-arch=sm_{made.usual_targets[0]}", "-")
    except (OSError, subprocess.SubprocessError):
        return None
    return made


def _ask(name: str, *question: str) -> str:
    done = subprocess.run([name, *question], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60, check=True)
    return done.stdout + done.stderr


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
    ptx = _of_cuda(chain.cuda.version[0], _to_ptx(path, out, command, clang_headers.write_overlay(out.parent, chain.resources), number, options))
    assembly.check_alone(path, ptx, options.relocatable)
    if _LAUNCHES.search(ptx):
        raise Unsupported(f"{path}: {_OTHER_WAYS}")
    image = out.with_suffix(".fatbin")
    image.write_bytes(fatbin.packed(ptx, number, options.for_ptxas))
    call([*command, "--cuda-host-only", "-c", "-w", "-fPIE", *common_flags(options), "-Xclang", "-fcuda-include-gpubinary", "-Xclang", str(image),
          "-o", str(out), str(path)], f"{path} does not compile for the host")
    notes = ("clang makes nothing of --restrict, by which kernels may only become faster",) if options.restrict else ()
    return Unit(tuple(assembly.kernels_of(ptx).values()), notes, ptx)


def _first_line(error: CompileError) -> str:
    return next(iter(str(error).splitlines()[1:]), str(error))


def nvrtc_helps(error: CompileError) -> bool:
    """Say whether clang refuses what NVRTC with a compiler of the host translates."""
    return _LAUNCH.search(str(error)) is not None or any(said in str(error) for said in (_OTHER_WAYS, UNMANAGED))


def advised(error: CompileError) -> CompileError:
    """Give an error with what to do about it, if that is known."""
    found = [advice for said, advice in _ADVICE if said.search(str(error))]
    return type(error)("\n".join([str(error), *found])) if found else error


def _command(path: Path, chain: Toolchain, number: int, options: BuildOptions) -> list[str]:
    """Give what both halves are compiled with."""
    unit = hashlib.sha256(str(path.absolute()).encode()).hexdigest()[:16]       # by which both name what is static
    return [str(chain.path), "-x", "cuda", f"--cuda-gpu-arch=sm_{max(number, _OLDEST_OF_DRIVER)}", f"-std={options.standard}", f"-cuid={unit}",
            "-fno-caret-diagnostics", "-Xclang", "-fcuda-allow-variadic-functions", f"-D__CUDA_ARCH_LIST__={number * 10}",
            *(["-fgpu-rdc", *_OLD_DRIVER[int(chain.version.partition(".")[0]) >= _NEW_DRIVER_SINCE]] if options.relocatable else []),
            *(f"-I{each}" for each in options.include), *(f"-D{each}" for each in options.defines)]


def _to_ptx(path: Path, out: Path, command: list[str], overlay: Path, number: int, options: BuildOptions) -> str:
    """Compile the device's half, which is optimised as nvcc does, whatever is asked for the host; gives PTX."""
    listing = out.with_suffix(".ptx")
    older = ["-Xclang", "-target-cpu", "-Xclang", f"sm_{number}"] if number < _OLDEST_OF_DRIVER else []
    fused = ["-ffp-contract=off"] if options.fused_multiply_add is False else []
    shared = [each for each in options.host_flags if each.startswith(_PREPROCESSORS)]
    call([*command, "--cuda-device-only", "-S", *older, "-O3", "-gline-tables-only", *_numbers(options), *fused, *shared, "-w", "-ivfsoverlay", str(overlay),
          "-o", str(listing), str(path)], f"{path} does not compile")
    ptx = _PURE.sub(r".weak .func \1()\n{\n\ttrap;\n}", listing.read_text(encoding="utf-8", errors="replace"))
    return _with_roots(_without_kept(_with_width(path, ptx)), options)


def _numbers(options: BuildOptions) -> list[str]:
    """Give clang's options for nvcc's about numbers of single precision."""
    fast = options.fast_math
    flush = fast if options.flush_to_zero is None else options.flush_to_zero
    precise = not fast if options.precise_division is None else options.precise_division
    roots = not fast if options.precise_roots is None else options.precise_roots
    division = _FASTEST_DIVISION if fast and not precise else _DIVISION[precise]
    return [*(_FAST if fast else []), *_FLUSH[flush], *division, *_ROOTS[roots]]


def _with_roots(ptx: str, options: BuildOptions) -> str:
    """Have square roots rounded as is asked for."""
    roots = not options.fast_math if options.precise_roots is None else options.precise_roots
    return _NEAR_ROOT.sub(lambda found: found[1] or "sqrt.rn", ptx) if roots else ptx


def _of_cuda(major: int, ptx: str) -> str:
    """Have PTX say a version of the CUDA whose headers the host has, by which its structures are known; clang says the newest that it knows."""
    said = fatbin.ptx_version(ptx)
    first = (major + fatbin.PTX_BEFORE_CUDA, 0)
    return ptx if said[0] == first[0] else re.sub(r"^\.version .*$", ".version {}.{}".format(*first), ptx, count=1, flags=re.MULTILINE)


def _without_kept(ptx: str) -> str:
    """Take away what stands in PTX for the sake of the host's code alone, and the declarations that only served for that."""
    ptx, found = _KEPT_FOR_HOSTS.subn("", ptx)
    return _DECLARED.sub(lambda it: it[0] if len(re.findall(rf"(?<![\w$]){re.escape(it[1])}(?![\w$])", ptx)) > 1 else "", ptx) if found else ptx


def _with_width(path: Path, ptx: str) -> str:
    """Make what reads ``warpSize`` from memory the name of it that PTX has."""
    ptx, found = _EXTERN_WIDTH.subn("", ptx)
    ptx = _READS_WIDTH.sub(lambda read: f"mov.u{_BITS[read[2]]}{read[1]}, WARP_SZ;", ptx) if found else ptx
    if found and re.search(r"\bwarpSize\b", ptx):
        raise Unsupported(f"{path}: takes the address of warpSize, which has none (int(warpSize) is its value)")
    return ptx
