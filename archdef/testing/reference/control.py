"""Branches, calls, ends and block barriers: what a step tells the machine to do."""
from __future__ import annotations

import attrs

from archdef.ptx import ir
from archdef.testing.reference.code import Context, Step, Words, means
from archdef.testing.reference.errors import Wrong, unknown
from archdef.testing.reference.lanes import members
from archdef.testing.reference.types import width


@means("bra")
def branch(c: Context, i, words: Words) -> Step:
    """``bra``: gives the target's index."""
    words.flag("uni")
    target = c.function.labels[i.operands[0].name]
    return Step("branch", lambda t: target)


@means("brx")
def branch_indexed(c: Context, i, words: Words) -> Step:
    """``brx.idx``: gives the target that the index picks."""
    words.one("idx")
    words.flag("uni")
    targets = [c.function.labels[name] for name in c.function.branch_targets[i.operands[1].name]]
    index = c.source(i, i.operands[0], "u32")

    def act(t):
        if index(t) >= len(targets):
            raise Wrong(f"`{i.text}`: index {index(t)} of {len(targets)} targets")
        return targets[index(t)]
    return Step("branch", act)


@means("ret", "exit", "trap", "brkpt")
def leave(c: Context, i, words: Words) -> Step:
    """``ret`` of a kernel is an ``exit``."""
    words.flag("uni")
    kind = {"ret": "exit" if c.function.entry else "return", "exit": "exit", "trap": "trap", "brkpt": "trap"}[i.opcode]
    return Step(kind, lambda t: None)


# --------------------------------------------------------------------------------------------------------------- calls
@attrs.define(slots=True, eq=False)
class Frame:
    """What a thread keeps for one call."""

    function: ir.Function
    registers: dict[str, int] = attrs.Factory(dict)
    parameters: dict[str, bytearray] = attrs.Factory(dict)
    """Contents of ``.param`` variables: the function's own and those of the calls it makes."""
    stack: tuple[int, int] = (0, 0)
    """The caller's place in the thread's stack: start of its variables, end of the stack."""
    finish: object = None
    """Hands the results over to the caller; takes the thread and the callee's frame."""


def frame_of(function: ir.Function) -> Frame:
    """Make a frame with room for all ``.param`` variables."""
    own = () if function.entry else (*function.parameters, *function.returns)
    frame = Frame(function)
    for variable in [v for v in (*own, *function.variables.values()) if v.space == "param"]:
        frame.parameters[variable.name] = bytearray(variable.bytes)
    return frame


@means("call")
def call(c: Context, i, words: Words) -> Step:
    """``call``: gives the callee's frame, with its arguments; the values go by name, as bytes."""
    words.flag("uni")
    target = i.operands[0]
    if isinstance(target.callee, ir.Symbol):
        enter = entering(c, i, target, c.module.functions.get(target.callee.name), target.callee.name)
        return Step("call", enter)
    address, ways = c.source(i, target.callee, "u64"), {}

    def act(t):
        function = c.layout.function_at(address(t))
        if function not in c.module.functions:
            raise Wrong(f"`{i.text}`: no function is at {address(t):#x}")
        if function not in ways:
            ways[function] = entering(c, i, target, c.module.functions[function], function)
        return ways[function](t)
    return Step("call", act)


def entering(c: Context, i, target: ir.CallTarget, callee: ir.Function | None, name: str):
    """Give the function of a thread that makes the frame of a callee."""
    if callee is None or not callee.defined:
        raise unknown(i, f"function {name} with a body")
    if len(target.arguments) != len(callee.parameters) or len(target.returns) != len(callee.returns):
        raise unknown(i, "call with other arguments than the function takes")
    arguments = [(v, a if isinstance(a, str) else c.source(i, a, f"b{_bits(v)}")) for v, a in zip(callee.parameters, target.arguments)]

    def enter(t):
        frame = frame_of(callee)
        for variable, argument in arguments:
            if isinstance(argument, str):
                _put(frame, variable, t.frame.parameters[argument][:variable.bytes])
            else:
                _put(frame, variable, argument(t).to_bytes(_bits(variable) // 8, "little"))
        frame.finish = finish
        return frame

    def finish(t, frame):
        for variable, into in zip(callee.returns, target.returns):
            data = bytes(frame.parameters[variable.name]) if variable.space == "param" else frame.registers.get(
                variable.name, 0).to_bytes(_bits(variable) // 8, "little")
            if into in t.frame.parameters:
                t.frame.parameters[into][:len(data)] = data
            elif into != "_":
                t.frame.registers[into] = int.from_bytes(data, "little")
    return enter


def _bits(variable: ir.Variable) -> int:
    return max(8, width(variable.type)) * variable.count


def _put(frame: Frame, variable: ir.Variable, data) -> None:
    if variable.space == "reg":
        frame.registers[variable.name] = int.from_bytes(data, "little")
    else:
        frame.parameters[variable.name][:len(data)] = data


# ------------------------------------------------------------------------------------------------------------ barriers
@attrs.define(slots=True, eq=False)
class Arrival:
    """What a thread brings to a barrier."""

    number: int
    count: int
    """Threads that the barrier waits for; 0 for all of the block."""
    waits: bool
    holds: bool = False
    finish: object = None
    """Takes the thread and the predicates of all that arrived, once the barrier is complete."""


@means("bar", "barrier")
def barrier(c: Context, i, words: Words) -> Step:
    """``bar.sync``, ``bar.arrive``, ``bar.red``; ``bar.warp.sync``."""
    if words.flag("warp"):
        words.one("sync")
        return Step("warp", lambda threads: None, details=members(c, i, 0))
    words.flag("cta")
    words.flag("aligned")
    kind = words.one("sync", "arrive", "red")
    if kind == "red":
        return _reduction(c, i, words.one("popc", "and", "or"))
    number = c.source(i, i.operands[0], "u32") if i.operands else lambda t: 0
    count = c.source(i, i.operands[1], "u32") if len(i.operands) > 1 else lambda t: 0
    return Step("barrier", lambda t: Arrival(number(t), count(t), kind == "sync"))


def _reduction(c: Context, i, operation: str) -> Step:
    number = c.source(i, i.operands[1], "u32")
    count = c.source(i, i.operands[2], "u32") if len(i.operands) > 3 else lambda t: 0
    holds = c.predicate(i, i.operands[-1])
    if operation == "popc":
        store = c.destination(i, i.operands[0], "u32")
    else:
        store = c.predicate_destinations(i, i.operands[0])[0]
    reduce = {"popc": sum, "and": all, "or": any}[operation]
    return Step("barrier", lambda t: Arrival(number(t), count(t), True, holds(t), lambda t, all_: store(t, reduce(all_))))
