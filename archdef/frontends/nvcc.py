"""CUDA C++ to PTX through the nvcc of an installed toolkit: for files that hold host code as well, and where NVRTC is missing."""
from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import attrs

from archdef.errors import CompileError
from archdef.frontends import cache, source
from archdef.frontends.includes import user_files
from archdef.frontends.options import Compiled, Options

INSTALL = "nvcc is not on the PATH; it comes with the CUDA toolkit ('pip install archdef[cuda]' brings NVRTC, which needs none)"
PATIENCE_S = 600
"""A compilation that takes longer is given up."""


@attrs.frozen
class Toolchain:
    """One nvcc."""

    path: Path
    version: str
    targets: tuple[int, ...]
    """Virtual architectures that it compiles for, ascending."""

    def __str__(self) -> str:
        return f"nvcc {self.version}"


def toolchain() -> Toolchain | None:
    """Give the nvcc on the PATH, or else in the folder that the variable CUDA_HOME names; or None."""
    home = os.environ.get("CUDA_HOME")
    found = shutil.which("nvcc") or (shutil.which("nvcc", path=os.path.join(home, "bin")) if home else None)
    return _probe(Path(found)) if found else None


class Nvcc:
    """The front end that calls nvcc."""

    name = "nvcc"
    takes = "a .cu file or CUDA C++ text"

    def accepts(self, given, options: Options) -> bool:
        """Take files with a C++ suffix, and text that is not PTX."""
        return source.is_cuda(given)

    def missing(self) -> str | None:
        """Say so if there is no nvcc on the PATH."""
        return None if toolchain() else INSTALL

    def compile(self, given, options: Options) -> Compiled:
        """Compile."""
        options.check_settings(self.name, ())
        return source.compiled(given, options, compile)


def compile(text: str, name: str, folder: Path | None, options: Options) -> Compiled:
    """Compile CUDA C++: device code becomes PTX, host code is dropped.

    text   : the source.
    name   : its file name, for messages and line tables.
    folder : where quoted includes are looked up first, or None.

    Raises CompileError with the compiler's log.
    """
    chain = toolchain()
    if chain is None:
        raise CompileError(f"{name}: {INSTALL}")
    folders = ([folder] if folder else []) + [Path(p) for p in options.include]
    flags = (f"--gpu-architecture={source.target(str(chain), chain.targets, options)}", f"--std={options.standard}",
             f"--fmad={str(options.fused_multiply_add).lower()}", "--device-debug" if options.debug else "--generate-line-info",
             *(f"--define-macro={macro}" for macro in options.defines), *options.extra)
    headers = user_files(text, folders)
    entry = None
    if headers is not None:
        entry = cache.key(str(chain), name, text, *flags, *(part for item in sorted(headers.items()) for part in item))
        if (ptx := cache.get(entry)) is not None:
            return Compiled(ptx, f"{name}.ptx", source_text=text, compiler=f"{chain}, cached")
    ptx, log = _run(chain, text, name, (*flags, *(f"--include-path={f.resolve()}" for f in folders)))
    if entry is not None:
        cache.put(entry, ptx)
    return Compiled(ptx, f"{name}.ptx", source_text=text, compiler=str(chain), log=log)


def _run(chain: Toolchain, text: str, name: str, flags: tuple[str, ...]) -> tuple[str, str]:
    with tempfile.TemporaryDirectory(prefix="archdef-nvcc-") as base:
        folder = Path(base).resolve()
        (folder / name).write_text(text, encoding="utf-8")
        command = [str(chain.path), "--ptx", "-x", "cu", *flags, "--output-file=archdef-out.ptx", name]
        try:
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S,
                                  check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompileError(f"{name}: {chain} cannot be run: {error}") from error
        log = (done.stdout + done.stderr).replace(f"{folder}/", "").strip()
        if done.returncode:
            raise CompileError(f"{name} does not compile ({chain}):\n{log}")
        ptx = (folder / "archdef-out.ptx").read_text(encoding="utf-8")
    # PTX that may come from the cache must not say where it was made.
    return ptx.replace(f'"{folder / name}"', f'"{name}"'), log


@functools.cache
def _probe(path: Path) -> Toolchain | None:
    try:
        version = re.search(r"release (\d+\.\d+)", _ask(path, "--version"))
        targets = sorted({int(t) for t in re.findall(r"compute_(\d+)\b", _ask(path, "--list-gpu-arch"))})
    except (OSError, subprocess.SubprocessError):
        return None
    return Toolchain(path, version[1], tuple(targets)) if version and targets else None


def _ask(path: Path, question: str) -> str:
    return subprocess.run([str(path), question], capture_output=True, text=True, errors="replace", timeout=60, check=True).stdout
