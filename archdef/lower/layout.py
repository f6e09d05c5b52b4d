"""Where variables live: module images, a block's shared memory, a thread's local memory, the parameter buffer."""
from __future__ import annotations

import attrs

from archdef.errors import PtxError
from archdef.lower.calls import Calls, number_of
from archdef.lower.encoding import ConstantKind
from archdef.lower.frames import ALIGNMENT, rounded
from archdef.lower.image import Image
from archdef.lower.records import Parameter, Relocation
from archdef.lower.virtual import Const, immediate
from archdef.ptx import ir

_SYMBOL_KINDS = {"global": ConstantKind.GLOBAL_SYMBOL, "const": ConstantKind.CONST_SYMBOL,
                 "param": ConstantKind.PARAM_SYMBOL, "local": ConstantKind.IMMEDIATE, "shared": ConstantKind.IMMEDIATE}
_DYNAMIC_ALIGNMENT = 16
_LARGEST_FRAME = (1 << 31) - 1
"""Bytes: the stack pointer is a signed number of 32 bits."""
SCRATCH_BYTES = 1024
"""Shared memory that a block sets aside for cooperative groups, where it is asked for."""


def align(offset: int, alignment: int) -> int:
    """Round up to a multiple."""
    return -(-offset // alignment) * alignment


@attrs.define(slots=True, eq=False)
class Layout:
    """Addresses of everything that a kernel can name.

    Addresses in shared and local memory are offsets from the start of the block's or thread's memory, known here; the host
    decides where module variables go.
    """

    global_bytes: int = 0
    const_bytes: int = 0
    initial: dict[str, list[tuple[int, bytes]]] = attrs.Factory(lambda: {"global": [], "const": []})
    """Space → offset and initial contents of its variables."""
    relocations: list[Relocation] = attrs.Factory(list)
    shared_bytes: int = 0
    local_bytes: int = 0
    dynamic_shared: bool = False
    parameters: tuple[Parameter, ...] = ()
    parameter_bytes: int = 0
    uses_local: bool = False
    frames: dict[str, int] = attrs.Factory(dict)
    """Function that can be active twice → bytes of its local variables."""
    stack_start: int = 0
    """Local address at which the call stack begins."""
    offsets: dict[tuple[str | None, str], tuple[str, int]] = attrs.Factory(dict)
    """(function or None for the module, variable) → (space, offset)."""

    def image(self, space: str) -> Image:
        """Give the initial contents of global or constant memory."""
        return Image(self.global_bytes if space == "global" else self.const_bytes, tuple(self.initial[space]))

    def find(self, function: str, name: str) -> tuple[str, int] | None:
        """Give space and offset of a variable that a function sees."""
        return self.offsets.get((function, name)) or self.offsets.get((None, name))

    def address(self, function: str, symbol: ir.Symbol, width: int) -> Const | None:
        """Give the address of a variable as a constant; None if the name is no variable."""
        place = self.find(function, symbol.name)
        if place is None:
            return None
        space, offset = place
        if space not in _SYMBOL_KINDS:
            return None
        return Const(_SYMBOL_KINDS[space], width, (offset + symbol.offset) & ((1 << 8 * width) - 1))


def lay_out_variables(module: ir.Module) -> Layout:
    """Place what the module keeps in device memory, with its initial contents.

    Global and constant variables of every function are placed, reached or not, so that the kernels of a module, and the host,
    find them at the same places.

    Raises PtxError for an initialiser with an address that nothing has.
    """
    layout = Layout()
    for variable in module.variables.values():
        if variable.space in ("global", "const") and not variable.extern:
            _place(layout, variable)
    for function in module.functions.values():
        for variable in function.variables.values():
            if variable.space in ("global", "const"):
                _place(layout, variable, function.name)
    for variable in module.variables.values():
        _relocate(layout, module, variable, None)
    for function in module.functions.values():
        for variable in function.variables.values():
            _relocate(layout, module, variable, function.name)
    return layout


def lay_out(module: ir.Module, entry: ir.Function, calls: Calls) -> Layout:
    """Place the variables that a kernel can name, and all that the module keeps in device memory.

    Local variables of a function that can be active twice have a place in its frame instead of an address.
    """
    functions = calls.functions
    layout = lay_out_variables(module)
    _parameters(layout, entry)
    referenced = {name for function in functions for name in _symbols(function)}
    shared: list[tuple[str | None, ir.Variable]] = []
    for variable in module.variables.values():
        if variable.space == "shared" and variable.name in referenced:
            shared.append((None, variable))
    for function in functions:
        for variable in function.variables.values():
            if variable.space == "shared":
                shared.append((function.name, variable))
            elif variable.space == "local" and function.name in calls.circles:
                offset = align(layout.frames.get(function.name, 0), min(variable.align, ALIGNMENT))
                layout.offsets[function.name, variable.name] = "frame", offset
                layout.frames[function.name] = offset + variable.bytes
                if layout.frames[function.name] > _LARGEST_FRAME:
                    raise PtxError(f"a call of `{function.name}` takes {layout.frames[function.name]} bytes of local memory, "
                                   f"and can take {_LARGEST_FRAME} at most")
            elif variable.space == "local":
                layout.uses_local = True
                offset = align(layout.local_bytes, variable.align)
                layout.offsets[function.name, variable.name] = "local", offset
                layout.local_bytes = offset + variable.bytes
    layout.local_bytes = align(layout.local_bytes, 8)
    layout.stack_start = rounded(layout.local_bytes)
    _shared(layout, shared, any(name.startswith("%reserved_smem") for name in referenced))
    return layout


def _parameters(layout: Layout, entry: ir.Function) -> None:
    offset, placed = 0, []
    for variable in entry.parameters:
        offset = align(offset, variable.align)
        placed.append(Parameter(variable.name, offset, variable.type, variable.bytes, variable.pointer))
        layout.offsets[entry.name, variable.name] = "param", offset
        offset += variable.bytes
    layout.parameters = tuple(placed)
    layout.parameter_bytes = align(offset, 8)


def _place(layout: Layout, variable: ir.Variable, function: str | None = None) -> None:
    if variable.offset is not None:
        layout.offsets[function, variable.name] = variable.space, variable.offset
        return
    taken = layout.global_bytes if variable.space == "global" else layout.const_bytes
    offset = align(taken, max(variable.align, 4))
    if variable.space == "global":
        layout.global_bytes = offset + variable.bytes
    else:
        layout.const_bytes = offset + variable.bytes
    if variable.initial:
        layout.initial[variable.space].append((offset, variable.initial[:variable.bytes]))
    layout.offsets[function, variable.name] = variable.space, offset


def _shared(layout: Layout, variables: list[tuple[str | None, ir.Variable]], reserve: bool) -> None:
    offset = SCRATCH_BYTES if reserve else 0
    for function, variable in variables:
        if variable.bytes:
            offset = align(offset, variable.align)
            layout.offsets[function, variable.name] = "shared", offset
            offset += variable.bytes
    # What the launch adds lies behind the rest; all arrays of unknown size begin at the same place.
    unsized = [(function, variable) for function, variable in variables if not variable.bytes]
    if unsized:
        layout.dynamic_shared = True
        offset = align(offset, max(_DYNAMIC_ALIGNMENT, *(variable.align for _, variable in unsized)))
        for function, variable in unsized:
            layout.offsets[function, variable.name] = "shared", offset
    layout.shared_bytes = offset


def _relocate(layout: Layout, module: ir.Module, variable: ir.Variable, function: str | None) -> None:
    if not variable.relocations or variable.offset is not None or (function, variable.name) not in layout.offsets:
        return
    space, start = layout.offsets[function, variable.name]
    size = min(8, max(4, int(variable.type[1:]) // 8))
    for offset, symbol in variable.relocations:
        address = layout.address(function or "", symbol, size)
        if address is None and symbol.name in module.functions:
            address = immediate(number_of(module, symbol.name), size)
        if address is None:
            file, line = module.place(variable.where.line)
            other = module.variables.get(symbol.name) or (module.functions[function].variables.get(symbol.name) if function else None)
            why = ("which no module that was linked defines" if other is None or other.extern and other.space != "shared"
                   else f"which lies in .{other.space} memory; only .global and .const variables and functions have one before a launch")
            raise PtxError(f"`{variable.name}` starts with the address of `{symbol.name}`, {why}",
                           file=file, line=line, column=variable.where.column)
        layout.relocations.append(Relocation(space, start + offset, size, address.kind, address.value))


def _symbols(function: ir.Function):
    for instruction in function.body:
        for operand in instruction.operands:
            if isinstance(operand, ir.Symbol):
                yield operand.name
            elif isinstance(operand, ir.Address) and isinstance(operand.base, ir.Symbol):
                yield operand.base.name
            elif isinstance(operand, ir.Special):
                yield operand.name
