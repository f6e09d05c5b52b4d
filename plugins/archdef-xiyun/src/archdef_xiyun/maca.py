"""MXMACA C++ to PTX: NVRTC compiles it against headers of ours, which emit the 64-lane forms that PTX itself has not."""
from __future__ import annotations

import functools
import hashlib
import re
from pathlib import Path

import attrs

from archdef import hookimpl
from archdef.errors import CompileError
from archdef.frontends import Compiled, Options, nvrtc, source

SUFFIX = ".maca"
INCLUDE = Path(__file__).with_name("include")
FLAGS = ("--pre-include=maca/wave.h", "--diag-suppress=68")
"""Diagnostic 68 is a change of sign: -1 is how everyone writes a mask of all lanes."""
MACROS = ("__MACA__", "__MACACC__", "__MACACC_RTC__", "__MACA_ARCH__=1000")
CAPABILITY = "7.0"
"""Virtual architecture for machines without a compute capability: the oldest that has all that MXMACA has in PTX's own words (double
precision atomics, matches), and whose bfloat16 is done in single precision."""
_HOST = (
    (re.compile(r"<<<"), "a launch"), (re.compile(r"\b(?:int|void|auto)\s+main\s*\("), "`main`"),
    (re.compile(r"\b(?:mc|maca|cuda)[A-Z]\w*\s*\("), "a call of the runtime API"), (re.compile(r"\bmc(?:Error|Stream|Event)_t\b"), "a type of the runtime API"),
    (re.compile(r"#\s*include\s*<(?:iostream|fstream|sstream|vector|string|map|chrono|random|algorithm|memory|thread|sys/\w+\.h|unistd\.h)>"),
     "a header of the host's library"))


class Maca:
    """The front end for MXMACA C++ with device code alone."""

    name = "maca"
    takes = "a .maca file, or C++ that includes MXMACA's headers"

    def accepts(self, given, options: Options) -> bool:
        """Take ``.maca`` files, and whatever C++ is claimed by its headers or by ``compiler="maca"``."""
        return source.suffix(given) == SUFFIX or source.is_cuda(given)

    def missing(self) -> str | None:
        """Name the extra if no NVRTC is installed."""
        return nvrtc.Nvrtc().missing()

    def compile(self, given, options: Options) -> Compiled:
        """Compile. Raises CompileError, which names the first line of host code if there is any."""
        options.check_settings(self.name, (), instances=True)
        return source.compiled(given, options, compile)


def compile(text: str, name: str, folder: Path | None, options: Options) -> Compiled:
    """Compile MXMACA C++; parameters are those of `archdef.frontends.nvrtc.compile`."""
    name = f"source{SUFFIX}" if folder is None else name
    given = options
    options = attrs.evolve(
        options, defines=(*MACROS, f"__ARCHDEF_HEADERS__={_headers()}", *options.defines), include=(*options.include, INCLUDE),
        capability=options.capability if re.fullmatch(r"\d+\.\d", options.capability) else CAPABILITY,
        extra=(*FLAGS, *options.extra))
    try:
        compiled = nvrtc.compile(text, name, folder, options)
    except CompileError as error:
        if (found := host_code(text)) is None:
            raise
        line, what, shown = found
        raise CompileError(
            f"{name}:{line}: {what} is host code: `{shown}`; archdef compiles the device's side alone. Keep the host's under "
            f"#ifndef __MACACC_RTC__, and launch from Python: module.kernel[grid, block](…)\n{error}") from None
    # what is inlined from our headers belongs to the line that calls it: names in angle brackets say so
    ptx = compiled.ptx
    for header in sorted(INCLUDE.rglob("*.h")):
        ptx = ptx.replace(f'"{header.relative_to(INCLUDE)}"', f'"<maca>/{header.relative_to(INCLUDE)}"')
    return attrs.evolve(compiled, ptx=ptx,
                        again=lambda names: compile(text, name, folder, given.changed(name_expressions=names)))


def host_code(text: str) -> tuple[int, str, str] | None:
    """Find the first line that only a host can execute: its number, what it is, the line itself."""
    bare = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
    found = [(match.start(), what) for pattern, what in _HOST if (match := pattern.search(bare))]
    if not found:
        return None
    start, what = min(found)
    line = bare.count("\n", 0, start) + 1
    return line, what, text.splitlines()[line - 1].strip()


@functools.cache
def _headers() -> str:
    """Hash the headers: compiled PTX is kept under all that went into it."""
    digest = hashlib.sha256()
    for path in sorted(p for p in INCLUDE.rglob("*") if p.is_file()):
        digest.update(f"{path.relative_to(INCLUDE)}\n".encode() + path.read_bytes())
    return f"0x{digest.hexdigest()[:12]}"


@hookimpl
def archdef_frontends():
    """Give the front end."""
    return [Maca()]
