"""Which functions a kernel reaches, and in which registers values pass between them."""
from __future__ import annotations

from archdef.errors import PtxError
from archdef.lower.select import Interface, Piece, lane_bytes
from archdef.lower.virtual import Unit
from archdef.ptx import ir
from archdef.ptx.table import bits_of
from archdef.ptx.verify import recursive


def reached(module: ir.Module, entry: ir.Function) -> list[ir.Function]:
    """List the functions with a body that a kernel calls, directly or not; callers before callees, the kernel first."""
    calls = {name: _callees(function) for name, function in module.functions.items()}
    finished: list[str] = []
    state: dict[str, int] = {}
    stack = [(entry.name, iter(calls[entry.name]))]
    state[entry.name] = 1
    while stack:
        name, left = stack[-1]
        for callee in left:
            function = module.functions.get(callee)
            if function is None or not function.defined:
                continue
            if state.get(callee) == 1:
                circle = recursive({n: frozenset(c) for n, c in calls.items()}) or (callee,)
                raise PtxError(f"recursion is not supported: {' calls '.join(circle)}", file=module.file,
                               line=function.where.line)
            if callee not in state:
                state[callee] = 1
                stack.append((callee, iter(calls[callee])))
                break
        else:
            stack.pop()
            state[name] = 2
            finished.append(name)
    return [module.functions[name] for name in reversed(finished)]


def _callees(function: ir.Function) -> list[str]:
    found = (operand.callee.name for i in function.body for operand in i.operands
             if isinstance(operand, ir.CallTarget) and isinstance(operand.callee, ir.Symbol))
    return list(dict.fromkeys(found))


def interfaces_of(module: ir.Module, functions: list[ir.Function], unit: Unit) -> dict[str, Interface]:
    """Make the interface of every device function reached: the pieces of each parameter that anyone stores or loads."""
    accesses = {f.name: _accesses(f) for f in functions}
    pieces = {f.name: ([dict(accesses[f.name].get(v.name, {})) for v in f.parameters],
                       [dict(accesses[f.name].get(v.name, {})) for v in f.returns]) for f in functions}
    for caller in functions:
        for instruction in caller.body:
            for target in instruction.operands:
                if isinstance(target, ir.CallTarget) and isinstance(target.callee, ir.Symbol) and target.callee.name in pieces:
                    parameters, returns = pieces[target.callee.name]
                    for given, into in zip((*target.arguments, *target.returns), (*parameters, *returns)):
                        if isinstance(given, str):
                            into.update(accesses[caller.name].get(given, {}))
    made = {}
    for function in functions:
        if not function.entry:
            parameters, returns = pieces[function.name]
            made[function.name] = Interface(
                [_registers(v, found, unit) for v, found in zip(function.parameters, parameters)],
                [_registers(v, found, unit) for v, found in zip(function.returns, returns)])
    return made


def _registers(variable: ir.Variable, found: dict[int, int], unit: Unit) -> dict[int, Piece]:
    if variable.space == "reg":
        return {0: Piece(unit.new(lane_bytes(variable.type)), bits_of(variable.type) // 8)}
    return {offset: Piece(unit.new(8 if size == 8 else 4), size) for offset, size in sorted(found.items())}


def _accesses(function: ir.Function) -> dict[str, dict[int, int]]:
    """Give, per parameter variable, offset → bytes of the accesses by name."""
    found: dict[str, dict[int, int]] = {}
    for instruction in function.body:
        if instruction.opcode not in ("ld", "st") or not instruction.types:
            continue
        if not any(m.startswith("param") for m in instruction.modifiers):
            continue
        size = bits_of(instruction.types[-1]) // 8
        count = 4 if "v4" in instruction.modifiers else 2 if "v2" in instruction.modifiers else 1
        for operand in instruction.operands:
            if isinstance(operand, ir.Address) and isinstance(operand.base, ir.Symbol):
                start = operand.base.offset + operand.offset
                for k in range(count):
                    found.setdefault(operand.base.name, {})[start + k * size] = size
    return found
