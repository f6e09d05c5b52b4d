"""What fat binaries record of ptxas's options (``-maxrregcount``, ``-Xptxas``), for PTX that a driver assembles when a program starts.

Reference: nvcc 13.0 writes them behind the header of an entry, ``-dlcm=cg -v  -maxrregcount=32``.
"""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_ENTRY: Final = re.compile(r"(\.entry\s+[\w$%]+\s*(?:\([^)]*\))?)([^{;]*)(?=\{)")
_BOUNDS: Final = re.compile(r"\.(?:maxnreg|maxntid|minnctapersm)\b")
"""Directives of a kernel that come before such a limit."""
_PLAIN: Final = {name: re.compile(rf"\b({opcode}(?:\.weak)?(?:\.global)?)(?=(?:\.L\d\S*)?(?:\.v[248])?\.[busf]\d+\s)")
                 for name, opcode in (("dlcm", "ld"), ("dscm", "st"))}
"""Loads and stores, global and generic ones, that say nothing of caches."""
CACHED: Final = {"dlcm": ("ca", "cg", "cs", "lu", "cv"), "dscm": ("wb", "cg", "cs", "wt")}
"""What default cache modifiers of loads and of stores may be."""
_VALUE: Final = re.compile(r"--?(maxrregcount|dlcm|dscm|def-load-cache|def-store-cache)(?:=(.*))?")
_SAME: Final = {"def-load-cache": "dlcm", "def-store-cache": "dscm"}
_LEAST_SINCE: Final = ((70, 24), (0, 16))
"""Target → the least limit of registers that ptxas takes for it (11.8 and 13.0); what is less is raised."""
_MOST: Final = 255
"""A limit beyond is no limit."""


def effective(words: list[str]) -> dict[str, str]:
    """Find what changes the code among ptxas's options: ``{"maxrregcount": "32", "dlcm": "cg"}``; of an option that stands twice the last counts."""
    return dict(_pairs(words))


def _pairs(words: list[str]) -> Iterator[tuple[str, str]]:
    left = iter(words)
    for word in left:
        if found := _VALUE.fullmatch(word):
            yield _SAME.get(found[1], found[1]), found[2] if found[2] is not None else next(left, "")


def applied(ptx: str, options: str, target: int) -> str:
    """Give PTX that says itself what its options say for all of it; a line stays a line.

    target : that it is assembled for, 90 for sm_90.
    """
    asked = effective(options.split())
    if (most := asked.get("maxrregcount", "")).isdecimal() and int(most) <= _MOST:
        least = next(registers for since, registers in _LEAST_SINCE if target >= since)
        ptx = _ENTRY.sub(lambda it: it[0] if _BOUNDS.search(it[2]) else f"{it[1]} .maxnreg {max(int(most), least)}{it[2]}", ptx)
    for name, known in CACHED.items():
        if (modifier := asked.get(name)) in known:
            ptx = _PLAIN[name].sub(rf"\1.{modifier}", ptx)
    return ptx
