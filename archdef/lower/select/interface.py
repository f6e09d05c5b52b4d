"""In which registers values pass between functions.

A function that is called by name, and is never active twice, reads its parameters where its callers put them. One that can be
entered again, or that an indirect call can reach, has its parameters in registers that belong to nobody: it copies them at its
start, and copies its results there before it returns. All functions of one signature that indirect calls can reach share these
registers, because the caller does not know which of them it calls.
"""
from __future__ import annotations

from collections.abc import Iterator

from archdef.lower.calls import Calls, Signature, call_of, signature
from archdef.lower.select.selection import Interface, Piece, lane_bytes
from archdef.lower.virtual import Unit
from archdef.ptx import ir
from archdef.ptx.table import bits_of

Carriers = dict[tuple[str, str], dict[int, int]]
"""(function, parameter variable) → offset → bytes of each piece that is carried as a whole."""
_LARGEST_BYTES = 8
_Slot = tuple[str | Signature, str, int]
"""Parameter or return of a function or a signature, by its number."""


def interfaces_of(module: ir.Module, calls: Calls, unit: Unit) -> tuple[dict[str | Signature, Interface], Carriers]:
    """Make the interface of every device function reached, and of every signature called indirectly, under its name or signature.

    The pieces of a parameter are those that anyone stores or loads; of pieces that overlap, the largest carries the others, so
    that one side may store 32 bits and the other load 8 of them. Also given is what carries the pieces of every variable.
    """
    slots = _Slots(module, calls)
    made: dict[str | Signature, Interface] = {}
    for key, (returns, parameters) in slots.variables.items():
        apart = not isinstance(key, str) or calls.passes_by_frame(key)
        made[key] = Interface([_registers(v, slots.pieces((key, "takes", k)), unit) for k, v in enumerate(parameters)],
                              [_registers(v, slots.pieces((key, "gives", k)), unit) for k, v in enumerate(returns)], apart)
    for name, key in calls.signatures.items():
        made[name] = made[key]
    return made, slots.carriers()


class _Slots:
    """Which variables are the same value on its way, and the pieces that all code together stores or loads of it."""

    def __init__(self, module: ir.Module, calls: Calls):
        self.variables: dict[str | Signature, tuple[tuple[ir.Variable, ...], tuple[ir.Variable, ...]]] = {}
        self.same: dict[tuple, tuple] = {}
        self.found: dict[tuple, dict[tuple[int, int], None]] = {}
        for f in calls.functions:
            for name, pieces in _accesses(f).items():
                self.found[f.name, name] = dict.fromkeys(pieces)
            if not f.entry:
                self._declare(calls.signatures.get(f.name, f.name), f.returns, f.parameters, f.name)
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
                    self._declare(key, *prototype)
                if key in self.variables:
                    self._call(key, call, caller)

    def _declare(self, key: str | Signature, returns: tuple, parameters: tuple, function: str | None = None) -> None:
        self.variables.setdefault(key, (returns, parameters))
        for slot, variable in _slots(key, returns, parameters):
            if variable.space == "reg":
                self._piece(slot, variable.type)
            elif function is not None:
                self._join(slot, (function, variable.name))

    def _call(self, key: str | Signature, call: ir.CallTarget, caller: ir.Function) -> None:
        returns, parameters = self.variables[key]
        declared = dict(_slots(key, returns, parameters))
        for slot, given in _slots(key, call.returns, call.arguments):
            if slot not in declared:
                continue            # refused where the call is selected
            if isinstance(given, str) and given not in caller.registers:
                self._join(slot, (caller.name, given))
            elif declared[slot].count == 1:     # a register takes or gives the whole of it
                self._piece(slot, declared[slot].type)

    def _piece(self, slot: _Slot, type: str) -> None:
        self.found.setdefault(self._root(slot), {})[0, bits_of(type) // 8] = None

    def _join(self, slot: _Slot, variable: tuple[str, str]) -> None:
        root, other = self._root(slot), self._root(variable)
        if root != other:
            self.same[other] = root
            self.found.setdefault(root, {}).update(self.found.pop(other, {}))

    def _root(self, node: tuple) -> tuple:
        while node in self.same:
            node = self.same[node]
        return node

    def pieces(self, node: tuple) -> dict[int, int]:
        """Give the pieces that are in no larger one, by offset; those at addresses that hardware refuses are left out."""
        kept: dict[int, int] = {}
        found = self.found.get(self._root(node), {})
        for offset, size in sorted(found, key=lambda piece: (-piece[1], piece[0])):
            if offset % size == 0 and not any(kept.get(offset - offset % width) == width for width in (size, 2, 4, _LARGEST_BYTES)
                                              if width >= size):
                kept[offset] = size
        return dict(sorted(kept.items()))

    def carriers(self) -> Carriers:
        """Give the pieces of every variable that has any."""
        nodes = [node for node in (*self.found, *self.same) if len(node) == 2]
        return {node: self.pieces(node) for node in nodes}


def _slots(key: str | Signature, returns: tuple, parameters: tuple) -> Iterator[tuple[_Slot, object]]:
    for way, listed in (("takes", parameters), ("gives", returns)):
        for k, item in enumerate(listed):
            yield (key, way, k), item


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


def _accesses(function: ir.Function) -> dict[str, list[tuple[int, int]]]:
    """Give, per parameter variable, (offset, bytes) of each access by name."""
    found: dict[str, list[tuple[int, int]]] = {}
    for instruction in function.body:
        if instruction.opcode not in ("ld", "st") or not instruction.types:
            continue
        if not any(m.startswith("param") for m in instruction.modifiers):
            continue
        count = 4 if "v4" in instruction.modifiers else 2 if "v2" in instruction.modifiers else 1
        whole = count * bits_of(instruction.types[-1]) // 8
        size = max(1, min(whole // count, _LARGEST_BYTES))
        for operand in instruction.operands:
            if isinstance(operand, ir.Address) and isinstance(operand.base, ir.Symbol):
                start = operand.base.offset + operand.offset
                found.setdefault(operand.base.name, []).extend((start + k, size) for k in range(0, whole, size))
    return found
