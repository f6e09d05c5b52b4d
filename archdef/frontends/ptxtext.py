"""PTX as it comes: text, a ``.ptx`` file, or PTX shipped beside a CUDA file for machines without a compiler.

Shipped PTX begins with a line that says what it was made of:
``// archdef: source-sha256=<hash> fused-multiply-add=<true|false|any> compiler=<name and version>``.
"""
from __future__ import annotations

import hashlib
import re
from pathlib import Path

from archdef.errors import CompileError
from archdef.frontends import source
from archdef.frontends.options import Compiled, Options

_HEADER = re.compile(r"// archdef: source-sha256=([0-9a-f]{64}) fused-multiply-add=(true|false|any) compiler=(.*)")


class PtxText:
    """The front end for what is PTX already."""

    name = "ptx"
    takes = "a .ptx file or PTX text"

    def accepts(self, given, options: Options) -> bool:
        """Take text that looks like PTX, and files that end in ``.ptx``."""
        return source.looks_like_ptx(given) if source.is_text(given) else source.suffix(given) == ".ptx"

    def missing(self) -> None:
        """Need nothing."""

    def compile(self, given, options: Options) -> Compiled:
        """Read it."""
        options.check_settings(self.name, ())
        return Compiled(given, "<ptx>") if source.is_text(given) else Compiled(source.read(Path(given)), str(Path(given)))


class ShippedPtx:
    """The front end for CUDA files with PTX beside them that was made of the same text: it stands in for a compiler."""

    name = "shipped"
    takes = "a .cu file with PTX shipped beside it"

    def accepts(self, given, options: Options) -> bool:
        """Take a CUDA file whose shipped PTX fits text and options."""
        if source.is_text(given) or source.suffix(given) not in source.CUDA or not options.changed(compiler=None).plain:
            return False
        try:
            return shipped(Path(given), source.read(Path(given)), options.changed(compiler=None)) is not None
        except CompileError:
            return False

    def missing(self) -> None:
        """Need nothing."""

    def compile(self, given, options: Options) -> Compiled:
        """Read the PTX."""
        path = Path(given)
        return shipped(path, source.read(path), options.changed(compiler=None))


def shipped(source: Path, text: str, options: Options) -> Compiled | None:
    """Find PTX beside `source` that was made of this very `text` under these options, or None."""
    if not options.plain:
        return None
    for path in (source.with_suffix(".ptx"), source.with_suffix(".nofma.ptx")):
        if not path.is_file():
            continue
        ptx = path.read_text(encoding="utf-8")
        header = _HEADER.match(ptx)
        if header and header[1] == digest(text) and header[2] in ("any", str(options.fused_multiply_add).lower()):
            return Compiled(ptx, f"{source.name}.ptx", source, text, compiler=f"shipped PTX of {header[3]}")
    return None


def ship(source: Path, compile) -> list[Path]:
    """Write PTX beside `source`, twice if a fused multiply-add makes a difference; `compile` is ``nvrtc.compile``."""
    text = source.read_text(encoding="utf-8")
    fused, apart = (compile(text, source.name, source.parent, Options(fused_multiply_add=choice))
                    for choice in (True, False))
    if fused.ptx == apart.ptx:
        return [_write(source.with_suffix(".ptx"), text, "any", fused)]
    return [_write(source.with_suffix(".ptx"), text, "true", fused),
            _write(source.with_suffix(".nofma.ptx"), text, "false", apart)]


def _write(path: Path, text: str, fused: str, made: Compiled) -> Path:
    compiler = made.compiler.removesuffix(", cached")
    header = f"// archdef: source-sha256={digest(text)} fused-multiply-add={fused} compiler={compiler}\n"
    path.write_text(header + made.ptx, encoding="utf-8")
    return path


def digest(text: str) -> str:
    """Hash a source text."""
    return hashlib.sha256(text.encode()).hexdigest()
