"""Where the variables of a module are: global and constant ones in memory, shared and local ones at offsets of their own."""
from __future__ import annotations

import attrs

from archdef.ptx import ir
from archdef.testing.reference.errors import Unknown
from archdef.testing.reference.memory import LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, Memory


@attrs.define(slots=True, eq=False)
class Layout:
    """Places of everything that has a name."""

    places: dict[tuple[str | None, str], tuple[str, int]] = attrs.Factory(dict)
    """(function or None for the module, variable) → space and address inside it."""
    shared_bytes: int = 0
    local_bytes: int = 0
    parameters: bytearray = attrs.Factory(bytearray)
    """The kernel's parameter block, filled in by the launch."""
    functions: tuple[str, ...] = ()
    constants: list[tuple[int, int]] = attrs.Factory(list)
    """First address, and the one behind the last, of each constant variable."""

    def find(self, function: str, name: str) -> tuple[str, int] | None:
        """Give space and address of a name as a function sees it."""
        return self.places.get((function, name)) or self.places.get((None, name))

    def address(self, function: str, symbol: ir.Symbol) -> int:
        """Give the address inside its space; of a function, a number that nothing else has."""
        place = self.find(function, symbol.name)
        if place is not None:
            return place[1] + symbol.offset
        if symbol.name in self.functions:
            return 16 + self.functions.index(symbol.name)
        raise Unknown(f"the reference has no variable `{symbol.name}`")

    def function_at(self, address: int) -> str | None:
        """Give the function that an address stands for."""
        number = address - 16
        return self.functions[number] if 0 <= number < len(self.functions) else None

    def generic(self, function: str, symbol: ir.Symbol) -> int:
        """Give the generic address."""
        place = self.find(function, symbol.name)
        window = {"shared": SHARED_WINDOW, "local": LOCAL_WINDOW, "param": PARAMETER_WINDOW}.get(place[0] if place else "", 0)
        return self.address(function, symbol) + window


def lay_out(module: ir.Module, entry: ir.Function, memory: Memory, arguments, dynamic_shared_bytes: int) -> Layout:
    """Place variables, initialise those in memory, and fill in the parameters."""
    layout = Layout(functions=tuple(module.functions))
    unsized: list[tuple[str | None, ir.Variable]] = []
    for owner, variable in _variables(module):
        if variable.space in ("global", "const"):
            address = memory.allocate(max(1, variable.bytes))
            address += -address % variable.align
            layout.places[owner, variable.name] = variable.space, address
            if variable.space == "const":
                layout.constants.append((address, address + variable.bytes))
        elif variable.space in ("shared", "local"):
            if not variable.count:
                unsized.append((owner, variable))
                continue
            used = layout.shared_bytes if variable.space == "shared" else layout.local_bytes
            at = _align(used, variable.align)
            layout.places[owner, variable.name] = variable.space, at
            if variable.space == "shared":
                layout.shared_bytes = at + variable.bytes
            else:
                layout.local_bytes = at + variable.bytes
    for _, variable in unsized:  # every array of unknown size is the launch's part, behind all others
        layout.shared_bytes = _align(layout.shared_bytes, max(16, variable.align))
    for owner, variable in unsized:
        layout.places[owner, variable.name] = variable.space, layout.shared_bytes
    layout.shared_bytes += dynamic_shared_bytes
    for owner, variable in _variables(module):
        if variable.initial is not None:
            _initialise(layout, memory, owner, variable)
    _parameters(layout, entry, arguments)
    return layout


def _variables(module: ir.Module):
    yield from ((None, v) for v in module.variables.values())
    for function in module.functions.values():
        yield from ((function.name, v) for v in function.variables.values())


def _align(offset: int, alignment: int) -> int:
    return -(-offset // alignment) * alignment


def _initialise(layout: Layout, memory: Memory, owner: str | None, variable: ir.Variable) -> None:
    address = layout.places[owner, variable.name][1]
    memory.write(address, variable.initial[:variable.bytes])
    size = int(variable.type[1:]) // 8
    for offset, symbol in variable.relocations:
        value = layout.generic(owner, symbol) if symbol.generic else layout.address(owner, symbol)
        memory.write(address + offset, (value % (1 << 8 * size)).to_bytes(size, "little"))


def _parameters(layout: Layout, entry: ir.Function, arguments) -> None:
    if len(arguments) != len(entry.parameters):
        raise Unknown(f"{entry.name} takes {len(entry.parameters)} arguments, got {len(arguments)}")
    for variable, argument in zip(entry.parameters, arguments):
        at = _align(len(layout.parameters), variable.align)
        data = argument if isinstance(argument, bytes) else (argument % (1 << 8 * variable.bytes)).to_bytes(variable.bytes, "little")
        if len(data) != variable.bytes:
            raise Unknown(f"parameter {variable.name} takes {variable.bytes} bytes, got {len(data)}")
        layout.parameters.extend(bytes(at - len(layout.parameters)) + data)
        layout.places[entry.name, variable.name] = "param", at
