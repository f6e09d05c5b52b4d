"""The variables of a module in device memory: placed once, initialised, their addresses filled in."""
from __future__ import annotations

import threading
import weakref

import attrs

from archdef.lower.encoding import ConstantKind
from archdef.lower.layout import Layout, lay_out_variables
from archdef.ptx import ir
from archdef.run.memory import Memory


@attrs.frozen
class Placed:
    """Where a module's variables lie; 0 for an area that it does not have."""

    global_base: int
    const_base: int


class Images:
    """Module variables on one device: the kernels of the module share them, and find what the host and earlier launches left."""

    def __init__(self, module: ir.Module, memory: Memory):
        self._module, self.memory = module, memory
        self._offsets: dict[tuple[str | None, str], tuple[str, int]] = {}
        self._placed: Placed | None = None
        self._lock = threading.Lock()

    @property
    def placed(self) -> Placed:
        """Their place; the first to ask puts them there. Raises PtxError, DeviceMemoryError."""
        if self._placed is None:
            with self._lock:
                if self._placed is None:
                    self._placed = self._place()
        return self._placed

    def address(self, name: str) -> int:
        """Give the device address of a variable."""
        placed = self.placed
        space, offset = self._offsets[None, name]
        return (placed.global_base if space == "global" else placed.const_base) + offset

    def reset(self) -> None:
        """Give all variables their initial contents again, if they have been placed."""
        if self._placed is not None:
            layout = lay_out_variables(self._module)
            for base, nbytes in ((self._placed.global_base, layout.global_bytes), (self._placed.const_base, layout.const_bytes)):
                if nbytes:
                    self.memory.fill(base, nbytes, 0)
            self._write(layout, self._placed)

    def _place(self) -> Placed:
        layout = lay_out_variables(self._module)
        placed = Placed(self._area(layout.global_bytes, "global"), self._area(layout.const_bytes, "constant"))
        self._write(layout, placed)
        self._offsets = layout.offsets
        self.memory.images.add(self)
        return placed

    def _write(self, layout: Layout, placed: Placed) -> None:
        images = {"global": layout.image("global"), "const": layout.image("const")}
        bases = {"global": placed.global_base, "const": placed.const_base}
        added = {ConstantKind.GLOBAL_SYMBOL: placed.global_base, ConstantKind.CONST_SYMBOL: placed.const_base}
        addresses: dict[str, dict[int, bytes]] = {space: {} for space in images}
        for r in layout.relocations:
            address = (added.get(r.kind, 0) + r.value) % (1 << 8 * r.bytes)
            addresses[r.space][r.offset] = address.to_bytes(r.bytes, "little")
        for space, image in images.items():         # what no part says is 0, as memory is that has just been allocated
            for offset, data in image.patched(addresses[space]):
                self.memory.write(bases[space] + offset, data)

    def _area(self, nbytes: int, share: str) -> int:
        if not nbytes:
            return 0
        address = self.memory.allocate(nbytes, share)
        weakref.finalize(self, self.memory.free, address).atexit = False
        return address
