"""The variables of a module in device memory: placed once, initialised, their addresses filled in."""
from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping

import attrs

from archdef.lower.calls import number_of
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
        self._layout: Layout        # from the moment they are placed
        self._placed: Placed | None = None
        self._later: list[tuple[int, bytes]] = []
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

    def extend(self, module: ir.Module, places: Mapping[str, int] | None = None) -> ir.Module:
        """Take the variables that an extended module has besides; give the module with the places of those that are placed apart.

        What lies somewhere stays there: its addresses may be known to anyone.

        places : name → where a variable is to lie, in memory that the caller has allocated; the others get memory of their own.
        """
        places = places or {}
        with self._lock:
            if self._placed is not None:
                bases = {"global": self._placed.global_base, "const": self._placed.const_base}
                new = [v for v in module.variables.values() if v.space in bases and not v.extern and (None, v.name) not in self._layout.offsets]
                at = {v.name: places.get(v.name) or self._area(max(v.bytes, 1), "constant" if v.space == "const" else "global") for v in new}
                module = attrs.evolve(module, variables=module.variables | {
                    v.name: attrs.evolve(v, offset=at[v.name] - bases[v.space]) for v in new})
                self._layout = lay_out_variables(module)
                self._later += [(at[v.name], self._initial(module, v)) for v in new]
                self._write_later(len(new))
            self._module = module
        return module

    def _initial(self, module: ir.Module, variable: ir.Variable) -> bytes:
        data = bytearray((variable.initial or b"").ljust(variable.bytes, b"\0")[:variable.bytes])
        size = min(8, max(4, int(variable.type[1:]) // 8))
        for start, symbol in variable.relocations:
            known = (None, symbol.name) in self._layout.offsets
            value = self.address(symbol.name) + symbol.offset if known else number_of(module, symbol.name)
            data[start:start + size] = (value % (1 << 8 * size)).to_bytes(size, "little")
        return bytes(data)

    def _write_later(self, count: int) -> None:
        for address, data in self._later[len(self._later) - count:]:
            if data:
                self.memory.write(address, data)

    def reset(self) -> None:
        """Give all variables their initial contents again, if they have been placed."""
        if self._placed is not None:
            for base, nbytes in ((self._placed.global_base, self._layout.global_bytes), (self._placed.const_base, self._layout.const_bytes)):
                if nbytes:
                    self.memory.fill(base, nbytes, 0)
            self._write(self._layout, self._placed)
            self._write_later(len(self._later))

    def _place(self) -> Placed:
        self._layout = layout = lay_out_variables(self._module)
        placed = Placed(self._area(layout.global_bytes, "global"), self._area(layout.const_bytes, "constant"))
        self._write(layout, placed)
        self.memory.images.add(self)
        return placed

    def _write(self, layout: Layout, placed: Placed) -> None:
        images = {"global": layout.image("global"), "const": layout.image("const")}
        bases = {"global": placed.global_base, "const": placed.const_base}
        added: dict[int, int] = {ConstantKind.GLOBAL_SYMBOL: placed.global_base, ConstantKind.CONST_SYMBOL: placed.const_base}
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
