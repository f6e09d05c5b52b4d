"""Builders for products of matrices that lie over the lanes of a warp (``mma``), and for the loads and stores of their tiles."""
from __future__ import annotations

from archdef.lower.encoding import Kind, MatrixForm, MatrixOp, Space
from archdef.lower.select.memory import address
from archdef.lower.select.selection import ROUNDING, Selection, builds
from archdef.lower.virtual import Value
from archdef.ptx import ir
from archdef.ptx.table import Match

BITS = {"f16": 16, "bf16": 16, "tf32": 32, "f32": 32, "s32": 32, "f64": 64, "u8": 8, "s8": 8, "u4": 4, "s4": 4, "b1": 1, "e4m3": 8, "e5m2": 8}
"""Bits that a number of a type takes in registers and memory."""
LANES = 32


def shape_of(m: Match) -> tuple[int, int, int]:
    """Give rows, columns and depth of a product, ``m16n8k16``."""
    rows, rest = m.bound["shape"][1:].split("n")
    columns, depth = rest.split("k")
    return int(rows), int(columns), int(depth)


def whole_warp(s: Selection) -> None:
    """Refuse matrix instructions where warps have other than 32 lanes."""
    lanes = s.architecture.warp.size
    if lanes != LANES:
        raise s.unsupported(f"fragments of matrices are defined for warps of {LANES} lanes, those of {s.architecture.name} have {lanes}")


def need_sum(s: Selection, op: MatrixOp, d: str) -> None:
    """Refuse a product on a machine that does not say how it adds up."""
    if op in (MatrixOp.F16, MatrixOp.BF16, MatrixOp.TF32, MatrixOp.GROUPS, MatrixOp.E4M3, MatrixOp.E5M2):
        name = "groups_f16" if op == MatrixOp.GROUPS and d == "f16" else "fp8" if op >= MatrixOp.E4M3 else op.name.lower()
        if getattr(s.architecture.isa.matrix, name, None) is None:
            raise s.unsupported(f"{s.architecture.name} does not say how it adds up products of matrices (isa.matrix.{name})")


def _registers(s: Selection, operand: ir.Operand, count: int, what: str) -> list[ir.Register]:
    elements = list(operand.elements) if isinstance(operand, ir.Vector) else [operand]
    if len(elements) != count or any(not isinstance(e, ir.Register) for e in elements):
        raise s.fault(f"{what} takes {count} register{'s' * (count > 1)} in this form, got {len(elements)}")
    return elements


def read(s: Selection, operand: ir.Operand, count: int, what: str, type: str) -> list[Value]:
    """Give the registers of a fragment that is read."""
    return [s.value(e, type) for e in _registers(s, operand, count, what)]


def written(s: Selection, operand: ir.Operand, count: int, what: str, type: str) -> list[int]:
    """Give the registers of a fragment that is written."""
    found = [s.register(e.name, e.type) for e in _registers(s, operand, count, what)]
    if any(s.unit.widths[v] != (8 if type == "b64" else 4) for v in found):
        raise s.fault(f"{what} takes registers of {type[1:]} bits")
    return found


def emit_product(s: Selection, op: MatrixOp, operation: str, d: list[int], sources: list[Value], *, tall: int = 0, depth: int = 0,
                 bits: int = 0, form: int = 0, rounding: int = 0) -> None:
    """Append a product: d = a b + c, `sources` being the registers of a, b and c."""
    s.emit(Kind.MATRIX, int(op), d, sources, operation, width=8 if op == MatrixOp.F64 else 4, vec=tall, offset=depth, element=bits,
           combine=int(form), fpenv=rounding)


def form_of(m: Match, a: str, b: str, c: str, d: str) -> int:
    """Give the flags that types and modifiers imply."""
    return (MatrixForm.SIGNED_A * (a[0] == "s") | MatrixForm.SIGNED_B * (b[0] == "s") | MatrixForm.SATURATE * bool(m.bound.get("satfinite"))
            | MatrixForm.C_F16 * (c == "f16") | MatrixForm.D_F16 * (d == "f16"))


@builds("matrix_product")
def matrix_product(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``mma``."""
    whole_warp(s)
    op, (rows, columns, depth) = MatrixOp[m.fn.upper()], shape_of(m)
    d, a, b, c = (m.bound[name] for name in ("type", "type2", "type3", "type4"))
    need_sum(s, op, d)
    form, copies = form_of(m, a, b, c, d), 1
    if op == MatrixOp.GROUPS:
        form |= MatrixForm.COLUMN_A * (m.bound["alayout"] == "col") | MatrixForm.ROW_B * (m.bound["blayout"] == "row")
        copies = 4
    word = "b64" if a == "f64" else "b32"

    def count(numbers: int, type: str) -> int:
        return copies * numbers * BITS[type] // int(word[1:]) // LANES

    sources = []
    for k, (what, numbers, type) in enumerate((("a", rows * depth, a), ("b", depth * columns, b), ("c", rows * columns, c)), 1):
        sources += read(s, i.operands[k], count(numbers, type), f"operand {what}", word)
    emit_product(s, op, m.operation, written(s, i.operands[0], count(rows * columns, d), "operand d", word), sources, tall=rows // 8,
                 depth=depth, bits=BITS[a], form=form, rounding=ROUNDING[m.bound.get("rnd", "")])


# ---------------------------------------------------------------------------------------------------------------- tiles
def _place(s: Selection, operand: ir.Operand, m: Match) -> tuple[Value, dict]:
    base, offset, flags, implied = address(s, operand)
    if implied not in (None, "shared"):
        raise s.fault("tiles of matrices lie in shared memory")
    space = Space.SHARED if m.bound["space"] or implied else Space.GENERIC
    if space == Space.GENERIC:
        s.need("unified_addressing")
    return base, dict(offset=offset, flags=flags, space=space, element=2)


@builds("matrix_load")
def matrix_load(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``ldmatrix``."""
    whole_warp(s)
    d = written(s, i.operands[0], int(m.bound["num"][1:]), "the destination", "b32")
    base, fields = _place(s, i.operands[1], m)
    s.emit(Kind.MATRIX_LOAD, int(bool(m.bound["trans"])), d, [base], "load_matrix", vec=len(d), **fields)


@builds("matrix_store")
def matrix_store(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``stmatrix``."""
    whole_warp(s)
    values = read(s, i.operands[1], int(m.bound["num"][1:]), "the source", "b32")
    base, fields = _place(s, i.operands[0], m)
    s.emit(Kind.MATRIX_STORE, int(bool(m.bound["trans"])), [], [base, *values], "store_matrix", vec=len(values), **fields)


@builds("matrix_transpose")
def matrix_transpose(s: Selection, m: Match, i: ir.Instruction) -> None:
    """``movmatrix``."""
    whole_warp(s)
    transpose(s, written(s, i.operands[0], 1, "the destination", "b32")[0], read(s, i.operands[1], 1, "the source", "b32")[0])


def transpose(s: Selection, d: int, source: Value) -> None:
    """Append the transposition of one tile of 8 x 8 numbers of 16 bits."""
    emit_product(s, MatrixOp.TRANSPOSE, "matrix_transpose", [d], [source])
