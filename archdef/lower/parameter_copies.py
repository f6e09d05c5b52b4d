"""Device functions that take the address of a parameter, which lies in registers here: they begin by copying it to local memory.

PTX gives such a parameter an address in local memory, "copied to the stack if necessary" (PTX ISA, "Device Function Parameters"; clang writes such functions).
"""
from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import attrs

from archdef.ptx import ir

_FUNCTIONS: Final = frozenset(("param", "param::func"))
"""How `ld` names the space of a function's parameters, in the function."""


def with_copies(module: ir.Module, functions: list[ir.Function]) -> ir.Module:
    """Give the module with copies in those of the functions that need some; the module itself where none does."""
    changed = {f.name: _copying(f, taken) for f in functions if not f.entry and (taken := _taken(f))}
    return attrs.evolve(module, functions=module.functions | changed) if changed else module


def _taken(function: ir.Function) -> dict[str, ir.Variable]:
    """Find the parameters whose address is used."""
    own = {each.name: each for each in function.parameters if each.space != "reg"}
    named = (each.name for i in function.body if i.opcode == "mov" for each in i.operands[1:] if isinstance(each, ir.Symbol))
    return {name: own[name] for name in named if name in own}


def _copying(function: ir.Function, taken: dict[str, ir.Variable]) -> ir.Function:
    copies = {name: attrs.evolve(variable, name=f"{name}$copy", space="local", where=function.where) for name, variable in taken.items()}
    registers = dict(function.registers)
    first = [i for name, copy in copies.items() for i in _copy(name, copy, registers, function.where)]
    shift = len(first)
    return attrs.evolve(
        function, body=(*first, *(_of_copy(i, copies) for i in function.body)), registers=registers,
        variables=function.variables | {each.name: each for each in copies.values()},
        labels={label: at + shift for label, at in function.labels.items()}, rolled=frozenset(at + shift for at in function.rolled))


def _copy(name: str, copy: ir.Variable, registers: dict[str, str], where: ir.Where) -> Iterator[ir.Instruction]:
    """Load and store a parameter, by the largest pieces that its alignment allows, up to words."""
    size = min(copy.align & -copy.align, 4)
    offset = 0
    while offset < copy.bytes:
        while offset + size > copy.bytes:
            size //= 2
        kind = f"b{8 * size}"
        held = ir.Register(f"%{copy.name}{offset}", "b32" if size == 4 else "b16")
        registers[held.name] = held.type
        yield _moving("ld", "param", kind, (held, ir.Address(ir.Symbol(name), offset)), where, f"{held.name}, [{name}+{offset}]")
        yield _moving("st", "local", kind, (ir.Address(ir.Symbol(copy.name), offset), held), where, f"[{copy.name}+{offset}], {held.name}")
        offset += size


def _moving(opcode: str, space: str, kind: str, operands: tuple[ir.Operand, ...], where: ir.Where, text: str) -> ir.Instruction:
    return ir.Instruction(opcode, (space, kind), (kind,), operands, None, where, f"{opcode}.{space}.{kind} {text};")


def _of_copy(i: ir.Instruction, copies: dict[str, ir.Variable]) -> ir.Instruction:
    """Let an instruction name the copy."""
    def renamed(symbol: ir.Symbol) -> ir.Symbol:
        return attrs.evolve(symbol, name=copies[symbol.name].name)
    if i.opcode == "mov":
        return attrs.evolve(i, operands=tuple(renamed(each) if isinstance(each, ir.Symbol) and each.name in copies else each for each in i.operands))
    source = i.operands[1] if i.opcode == "ld" and len(i.operands) > 1 else None
    if not isinstance(source, ir.Address) or not _FUNCTIONS.intersection(i.modifiers):
        return i
    kinds = tuple("local" if each in _FUNCTIONS else each for each in i.modifiers)
    if isinstance(source.base, ir.Register):        # an address that came of such a `mov`: a function has no others in this space
        return attrs.evolve(i, modifiers=kinds)
    if isinstance(source.base, ir.Symbol) and source.base.name in copies:
        return attrs.evolve(i, modifiers=kinds, operands=(i.operands[0], attrs.evolve(source, base=renamed(source.base)), *i.operands[2:]))
    return i
