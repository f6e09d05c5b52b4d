"""One launch twice: on an architecture's engine and in the reference interpreter; the memory they leave must be the same."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from archdef import registry
from archdef.device import Device
from archdef.lower import lower
from archdef.ptx import parse
from archdef.testing import reference

SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Warp sizes that every machine can be given."""


class Mismatch(AssertionError):
    """Engine and reference left different memory."""


@attrs.frozen
class Seen:
    """An argument that is the handle of a texture or surface over one of the arrays."""

    array: int
    """Which of the arrays, counted from 0."""
    image: reference.Image = reference.Image()
    """How it is seen; shape, element type and address are the array's."""

    def on_device(self, device, array):
        """Make the engine's texture or surface."""
        image = self.image
        how = dict(layered=image.layered, channels=image.channels)
        if image.surface:
            return device.surface(array, **how)
        return device.texture(array, cube=image.cube, filter=image.filter, address=image.modes, normalized=image.normalized,
                              read=image.read, **how)

    def in_memory(self, memory: reference.Memory, array: np.ndarray, address: int) -> int:
        """Make the reference's texture or surface."""
        return memory.bind(attrs.evolve(self.image, shape=array.shape, dtype=array.dtype.str, address=address))


@attrs.frozen
class Mapped:
    """An argument that is the multicast address of one of the arrays."""

    array: int
    """Which of the arrays, counted from 0."""

    def on_device(self, device, array):
        """Make the engine's address."""
        return device.multicast(array)

    def in_memory(self, memory: reference.Memory, array: np.ndarray, address: int) -> int:
        """Make the reference's address."""
        return memory.map(address, array.nbytes)


@attrs.frozen(eq=False)
class Launch:
    """A kernel with everything needed to launch it."""

    ptx: str
    """PTX text."""
    arguments: tuple[np.ndarray | Seen | Mapped | int | bytes, ...]
    """Arrays become device memory, and are compared afterwards; `Seen` becomes a handle, `Mapped` an address; the rest is passed as it is."""
    grid: tuple[int, ...] = (1,)
    block: tuple[int, ...] = (32,)
    entry: str = "k"
    shared_bytes: int = 0
    """Dynamic shared memory."""
    accepts: Callable[[tuple[np.ndarray, ...], int, int, int, int], bool] | None = None
    """Whether a differing element will do: takes the arrays before the launch, the array's number, the element's, and both values.
    None: equality only."""


def with_warp_size(architecture, size: int):
    """Give an architecture with warps of `size` lanes and room for as many of them as blocks need."""
    room: dict[str, object] = {"limits.warps_per_multiprocessor": 64}
    if architecture.limits.register_file_partitions is not None:
        room["limits.register_file_partitions.warps_per_partition"] = 64
    return architecture.evolve({"warp.size": size, **room})


def on_engine(architecture, launch: Launch, options=None, functional: bool = False) -> tuple[list[np.ndarray], list[int]]:
    """Run on the engine; give the arrays afterwards, and the addresses they had.

    options    : `archdef.lower.Options`, which passes run; None for all.
    functional : execute it without timing it.
    """
    device = Device(architecture, max_instructions=20_000_000, max_cycles=2_000_000_000)
    kernel = device.compile(launch.ptx)[launch.entry]
    if options is not None:
        kernel.program = lower(kernel.module.ptx, kernel.symbol, architecture, options=options)
    arrays = [device.to_device(a) for a in launch.arguments if isinstance(a, np.ndarray)]
    queue = iter(arrays)
    given = [next(queue) if isinstance(a, np.ndarray) else a.on_device(device, arrays[a.array]) if isinstance(a, (Seen, Mapped)) else a
             for a in launch.arguments]
    kernel[launch.grid, launch.block, launch.shared_bytes].launch(*given, functional=functional)
    return [a.to_host() for a in arrays], [a.address for a in arrays]


def in_reference(warp_size: int, launch: Launch, addresses: Sequence[int] | None = None, max_steps: int = 10_000_000) -> list[np.ndarray]:
    """Run in the reference; give the arrays afterwards.

    addresses : where the arrays are; None for places of the reference's own. With the engine's places a kernel that keeps pointers
                can be compared too.
    """
    memory = reference.Memory()
    arrays = [a for a in launch.arguments if isinstance(a, np.ndarray)]
    starts = [memory.place(place, a.tobytes()) for place, a in zip(addresses, arrays)] if addresses else [
        memory.allocate(a.tobytes()) for a in arrays]
    queue = iter(starts)
    given = [next(queue) if isinstance(a, np.ndarray) else a.in_memory(memory, arrays[a.array], starts[a.array]) if isinstance(a, (Seen, Mapped))
             else a for a in launch.arguments]
    reference.run(parse(launch.ptx), launch.entry, launch.grid, launch.block, given, warp_size=warp_size, memory=memory,
                  dynamic_shared_bytes=launch.shared_bytes, max_steps=max_steps)
    return [np.frombuffer(memory.read(start, a.nbytes), a.dtype).reshape(a.shape) for start, a in zip(starts, arrays)]


def equals_reference(architecture, launch: Launch, *, options=None, max_steps: int = 10_000_000, functional: bool = False) -> None:
    """Check that an architecture computes what PTX says.

    Parameters
    ----------
    architecture : Architecture or str
        A description, or the name of an installed one.
    launch : Launch
        What to run; `archdef.testing.forms` and `archdef.testing.kernels` make them.
    options : archdef.lower.Options, optional
        Passes of lowering; all by default.
    max_steps : int
        Steps of the reference before it gives up.
    functional : bool
        Execute it without timing it.

    Raises
    ------
    Mismatch
        With the first element that differs.
    MissingFeature
        If the kernel needs what the architecture does not have.
    reference.Unknown
        If the reference has no meaning for something in the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from archdef.testing import Launch, equals_reference
    >>> launch = Launch(ptx, (np.zeros(64, "u4"),), block=(64,))       # doctest: +SKIP
    >>> equals_reference("my_machine", launch)                         # doctest: +SKIP
    """
    if isinstance(architecture, str):
        architecture = registry.get(architecture)
    found, addresses = on_engine(architecture, launch, options, functional)
    expect_same(architecture, launch, found, in_reference(architecture.warp.size, launch, addresses, max_steps))


def expect_same(architecture, launch: Launch, found: Sequence[np.ndarray], expected: Sequence[np.ndarray]) -> None:
    """Compare what arrays of a launch hold on the engine and in the reference. Raises Mismatch with the first element that differs."""
    before = tuple(a for a in launch.arguments if isinstance(a, np.ndarray))
    for number, (has, wants) in enumerate(zip(found, expected)):
        has, wants = (a.reshape(-1).view(f"u{a.dtype.itemsize}") for a in (has, wants))
        for at in np.flatnonzero(has != wants):
            a, b = int(has[at]), int(wants[at])
            if launch.accepts is None or not launch.accepts(before, number, int(at), a, b):
                different = int(np.count_nonzero(has != wants))
                raise Mismatch(f"{architecture.name}, {architecture.warp.size} lanes: array {number} differs in {different} of "
                               f"{has.size} elements, first in element {at}: engine {a:#x}, reference {b:#x}")
