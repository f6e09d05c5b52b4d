"""Kernels as they are supposed to be: without some barriers, or with the threads of a block in another order.

Both answer what a cause costs: the launch runs again without it. PTX instructions are taken out or put in before anything else is done, so that all passes see
the kernel as if it had been written so.
"""
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import attrs

from archdef.lower.options import Options
from archdef.ptx import ir

_INDEX = "%tid.x"


def supposed(module: ir.Module, options: Options) -> ir.Module:
    """Give the module with what the options suppose of its functions."""
    if not options.without_barriers and not options.thread_order:
        return module
    functions = dict(module.functions)
    for name, function in functions.items():
        if options.without_barriers:
            function = _rewritten(function, lambda i, registers: () if _is_barrier(module, i, options) else (i,))
        if options.thread_order:
            function = _rewritten(function, lambda i, registers: _renumbered(i, registers, options.thread_order))
        functions[name] = function
    return attrs.evolve(module, functions=functions)


def _rewritten(function: ir.Function, rewrite: Callable[[ir.Instruction, dict[str, str]], Sequence[ir.Instruction]]) -> ir.Function:
    """Replace each instruction by others; labels and marks of loops move along."""
    registers = dict(function.registers)
    body: list[ir.Instruction] = []
    starts: list[int] = []
    for instruction in function.body:
        starts.append(len(body))
        body.extend(rewrite(instruction, registers))
    starts.append(len(body))
    return attrs.evolve(function, body=tuple(body), registers=registers, labels={label: starts[at] for label, at in function.labels.items()},
                        rolled=frozenset(starts[at] for at in function.rolled))


def _is_barrier(module: ir.Module, i: ir.Instruction, options: Options) -> bool:
    place = (i.where.file, i.where.source_line) if i.where.file and i.where.source_line is not None else (module.file, i.where.line)
    return i.opcode in ("bar", "barrier") and "sync" in i.modifiers and place in options.without_barriers


def _renumbered(i: ir.Instruction, registers: dict[str, str], order: Sequence[int]) -> Sequence[ir.Instruction]:
    """Put before an instruction that names the thread's index what makes it of the thread's place in the block."""
    if not any(isinstance(operand, ir.Special) and operand.name == _INDEX for operand in i.operands):
        return (i,)
    made = list(_index(i, registers, order))
    index = made[-1].operands[0]
    return (*made, attrs.evolve(i, operands=tuple(index if isinstance(each, ir.Special) and each.name == _INDEX else each for each in i.operands)))


def _index(i: ir.Instruction, registers: dict[str, str], order: Sequence[int]) -> Iterator[ir.Instruction]:
    """Make the index: all bits that move by as many places together; two instructions if they are to be reversed."""
    def emit(opcode: str, *sources: ir.Operand) -> tuple[ir.Instruction, ir.Register]:
        register = ir.Register(f"%index_in_order{len(registers)}", "b32")
        registers[register.name] = "b32"
        base, _, kind = opcode.partition(".")
        return ir.Instruction(base, (kind,), (kind,), (register, *sources), None, i.where, f"{opcode} {register.name}"), register

    made, place = emit("mov.b32", ir.Special(_INDEX))
    yield made
    if list(order) == [*range(len(order))][::-1]:
        made, turned = emit("brev.b32", place)
        yield made
        yield emit("shr.u32", turned, ir.Immediate(32 - len(order)))[0]
        return
    whole: ir.Register | None = None
    for by in sorted({bit - source for bit, source in enumerate(order)}):
        mask = sum(1 << source for bit, source in enumerate(order) if bit - source == by)
        made, part = emit("and.b32", place, ir.Immediate(mask))
        yield made
        if by:
            made, part = emit("shl.b32" if by > 0 else "shr.u32", part, ir.Immediate(abs(by)))
            yield made
        if whole is None:
            whole = part
        else:
            made, whole = emit("or.b32", whole, part)
            yield made
