"""One launch twice: on an architecture's engine and in the reference interpreter; the memory they leave must be the same."""
from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs
import numpy as np

from archdef.testing import reference

SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Warp sizes that every machine can be given."""


class Mismatch(AssertionError):
    """Engine and reference left different memory."""


@attrs.frozen(eq=False)
class Launch:
    """A kernel with everything needed to launch it."""

    ptx: str
    """PTX text."""
    arguments: tuple[np.ndarray | int | bytes, ...]
    """Arrays become device memory, and are compared afterwards; the rest is passed as it is."""
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
    return architecture.evolve({"warp.size": size, "limits.warps_per_multiprocessor": 64,
                                "limits.warps_per_register_partition": 64})


def on_engine(architecture, launch: Launch, options=None) -> tuple[list[np.ndarray], list[int]]:
    """Run on the engine; give the arrays afterwards, and the addresses they had.

    options : `archdef.lower.Options`, which passes run; None for all.
    """
    import archdef
    from archdef.lower import lower

    device = archdef.Device(architecture, max_instructions=20_000_000, max_cycles=2_000_000_000)
    kernel = device.compile(launch.ptx)[launch.entry]
    if options is not None:
        kernel.program = lower(kernel.module.ptx, kernel.symbol, architecture, options=options)
    given = [device.to_device(a) if isinstance(a, np.ndarray) else a for a in launch.arguments]
    kernel[launch.grid, launch.block, launch.shared_bytes](*given)
    arrays = [a for a in given if not isinstance(a, (int, bytes))]
    return [a.to_host() for a in arrays], [a.address for a in arrays]


def in_reference(warp_size: int, launch: Launch, addresses: Sequence[int] | None = None, max_steps: int = 10_000_000) -> list[np.ndarray]:
    """Run in the reference; give the arrays afterwards.

    addresses : where the arrays are; None for places of the reference's own. With the engine's places a kernel that keeps pointers
                can be compared too.
    """
    from archdef.ptx import parse

    memory, given, places = reference.Memory(), [], iter(addresses or ())
    arrays = [a for a in launch.arguments if isinstance(a, np.ndarray)]
    for argument in launch.arguments:
        if isinstance(argument, np.ndarray):
            contents = argument.tobytes()
            argument = memory.place(next(places), contents) if addresses else memory.allocate(contents)
        given.append(argument)
    reference.run(parse(launch.ptx), launch.entry, launch.grid, launch.block, given, warp_size=warp_size, memory=memory,
                  dynamic_shared_bytes=launch.shared_bytes, max_steps=max_steps)
    starts = [g for g, a in zip(given, launch.arguments) if isinstance(a, np.ndarray)]
    return [np.frombuffer(memory.read(start, a.nbytes), a.dtype).reshape(a.shape) for start, a in zip(starts, arrays)]


def equals_reference(architecture, launch: Launch, *, options=None, max_steps: int = 10_000_000) -> None:
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
        from archdef import registry

        architecture = registry.get(architecture)
    found, addresses = on_engine(architecture, launch, options)
    expected = in_reference(architecture.warp.size, launch, addresses, max_steps)
    before = tuple(a for a in launch.arguments if isinstance(a, np.ndarray))
    for number, (has, wants) in enumerate(zip(found, expected)):
        has, wants = (a.reshape(-1).view(f"u{a.dtype.itemsize}") for a in (has, wants))
        for at in np.flatnonzero(has != wants):
            a, b = int(has[at]), int(wants[at])
            if launch.accepts is None or not launch.accepts(before, number, int(at), a, b):
                different = int(np.count_nonzero(has != wants))
                raise Mismatch(f"{architecture.name}, {architecture.warp.size} lanes: array {number} differs in {different} of "
                               f"{has.size} elements, first in element {at}: engine {a:#x}, reference {b:#x}")
