"""What a launch was made with, kept so that it can be made again: on another machine, or with other passes of lowering."""
from __future__ import annotations

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from archdef.errors import GuestWarning, LaunchError

if TYPE_CHECKING:
    from archdef.lower import Options
    from archdef.run.launch import Launcher
    from archdef.run.memory import Memory
    from archdef.run.result import Run
    from archdef.run.texture import Handle
    from archdef.spec import Architecture


@attrs.frozen
class Again:
    """A kept launch that was made again."""

    run: Run
    same: bool
    """Whether it left the same bytes in device memory as the first time."""


class Kept:
    """A launch, the arguments that it was given, and what device memory held before it.

    Launches of it lie in the memory of the first one, so that addresses in arrays, textures and variables stay what they were; what memory holds
    now is put back behind them. The arguments live as long as this does.
    """

    def __init__(self, launcher: Launcher[Any], arguments: Sequence[object], options: Mapping[str, Any], textures: Mapping[str, Handle]):
        self._launcher, self._arguments, self._options, self._textures = launcher, tuple(arguments), dict(options), dict(textures)
        self._before: dict[tuple[int, int], bytes] = {}
        """Allocations, from the first address to that behind the last, and what they held."""
        self._left: dict[tuple[int, int], bytes] = {}
        """Digests of what they held afterwards."""

    @property
    def _memory(self) -> Memory:
        return self._launcher.kernel.module.device.memory

    def begin(self) -> None:
        """Copy device memory, before the launch starts. Raises LaunchError where what happens beside it would be part of the copy."""
        memory, name = self._memory, self._launcher.kernel.name
        if memory.engine.running:
            raise LaunchError(f"{name} cannot be kept: other kernels run on its device when it starts, and would change what it finds")
        if memory.shared_with_host:
            raise LaunchError(f"{name} cannot be kept: its device shows memory of the host to kernels, which would change without it")
        self._before = _contents(memory)

    def end(self) -> None:
        """Remember what the launch has left."""
        self._left = {place: _digest(held) for place, held in _contents(self._memory).items() if place in self._before}

    @property
    def lowering(self) -> Options | None:
        """The passes that lowered it; None: all."""
        return self._launcher.kernel.module.lowering

    def again(self, architecture: Architecture, lowering: Options) -> Again:
        """Launch it again on a machine, lowered as said. Raises LaunchError if memory that there was is freed, and what a launch raises."""
        memory, first = self._memory, self._launcher
        if memory.context is not None:
            memory.context.synchronize()
        there = set(memory.engine.accessible)
        if gone := [place for place in self._before if place not in there]:
            raise LaunchError(f"{first.kernel.name} cannot be launched again: {len(gone)} of the {len(self._before)} allocations of its device that there "
                              "were have been freed since; ask while they live")
        now = _contents(memory)
        try:
            _put(memory, self._before)
            module = first.kernel.module.on(architecture, lowering)
            launcher = first.of(module[first.kernel.symbol])
            grid = launcher.prepare(*self._arguments, **self._options, progress=False)
            grid.bound = self._textures
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GuestWarning)
                run = grid.run()
            left = {place: _digest(held) for place, held in _contents(memory).items() if place in self._before}
        finally:
            _put(memory, now)
        return Again(run, left == self._left)


def _contents(memory: Memory) -> dict[tuple[int, int], bytes]:
    found = {}
    for start, end in memory.engine.accessible:
        held = bytearray(end - start)
        memory.read(start, held)
        found[start, end] = bytes(held)
    return found


def _put(memory: Memory, contents: Mapping[tuple[int, int], bytes]) -> None:
    for (start, _), held in contents.items():
        memory.write(start, held)


def _digest(held: bytes) -> bytes:
    return hashlib.blake2b(held).digest()
