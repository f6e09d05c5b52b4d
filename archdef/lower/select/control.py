"""Builders for branches, calls, ends and barriers."""
from __future__ import annotations

from archdef.lower.calls import candidates, signature, signature_of
from archdef.lower.encoding import BarrierOp, Flag, Kind
from archdef.lower.select.arithmetic import predicate_pair
from archdef.lower.select.children import refused
from archdef.lower.select.interface import prototype_of
from archdef.lower.select.selection import Interface, Piece, Selection, builds
from archdef.lower.select.system import SERVICES, serve
from archdef.lower.select.warp import mask_width, member_mask, warn_half
from archdef.lower.virtual import Block, Const, immediate, mov
from archdef.ptx import ir
from archdef.ptx.table import Match

_BARRIERS = 16


@builds("branch")
def branch(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``bra``."""
    if not isinstance(i.operands[0], ir.Label):
        raise s.fault("expected a label")
    s.emit(Kind.BRANCH, 0, operation="branch", target=s.block(i.operands[0].name), flags=Flag.UNIFORM if m.bound["uni"] else 0)


@builds("branch_indexed")
def branch_indexed(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``brx.idx``."""
    index = s.value(i.operands[0], "u32")
    targets = s.function.branch_targets[i.operands[1].name]
    s.emit(Kind.BRANCH_INDEXED, 0, [], [index], "branch", target=tuple(map(s.block, targets)), flags=Flag.UNIFORM if m.bound["uni"] else 0)


@builds("exit")
def exit_(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``exit``."""
    s.emit(Kind.EXIT, operation="exit")


@builds("return")
def return_(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``ret``: in a kernel the end of the thread."""
    s.leave()


@builds("trap")
def trap(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``trap``; and ``brkpt``, which ends a launch that no debugger watches."""
    s.emit(Kind.TRAP, operation="exit")


# -------------------------------------------------------------------------------------------------------------- calls
_DEVICE_RUNTIME = ("cuda", "__cudaCDP2")


def is_served(name: str) -> bool:
    """Say whether a function is the device runtime's, which every module has without its body, be it answered or refused."""
    return name in SERVICES or name.startswith(_DEVICE_RUNTIME)


@builds("call")
def call(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``call``: arguments move into the callee's registers, results out of them."""
    target = i.operands[0]
    if not isinstance(target, ir.CallTarget):
        raise s.fault("expected a function")
    if isinstance(target.callee, ir.Register):
        _call_indirect(s, target, i)
        return
    name = target.callee.name
    interface = s.interfaces.get(name)
    if interface is None and name in SERVICES:
        serve(s, target, SERVICES[name])
        return
    if interface is None and refused(name):
        s.need("dynamic_parallelism")
        raise s.unsupported(f"`{name}` of the device runtime is not served in kernels; docs/explanation/launches.md lists what is")
    if interface is None:
        if name.startswith(_DEVICE_RUNTIME):
            s.need("dynamic_parallelism")
        raise s.unsupported(f"`{name}` has no body in {'any module that was linked' if s.module.parts else 'this module'}")
    s.need("device_calls")
    _pass(s, target, interface, name, lambda: s.emit(Kind.CALL, 0, operation="call", target=name))


def _call_indirect(s: Selection, target: ir.CallTarget, i: ir.Instruction) -> None:
    s.need("indirect_calls")
    prototype = prototype_of(s.module, s.function, i)
    if prototype is None:
        raise s.unsupported("a call through a register without a prototype or a list of functions")
    wide = s.unit.widths[s.register(target.callee.name, target.callee.type)] == 8
    number = s.value(target.callee, "b64" if wide else "b32")
    callees = tuple(name for name in candidates(s.module, s.function, i, s.calls.taken)
                    if signature_of(s.module.functions[name]) == signature(*prototype))
    _pass(s, target, s.interfaces[signature(*prototype)], "the function",
          lambda: s.emit(Kind.CALL_INDIRECT, 0, [], [number], "call", target=callees, flags=Flag.ADDRESS64 if wide else 0))


def _pass(s: Selection, target: ir.CallTarget, interface: Interface, name: str, emit) -> None:
    """Hand the arguments over, emit the call, take the results."""
    if len(target.arguments) != len(interface.parameters) or len(target.returns) != len(interface.returns):
        raise s.fault(f"`{name}` takes {len(interface.parameters)} arguments and gives {len(interface.returns)} results")
    for argument, pieces in zip(target.arguments, interface.parameters):
        for offset, piece in pieces.items():
            _hand_over(s, argument, offset, piece)
    if s.guard is not None and s.function.name in s.calls.circles:
        # what is saved across the call comes back whatever the guard is by then
        over, guard = Block("@over"), s.guard
        s.emit(Kind.BRANCH, 0, operation="branch", target=over)
        s.ops[-1].guard = ~guard
        s.guard = None
        emit()
        s.guard = guard
        s.begin(over)
    else:
        emit()
    made = next(op for op in reversed(s.ops) if op.kind in (Kind.CALL, Kind.CALL_INDIRECT))
    made.gives, made.kills = tuple(sorted(interface.registers(interface.returns))), True      # who was not called does not look at them
    for result, pieces in zip(target.returns, interface.returns):
        for offset, piece in pieces.items():
            _take(s, result, offset, piece)


def _hand_over(s: Selection, argument, offset: int, piece: Piece) -> None:
    width = s.unit.widths[piece.register]
    if isinstance(argument, str):
        stored = s.pieces.get((argument, offset))
        if stored is None:
            return  # never stored: undefined
        if stored.bytes != piece.bytes:
            raise s.unsupported(f"`{argument}` is stored and read in pieces of different sizes")
        source = stored.register
    else:
        source = s.value(argument, "b64" if width == 8 else "b32")
    s.code.foreign.add(piece.register)
    s.emit(Kind.ALU, mov(width), [piece.register], [source], "move", width=width)


def _take(s: Selection, result: str, offset: int, piece: Piece) -> None:
    s.code.foreign.add(piece.register)
    s.take_result(result, piece.register, piece.bytes, offset)


# ----------------------------------------------------------------------------------------------------------- barriers
def _barrier_number(s: Selection, operand: ir.Operand):
    value = s.value(operand, "u32")
    if isinstance(value, Const):
        if value.value >= _BARRIERS:
            raise s.fault(f"barriers are numbered 0 to {_BARRIERS - 1}, got {value.value}")
        if value.value:
            s.need("barrier_count")
        s.barriers = max(s.barriers, value.value + 1)
    else:
        s.need("barrier_count")
        s.barriers = _BARRIERS
    return value


@builds("barrier")
def barrier(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``bar.sync``, ``bar.arrive``."""
    number = _barrier_number(s, i.operands[0]) if i.operands else immediate(0)
    s.barriers = max(s.barriers, 1)
    count = None
    if len(i.operands) > 1:
        s.need("barrier_count")
        count = s.value(i.operands[1], "u32")
    s.emit(Kind.BARRIER, BarrierOp[m.fn.upper()], [None, None], [number, count, None], "barrier")


@builds("barrier_cluster")
def barrier_cluster(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``barrier.cluster.arrive``, ``barrier.cluster.wait``: of all blocks of the cluster."""
    s.emit(Kind.BARRIER, BarrierOp[m.fn.upper()], [None, None], [None, None, None], "barrier")


@builds("barrier_reduce")
def barrier_reduce(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``bar.red``."""
    number = _barrier_number(s, i.operands[1])
    count = s.value(i.operands[2], "u32") if len(i.operands) > 3 else None
    holds = s.predicate(i.operands[-1])
    if m.fn == "popc":
        d, finish = s.destination(i.operands[0], "u32")
        s.emit(Kind.BARRIER, BarrierOp.RED_POPC, [d, None], [number, count, holds], "barrier")
        finish()
    else:
        s.emit(Kind.BARRIER, BarrierOp["RED_" + m.fn.upper()], [None, predicate_pair(s, i.operands[0])[0]],
               [number, count, holds], "barrier")


@builds("barrier_warp")
def barrier_warp(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``bar.warp.sync``: nothing, where lanes go together anyway."""
    if s.architecture.warp.reconvergence.independent:
        mask = member_mask(s, i, 0)
        s.emit(Kind.BARRIER, BarrierOp.WARP, [None, None], [mask, None, None], "barrier", element=mask_width(s, mask))
    else:
        warn_half(s, i, 0)
