"""What a program did on a machine: its kernels, its copies, where its time went."""
from __future__ import annotations

import signal
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from archdef.console import text
from archdef.exec import vocabulary
from archdef.exec.instances import told_apart
from archdef.exec.tally import KernelTotal
from archdef.formatting import count, percent, seconds
from archdef.host.timeline import Timeline
from archdef.run.explain import costliest, why
from archdef.tables import Column, Kind, Table

if TYPE_CHECKING:
    from archdef.exec.session import Session

MOST_EXPLAINED = 4
"""Kernels of which the account says why they took their time."""
EXPLAINED_SHARE = 0.1
"""Part of all kernels' time below which it does not."""


@attrs.frozen
class CopyTotal:
    """All copies of one name, or all that set memory."""

    name: str
    copies: int
    nbytes: int
    seconds: float


@attrs.frozen(eq=False)
class Account:
    """A program that was run."""

    command: tuple[str, ...]
    architecture: str
    """Label of its devices' description."""
    exit_code: int
    """Of the program; negative: the signal that ended it."""
    kernels: tuple[KernelTotal, ...]
    """Longest first."""
    copies: tuple[CopyTotal, ...]
    makespan_s: float
    """From the first work of a device to the last, on the simulated host's clock, which the program's own instructions do not move."""
    busy_s: float
    """Time in which at least one device had work."""
    missing: dict[str, int]
    """Functions that were called and are not supported → calls."""
    failures: tuple[str, ...]
    """Why calls and launches failed."""
    timelines: tuple[Timeline, ...]
    """Of each process that used a device."""
    left: dict[str, int] = attrs.field(factory=dict)
    """Kernels that had not ended when the program did, and ended with it → launches; `kernels` are without them."""
    mapped: tuple[str, ...] = ()
    """Kernels that were given page-locked memory of the host, which they access over the host link."""
    peers: tuple[str, ...] = ()
    """Kernels that were given memory of another device, which they access over the link between the two."""
    compiled: tuple[tuple[int, int], ...] = ()
    """Architectures that the program asked NVRTC for and that were too old for it, and what it compiled for instead; compute capabilities times 10."""
    failed: int = 0
    """Launches that were refused, or ended with an error, whether the program has asked for that or not."""

    @property
    def launches(self) -> int:
        """How many grids it launched."""
        return sum(each.launches for each in self.kernels)

    @property
    def timed(self) -> int:
        """How many of them were timed."""
        return sum(each.timed for each in self.kernels)

    @property
    def timeline(self) -> Timeline:
        """All processes in one; where there are several, places have the process in their names, and each process begins at 0."""
        if len(self.timelines) < 2:
            return self.timelines[0] if self.timelines else Timeline([])
        spans = [attrs.evolve(span, place=f"process {number}: {span.place}") for number, each in enumerate(self.timelines, start=1) for span in each]
        return Timeline(spans, dict.fromkeys(label for each in self.timelines for label in each.assumed))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What kernels hold that is probably not meant, with file and line."""
        return tuple(dict.fromkeys(warning for each in self.kernels for warning in each.warnings))

    @property
    def good(self) -> bool:
        """Whether it ended with 0, nothing was missing and no launch failed, even if the program did not look."""
        return self.exit_code == 0 and not self.missing and not self.failed

    @property
    def ended(self) -> str:
        """How it ended, in words."""
        failed = f"{count(self.failed)} launch{'es' * (self.failed != 1)} failed"
        return f"{_ended(self.exit_code)}{f', but {failed}' if self.failed and not self.exit_code else f', {failed}' if self.failed else ''}"

    def to_dict(self) -> dict[str, Any]:
        """Give plain data."""
        return {"command": list(self.command), "architecture": self.architecture, "exit_code": self.exit_code, "makespan_s": self.makespan_s,
                "busy_s": self.busy_s, "launches": self.launches, "timed": self.timed,
                "kernels": [{"kernel": each.kernel, "launches": each.launches, "timed": each.timed, "seconds": each.seconds, "cycles": each.cycles,
                             "link_bytes_read": each.link_bytes_read, "link_bytes_written": each.link_bytes_written}
                            for each in self.kernels],
                "copies": [{"name": each.name, "copies": each.copies, "bytes": each.nbytes, "seconds": each.seconds} for each in self.copies],
                "left": self.left, "mapped": list(self.mapped), "peers": list(self.peers), "compiled": [list(each) for each in self.compiled],
                "missing": self.missing, "failed": self.failed, "failures": list(self.failures),
                "warnings": list(self.warnings)}

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(f"{self.command[0].rpartition('/')[2]} on {self.architecture}: {self.ended}", style="bold")
        if self.kernels or self.copies:
            yield self._table()
            yield Text(f"The devices had work for {seconds(self.busy_s)} of {seconds(self.makespan_s)}, from the first to the last of it.")
        elif not self.left and not self.failed:
            yield Text("It launched nothing.")
        if self.timed < self.launches:
            yield Text(f"{count(self.timed)} of {count(self.launches)} launches timed, of which alone the table has times. The others were executed only; "
                       "from the first to the last work each counts with the mean time of those of its kernel and shape that were timed before it, or none.",
                       style="yellow")
        yield from self._reasons()
        if self.left:
            yield Text(f"Ended with the program, before they were done: {_listed(self.left)}", style="yellow")
        if linked := [each for each in self.kernels if each.link_bytes_read or each.link_bytes_written]:
            yield Text("Bytes over links, to memory of the host or of other devices: " + "; ".join(
                f"{each.kernel} {count(each.link_bytes_read)} read, {count(each.link_bytes_written)} written" for each in linked))
        for asked, given in self.compiled:
            yield Text(f"Asked NVRTC for compute_{asked}, which is too old for it; it compiled for compute_{given}.", style="yellow")
        for warning in self.warnings:
            yield Text(f"warning: {warning}", style="yellow")
        if self.missing:
            yield Text(f"Not supported, and refused: {_listed(self.missing)}", style="red")
        for failure in self.failures:
            yield Text(failure, style="red")

    def _table(self) -> Table:
        whole = sum(each.seconds for each in self.kernels) + sum(each.seconds for each in self.copies)
        table = Table(Column("", Kind.PROSE, least=16, called="what"), Column("times", Kind.NUMBER), Column("time", Kind.NUMBER),
                      Column("share", Kind.NUMBER), Column("each", Kind.NUMBER, 2), Column("cycles\neach", Kind.NUMBER, 3), Column("bytes", Kind.NUMBER, 4))
        for kernel in self.kernels:
            times = count(kernel.launches) if kernel.timed == kernel.launches else f"{count(kernel.timed)} of {count(kernel.launches)}"
            if not kernel.timed:
                table.add(kernel.kernel, times, "", "", "", "", "")
                continue
            table.add(kernel.kernel, times, seconds(kernel.seconds), percent(100 * kernel.seconds / whole if whole else 0),
                      seconds(kernel.seconds / kernel.timed), count(round(kernel.cycles / kernel.timed)), "")
        for copy in self.copies:
            table.add(copy.name, count(copy.copies), seconds(copy.seconds), percent(100 * copy.seconds / whole if whole else 0),
                      seconds(copy.seconds / copy.copies), "", count(copy.nbytes))
        return table

    def _reasons(self) -> Iterable[RenderableType]:
        """Say why each of the kernels that took most of the time did, by its longest launch."""
        whole, of_ptx = sum(each.seconds for each in self.kernels), False
        for kernel in self.kernels[:MOST_EXPLAINED]:
            run = kernel.longest
            if run is None or kernel.seconds < EXPLAINED_SHARE * whole:
                continue
            line, place = costliest(run), ""
            if line is not None:
                in_ptx = line.file == run.program.file
                of_ptx = of_ptx or in_ptx
                place = (f" line {line.line} of its PTX" if in_ptx else f" {line.file.rpartition('/')[2]}:{line.line}") + f"  {line.text}"
            yield Text(f"{run.kernel}:{place}".rstrip())
            yield Padding(Text(why(run)), (0, 0, 0, 2), expand=False)
        if of_ptx:
            yield Text("(nvcc -lineinfo keeps the lines of the source)")

    def __str__(self) -> str:
        return text(self)


def account(command: Sequence[str], exit_code: int, sessions: Iterable[Session], label: str, missing: dict[str, int], complaints: Iterable[str]) -> Account:
    """Add up what a program's processes did."""
    sessions = list(sessions)
    timelines = tuple(session.host.timeline() for session in sessions)
    kernels = _kernels(total for session in sessions for total in session.tally)
    left: dict[str, int] = {}
    for name, times in (each for session in sessions for each in session.tally.left.items()):
        left[name] = left.get(name, 0) + times
    own = vocabulary.of(command[0])
    failures = list(complaints)
    failures += [text for session in sessions for text in session.tally.failed if not any(each.endswith(f": {text}") for each in failures)]
    return Account(tuple(command), label, exit_code, kernels, _copies(timelines),
                   sum(each.makespan_us for each in timelines) * 1e-6, sum(_busy_us(each) for each in timelines) * 1e-6,
                   {own(name): times for name, times in missing.items()}, tuple(dict.fromkeys(map(own, failures))), timelines, left,
                   tuple(dict.fromkeys(name for session in sessions for name in session.tally.mapped)),
                   tuple(dict.fromkeys(name for session in sessions for name in session.tally.peers)),
                   tuple(dict.fromkeys(each for session in sessions for each in session.tally.compiled)),
                   sum(session.tally.refused + len(session.tally.failed) for session in sessions))


