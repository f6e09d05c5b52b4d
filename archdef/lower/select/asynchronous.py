"""Builders for asynchronous copies and for barriers in shared memory."""
from __future__ import annotations

from archdef.lower.encoding import CLUSTER_FIRST, GENERIC_SHARED, GENERIC_WINDOW, BulkRoute, CopyGroup, Flag, Kind, PhaseOp, Space, SpecialRegister
from archdef.lower.select.arithmetic import predicate_pair
from archdef.lower.select.memory import OPERATIONS, address, vector
from archdef.lower.select.selection import Selection, builds, lane_bytes
from archdef.lower.virtual import ABSORBED, immediate
from archdef.ptx import ir
from archdef.ptx.table import Match, bits_of

_LARGEST_GROUP = 1 << 30


def _number(s: Selection, operand: ir.Operand, what: str, allowed=None) -> int:
    if not isinstance(operand, ir.Immediate) or not isinstance(operand.value, int):
        raise s.fault(f"{what} must be a constant")
    if allowed is not None and operand.value not in allowed:
        raise s.fault(f"{what} must be {' or '.join(map(str, allowed))}, got {operand.value}")
    return operand.value


def _global(s: Selection, operand: ir.Operand):
    base, offset, flags, implied = address(s, operand)
    if implied not in (None, "global", "const"):
        raise s.fault("the source of an asynchronous copy lies in global memory")
    base = base if flags & Flag.ADDRESS64 else s.fit(base, 4, 8, "u32") if type(base) is int else immediate(base.value, 8)
    return s.temporary("add_b64", [base, immediate(offset, 8)], 8, "int64_add") if offset else base


