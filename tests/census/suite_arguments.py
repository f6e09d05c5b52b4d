"""Plausible arguments for a kernel of which only the PTX is known: what each parameter is, from what its code does with it.

A 64-bit parameter that ends up in an address is a pointer, or a handle of a texture or surface; what is loaded and stored by it says what lies
there. Everything else is a size or a factor. Nothing is looked up by name.
"""
from __future__ import annotations

from collections.abc import Iterable

import attrs
import numpy as np

from archdef.ptx import ir

WIDTHS = {"8": 1, "16": 2, "32": 4, "64": 8}
SCALES = frozenset({"mul", "mad", "shl", "shr", "div", "rem", "cvt", "bfe"})
BYTES = 4 << 20
"""Of each array: three sizes of 64 multiplied, in elements of 16 bytes."""
LEAD = 1 << 20
"""Bytes of each array before the place that a pointer names: kernels with halos are given the middle of one."""
POINTERS = 4096
"""Of an array of pointers: so many, all to one array."""
SMALL = 16
"""Integers in memory are 0 … 15, in ascending order: they pass for indices, for offsets of rows and for counts."""


@attrs.define(eq=False)
class Cell:
    """A value that a kernel is given: (part of) a parameter, or what a pointer leads to."""

    place: object
    type: str
    role: str = "number"
    """``number``, ``pointer``, ``texture`` or ``surface``."""
    is_float: bool = False
    accesses: dict[str, int] = attrs.Factory(dict)
    """Of a pointer: type of element → accesses."""
    below: dict[str, Cell] = attrs.Factory(dict)
    """Of a pointer: what 64-bit loads by it give."""
    image: str = ""
    """Of a texture: its geometry and the type of its elements."""


def cells(function: ir.Function) -> dict[str, dict[int, Cell]]:
    """Find the parts of each parameter: parameter → offset → cell."""
    return _Reader(function).read()


class _Reader:
    def __init__(self, function: ir.Function):
        self.function, self.found = function, {}
        self.of: dict[str, set[Cell]] = {}
        """Register → the cells whose values it is made of."""
        self.floats = _floats(function)
        self.names = {p.name: p for p in function.parameters}

    def read(self) -> dict[str, dict[int, Cell]]:
        for _ in range(3):      # a pointer that a loop moves on; a pointer behind a pointer
            for i in self.function.body:
                self.step(i)
        return self.found

    def step(self, i: ir.Instruction) -> None:
        operands = i.operands
        if i.opcode in ("ld", "ldu") and "param" in i.modifiers and isinstance(operands[1].base, ir.Symbol) and operands[1].base.name in self.names:
            self.parameter(i, operands[1])
        elif i.opcode in ("ld", "ldu", "st", "atom", "red", "cp", "prefetch"):
            self.access(i)
        elif i.opcode in ("tex", "tld4", "suld", "sust", "sured", "txq", "suq"):
            self.image(i)
        elif i.opcode in {"st", "call"}:
            pass
        elif operands and isinstance(operands[0], ir.Register) and self.wide(operands[0]):
            first = 3 if i.opcode in SCALES else 1       # what is multiplied or shifted is an index, not an address
            cells = set().union(*(self.of.get(o.name, set()) for o in operands[first:] if isinstance(o, ir.Register) and self.wide(o)))
            self.of.setdefault(operands[0].name, set()).update(cells)

    def wide(self, register: ir.Register) -> bool:
        return register.type[1:] == "64"

    def parameter(self, i: ir.Instruction, at: ir.Address) -> None:
        width, base = WIDTHS[i.types[-1].lstrip("usbf").replace("16x2", "32")], at.offset + at.base.offset
        for k, register in enumerate(_elements(i.operands[0])):
            cell = self.found.setdefault(at.base.name, {}).setdefault(base + k * width, Cell((at.base.name, base + k * width), i.types[-1]))
            if register is not None:
                cell.is_float |= register.name in self.floats or i.types[-1][0] == "f"
                self.of.setdefault(register.name, set()).add(cell)

    def access(self, i: ir.Instruction) -> None:
        addresses = [o for o in i.operands if isinstance(o, ir.Address)]
        values = [r for o in i.operands if not isinstance(o, ir.Address) for r in _elements(o)]
        type = i.types[-1] if i.types else "b32"
        if type[0] in "bu" and any(r is not None and r.name in self.floats for r in values):
            type = f"f{type[1:]}"
        if "shared" in i.modifiers and i.opcode != "cp" or "param" in i.modifiers or "local" in i.modifiers:
            return
        for address in addresses:
            for cell in self.of.get(getattr(address.base, "name", None), ()):
                cell.role = "pointer" if cell.role == "number" else cell.role
                cell.accesses[type] = cell.accesses.get(type, 0) + 1
                if i.opcode in ("ld", "ldu") and type[1:] == "64" and type[0] != "f":
                    below = cell.below.setdefault(type, Cell((cell.place, type), type))
                    for register in values:
                        if register is not None and len(str(cell.place)) < 400:
                            self.of.setdefault(register.name, set()).add(below)

    def image(self, i: ir.Instruction) -> None:
        for o in i.operands:
            base = o.base if isinstance(o, ir.Address) else o
            if not isinstance(base, ir.Register) or not self.wide(base):        # coordinates
                continue
            for cell in self.of.get(base.name, ()):
                cell.role = "texture" if i.opcode in ("tex", "tld4", "txq") else "surface"
                if i.opcode in ("tex", "tld4", "suld", "sust"):
                    shape = next((m for m in i.modifiers if m in ("1d", "2d", "3d", "a1d", "a2d", "cube")), "2d")
                    cell.image = f"{shape} {i.types[0]}" if i.types else shape


