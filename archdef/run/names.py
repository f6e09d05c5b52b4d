"""Names of kernels and variables as people write them: ``transpose`` for ``_Z9transposePfS_ii``, ``a::b`` for a name in a namespace."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from archdef import values
from archdef.errors import LaunchError, nearest

_UNNAMED = ("_GLOBAL__N_", "_INTERNAL_")
"""Namespaces that nobody writes: the unnamed one, and the one that a compiler puts around it to tell files apart."""


def readable(symbol: str) -> str:
    """Give the qualified name inside a mangled symbol, without template arguments; other names stay as they are."""
    if symbol.startswith("_ZZ"):
        return _local(symbol)
    parts, _ = _parts(symbol)
    return "::".join(part for part in parts if not part.startswith(_UNNAMED)) or symbol


def is_variable(symbol: str) -> bool:
    """Say whether the readable name of a symbol is all that a source needs to name the variable: no template's, none in a function."""
    return symbol.isidentifier() and not symbol.startswith("_Z") or symbol.startswith("_ZN") and _parts(symbol)[1] == "E"


def _parts(symbol: str) -> tuple[list[str], str]:
    """Split a mangled symbol into the parts of its name, and what is behind them: template arguments, parameters."""
    nested = symbol.startswith("_ZN")
    if not nested and not re.match(r"_ZL?\d", symbol):
        return [], symbol
    position, parts = 3 if nested else 3 if symbol.startswith("_ZL") else 2, []
    while match := re.compile(r"L?(\d+)").match(symbol, position):
        start = match.end()
        if len(match[1]) > 9:       # no name is as long
            return [], symbol
        position = start + int(match[1])
        if position > len(symbol):
            return [], symbol
        parts.append(symbol[start:position])
        if not nested:
            break
    return parts, symbol[position:]


def _local(symbol: str) -> str:
    """Give ``kernel::counter`` for ``_ZZ6kernelPfE7counter``: a static variable inside a function."""
    for match in re.finditer(r"E(\d{1,9})(?!\d)", symbol):
        end = match.end() + int(match[1])
        if end <= len(symbol) and re.fullmatch(r"(_\d|__\d+_)?", symbol[end:]):
            return f"{readable('_Z' + symbol[3:match.start()])}::{symbol[match.end():end]}"
    return symbol


def spelled(expression: str) -> str:
    """Give a name expression with blanks only where they part words, so that ``k< float,4 >`` is ``k<float,4>``."""
    return re.sub(r"\s*([^\w\s])\s*", r"\1", " ".join(expression.split()))


def is_instance(name: str) -> bool:
    """Say whether a name is an instance of a template: ``ns::k<float, 4>``."""
    return isinstance(name, str) and re.fullmatch(r"(::)?\w+(\s*::\s*\w+)*\s*<.*>", name.strip(), re.DOTALL) is not None


def is_template(name: str, source: str) -> bool:
    """Say whether C++ declares a kernel template of a name, as far as that can be told without a compiler."""
    last = re.escape(name.rpartition("::")[2])
    return re.search(rf"\btemplate\s*<[^;{{}}()]*>[^;{{}}]*\b__global__\b[^;{{}}]*\b{last}\s*\(", source) is not None


def find(name: str, symbols: Iterable[str], where: str, readable: Callable[[str], str] = readable, what: str = "kernel") -> str:
    """Find the one symbol that `name` means: itself, its readable name, or the last parts of that.

    readable : gives the name of a symbol as a person wrote it.
    what     : what the symbols are, for messages.

    Raises LaunchError that lists what there is, or all that `name` could mean.
    """
    symbols = tuple(symbols)
    if not isinstance(name, str):
        raise LaunchError(f"a kernel of {where} is found by its name, got {values.shown(name)}")
    if name in symbols:
        return name
    written = {symbol: readable(symbol) for symbol in symbols}
    for found in ([s for s, text in written.items() if text == name], [s for s, text in written.items() if text.endswith(f"::{name}")]):
        if len(found) == 1:
            return found[0]
        if found:
            raise LaunchError(f"{name!r} means {len(found)} {what}s of {where}; "
                              f"use the full name of one: {', '.join(found)}", "name")
    known = [readable(symbol) for symbol in symbols]
    raise LaunchError(f"{where} has no {what} {name!r}{nearest(name, known)}; "
                      + (f"it has {', '.join(known)}" if known else "it has none at all"), "name")
