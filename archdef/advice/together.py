"""One cause at several lines: what they gain together, where each alone gains little.

A structure's sixteen fields are sixteen lines that move each other's bytes, and a row that a thread walks through thrice is three. A remedy changes
all of them.
"""
from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import attrs

from archdef.advice.finding import Finding, Supposed

SAME: Final = 0.97
"""Fewer lines are told where they gain so much of what all of them do."""
NOTHING: Final = 1.01
"""A line that gains less alone is tried to be left out."""


def joined(findings: Sequence[tuple[Finding, int]], cycles: int, cycles_if: Callable[[Supposed], int | None]) -> list[tuple[Finding, int]]:
    """Join a rule's findings whose lines gain more together than the best of them alone.

    findings  : each with the cycles of the launch if its supposition holds.
    cycles    : of the launch as it is.
    cycles_if : runs the launch under a supposition; None if that cannot be.
    """
    lines = sorted(((finding, least) for finding, least in findings if finding.line is not None and _of_accesses(finding.supposed)), key=lambda each: each[1])
    rest = [each for each in findings if each not in lines]
    if len(lines) < 2:
        return [*findings]
    every = cycles_if(_all(finding for finding, _ in lines))
    if every is None or lines[0][1] * SAME <= every:      # with the first of them changed, the others have nothing left to gain
        return [*rest, lines[0]]
    some = [(finding, least) for finding, least in lines if cycles >= NOTHING * least]
    if 1 < len(some) < len(lines):
        fewer = cycles_if(_all(finding for finding, _ in some))
        if fewer is not None and fewer * SAME <= every:
            lines, every = some, fewer
    (first, _), *others = lines
    what = f"{first.supposed.what}, and {_named([finding for finding, _ in others])}"
    also = tuple((finding.line, cycles / least) for finding, least in others if finding.line is not None)
    return [*rest, (attrs.evolve(first, supposed=attrs.evolve(_all(finding for finding, _ in lines), what=what), also=also), every)]


def _of_accesses(supposed: Supposed) -> bool:
    """Tell whether it is the order of accesses alone that is supposed."""
    return bool(supposed.together) and attrs.evolve(supposed, what="", together=frozenset()) == Supposed("")


def _all(findings: Iterable[Finding]) -> Supposed:
    """Suppose what all of them do."""
    supposed = [finding.supposed for finding in findings]
    return attrs.evolve(supposed[0], together=frozenset().union(*(each.together for each in supposed)))


def _named(findings: Sequence[Finding]) -> str:
    numbers = sorted({finding.line.line for finding in findings if finding.line is not None})
    shown = ", ".join(map(str, numbers[:-1]))
    return f"those of line {numbers[0]}" if len(numbers) == 1 else f"those of lines {shown} and {numbers[-1]}"
