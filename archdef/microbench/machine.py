"""What microbenchmarks need of a machine: a few properties, memory, launches that are timed."""
from __future__ import annotations

import abc
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import attrs
import numpy as np
from numpy.typing import DTypeLike

from archdef.errors import LaunchError


@attrs.frozen
class Properties:
    """What launch shapes follow from. Whatever a machine does not tell is 0."""

    warp_lanes: int
    multiprocessors: int
    threads_per_block: int
    """Most threads of a block."""
    warps_per_multiprocessor: int
    """Most resident warps."""
    blocks_per_multiprocessor: int
    """Most resident blocks."""
    shared_bytes_per_block: int
    """Most shared memory of a block."""
    shared_bytes_per_multiprocessor: int
    constant_bytes: int
    """Constant memory of a module."""
    l2_bytes: int
    """All of the L2; 0 without one."""
    clock_mhz: float
    """Clock of the multiprocessors."""
    dram_bytes: int
    """Device memory."""

    @property
    def warps_per_block(self) -> int:
        """Most warps of a block."""
        return self.threads_per_block // self.warp_lanes


class Array(abc.ABC):
    """Device memory with a shape."""

    address: int

    @abc.abstractmethod
    def read(self) -> np.ndarray:
        """Copy to the host."""

    @abc.abstractmethod
    def write(self, data: np.ndarray) -> None:
        """Fill from the host."""


LEAST_STREAM_BYTES = 3 << 20


class Machine(abc.ABC):
    """A simulated machine or a real one."""

    label: str
    """What tables call it."""
    features: frozenset[str]
    """Out of `archdef.spec.FEATURES`."""
    properties: Properties
    repeats: int = 1
    """Launches of which the median is taken; 1 where nothing varies."""
    trips: tuple[int, int] = (4, 12)
    """Of a timed loop in the shorter and the longer launch."""
    effort: int = 1
    """How many times the work a whole-device measurement needs for its time to be known as well as on a simulated machine."""

    @property
    def stream_bytes(self) -> int:
        """Bytes that the shorter of two streams moves."""
        return LEAST_STREAM_BYTES * self.effort

    @abc.abstractmethod
    def compile(self, ptx: str) -> Any:
        """Load a module of one kernel, called ``k``; the same text gives the same one."""

    @abc.abstractmethod
    def array(self, shape: int | tuple[int, ...] | np.ndarray, dtype: DTypeLike = "u4") -> Array:
        """Allocate zeros, or copy an array to the machine."""

    @abc.abstractmethod
    def scratch(self, name: str, nbytes: int) -> Array:
        """Give memory of at least so many bytes whose contents do not matter; the next call with the same name may give the same."""

    @abc.abstractmethod
    def launch(self, kernel: Any, grid: int, block: int, *arguments: Any, shared_bytes: int = 0) -> float:
        """Run a kernel to its end; give its time in seconds. Arguments are arrays, and numpy scalars of the parameters' widths."""

    @abc.abstractmethod
    def empty_launch_s(self, grid: int, block: int) -> float:
        """Give the seconds between two events around a kernel that does nothing, in a stream that is busy before."""

    @abc.abstractmethod
    def series_s(self, ptx: str, launches: int, grid: int, block: int, *arguments: Any) -> float:
        """Give the seconds between two events around so many launches of a kernel, one after the other in a stream that is busy before.

        Arguments are numpy scalars of the parameters' widths, and numbers of bytes, each of which stands for memory of its own.
        """

    @abc.abstractmethod
    def texture(self, array: Array) -> Any:
        """Make a texture object of an array in linear memory, one texel for each element, as an argument of launches."""

    @abc.abstractmethod
    def write_constants(self, kernel: Any, address: int, data: np.ndarray) -> None:
        """Fill the variable ``constants`` of a kernel's module, which the kernel sees at an address."""

    @abc.abstractmethod
    def flush(self) -> None:
        """Empty the L2 of what was there, if it keeps it from one launch to the next."""

    @abc.abstractmethod
    def describe(self) -> Mapping[str, str]:
        """Say what was measured: device, driver, date; for a simulated machine, its description."""

    def median(self, once: Callable[[], Mapping[str, float]]) -> dict[str, float]:
        """Measure as often as the machine needs; give the median of every quantity."""
        rows = [once() for _ in range(self.repeats)]
        return {name: statistics.median(row[name] for row in rows) for name in rows[0]}

    @property
    def cycles_per_second(self) -> float:
        """Clock of the multiprocessors."""
        return self.properties.clock_mhz * 1e6


def of_warps(machine: Machine, warps: int, once: Callable[[int], dict[str, float]]) -> dict[str, float]:
    """Measure with so many warps in a block; with 0, the most for which the multiprocessor has registers and memory."""
    most = machine.properties.warps_per_block
    if warps:
        return machine.median(lambda: once(min(warps, most)))
    while True:
        try:
            return machine.median(lambda: once(most))  # noqa: B023  called at once
        except LaunchError as error:
            if error.kind != "resources" or most == 1:
                raise
            most //= 2
