"""What a launch takes on a machine, measured once for each machine, in several processes if asked."""
from __future__ import annotations

import concurrent.futures
import contextlib
import multiprocessing
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Self, TypeAlias

import attrs

from archdef.attribution.groups import AttributionError
from archdef.errors import ArchdefError, GuestWarning, Interrupted
from archdef.examples import Workload, load
from archdef.examples.comparison import compare
from archdef.run.result import Run
from archdef.spec import Architecture

Program: TypeAlias = Callable[[Architecture], Any]
"""Runs something on a machine; gives a `Run`, several, or seconds. Raises ArchdefError if that machine cannot run it, or gets another result."""


@attrs.frozen
class Time:
    """What a machine took."""

    seconds: float
    cycles: int | None
    """SM cycles of its launches; None where the program gave seconds."""


@attrs.frozen
class Failure:
    """Why a machine did not run it."""

    why: str


Outcome: TypeAlias = Time | Failure


@attrs.frozen
class Launches:
    """The launches of one kernel of a workload, each checked against what numpy expects."""

    workload: str | Workload
    """A workload, or its name, which every process loads for itself."""
    kernel: str
    size: int

    def __call__(self, architecture: Architecture) -> list[Run]:
        """Run it. Raises ArchdefError if a launch fails, AttributionError if an output is wrong."""
        rows = compare(loaded(self.workload), [architecture], self.size, [self.kernel]).rows
        for row in rows:
            if row.run is None:
                raise AttributionError(row.failure)
            if not row.correct:
                raise AttributionError(f"its output is wrong by {row.error:.3g} of the largest value")
        return [row.run for row in rows if row.run is not None]


def loaded(workload: str | Workload) -> Workload:
    """Give a workload by its name, or itself."""
    return _by_name(workload) if isinstance(workload, str) else workload


@lru_cache(maxsize=8)
def _by_name(name: str) -> Workload:
    return load(name)


def measure(program: Program, architecture: Architecture) -> Outcome:
    """Run a program on a machine."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GuestWarning)
            found = program(architecture)
    except Interrupted:
        raise
    except ArchdefError as error:
        return Failure(str(error))
    if isinstance(found, (int, float)) and not isinstance(found, bool):
        time = Time(float(found), None)
    else:
        runs = [found] if isinstance(found, Run) else list(found)
        time = Time(sum(run.elapsed_s for run in runs), sum(run.cycles for run in runs))
    if not time.seconds > 0:
        raise AttributionError(f"the program must take some time on each machine, got {time.seconds!r} s on {architecture.label}")
    return time


class Measurements:
    """Runs a program on machines, never twice on one; use it as a context, which ends its processes."""

    def __init__(self, program: Program, jobs: int, said: Callable[[int, int, str], None]):
        self.program, self.jobs, self.said = program, jobs, said
        self.outcomes: dict[Architecture, Outcome] = {}
        self._stack = contextlib.ExitStack()
        self._pool: concurrent.futures.ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(wait=kind is None, cancel_futures=True)

    def of(self, machines: Mapping[Any, Architecture]) -> dict[Any, Outcome]:
        """Give what each machine took; those that were not measured before are, and `said` is told how many of them are done."""
        new = {machine: None for machine in machines.values() if machine not in self.outcomes}
        for done, (machine, outcome) in enumerate(self._measured(list(new)), start=1):
            self.outcomes[machine] = outcome
            self.said(done, len(new), machine.label)
        return {key: self.outcomes[machine] for key, machine in machines.items()}

    def _measured(self, machines: list[Architecture]) -> Iterator[tuple[Architecture, Outcome]]:
        if self.jobs <= 1 or len(machines) < 2:
            yield from ((machine, measure(self.program, machine)) for machine in machines)
            return
        if self._pool is None:
            self._pool = concurrent.futures.ProcessPoolExecutor(self.jobs, mp_context=multiprocessing.get_context("spawn"))
        yield from self._of_pool(self._pool, machines)

    def _of_pool(self, pool: concurrent.futures.ProcessPoolExecutor, machines: Iterable[Architecture]) -> Iterator[tuple[Architecture, Outcome]]:
        waiting = {pool.submit(measure, self.program, machine): machine for machine in machines}
        for future in concurrent.futures.as_completed(waiting):
            yield waiting[future], future.result()