@builds("copy_async")
def copy_async(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cp.async``: the bytes move past registers; nobody waits until their group is waited for."""
    size = _number(s, i.operands[2], "the size of an asynchronous copy", (16,) if m.bound["cache"] == "cg" else (4, 8, 16))
    given = None
    if len(i.operands) > 3 and isinstance(i.operands[3], ir.Predicate):  # ignore-src
        given = s.fresh(4)
        s.emit(Kind.SELP, 0, [given], [immediate(0), immediate(size), s.predicate(i.operands[3])], "select")
    elif len(i.operands) > (4 if m.bound["hint"] else 3):  # a source size; the last operand may be a cache policy
        given = s.value(i.operands[3], "u32")
    source = _global(s, i.operands[1])
    to, offset, flags, implied = address(s, i.operands[0])
    if implied not in (None, "shared"):
        raise s.fault("an asynchronous copy goes to shared memory")
    s.emit(Kind.COPY, 0, [], [to, source, given], "load_global", space=Space.SHARED, element=size, offset=offset,
           flags=flags | (Flag.BYPASS_L1 if m.bound["cache"] == "cg" else 0))


def _wait(s: Selection, op: CopyGroup, latest: int = 0) -> None:
    s.emit(Kind.COPY_GROUP, int(op), operation="move", count=latest)


@builds("copy_group", "bulk_group")
def copy_group(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cp.async.commit_group``, ``cp.async.wait_group``, ``cp.async.wait_all``, and those of bulk copies."""
    latest = _number(s, i.operands[0], "the number of groups") if i.operands else 0
    if not 0 <= latest < _LARGEST_GROUP:
        raise s.fault(f"the number of groups must not be negative, got {latest}")
    _wait(s, CopyGroup[m.fn.upper()], latest)


@builds("copy_arrive")
def copy_arrive(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cp.async.mbarrier.arrive``: an arrival once the thread's copies are there.

    Without ``.noinc`` the barrier first expects one arrival more, so nothing changes on balance, but it must be there: no bytes more are
    expected. The warp waits here.
    """
    _wait(s, CopyGroup.WAIT_ALL)
    if m.bound["noinc"]:
        _phase(s, PhaseOp.ARRIVE, i.operands[0], None, [None], m)
    else:
        _phase(s, PhaseOp.EXPECT, i.operands[0], immediate(0), [None], m)


# ------------------------------------------------------------------------------------------------------------ bulk copies
def place_in_shared(s: Selection, operand: ir.Operand, what: str):
    """Give a place in shared memory as a 32-bit register or constant."""
    base, offset, flags, implied = address(s, operand)
    if implied not in (None, "shared"):
        raise s.fault(f"the {what} lies in shared memory")
    if flags & Flag.ADDRESS64:
        base = s.fit(base, 8, 4, "u32") if type(base) is int else immediate(base.value)
    return s.temporary("add_b32", [base, immediate(offset)], 4, "int_add") if offset else base


@builds("bulk_copy")
def bulk_copy(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``cp.async.bulk``, ``cp.reduce.async.bulk``: each thread that gets here moves a piece of memory."""
    route = BulkRoute.TO_GLOBAL if m.bound["to"] == "global" else BulkRoute.TO_SHARED if m.bound["from"] == "global" else BulkRoute.WITHIN
    to = _global(s, i.operands[0]) if route == BulkRoute.TO_GLOBAL else place_in_shared(s, i.operands[0], "target of a bulk copy")
    source = _global(s, i.operands[1]) if route == BulkRoute.TO_SHARED else place_in_shared(s, i.operands[1], "source of a bulk copy")
    barrier = None if route == BulkRoute.TO_GLOBAL else place_in_shared(s, i.operands[3], "mbarrier")
    reduces, blocks = bool(m.bound.get("op")), []
    if m.bound.get("multicast"):
        if len(i.operands) < 5 + bool(m.bound["hint"]):
            raise s.fault("a mask of blocks is wanted")
        blocks = [s.value(i.operands[4], "u16")]
    s.emit(Kind.BULK, m.fn if reduces else 0, [], [to, source, s.value(i.operands[2], "u32"), barrier, *blocks], m.operation, combine=int(route),
           vec=int(reduces), element=bits_of(m.bound["type"]) // 8 if reduces else 0)


@builds("store_async")
def store_async(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``st.async``: the store is done when the barrier counts it."""
    type = m.bound["type"]
    values = [s.value(e, type) for e in vector(s, i.operands[1], m.bound["vec"])]
    _counted(s, m, i, Kind.STORE, 0, values)


@builds("atomic_async")
def atomic_async(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``red.async``."""
    _counted(s, m, i, Kind.ATOM, m.fn, [s.value(i.operands[1], m.bound["type"]), None])


def _counted(s: Selection, m: Match, i: ir.Instruction, kind: Kind, fn, values: list) -> None:
    """Emit an access of shared memory, and count its bytes in a barrier."""
    size = bits_of(m.bound["type"]) // 8
    base, offset, flags, implied = address(s, i.operands[0])
    if implied not in (None, "shared"):
        raise s.fault("an asynchronous store goes to shared memory")
    space = Space.SHARED if m.bound["space"] or implied else Space.GENERIC
    count = len(values) if kind == Kind.STORE else 1
    s.emit(kind, fn, [], [base, *values], OPERATIONS[kind][space], width=lane_bytes(m.bound["type"]), space=space, element=size,
           vec=count, offset=offset, flags=flags)
    _phase(s, PhaseOp.COMPLETE, i.operands[2], immediate(size * count), [None], m)


# --------------------------------------------------------------------------------------------------------------- clusters
@builds("map_rank")
def map_rank(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mapa``: the same place in the block of a rank. Of a rank that the cluster has not, an address that nobody can access."""
    type = m.bound["type"]
    d, finish = s.destination(i.operands[0], type)
    width = lane_bytes(type)
    bits, wide = 8 * width, "64" if width == 8 else ""
    own, rank, blocks = s.value(i.operands[1], type), s.value(i.operands[2], "u32"), s.of_cluster(SpecialRegister.CLUSTER_NCTARANK)[0]
    window = 0 if m.bound["space"] else GENERIC_SHARED
    there = s.fresh(0)
    s.emit(Kind.SETP, "lt_u32", [there, None], [rank, blocks], "int_compare")
    offset = s.temporary(f"and_b{bits}", [own, immediate(GENERIC_WINDOW - 1, width)], width, f"int{wide}_logic")
    if width == 8:
        rank = s.temporary("cvt_u64_u32", [rank], 8, ABSORBED)
    shifted = s.temporary(f"shl_b{bits}", [rank, immediate(24)], width, ABSORBED)
    first = s.temporary(f"add_b{bits}", [shifted, s.of_cluster(SpecialRegister.CLUSTER_ORIGIN, width)[0]], width, ABSORBED)
    place = s.temporary(f"add_b{bits}", [first, offset], width, ABSORBED)
    if window:
        place = s.temporary(f"add_b{bits}", [place, immediate(window, width)], width, ABSORBED)
    s.emit(Kind.SELP, 0, [d], [place, immediate(-1, width), there], "select", width=width)
    finish()


@builds("rank_of")
def rank_of(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``getctarank``."""
    type = m.bound["type"]
    place = s.value(i.operands[1], type)
    if lane_bytes(type) == 8:
        place = s.temporary("low_b64", [s.temporary("sub_b64", [place, immediate(0 if m.bound["space"] else GENERIC_SHARED, 8)], 8, ABSORBED)], 4, ABSORBED)
    d, finish = s.destination(i.operands[0], "u32")
    named = s.fresh(0)
    s.emit(Kind.SETP, "ge_u32", [named, None], [place, immediate(CLUSTER_FIRST)], "int_compare")
    rank = s.temporary("shr_u32", [s.temporary("sub_b32", [place, immediate(CLUSTER_FIRST)], 4, ABSORBED), immediate(24)], 4, ABSORBED)
    s.emit(Kind.SELP, 0, [d], [rank, s.of_cluster(SpecialRegister.CLUSTER_CTARANK)[0], named], "select")
    finish()


# --------------------------------------------------------------------------------------------------------- phase barriers
def _phase(s: Selection, op: PhaseOp, where: ir.Operand, value, destination: list, m: Match) -> None:
    base, offset, flags, implied = address(s, where)
    if implied not in (None, "shared"):
        raise s.fault("an mbarrier lies in shared memory")
    space = Space.SHARED if m.bound["space"] or implied else Space.GENERIC
    if space == Space.GENERIC:
        s.need("unified_addressing")
    s.emit(Kind.PHASE, int(op), destination, [base, value], "atomic_shared", width=8, space=space, offset=offset, flags=flags)


@builds("phase")
def phase(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mbarrier.init, inval, expect_tx, complete_tx``."""
    value = s.value(i.operands[1], "u32") if len(i.operands) > 1 else None
    _phase(s, PhaseOp[m.fn.upper()], i.operands[0], value, [None], m)


@builds("phase_arrive")
def phase_arrive(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mbarrier.arrive``, ``arrive_drop``: the state before is the result, unless it is a sink."""
    value = s.value(i.operands[2], "u32") if len(i.operands) > 2 else None
    if isinstance(i.operands[0], ir.Vector):
        _phase(s, PhaseOp[m.fn.upper()], i.operands[1], value, [None], m)
        return
    d, finish = s.destination(i.operands[0], "b64")
    _phase(s, PhaseOp[m.fn.upper()], i.operands[1], value, [d], m)
    finish()


@builds("phase_test")
def phase_test(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mbarrier.test_wait``, ``try_wait``: whether a phase is over; the latter does not suspend here either."""
    parity = m.fn == "test_parity"
    value = s.value(i.operands[2], "u32" if parity else "b64")
    _phase(s, PhaseOp.TEST_PARITY if parity else PhaseOp.TEST, i.operands[1], value, predicate_pair(s, i.operands[0])[:1], m)


@builds("phase_count")
def phase_count(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mbarrier.pending_count``: arrivals that a state still expects."""
    shifted = s.temporary("shr_u64", [s.value(i.operands[1], "b64"), immediate(20)], 8, "int64_shift")
    low = s.temporary("low_b64", [shifted], 4, ABSORBED)
    d, finish = s.destination(i.operands[0], "u32")
    s.emit(Kind.ALU, "and_b32", [d], [low, immediate(0xFFFFF)], "int_logic")
    finish()
