"""Sources as users name them: a path or a text, what kind it is, what it holds."""
from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import attrs

from archdef import values
from archdef.errors import CompileError
from archdef.frontends.cxxtypes import CxxType, ask
from archdef.frontends.options import Compiled, Options

CUDA = (".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp")
"""Suffixes of files that a CUDA C++ compiler takes."""

_PTX = re.compile(r"^[ \t]*\.(?:version|target|address_size|visible|entry|func)\b", re.MULTILINE)


def looks_like_ptx(text: str) -> bool:
    """Say whether `text` is PTX, judged by its directives."""
    return _PTX.search(text) is not None


def is_text(given: Any) -> bool:
    """Say whether `given` is a program itself, and not the path of one."""
    return isinstance(given, str) and ("\n" in given or "{" in given)


def suffix(given: Any) -> str | None:
    """Give the suffix of a path; None if `given` is no path."""
    return Path(given).suffix if isinstance(given, (str, os.PathLike)) and not is_text(given) else None


def is_cuda(given: Any) -> bool:
    """Say whether `given` is CUDA C++: a file by its suffix, or text that is not PTX."""
    return not looks_like_ptx(given) if is_text(given) else suffix(given) in CUDA


def read(path: Path) -> str:
    """Read a file. Raises CompileError that names it."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CompileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    return values.text(text, str(path), CompileError)


def text_of(path: Path) -> str | None:
    """Read a file to print lines of; None if it is no file, such as a notebook's cell."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def compiled(given: Any, options: Options, compile: Callable[[str, str, Path | None, Options], Compiled]) -> Compiled:
    """Compile CUDA C++ by ``compile(text, name, folder or None, options)``, and say which file it was."""
    path = None if is_text(given) else Path(given)
    text, name, folder = (given, "source.cu", None) if path is None else (read(path), path.name, path.parent)

    def types(names: Sequence[str]) -> dict[str, CxxType]:
        return ask(lambda longer: compile(longer, name, folder, options).ptx, text, names)
    return attrs.evolve(compile(text, name, folder, options), source=path, types=types)


def target(compiler: str, targets: Sequence[int], options: Options) -> str:
    """Give the virtual architecture to compile for: the one wanted; else the newest that the machine's compute capability
    takes, or the oldest if it takes none.

    Raises CompileError that lists what `compiler` knows.
    """
    if options.target is None:
        numbers = re.fullmatch(r"(\d+)\.(\d)", options.capability)
        limit = int("".join(numbers.groups())) if numbers else 0
        return f"compute_{max((t for t in targets if t <= limit), default=min(targets))}"
    match = re.fullmatch(r"(?:compute_|sm_)?(\d+[af]?)", options.target)
    if not match or int(match[1].rstrip("af")) not in targets:
        raise CompileError(f"{compiler} does not compile for {options.target!r}; it knows "
                           f"{', '.join(f'compute_{t}' for t in targets)}")
    return f"compute_{match[1]}"
