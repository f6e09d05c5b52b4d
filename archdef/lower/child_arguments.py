"""What kernels hand to each other when they launch: which kernels can be launched, which parameters are addresses."""
from __future__ import annotations

from archdef.lower.calls import call_of
from archdef.ptx import ir

_PASSES_ON = frozenset("mov add sub mad cvta selp and or".split())


def kernels_taken(module: ir.Module, functions: list[ir.Function]) -> tuple[str, ...]:
    """List the kernels whose address some functions use, or a variable of the module holds: those that the functions can launch."""
    names = {symbol.name for v in (*module.variables.values(), *(v for f in functions for v in f.variables.values()))
             for _, symbol in v.relocations}
    for function in functions:
        for instruction in function.body:
            call = call_of(instruction)
            arguments = call.arguments if call is not None else ()
            names.update(o.name for o in (*instruction.operands, *arguments) if isinstance(o, ir.Symbol))
    return tuple(f.name for f in module.functions.values() if f.name in names and f.entry and f.defined)


def addresses_among(kernel: ir.Function) -> tuple[str, ...]:
    """List the parameters that a kernel uses as addresses itself: in memory operands, or converted from generic ones."""
    parameters = {p.name for p in kernel.parameters}
    sources: dict[str, set[str]] = {}
    found: set[str] = set()
    grown = True
    while grown:
        before = sum(map(len, sources.values())) + len(found)
        for i in kernel.body:
            if not i.operands:
                continue
            first = i.operands[0]
            if (i.opcode == "ld" and any(m.startswith("param") for m in i.modifiers) and isinstance(first, ir.Register)
                    and isinstance(i.operands[1], ir.Address) and isinstance(i.operands[1].base, ir.Symbol)
                    and i.operands[1].base.name in parameters):
                sources.setdefault(first.name, set()).add(i.operands[1].base.name)
                continue
            for operand in i.operands:
                if isinstance(operand, ir.Address) and isinstance(operand.base, ir.Register):
                    found |= sources.get(operand.base.name, set())
            read = set().union(*(sources.get(o.name, ()) for o in i.operands[1:] if isinstance(o, ir.Register)), ())
            if i.opcode == "cvta":
                found |= read
            if read and i.opcode in _PASSES_ON and isinstance(first, ir.Register):
                sources.setdefault(first.name, set()).update(read)
        grown = sum(map(len, sources.values())) + len(found) > before
    return tuple(p.name for p in kernel.parameters if p.name in found)
