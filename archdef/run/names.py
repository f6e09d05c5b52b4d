"""Kernel names as people write them: ``transpose`` for ``_Z9transposePfS_ii``, ``a::b`` for a name in a namespace."""
from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from archdef import values
from archdef.errors import LaunchError, nearest


def readable(symbol: str) -> str:
    """Give the qualified name inside a mangled symbol, without template arguments; other names stay as they are."""
    nested = symbol.startswith("_ZN")
    if not nested and not re.match(r"_ZL?\d", symbol):
        return symbol
    position, parts = 3 if nested else 3 if symbol.startswith("_ZL") else 2, []
    while match := re.compile(r"L?(\d+)").match(symbol, position):
        start = match.end()
        position = start + int(match[1])
        if position > len(symbol):
            return symbol
        parts.append(symbol[start:position])
        if not nested:
            break
    return "::".join(parts) or symbol


def find(name: str, symbols: Iterable[str], where: str, readable: Callable[[str], str] = readable) -> str:
    """Find the one symbol that `name` means: itself, its readable name, or the last part of that.

    readable : gives the name of a symbol as a person wrote it.

    Raises LaunchError that lists what there is, or all that `name` could mean.
    """
    symbols = tuple(symbols)
    if not isinstance(name, str):
        raise LaunchError(f"a kernel of {where} is found by its name, got {values.shown(name)}")
    if name in symbols:
        return name
    for form in (readable, lambda symbol: readable(symbol).rpartition("::")[2]):
        found = [symbol for symbol in symbols if form(symbol) == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise LaunchError(f"{name!r} means {len(found)} kernels of {where}; "
                              f"use the full name of one: {', '.join(found)}")
    known = [readable(symbol) for symbol in symbols]
    raise LaunchError(f"{where} has no kernel {name!r}{nearest(name, known)}; "
                      + (f"it has {', '.join(known)}" if known else "it has none at all"))
