"""In which registers values pass between functions.

A function that is called by name, and is never active twice, reads its parameters where its callers put them. One that can be
entered again, or that an indirect call can reach, has its parameters in registers that belong to nobody: it copies them at its
start, and copies its results there before it returns. All functions of one signature that indirect calls can reach share these
registers, because the caller does not know which of them it calls.
"""
from __future__ import annotations

from archdef.lower.calls import Calls, Signature, call_of, signature
from archdef.lower.select import Interface, Piece, lane_bytes
from archdef.lower.virtual import Unit
from archdef.ptx import ir
from archdef.ptx.table import bits_of

_Pieces = tuple[list[dict[int, int]], list[dict[int, int]]]


def interfaces_of(module: ir.Module, calls: Calls, unit: Unit) -> dict[str | Signature, Interface]:
    """Make the interface of every device function reached, and of every signature called indirectly, under its name or signature.

    The pieces of a parameter are those that anyone stores or loads.
    """
    accesses = {f.name: _accesses(f) for f in calls.functions}
    pieces: dict[str | Signature, _Pieces] = {}
    variables: dict[str | Signature, tuple] = {}
    for f in calls.functions:
        if f.entry:
            continue
        key = calls.signatures.get(f.name, f.name)
        variables.setdefault(key, (f.parameters, f.returns))
        listed = pieces.setdefault(key, ([{} for _ in f.parameters], [{} for _ in f.returns]))
        for variable, into in zip((*f.parameters, *f.returns), (*listed[0], *listed[1])):
            into.update({0: bits_of(variable.type) // 8} if variable.space == "reg" else accesses[f.name].get(variable.name, {}))
    for caller in calls.functions:
        for instruction in caller.body:
            call = call_of(instruction)
            if call is None:
                continue
            if isinstance(call.callee, ir.Symbol):
                key = calls.signatures.get(call.callee.name, call.callee.name)
            else:
                prototype = prototype_of(module, caller, instruction)
                if prototype is None:
                    continue
                key = signature(*prototype)
                variables.setdefault(key, (prototype[1], prototype[0]))
                listed = pieces.setdefault(key, ([{} for _ in prototype[1]], [{} for _ in prototype[0]]))
                for variable, into in zip((*prototype[1], *prototype[0]), (*listed[0], *listed[1])):
                    if variable.space == "reg":
                        into[0] = bits_of(variable.type) // 8
            if key in pieces:
                for given, into in zip((*call.arguments, *call.returns), (*pieces[key][0], *pieces[key][1])):
                    if isinstance(given, str):
                        into.update(accesses[caller.name].get(given, {}))
    made: dict[str | Signature, Interface] = {}
    for key, (parameters, returns) in pieces.items():
        taken, given = variables[key]
        apart = not isinstance(key, str) or calls.passes_by_frame(key)
        made[key] = Interface([_registers(v, found, unit) for v, found in zip(taken, parameters)],
                              [_registers(v, found, unit) for v, found in zip(given, returns)], apart)
    for name, key in calls.signatures.items():
        made[name] = made[key]
    return made


def prototype_of(module: ir.Module, function: ir.Function, instruction: ir.Instruction):
    """Give returns and parameters of an indirect call: by its prototype, or by the first function that it lists."""
    label = instruction.operands[-1].name if isinstance(instruction.operands[-1], ir.Label) else ""
    if label in function.prototypes:
        return function.prototypes[label]
    for name in function.call_targets.get(label, ()):
        target = module.functions.get(name)
        if target is not None:
            return target.returns, target.parameters
    return None


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