def _kernels(totals: Iterable[KernelTotal]) -> tuple[KernelTotal, ...]:
    """Add up what is of one kernel, and let instances of a template have names of their own; longest first."""
    kernels: dict[tuple[str, str], KernelTotal] = {}
    for each in totals:
        kernels.setdefault((each.kernel, each.symbol), KernelTotal(each.kernel, each.architecture, symbol=each.symbol)).include(each)
    names = told_apart({symbol: kernel for kernel, symbol in kernels})
    for each in kernels.values():
        each.kernel = names[each.symbol]
        if each.longest is not None and each.longest.kernel != each.kernel:
            each.longest = attrs.evolve(each.longest, kernel=each.kernel)
    return tuple(sorted(kernels.values(), key=lambda each: -each.seconds))


def _copies(timelines: Iterable[Timeline]) -> tuple[CopyTotal, ...]:
    found: dict[str, list[Any]] = {}
    for span in (span for timeline in timelines for span in timeline if span.kind in ("copy", "memset")):
        found.setdefault(span.name, []).append(span)
    totals = (CopyTotal(name, len(spans), sum(s.nbytes for s in spans), sum(s.duration_us for s in spans) * 1e-6) for name, spans in found.items())
    return tuple(sorted(totals, key=lambda each: -each.seconds))


def _busy_us(timeline: Timeline) -> float:
    total, reached = 0.0, 0.0
    for span in sorted(timeline.work, key=lambda each: each.start_us):
        total += max(0.0, span.end_us - max(span.start_us, reached))
        reached = max(reached, span.end_us)
    return total


def _listed(often: Mapping[str, int]) -> str:
    return ", ".join(f"{name} ({times:,})" if times > 1 else name for name, times in sorted(often.items()))


def _ended(code: int) -> str:
    if code < 0:
        known = next((each.name for each in signal.Signals if each == -code), f"signal {-code}")
        return f"ended by {known}"
    return f"exit code {code}"
