"""Libraries by CUDA's names for the linker: programs name them, and find archdef's stand-in or the real ones when they start."""
from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Final

from archdef.errors import CompileError
from archdef.exec.server import LIBRARIES, NAMES

OWN: Final = ("cudart", "cudart_static", "cuda", "cudadevrt")
"""Libraries that programs are linked with as they are built here."""
_PASSING: Final = re.compile(r"[^\s:]*/archdef-build-\w+/")
"""Where objects lie while a program is built; nobody knows them."""


def runtime_name(cuda: int) -> str:
    """Give the file name of the runtime of a CUDA version: its major number."""
    return next((name for name in LIBRARIES if name.startswith(f"libcudart.so.{cuda}")), LIBRARIES[-1])


def import_libraries(compiler: str, folder: Path, cuda: int) -> list[str]:
    """Write libraries that have the names of functions and nothing else, and give the linker's options for those."""
    for name, functions in ((runtime_name(cuda), [each for each in NAMES if each.startswith(("cuda", "__cuda"))]),
                            ("libcuda.so.1", [each for each in NAMES if not each.startswith(("cuda", "__cuda"))])):
        text = "".join(f"\t.globl {each}\n\t.type {each}, @function\n{each}:\n" for each in functions)
        listing = folder / f"{name}.s"
        listing.write_text(f'\t.text\n{text}\t.section .note.GNU-stack,"",@progbits\n', encoding="ascii")
        call([compiler, "-shared", "-nostdlib", f"-Wl,-soname,{name}", "-o", str(folder / name), str(listing)], "CUDA's names cannot be written for the linker")
    return [str(folder / runtime_name(cuda)), "-Wl,--as-needed", str(folder / "libcuda.so.1"), "-Wl,--no-as-needed"]


def call(command: list[str], what: str) -> str:
    """Run a compiler; gives its warnings. Raises CompileError with what it says first."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise CompileError(f"{command[0]} cannot be run: {error.strerror or error}") from None
    if done.returncode:
        raise CompileError(f"{what}:\n{_first_errors(_PASSING.sub('', done.stderr))}")
    return done.stderr.strip()


def _first_errors(log: str, most: int = 5) -> str:
    """Keep the first errors with the line that each is about."""
    lines = log.strip().splitlines()
    at = [k for k, line in enumerate(lines) if " error:" in line or "undefined reference" in line or "error: " in line or "cannot find -l" in line]
    if not at:
        return "\n".join(lines[-20:])
    kept = [line for k in at[:most] for line in lines[k:k + 3]]
    return "\n".join(dict.fromkeys(kept)) + (f"\n… and {len(at) - most} more" if len(at) > most else "")
