"""Libraries by CUDA's names for the linker: programs name them, and find archdef's stand-in or the real ones when they start."""
from __future__ import annotations

import functools
import re
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from archdef.errors import CompileError
from archdef.exec.calls import NAMES, is_drivers
from archdef.exec.server import LIBRARIES

OWN: Final = ("cudart", "cudart_static", "cuda", "cudadevrt")
"""Libraries that programs are linked with as they are built here."""
_NUMBERS: Final = {"cufft": {11: 10, 12: 11, 13: 12}, "curand": {11: 10, 12: 10, 13: 10},
                   "cusparse": {11: 11, 12: 12, 13: 12}, "cusolver": {11: 11, 12: 11, 13: 12}}
"""Numbers in the file names of libraries, by CUDA's, where they differ (NVIDIA's packages)."""
_PREFIXES: Final = {"nvToolsExt": "nvtx"}
"""What names of a library's functions begin with, where that is not the library's name."""
_UNDEFINED: Final = re.compile(r"undefined reference to [`'](\w+)'")
_PASSING: Final = re.compile(r"[^\s:]*/archdef-build-\w+/")
"""Where objects lie while a program is built; nobody knows them."""


def runtime_name(cuda: int) -> str:
    """Give the file name of the runtime of a CUDA version: its major number."""
    runtimes = [name for name in LIBRARIES if name.startswith("libcudart.so.")]
    return next((name for name in runtimes if name.startswith(f"libcudart.so.{cuda}")), runtimes[-1])


def library_name(library: str, cuda: int) -> str | None:
    """Give the file name by which programs of a CUDA version load a library that archdef answers for; None if it is none."""
    known = [name for name in LIBRARIES if name.startswith(f"lib{library}.so.")]
    if not known:
        return None
    right = f"lib{library}.so.{_NUMBERS.get(library, {}).get(cuda, cuda)}"
    return right if right in known else known[-1]


def import_libraries(compiler: str, folder: Path, cuda: int, named: Iterable[str], nvrtc: Path) -> list[str]:
    """Write libraries that have the names of functions and nothing else, and give the linker's options: those `named`, the runtime, the driver.

    The linker reads them in this order, and static libraries of the program's own may call the runtime.

    nvrtc : the library that kernels are compiled by; a program that compiles some itself is linked with it, and finds it there when it starts.
    """
    links = []
    for library in named:
        if library == "nvrtc":      # its other half it loads by name, from wherever that is loaded already
            links += ["-Wl,--no-as-needed", str(nvrtc), *map(str, sorted(nvrtc.parent.glob(f"libnvrtc-builtins.so.{cuda}*"))), f"-Wl,-rpath,{nvrtc.parent}"]
        else:
            links.append(import_library(compiler, folder, cuda, library) or f"-l{library}")
    return [*links, _write(compiler, folder, runtime_name(cuda), _beginning("cuda", "__cuda")), "-Wl,--as-needed", driver(compiler, folder),
            "-Wl,--no-as-needed"]


def import_library(compiler: str, folder: Path, cuda: int, library: str) -> str | None:
    """Write one such library for a CUDA version, and give its path; None if archdef does not answer for it."""
    if (name := library_name(library, cuda)) is None:
        return None
    return _write(compiler, folder, name, _beginning(_PREFIXES.get(library, "npp" if library.startswith("npp") else library)))


def driver(compiler: str, folder: Path) -> str:
    """Write the driver's, and give its path."""
    return _write(compiler, folder, "libcuda.so.1", filter(is_drivers, NAMES))


def _write(compiler: str, folder: Path, name: str, functions: Iterable[str]) -> str:
    text = "".join(f"\t.globl {each}\n\t.type {each}, @function\n{each}:\n" for each in functions)
    listing = folder / f"{name}.s"
    listing.write_text(f'\t.text\n{text}\t.section .note.GNU-stack,"",@progbits\n', encoding="ascii")
    call([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", "-o", str(folder / name), str(listing)], "CUDA's names cannot be written for the linker")
    return str(folder / name)


def _beginning(*prefixes: str) -> list[str]:
    return [each for each in NAMES if each.startswith(prefixes)]


def advised(log: str, named: Iterable[str]) -> str:
    """Add to what a linker says what is to be done about functions of CUDA's libraries.

    named : libraries that the program is linked with.
    """
    known = {name.removeprefix("lib").partition(".")[0] for name in LIBRARIES} - {"cudart", "cuda"}
    advice = []
    for function in dict.fromkeys(_UNDEFINED.findall(log)):
        library = max((each for each in known if function.startswith(_PREFIXES.get(each, each))), key=len, default=None)
        if library is not None and function in NAMES and library not in named:
            advice.append(f"{function} needs -l{library}")
        elif library is not None and function not in NAMES:
            advice.append(f"archdef has no {function}: docs/howto/programs.md lists what it has of {library}")
    return "\n".join([log, *advice])


@functools.cache
def version_of(compiler: str) -> str:
    """Give what a compiler says of itself. Raises CompileError."""
    try:
        return subprocess.run([compiler, "--version"], capture_output=True, text=True, errors="replace", check=False).stdout
    except OSError as error:
        raise CompileError(f"{compiler} cannot be run: {error.strerror or error}") from None


def call(command: list[str], what: str) -> str:
    """Run a compiler; gives its warnings. Raises CompileError with what it says first."""
    return _run(command, what).stderr.strip()


def output(command: list[str], what: str) -> str:
    """Run a compiler; gives what it prints. Raises CompileError with what it says first."""
    return _run(command, what).stdout


def _run(command: list[str], what: str) -> subprocess.CompletedProcess[str]:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise CompileError(f"{command[0]} cannot be run: {error.strerror or error}") from None
    if done.returncode:
        raise CompileError(f"{what}:\n{_first_errors(_PASSING.sub('', done.stderr))}")
    return done


def _first_errors(log: str, most: int = 5) -> str:
    """Keep the first errors with the line that each is about."""
    lines = log.strip().splitlines()
    at = [k for k, line in enumerate(lines) if " error:" in line or "undefined reference" in line or "error: " in line or "cannot find -l" in line]
    if not at:
        return "\n".join(lines[-20:])
    kept = [line for k in at[:most] for line in lines[k:k + 3]]
    return "\n".join(dict.fromkeys(kept)) + (f"\n… and {len(at) - most} more" if len(at) > most else "")
