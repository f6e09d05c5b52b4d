"""What a check is: a plain function about one architecture, with the name under which it is reported and excused."""
from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence

import attrs
import numpy as np

from archdef.device import Device
from archdef.run.result import Run
from archdef.spec import Architecture
from archdef.testing.checks.samples import block_threads, has_room, samples
from archdef.testing.compare import Launch, in_reference

BLOCK, REGISTERS = 80, 64
"""What instruction forms and random kernels need room for: threads of a block, registers of a thread."""


class Broken(AssertionError):
    """An architecture does not do what a check asks."""


def expect(holds: object, message: str) -> None:
    """Raise `Broken` with a message unless a condition holds; unlike ``assert``, also under ``python -O``."""
    if not holds:
        raise Broken(message)


class Subject:
    """The architecture under test, with what several checks need of it, made once."""

    def __init__(self, architecture: Architecture, quick: bool = False):
        self.architecture = architecture
        self.quick = quick
        """Whether a case that tries many kernels of one kind may do with a few."""
        self._expected: dict[tuple, np.ndarray] = {}
        self._finished: dict[str, tuple[Run, list[np.ndarray]]] = {}

    @functools.cached_property
    def samples(self) -> dict[str, Launch]:
        """Small kernels that every architecture runs, by name; see `samples`."""
        return samples(self.architecture)

    @property
    def threads(self) -> int:
        """A size of block that it has room for."""
        return block_threads(self.architecture)

    def finished(self, name: str) -> tuple[Run, list[np.ndarray]]:
        """Give a finished launch of a sample, and what its arrays hold afterwards; asked for again, it is not launched again."""
        if name not in self._finished:
            self._finished[name] = run_of(self.device(), self.samples[name])
        return self._finished[name]

    @property
    def runs(self) -> dict[str, Run]:
        """A finished launch of each sample, by name."""
        return {name: self.finished(name)[0] for name in self.samples}

    def expected(self, name: str, launch: Launch) -> np.ndarray:
        """Give what the reference interpreter leaves in the first array of a sample; asked for again, it is not run again."""
        key = name, launch.grid, launch.block
        if key not in self._expected:
            self._expected[key] = in_reference(self.architecture.warp.size, launch)[0]
        return self._expected[key]

    @functools.cached_property
    def roomy(self) -> Architecture:
        """The architecture, with room for the blocks that instruction forms are tried in, if it has none."""
        return self.architecture if has_room(self.architecture, BLOCK, REGISTERS) else roomy(self.architecture)

    @functools.cached_property
    def undisturbed(self) -> Architecture:
        """The architecture with neither refreshes nor fetches of instructions, which come between two times."""
        return undisturbed(self.architecture)

    def device(self, architecture: Architecture | None = None) -> Device:
        """Make a device of the architecture, or of a changed one, whose kernels end in seconds."""
        return Device(architecture or self.architecture, max_instructions=50_000_000, max_cycles=10_000_000_000)


def at_hand(architecture: Architecture) -> Architecture:
    """Give an architecture whose instructions need not be fetched."""
    there = [f"caches.{name}" for name in ("instruction", "instruction_l2", "instruction_l3") if getattr(architecture.caches, name) is not None]
    return architecture.evolve({**dict.fromkeys(there), "caches.instruction_preload_bytes": 0}) if there else architecture


def undisturbed(architecture: Architecture) -> Architecture:
    """Give an architecture whose instructions need not be fetched and whose DRAM is not refreshed: neither comes between two times."""
    return at_hand(architecture).evolve({"dram.t_refi_ns": None, "dram.refresh_banks": None})


def roomy(architecture: Architecture) -> Architecture:
    """Give an architecture with room for a block of `BLOCK` threads of `REGISTERS` registers, whatever the size of its warps."""
    limits, size = architecture.limits, architecture.warp.size
    x, y, z = limits.block_dimensions
    threads, block_warps = max(BLOCK, limits.threads_per_block), -(-BLOCK // size)
    warps = min(64 * architecture.schedulers.count, max(limits.warps_per_multiprocessor, -(-threads // size)))
    # each warp's registers are rounded up, and a partition of the file may have to hold the whole block
    unit = limits.register_allocation_unit
    parts = limits.register_file_partitions
    file = (1 if parts is None else parts.count) * (block_warps + 1) * (REGISTERS * size + unit)
    file = max(limits.registers_per_multiprocessor, file)
    return architecture.evolve({
        "limits.threads_per_block": threads, "limits.threads_per_multiprocessor": max(threads, limits.threads_per_multiprocessor),
        "limits.block_dimensions": (max(x, BLOCK), y, z), "limits.warps_per_multiprocessor": warps,
        **({} if parts is None else {"limits.register_file_partitions.warps_per_partition": warps}),
        "limits.registers_per_multiprocessor": file, "limits.registers_per_block": max(file, limits.registers_per_block)})


def run_of(device: Device, launch: Launch) -> tuple[Run, list[np.ndarray]]:
    """Launch on a device; give the `Run`, and what its arrays hold afterwards."""
    kernel, arguments = prepared(device, launch)
    run = kernel[launch.grid, launch.block, launch.shared_bytes](*arguments)
    return run, [a.to_host() for a in arguments if hasattr(a, "to_host")]


def prepared(device: Device, launch: Launch) -> tuple:
    """Compile a launch's kernel and move its arrays to the device; give the kernel and its arguments."""
    kernel = device.compile(launch.ptx)[launch.entry]
    return kernel, [device.to_device(a) if isinstance(a, np.ndarray) else a for a in launch.arguments]


@attrs.frozen(eq=False)
class Check:
    """One check, for every architecture; with cases, one for each of them."""

    name: str
    """In words joined by underscores: tests are called ``test_`` and this."""
    function: Callable
    """Takes a `Subject`, and the name of a case if there are cases. Raises `Broken`, or whatever went wrong."""
    cases: Callable[[Subject], Sequence[str]] | None = None
    """Lists the names of the cases; None: there is one, without a name."""
    quick: bool | int = True
    """Whether a quick run holds it; a number: that many of its cases."""

    @property
    def proves(self) -> str:
        """What it proves, in a sentence."""
        return inspect.cleandoc(self.function.__doc__).splitlines()[0]

    def cases_of(self, subject: Subject, quick: bool = False) -> tuple[str | None, ...]:
        """List the cases for an architecture; one of None for a check without."""
        if quick and not self.quick:
            return ()
        if self.cases is None:
            return (None,)
        names = tuple(self.cases(subject))
        if quick and self.quick is not True:
            step = max(1, len(names) // self.quick)
            names = names[step // 2::step][:self.quick]
        return names

    def __call__(self, subject: Subject, case: str | None = None) -> None:
        """Carry it out."""
        if case is None:
            self.function(subject)
        else:
            self.function(subject, case)


def check(*, cases: Callable[[Subject], Sequence[str]] | None = None, quick: bool | int = True) -> Callable[[Callable], Check]:
    """Make a function a check of its name."""
    return lambda function: Check(function.__name__, function, cases, quick)
