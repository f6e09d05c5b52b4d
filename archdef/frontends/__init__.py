"""Front ends: each knows how to get PTX and nothing of architectures."""
from __future__ import annotations

import os
from pathlib import Path

import attrs

from archdef.errors import CompileError
from archdef.frontends import nvrtc, ptxtext
from archdef.frontends.options import Compiled, Options

__all__ = ["Compiled", "Options", "compile"]

_CUDA = (".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp")


def compile(source: str | os.PathLike, options: Options | None = None) -> Compiled:
    """Turn a source into PTX.

    source  : a path to a ``.cu`` or ``.ptx`` file, or the text of either.

    A CUDA file without a compiler at hand is answered by PTX shipped beside it, if that was made of the same text.
    Raises CompileError.
    """
    options = options or Options()
    if isinstance(source, str) and ("\n" in source or "{" in source):
        if ptxtext.looks_like_ptx(source):
            return Compiled(source, "<ptx>")
        return nvrtc.compile(source, "source.cu", None, options)
    path = Path(source)
    if path.suffix == ".ptx":
        return ptxtext.read(path)
    if path.suffix not in _CUDA:
        raise CompileError(f"cannot tell what {str(path)!r} is: give a .cu or .ptx file, or the text of one")
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CompileError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    if nvrtc.toolchain() is None and (compiled := ptxtext.shipped(path, text, options)):
        return compiled
    return attrs.evolve(nvrtc.compile(text, path.name, path.parent, options), source=path)