def _elements(operand) -> list[ir.Register | None]:
    listed = operand.elements if isinstance(operand, ir.Vector) else (operand,)
    return [o if isinstance(o, ir.Register) else None for o in listed]


def _floats(function: ir.Function) -> set[str]:
    """Name the registers on which single or double arithmetic is done."""
    found = set()
    for i in function.body:
        if i.types and i.types[0][0] == "f" and i.opcode not in ("ld", "st", "cvt", "set", "tex", "call"):
            found |= {o.name for o in i.operands if isinstance(o, ir.Register) and o.type[1:] == i.types[0][1:]}
    return found


class Arguments:
    """Makes the arguments of launches on one device."""

    def __init__(self, device, size: int, seed: int = 1):
        self.device, self.size, self.numbers = device, size, np.random.default_rng(seed)
        self.arrays: list = []
        """Every array, in the order in which they were made."""

    def of(self, function: ir.Function) -> list:
        """Give one argument for each parameter."""
        known = cells(function)
        return [self.argument(p, known.get(p.name, {})) for p in function.parameters]

    def argument(self, parameter: ir.Variable, parts: dict[int, Cell]):
        if parameter.count == 1:
            cell = parts.get(0) or Cell(parameter.name, parameter.type, "pointer" if parameter.pointer else "number")
            if cell.role == "number" and parameter.pointer:
                cell.role = "pointer"
            value = self.value(cell)
            return np.frombuffer(_bytes(cell, value), f"u{parameter.bytes}")[0] if cell.role == "number" and parameter.type[0] != "f" else value
        data = bytearray(parameter.bytes)
        for at, cell in parts.items():
            value = self.value(cell)
            raw = _bytes(cell, getattr(value, "handle", value))
            data[at:at + len(raw)] = raw
        return bytes(data[:parameter.bytes])

    def value(self, cell: Cell):
        if cell.role == "pointer":
            return self.array(cell)
        if cell.role in ("texture", "surface"):
            return self.picture(cell)
        return 1.5 if cell.is_float else self.size

    def array(self, cell: Cell, depth: int = 0) -> int:
        """Make an array; give the address of its part behind the lead."""
        below = next((c for c in cell.below.values() if c.role == "pointer"), None)
        if below is not None and depth < 3:
            inner = self.array(below, depth + 1)
            made = self.device.to_device(np.full(POINTERS + LEAD // 8, inner, "u8"))
        else:
            made = self.device.to_device(self.contents(cell))
        self.arrays.append(made)
        return made.address + LEAD

    def contents(self, cell: Cell) -> np.ndarray:
        """Ascending small integers, or numbers from 0.5 to 1.5, as the code reads it; where it reads both, integers."""
        kinds = {type for type in cell.accesses if type[1:] in WIDTHS}
        if kinds and all(type[0] == "f" for type in kinds):
            type = max(kinds, key=cell.accesses.get)
            return (0.5 + self.numbers.random((LEAD + BYTES) // WIDTHS[type[1:]])).astype(f"f{WIDTHS[type[1:]]}")
        widths = [WIDTHS[type[1:]] for type in kinds] or [4]
        width = min(widths)
        count = BYTES // width
        return np.concatenate([np.zeros(LEAD // width, f"u{width}"), (np.arange(count) * SMALL // count).astype(f"u{width}")])

    def picture(self, cell: Cell):
        shape, _, type = cell.image.partition(" ")
        count = {"1d": (4096,), "2d": (64, 64), "3d": (16, 64, 64), "a1d": (4, 64), "a2d": (4, 64, 64), "cube": (6, 64, 64)}.get(shape, (64, 64))
        picture = self.numbers.random(count).astype("f4") if type in ("f32", "") else self.numbers.integers(0, SMALL, count).astype("u4")
        made = self.device.to_device(picture)
        self.arrays.append(made)
        options = {"layered": shape in ("a1d", "a2d")}
        if cell.role == "surface":
            return self.device.surface(made, **options)
        return self.device.texture(made, cube=shape == "cube", **options)


def _bytes(cell: Cell, value) -> bytes:
    width = WIDTHS[cell.type.lstrip("usbf")]
    if cell.is_float and width in (2, 4, 8):
        return np.array(value, f"f{width}").tobytes()
    return int(value).to_bytes(8, "little")[:width]


def block_of(functions: Iterable[ir.Function], entry: ir.Function, scale: int) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Choose a grid and a block: as many axes as the code asks about, and what its directives demand.

    scale : 1, or a power of two for fewer threads.
    """
    asked = {o.name for f in functions for i in f.body for o in i.operands if isinstance(o, ir.Special)}
    deep, flat = ("%tid.z" in asked, "%tid.y" in asked)
    block = (8, 8, 4) if deep else (16, 16, 1) if flat else (256, 1, 1)
    block = tuple(max(1, b // scale) if b > 1 else 1 for b in block)
    required, most = entry.directives.get("reqntid"), entry.directives.get("maxntid")
    if required:
        block = tuple((*required, 1, 1)[:3])
    elif most and int(np.prod(most)) < int(np.prod(block)):
        block = tuple((*most, 1, 1)[:3])
    return ((2, 2, 2) if "%ctaid.z" in asked else (4, 4, 1) if "%ctaid.y" in asked else (4, 1, 1)), block
