"""What a Python function means: its code and everything that the code names, so that a compiled one can be found again."""
from __future__ import annotations

import hashlib
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

_PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None), type(Ellipsis)))


def fingerprint(function: types.FunctionType, libraries: tuple[str, ...]) -> str | None:
    """Hash `function` and what it refers to, other functions included.

    libraries : top-level modules that a version stands for: what can be imported from them is known by its name. What they make
                while a program runs, such as a function inside a function, is known by its contents like everything else.

    None if it refers to something whose meaning cannot be written down: then nothing about it must be cached.
    """
    digest = hashlib.sha256()
    try:
        for part in _Parts(libraries).of(function):
            digest.update(f"{len(part)}:{part}".encode(errors="surrogatepass"))
    except _Unknown:
        return None
    return digest.hexdigest()


class _Unknown(Exception):
    pass


class _Parts:
    """Writes values down part by part; what was met before is named by its number."""

    def __init__(self, libraries: tuple[str, ...]):
        self.libraries = libraries
        self.seen: dict[int, tuple[int, Any]] = {}     # with the value, so that nothing else gets its id

    def of(self, value: Any) -> Iterator[str]:
        """Write a value down. Raises _Unknown."""
        if type(value) in _PLAIN:
            yield f"{type(value).__name__} {value!r}"
        elif isinstance(value, (np.generic, np.ndarray, np.dtype)):
            yield _numbers(value)
        elif isinstance(value, types.CodeType):
            yield from self._code(value)
        elif isinstance(value, types.ModuleType):
            if not self._of_library(value.__name__):
                raise _Unknown
            yield f"module {value.__name__}"
        elif (name := self._imported(value)) is not None:
            yield f"name {name}"
        elif id(value) in self.seen:
            yield f"again {self.seen[id(value)][0]}"
        else:
            self.seen[id(value)] = len(self.seen), value
            yield from self._contents(value)

    def _contents(self, value: Any) -> Iterator[str]:
        if isinstance(value, (tuple, list, frozenset, set)):
            yield f"{type(value).__qualname__} {len(value)} {getattr(value, '_fields', '')}"
            for item in sorted(value, key=repr) if isinstance(value, (frozenset, set)) else value:
                yield from self.of(item)
        elif type(value) is dict:
            yield f"dict {len(value)}"
            for pair in value.items():
                yield from self.of(pair)
        elif (inner := getattr(value, "py_func", None)) is not None:  # a decorated device function
            yield f"decorated {type(value).__qualname__}"
            yield from self.of(dict(getattr(value, "targetoptions", None) or {}))
            yield from self.of(inner)
        elif isinstance(value, types.FunctionType):
            yield from self._function(value)
        elif _is_type(value) and self._of_library(type(value).__module__):
            yield f"type {type(value).__qualname__} {value!r}"
        else:
            raise _Unknown

    def _of_library(self, module: str) -> bool:
        return module.partition(".")[0] in self.libraries

    def _imported(self, value: Any) -> str | None:
        """Give the name by which a library gives this very object to everyone who imports it; None if none does."""
        module = getattr(value, "__module__", None)
        name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
        if not isinstance(module, str) or not isinstance(name, str) or not self._of_library(module):
            return None
        found: Any = sys.modules.get(module)
        for part in name.split("."):
            found = getattr(found, part, None)
        return f"{module}.{name}" if found is value else None

    def _function(self, function: types.FunctionType) -> Iterator[str]:
        yield f"{function.__module__}.{function.__qualname__}"
        yield from self.of(function.__defaults__)
        yield from self.of(function.__kwdefaults__)
        for cell in function.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError:  # not filled yet
                raise _Unknown from None
            yield from self.of(contents)
        code = function.__code__
        yield from self._code(code)
        for name in sorted(_names(code)):
            if name in function.__globals__:
                yield name
                yield from self.of(function.__globals__[name])

    def _code(self, code: types.CodeType) -> Iterator[str]:
        yield code.co_code.hex()
        yield code.co_linetable.hex()
        yield getattr(code, "co_exceptiontable", b"").hex()
        yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_argcount, code.co_posonlyargcount,
                    code.co_kwonlyargcount, code.co_flags, code.co_firstlineno, code.co_filename, len(code.co_consts)))
        for constant in code.co_consts:
            yield from self.of(constant)


def _numbers(value: np.generic | np.ndarray | np.dtype) -> str:
    dtype = value if isinstance(value, np.dtype) else value.dtype
    if dtype.hasobject:
        raise _Unknown
    if isinstance(value, np.dtype):
        return f"dtype {dtype.descr} {dtype.itemsize} {dtype.isalignedstruct}"
    array = np.asarray(value)
    return f"{type(value).__qualname__} {dtype.descr} {array.shape} {array.strides} {array.tobytes().hex()}"


def _is_type(value: Any) -> bool:
    """Say whether a value is one of Numba's types, which are written as what they are."""
    return any(base.__name__ == "Type" and base.__module__.endswith(".types.abstract") for base in type(value).__mro__)


def _names(code: types.CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names |= _names(constant)
    return names
