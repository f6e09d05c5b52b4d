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
        self._layout: Layout | None = None
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
        space, offset = self._layout.offsets[None, name]
        return (placed.global_base if space == "global" else placed.const_base) + offset

    def reset(self) -> None:
        """Give all variables their initial contents again, if they have been placed."""
        if self._placed is not None:
            self._write(self._placed)

    def _place(self) -> Placed:
        self._layout = layout = lay_out_variables(self._module)
        placed = Placed(self._area(len(layout.global_image), "global"), self._area(len(layout.const_image), "constant"))
        self._write(placed)
        self.memory.images.add(self)
        return placed

    def _write(self, placed: Placed) -> None:
        layout = self._layout
        images = {"global": bytearray(layout.global_image), "const": bytearray(layout.const_image)}
        bases = {"global": placed.global_base, "const": placed.const_base}
        added = {ConstantKind.GLOBAL_SYMBOL: placed.global_base, ConstantKind.CONST_SYMBOL: placed.const_base}
        for r in layout.relocations:
            address = (added.get(r.kind, 0) + r.value) % (1 << 8 * r.bytes)
            images[r.space][r.offset:r.offset + r.bytes] = address.to_bytes(r.bytes, "little")
        for space, image in images.items():
            if image:
                self.memory.write(bases[space], bytes(image))

    def _area(self, nbytes: int, share: str) -> int:
        if not nbytes:
            return 0
        address = self.memory.allocate(nbytes, share)
        weakref.finalize(self, self.memory.free, address).atexit = False
        return address
