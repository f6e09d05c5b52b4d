"""Findings, and the advice that they become when what they suppose has been run."""
from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from archdef.console import text
from archdef.formatting import count, three
from archdef.tables import Column, Kind, Table

if TYPE_CHECKING:
    from archdef.run.result import Cost, Run
    from archdef.spec import Architecture


@attrs.frozen
class Supposed:
    """What is to be different when the launch runs again."""

    what: str
    """In words, behind "if": ``these accesses were in order``."""
    architecture: Architecture | None = None
    """The machine that it runs on instead; None: the same."""
    together: frozenset[tuple[str, int]] = frozenset()
    """Lines, ``(file, line)``, whose accesses are timed as if their lanes lay behind each other; see `archdef.lower.Options`."""
    more: float = 1.0
    """How many times as much of what the machine computes with there is than before; the gain is told without what that alone brings."""
    spill: bool = True
    """Whether what registers have no room for lives in local memory; False: there is room."""
    without_barriers: frozenset[tuple[str, int]] = frozenset()
    """Lines whose barriers are left out; see `archdef.lower.Options`."""
    thread_order: tuple[int, ...] = ()
    """Another order of a block's threads; see `archdef.lower.Options`."""
    certain: bool = True
    """Whether results stay what they are. False: that depends on the kernel, and where one comes out wrong, nothing is advised."""


@attrs.frozen(eq=False)
class Finding:
    """What a rule found, and what to run to see what it costs."""

    rule: str
    supposed: Supposed
    evidence: Mapping[str, float]
    """Name, with its unit, → number."""
    said: str
    """The evidence in a line."""
    remedy: str
    """What to write instead."""
    line: Cost | None = None
    """The source line; None: the whole kernel."""
    also: tuple[tuple[Cost, float], ...] = ()
    """Further lines with the same cause, and how many times as fast the launch is if only that line is changed."""
    confirm: Callable[[Callable[[Supposed], Run]], Finding | None] | None = None
    """Looks further, with runs of its own, once the gain is known to be worth it; gives the finding that is told, or None."""


@attrs.frozen(eq=False)
class Advice:
    """Something to change in a kernel, and what that is worth on a machine."""

    rule: str
    """Its name in `archdef.advice.RULES`."""
    kernel: str
    architecture: str
    """Label of the machine."""
    file: str
    line: int
    """1-based; 0: the whole kernel."""
    text: str
    """The line's text."""
    evidence: Mapping[str, float]
    said: str
    remedy: str
    supposed: str
    """What was supposed, behind "if"."""
    cycles: int
    """Of the launch as it is."""
    cycles_if: int
    """Of the launch under the supposition; where that is a larger machine, times how much larger it is."""
    also: tuple[tuple[int, float], ...] = ()
    """Further lines of `file` that have to be changed for the gain, each with what it gains alone."""

    @property
    def gain(self) -> float:
        """How many times as fast the launch is under the supposition."""
        return self.cycles / self.cycles_if

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file.rpartition('/')[2]}:{self.line}" if self.line else self.kernel

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {**attrs.asdict(self, recurse=False), "evidence": dict(self.evidence), "also": [*map(list, self.also)], "gain": self.gain}

    def __str__(self) -> str:
        return f"{self.place}: {self.rule}, {three(self.gain)}x if {self.supposed}. {self.said}. {self.remedy}."


@attrs.frozen(eq=False)
class Advices:
    """The advice on a workload, the greatest gain first. Prints as a table."""

    workload: str
    architecture: str
    kernels: tuple[str, ...]
    """Kernels that were looked at."""
    list: tuple[Advice, ...]
    runs: int
    """Launches that were run under a supposition."""

    def __iter__(self) -> Iterator[Advice]:
        return iter(self.list)

    def __len__(self) -> int:
        return len(self.list)

    def of(self, kernel: str) -> tuple[Advice, ...]:
        """Give the advice on one kernel."""
        return tuple(each for each in self.list if each.kernel == kernel)

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"workload": self.workload, "architecture": self.architecture, "kernels": [*self.kernels], "runs": self.runs,
                "advice": [each.to_dict() for each in self.list]}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(f"{self.workload} on {self.architecture}: {', '.join(self.kernels)}", style="bold")
        if not self.list:
            yield Text(f"No advice: nothing that the rules know would gain {100 * (LEAST - 1):.0f} %.")
            return
        for number, each in enumerate(self.list, start=1):
            yield from _told(number, each)

    def __str__(self) -> str:
        return text(self)


LEAST = 1.05
"""What a supposition gains at least to be told; `archdef.advice.LEAST_GAIN`."""


def _told(number: int, advice: Advice) -> Iterable[Text | Table]:
    yield Text("")
    yield Text(f"{number}. {advice.kernel}: {advice.rule}, {three(advice.gain)}x", style="bold")
    table = Table(Column("", Kind.PROSE), Column("", Kind.PROSE, least=30), header=False)
    if advice.line:
        table.add(advice.place, Text(advice.text, "italic"))
    if advice.also:
        table.add("also", ", ".join(f"line {line} ({three(gain)}x alone)" for line, gain in advice.also))
    table.add("found", advice.said)
    table.add("do", advice.remedy)
    table.add("gain", f"{count(advice.cycles)} cycles, {count(advice.cycles_if)} if {advice.supposed}")
    yield table


@attrs.frozen
class Rule:
    """What looks for one thing."""

    name: str
    """A stable word."""
    about: str
    """What it looks for, in a line."""
    find: Callable[[Run], Iterable[Finding]]
