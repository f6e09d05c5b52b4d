"""What a Python function means: its code and everything that the code names, so that a compiled one can be found again."""
from __future__ import annotations

import hashlib
import types
from typing import Any

import numpy as np

_PLAIN = (int, float, complex, bool, str, bytes, type(None), type(Ellipsis))


def fingerprint(function: types.FunctionType, libraries: tuple[str, ...]) -> str | None:
    """Hash `function` and what it refers to, other functions included.

    libraries : top-level modules that a version stands for; what lies in them is known by its name.

    None if it refers to something whose meaning cannot be written down: then nothing about it must be cached.
    """
    digest = hashlib.sha256()
    try:
        for part in _parts(function, libraries, set()):
            digest.update(f"{len(part)}:{part}".encode(errors="surrogatepass"))
    except _Unknown:
        return None
    return digest.hexdigest()


class _Unknown(Exception):
    pass


def _parts(value: Any, libraries: tuple[str, ...], seen: set[int]):
    module = getattr(value, "__module__", None) or ""
    if isinstance(value, _PLAIN):
        yield f"{type(value).__name__} {value!r}"
    elif isinstance(value, (np.generic, np.ndarray, np.dtype)):
        array = np.asarray(value) if not isinstance(value, np.dtype) else np.empty(0, value)
        if array.dtype.hasobject:
            raise _Unknown
        yield f"{array.dtype.descr} {array.shape} {array.tobytes().hex()}"
    elif isinstance(value, (tuple, list, frozenset)):
        yield f"{type(value).__name__} {len(value)}"
        for item in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _parts(item, libraries, seen)
    elif isinstance(value, types.CodeType):
        yield from _code(value, libraries, seen)
    elif isinstance(value, types.ModuleType):
        if value.__name__.partition(".")[0] not in libraries:
            raise _Unknown
        yield f"module {value.__name__}"
    elif (inner := getattr(value, "py_func", None)) is not None:  # a decorated device function
        yield repr(sorted((getattr(value, "targetoptions", None) or {}).items(), key=lambda item: item[0]))
        yield from _parts(inner, libraries, seen)
    elif isinstance(value, types.FunctionType) and module.partition(".")[0] not in libraries:
        yield from _function(value, libraries, seen)
    elif module.partition(".")[0] in libraries:
        yield f"{module} {getattr(value, '__qualname__', None) or repr(value)}"
    else:
        raise _Unknown


def _function(function: types.FunctionType, libraries: tuple[str, ...], seen: set[int]):
    if id(function) in seen:
        yield "again"
        return
    seen.add(id(function))
    yield f"{function.__module__}.{function.__qualname__}"
    yield from _parts(function.__defaults__, libraries, seen)
    for cell in function.__closure__ or ():
        try:
            yield from _parts(cell.cell_contents, libraries, seen)
        except ValueError:  # not filled yet
            raise _Unknown from None
    code = function.__code__
    yield from _code(code, libraries, seen)
    for name in sorted(_names(code)):
        if name in function.__globals__:
            yield name
            yield from _parts(function.__globals__[name], libraries, seen)


def _code(code: types.CodeType, libraries: tuple[str, ...], seen: set[int]):
    yield code.co_code.hex()
    yield code.co_linetable.hex()
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_flags,
                code.co_firstlineno))
    for constant in code.co_consts:
        yield from _parts(constant, libraries, seen)


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
