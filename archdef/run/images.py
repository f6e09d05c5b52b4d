"""The variables of a module in device memory: placed once, initialised, their addresses filled in."""
from __future__ import annotations

import weakref

import attrs

from archdef.lower.encoding import ConstantKind
from archdef.run.memory import Memory


@attrs.frozen
class Placed:
    """Where a module's variables lie; 0 for an area that it does not have."""

    global_base: int
    const_base: int


class Images:
    """Module variables on one device. Kernels of one module share them, and find what earlier launches left."""

    def __init__(self, memory: Memory):
        self._memory = memory
        self._placed: dict[tuple, Placed] = {}

    def of(self, program) -> Placed:
        """Give the place of a kernel's module variables, and put them there at the first time."""
        key = program.global_image, program.const_image, program.relocations
        if key not in self._placed:
            self._placed[key] = self._place(program)
        return self._placed[key]

    def _place(self, program) -> Placed:
        images = {"global": program.global_image, "const": program.const_image}
        bases = {space: self._area(len(image), "constant" if space == "const" else space) for space, image in images.items()}
        added = {ConstantKind.GLOBAL_SYMBOL: bases["global"], ConstantKind.CONST_SYMBOL: bases["const"]}
        addresses: dict[str, dict[int, bytes]] = {space: {} for space in images}
        for r in program.relocations:
            address = (added.get(r.kind, 0) + r.value) % (1 << 8 * r.bytes)
            addresses[r.space][r.offset] = address.to_bytes(r.bytes, "little")
        for space, image in images.items():         # what no part says is 0, as memory is that has just been allocated
            for offset, data in image.patched(addresses[space]):
                self._memory.write(bases[space] + offset, data)
        return Placed(bases["global"], bases["const"])

    def _area(self, nbytes: int, share: str) -> int:
        if not nbytes:
            return 0
        address = self._memory.allocate(nbytes, share)
        weakref.finalize(self, self._memory.free, address).atexit = False
        return address
