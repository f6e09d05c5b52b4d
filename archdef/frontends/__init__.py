"""Front ends: each knows how to get PTX and nothing of architectures."""
from __future__ import annotations

import os
import time
from typing import Any

from archdef import values
from archdef._logs import logger
from archdef.errors import CompileError
from archdef.frontends import builtin
from archdef.frontends.cxxtypes import CxxType
from archdef.frontends.finder import Finder
from archdef.frontends.options import Compiled, Interface, Options
from archdef.frontends.protocol import FrontEnd

__all__ = ["Compiled", "CxxType", "FrontEnd", "Interface", "Options", "compile", "names", "register", "unregister"]

_LOG = logger(__name__)
_FINDER = Finder(builtin)
"""The front ends that everything in archdef uses."""

names, register, unregister = _FINDER.names, _FINDER.register, _FINDER.unregister


def compile(source: Any, options: Options | None = None) -> Compiled:
    """Turn a source into PTX.

    source  : a path to a ``.cu`` or ``.ptx`` file, or the text of either; a Numba CUDA function; a Triton kernel; whatever
              else a plugin's front end takes.

    A CUDA file without a compiler at hand is answered by PTX shipped beside it, if that was made of the same text.
    Raises CompileError.
    """
    options = options or Options()
    if not isinstance(options, Options):
        raise CompileError(f"options must be archdef.Options, got {values.shown(options)}")
    if isinstance(source, (str, os.PathLike)):
        values.text(os.fspath(source), "a source, or the name of its file,", CompileError)
    began = time.perf_counter()
    made = _FINDER.find(source, options).compile(source, options)
    _LOG.info("%s: PTX by %s, in %.3f s", made.file.removesuffix(".ptx"), made.compiler, time.perf_counter() - began)
    return made
