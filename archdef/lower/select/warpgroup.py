"""Builders for products that four warps compute together, without waiting for them (``wgmma``)."""
from __future__ import annotations

from archdef.lower.encoding import GroupForm, GroupOp, Kind, MatrixForm, MatrixOp
from archdef.lower.select.matrix import BITS, form_of, need_sum, read, shape_of, whole_warp, written
from archdef.lower.select.selection import Selection, builds
from archdef.lower.virtual import Op
from archdef.ptx import ir
from archdef.ptx.table import Match
from archdef.spec.matrix import GROUP_BITS

FIXED_SOURCES = 3
"""Sources of a product before those that lie in a list: two descriptors and the predicate."""
_LATE = frozenset((Kind.LOAD, Kind.ATOM, Kind.SHUFFLE, Kind.TEXTURE, Kind.MATRIX_LOAD))
_MOST_WAITED = 12
"""Accumulators, from memory, that a product is made to wait for at most; the last ones, which come last."""


def _constant(s: Selection, operand: ir.Operand, what: str, allowed: tuple[int, int]) -> int:
    operand = s.known(operand)
    if not isinstance(operand, ir.Immediate) or operand.value not in allowed:
        raise s.fault(f"{what} must be {allowed[0]} or {allowed[1]}")
    return operand.value


def _group(s: Selection) -> None:
    """Refuse what takes four warps on machines that do not say how they do it."""
    whole_warp(s)
    if s.architecture.isa.warpgroup is None:
        raise s.unsupported(f"{s.architecture.name} does not say how four warps compute products together (isa.warpgroup)")


@builds("group_product")
def group_product(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``wgmma.mma_async``."""
    _group(s)
    op, (_, columns, _) = MatrixOp[m.fn.upper()], shape_of(m)
    d, a, b = (m.bound[name] for name in ("type", "type2", "type3"))
    need_sum(s, op, d)
    registers = isinstance(i.operands[1], ir.Vector)
    across = BITS[a] == 16
    wanted = 4 + (0 if d == "s32" else 2 + across * (1 if registers else 2))
    if len(i.operands) != wanted:
        raise s.fault(f"this form of `wgmma` takes {wanted} operands, got {len(i.operands)}")
    results = written(s, i.operands[0], columns // (4 if d == "f16" else 2), "operand d", "b32")
    factors = read(s, i.operands[1], 4, "operand a", "b32") if registers else []
    described = [None if registers else s.value(i.operands[1], "b64"), s.value(i.operands[2], "b64")]
    form = GroupForm(0)
    if op in (MatrixOp.E4M3, MatrixOp.E5M2) and a != b:
        form |= GroupForm.OTHER_B
    if d != "s32":
        for k, flag, what in ((4, GroupForm.NEGATIVE_A, "a"), (5, GroupForm.NEGATIVE_B, "b")):
            form |= flag if _constant(s, i.operands[k], f"the sign of operand {what}", (1, -1)) < 0 else 0
    if across:
        flags = (GroupForm.ACROSS_B,) if registers else (GroupForm.ACROSS_A, GroupForm.ACROSS_B)
        for k, flag in enumerate(flags, 6):
            form |= flag if _constant(s, i.operands[k], "the order of a factor", (0, 1)) else 0
    sums = "f16" if d == "f16" else ""
    s.emit(Kind.GROUP_PRODUCT, int(op), results, [*described, s.predicate(i.operands[3]), *factors, *results], m.operation, vec=columns // 8,
           element=BITS[a], combine=int(MatrixForm(form_of(m, a, b, sums, sums))), offset=int(form))


@builds("group_of_products")
def group_of_products(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``wgmma.fence``, ``commit_group``, ``wait_group``."""
    _group(s)
    op = GroupOp[m.fn.upper()]
    latest = 0
    if op == GroupOp.WAIT:
        if not isinstance(i.operands[0], ir.Immediate) or not 0 <= i.operands[0].value < 1 << 30:
            raise s.fault("the number of groups must be a constant that is not negative")
        latest = i.operands[0].value
    last = _last(s)
    if op == GroupOp.COMMIT and last is not None and not last.offset & GroupForm.COMMIT:
        last.offset |= GroupForm.COMMIT       # the last product of a group closes it
        return
    s.emit(Kind.GROUP, int(op), operation=m.operation, count=latest)


def _last(s: Selection) -> Op | None:
    """Give the latest product, if nothing that concerns products, or control, comes behind it."""
    if s.guard is not None:
        return None
    for k in range(len(s.ops) - 1, s.straight_from - 1, -1):
        op = s.ops[k]
        if op.kind == Kind.GROUP_PRODUCT:
            return op if op.guard is None else None
        if op.kind in (Kind.GROUP, Kind.BRANCH, Kind.BRANCH_INDEXED, Kind.CALL, Kind.CALL_INDIRECT, Kind.EXIT, Kind.RETURN):
            return None
    return None


def late_accumulators(ops: list[Op]) -> dict[int, list[int]]:
    """Give, by the place of a product, accumulators that come from memory: what a scoreboard has to tell of them, it waits for."""
    late = {v for op in ops if op.kind in _LATE for v in op.writes()}
    found = {}
    for k, op in enumerate(ops):
        if op.kind == Kind.GROUP_PRODUCT and late:
            wanted = [v for v in op.s[FIXED_SOURCES:] if type(v) is int and v in late][-_MOST_WAITED:]
            if wanted:
                found[k] = wanted
    return found


def timed(op: Op, cost, architecture):
    """Give what a product costs, of whose class `cost` says what eight columns hold the unit for and how late a product without columns is; and
    for how many cycles it holds the warp and the unit's intake."""
    group = architecture.isa.warpgroup
    shared = op.s[0] is not None
    interval = cost.interval * op.vec
    fetched = -(-(GROUP_BITS // 8) * (8 * op.vec + (64 if shared else 0)) // group.operand_bytes_per_cycle)
    latency = cost.latency + interval + (group.shared_factor_cycles if shared else 0)
    least = fetched if shared else max(fetched, group.register_factor_cycles)
    held = max(group.least_issue_cycles, 8 * op.vec // group.issue_columns_per_cycle)
    return cost._replace(interval=max(interval, least), latency=latency), held
