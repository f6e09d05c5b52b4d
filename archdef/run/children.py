"""What a launch whose kernels launch kernels takes along: the kernels, and what the device runtime tells them."""
from __future__ import annotations

import functools
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import attrs
import numpy as np

from archdef.errors import LaunchError
from archdef.lower.calls import number_of
from archdef.lower.child_arguments import addresses_among
from archdef.occupancy import occupancy
from archdef.run import device_limits, limits
from archdef.run.properties import ATTRIBUTES, DeviceProperties

if TYPE_CHECKING:
    from archdef.engine import core
    from archdef.lower.program import Program
    from archdef.ptx import ir
    from archdef.run.module import Kernel

TEXT_BYTES = 128
TEXTS = 1024
"""Descriptions that the table of the engine has room for; the last stands for numbers beyond."""
ERRORS = {  # as CUDA's runtime calls them
    0: ("cudaSuccess", "no error"), 1: ("cudaErrorInvalidValue", "invalid argument"), 2: ("cudaErrorMemoryAllocation", "out of memory"),
    9: ("cudaErrorInvalidConfiguration", "invalid configuration argument"),
    21: ("cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"),
    65: ("cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"),
    68: ("cudaErrorSyncDepthExceeded", "device-side cudaDeviceSynchronize failed because of exceeded maximum depth"),
    69: ("cudaErrorLaunchPendingCountExceeded",
         "launch failed because of exceeded maximum number of pending child launches"),
    98: ("cudaErrorInvalidDeviceFunction", "invalid device function"), 101: ("cudaErrorInvalidDevice", "invalid device ordinal"),
    215: ("cudaErrorUnsupportedLimit", "limit is not supported on this architecture"),
    400: ("cudaErrorInvalidResourceHandle", "invalid resource handle"),
}
UNKNOWN = ("cudaErrorUnknown", "unknown error")


@attrs.frozen
class ChildLaunch:
    """A launch that a kernel made."""

    number: int
    """Different for every launch of the run."""
    parent: int
    """Number of the launch whose kernel made it."""
    depth: int
    """1 for what the host's launch launched."""
    kernel: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    asked: int
    """Cycle of the call."""
    started: int
    """Cycle of its first block."""
    ended: int
    """Cycle by which all of it, and all that it launched, was done."""


class Kernels:
    """The kernels that a launch can come to; see `archdef.engine.session.Session.launch`."""

    def __init__(self, kernel: Kernel):
        module = kernel.module
        self._kernels = [kernel]
        listed, launched = {kernel.symbol: 0}, set[str]()
        for each in self._kernels:           # grows as it goes
            launched.update(each.program.launches)
            for symbol in each.program.launches:
                if symbol not in listed:
                    listed[symbol] = len(self._kernels)
                    self._kernels.append(module[symbol])
        names = [f.name for f in module.ptx.functions.values()]
        assert all(number_of(module.ptx, name) == k + 1 for k, name in enumerate(names))
        self.functions = [listed[name] if name in launched else -1 for name in names]
        self.programs = [k.program for k in self._kernels]
        self.names = [k.name for k in self._kernels]
        self.pointers = [_offsets(module.ptx.functions[k.symbol], k.program) for k in self._kernels]
        self.device, self.architecture = module.device, module.device.architecture
        for k in self._kernels:
            limits.check_size(k.name, self.architecture, k.program)
            limits.check_warp_size(k.name, self.architecture, k.program.statements, k.interface.warp_size)

    def fit(self, kernel: int, threads: int, shared_bytes: int) -> tuple[int, int, int, int]:
        """Give the blocks that warps, block slots, registers and shared memory allow on a multiprocessor. Raises LaunchError."""
        if math.prod(self.programs[kernel].directives.get("reqnctapercluster", ())) > 1:
            raise LaunchError(f"a kernel launched {self.names[kernel]}, which was compiled for clusters of blocks (.reqnctapercluster); what kernels launch "
                              "has clusters of one block here", "cluster")
        try:
            found = occupancy(self.architecture, threads=threads, registers=max(1, self.programs[kernel].registers),
                              shared_bytes=shared_bytes + self.programs[kernel].launch_shared_bytes)
        except LaunchError as error:
            raise LaunchError(f"a kernel launched {self.names[kernel]}, which cannot run on {error}", error.kind) from None
        return found.limits["warps"], found.limits["blocks"], found.limits["registers"], found.limits["shared"]

    @property
    def attributes(self) -> dict[int, int]:
        """Number of a ``cudaDeviceAttr`` → value, as the host gets it."""
        properties = DeviceProperties(self.architecture, {})
        return {number: int(properties.attribute(name)) for name, (number, _) in ATTRIBUTES.items()}

    @property
    def limits(self) -> dict[int, int]:
        """Number of a ``cudaLimit`` → value; those that the machine has not are not there."""
        return device_limits.get(self.device)

    @property
    def texts(self) -> bytes:
        """Descriptions and names of errors, each in a field of its own, by number."""
        return _texts()

    def together(self, program: Program, grid: core.Grid, result: dict[str, Any]) -> Program:
        """Put the statements of all kernels behind each other, in `result` too; gives a program that has them all."""
        statements = [result["statements"]] + [grid.counted_of(k) for k in range(1, len(self.programs))]
        result["statements"] = np.concatenate(statements)
        return attrs.evolve(program, statements=tuple(s for p in self.programs for s in p.statements))

    def launched(self, grid: core.Grid) -> tuple[ChildLaunch, ...]:
        """Read what the engine recorded."""
        return tuple(ChildLaunch(
            number=int(row["number"]), parent=int(row["parent"]), depth=int(row["depth"]), kernel=self.names[row["kernel"]],
            grid=_three(row["grid"]), block=_three(row["block"]), asked=int(row["asked"]), started=int(row["started"]),
            ended=int(row["ended"])) for row in grid.launches())


@functools.cache
def _texts() -> bytes:
    table = bytearray(TEXTS * 2 * TEXT_BYTES)
    for number in range(TEXTS):
        name, text = ERRORS.get(number, UNKNOWN)
        for k, words in enumerate((text, name)):
            at = (2 * number + k) * TEXT_BYTES
            table[at:at + len(words)] = words.encode()
    return bytes(table)


def _offsets(function: ir.Function, program: Program) -> list[int]:
    """Offsets of the arguments of eight bytes that the kernel uses as addresses."""
    used = set(addresses_among(function))
    return [p.offset for p in program.parameter_layout if p.name in used and p.bytes == 8]


def _three(extents: Iterable[int]) -> tuple[int, int, int]:
    x, y, z = extents
    return int(x), int(y), int(z)
