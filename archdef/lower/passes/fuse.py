"""Pass: fuse a multiply and the addition that alone reads it, where machine and source allow it.

Integers always may. PTX lets ``mul.f32`` and ``add.f32`` without rounding modifier be contracted; with one they must not.
"""
from __future__ import annotations



from archdef.lower.encoding import Kind
from archdef.lower.def_use import Near, definitions, single, use_counts
from archdef.lower.virtual import Code, Const, Op, Unit, Value

_INTEGER = {
    "mul_lo_b16": ("add_b16", "mad_lo_b16"), "mul_lo_b32": ("add_b32", "mad_lo_b32"), "mul_lo_b64": ("add_b64", "mad_lo_b64"),
    "mul_wide_u16": ("add_b32", "mad_wide_u16"), "mul_wide_s16": ("add_b32", "mad_wide_s16"),
    "mul_wide_u32": ("add_b64", "mad_wide_u32"), "mul_wide_s32": ("add_b64", "mad_wide_s32"),
    "mul24_lo_u32": ("add_b32", "mad24_lo_u32"), "mul24_lo_s32": ("add_b32", "mad24_lo_s32"),
}
"""Multiply → the addition that it fuses with, the result."""
_FLOAT_FORMS = {"fused": ("fma", "fms", "fnma"), "truncated": ("mad_trunc", "msub_trunc", "nmad_trunc")}
"""Machine's multiply-add → lane functions for a*b + c, a*b - c, c - a*b."""

_PRODUCTS = frozenset(f"mul_{type}" for type in ("f32", "f64", "f16", "f16x2", "bf16", "bf16x2"))


def fuse(code: Code, unit: Unit, architecture, kept_apart: frozenset[int] = frozenset(), all_uses: bool = False) -> None:
    """Fuse within basic blocks; products in `kept_apart` stay as they are.

    all_uses : a product that several additions of a basic block read, and nothing else, becomes part of each of them.
    """
    isa = architecture.isa
    if not isa.fuse_multiply_add:
        return
    uses, written = use_counts(code), definitions(code)
    products: dict[int, tuple[int, Op]] = {}  # product -> where it was made, in this block
    last: dict[int, int] = {}  # register -> where it was written last
    gone: set[int] = set()
    for k, (cut, op) in enumerate(code.straight()):
        if cut:
            products.clear()
        if op.kind == Kind.ALU:
            made = _fused(op, products, last, isa.float_mad)
            if made is not None:
                gone.add(id(products.pop(made)[1]))
            d = op.d[0]
            if (_is_product(op, isa.float_mad) and (op.guard is None or op.kills) and uses.get(d) == 1 and len(written[d]) == 1
                    and d not in kept_apart and d not in code.foreign and d not in code.results):
                products[d] = k, op
        for v in op.d:
            if v is not None:
                last[v] = k
    code.drop(gone)
    if all_uses:
        _fuse_shared(code, uses, written, isa.float_mad)


def _fuse_shared(code: Code, uses, written, float_mad: str) -> None:
    """Fuse products of floating-point numbers that several additions of a basic block read, and nobody else: into all of them, or none."""
    block, last = 0, {}                                 # register → where it was written last
    products: dict[int, tuple[int, int, Op]] = {}       # product → its block, its place
    readers: dict[int, list[tuple[int, Op]]] = {}       # product → additions that may take it
    order: list[int] = []
    for k, (cut, op) in enumerate(code.straight()):
        block += cut
        if op.kind == Kind.ALU:
            for position, v in enumerate(op.s if len(op.s) == 2 else ()):
                if type(v) is int and v in products:
                    at, where, product = products[v]
                    if (at == block and op.guard is None and op.s[1 - position] != v
                            and _float_form(op, product, position, float_mad) is not None
                            and all(type(f) is not int or last.get(f, -1) < where for f in product.s)):
                        readers.setdefault(v, []).append((position, op))
                        if len(readers[v]) == 1:
                            order.append(v)
            d = op.d[0] if op.d else None
            if (op.fn in _PRODUCTS and not op.exact and (op.fn != "mul_f32" or float_mad in _FLOAT_FORMS) and op.guard is None and uses.get(d, 0) > 1
                    and len(written[d]) == 1 and d not in code.foreign and d not in code.results):
                products[d] = block, k, op
        for v in op.writes():
            last[v] = k
    gone: set[int] = set()
    for v in order:
        _, _, product = products[v]
        if len(readers[v]) == uses[v] and all(len(op.s) == 2 for _, op in readers[v]):      # none of them is a multiply-add by now
            for position, op in readers[v]:
                op.fn, op.operation, other = _float_form(op, product, position, float_mad), product.operation.replace("mul", "fma"), op.s[1 - position]
                op.s = [product.s[0], product.s[1], other]
            gone.add(id(product))
    code.drop(gone)


def share_products(code: Code, unit: Unit, architecture) -> None:
    """Turn the addition of a 64-bit product into a multiply-add, where that is one instruction and the addition several.

    The product stays for others that read it. Its factors must still have the values that they had there: either they never have any
    other, or nothing writes them between product and addition within one basic block.
    """
    operations = architecture.isa.operations
    if operations["int_mul_wide"].issues >= operations["int64_add"].issues:
        return
    known = single(code, unit)
    near = Near()           # products made in this block whose factors are as they were
    for cut, op in code.straight():
        if cut:
            near.clear()
        if op.kind == Kind.ALU and op.fn == "add_b64" and (op.guard is None or op.kills):
            for position in (1, 0):
                v = op.s[position]
                product = near.get(v) or known.get(v) if type(v) is int else None
                if product is None or product.fn not in ("mul_wide_s32", "mul_wide_u32") or op.s[1 - position] == v:
                    continue
                if near.get(v) is None and not all(isinstance(f, Const) or f in known for f in product.s):
                    continue
                op.fn, op.operation, op.times = _INTEGER[product.fn][1], product.operation, product.times
                op.s = [product.s[0], product.s[1], op.s[1 - position]]
                break
        near.write(op.writes())
        if op.kind == Kind.ALU and op.fn in ("mul_wide_s32", "mul_wide_u32") and (op.guard is None or op.kills) and op.d[0] not in op.s:
            near.put(op.d[0], op, op.s)


def _is_product(op: Op, float_mad: str) -> bool:
    if op.fn in _INTEGER:
        return True
    if op.exact or op.fn not in _PRODUCTS:
        return False
    return op.fn != "mul_f32" or float_mad in _FLOAT_FORMS


def _fused(op: Op, products: dict[int, tuple[int, Op]], last: dict[int, int], float_mad: str) -> int | None:
    """Turn an addition into a multiply-add in place; give the product that it swallowed: of two the first, as ptxas does."""
    if len(op.s) < 2:
        return None
    for position in (0, 1):
        v = op.s[position]
        if type(v) is not int or v not in products:
            continue
        at, product = products[v]
        if product.guard is not None and (product.guard != op.guard or last.get(max(op.guard, ~op.guard), -1) >= at):
            continue
        other: Value = op.s[1 - position]
        if other == v or any(type(f) is int and last.get(f, -1) >= at for f in product.s):
            continue
        if product.fn in _INTEGER:
            addition, fn = _INTEGER[product.fn]
            if op.fn != addition:
                continue
            op.fn, op.operation, op.times = fn, product.operation, product.times
        else:
            form = _float_form(op, product, position, float_mad)
            if form is None:
                continue
            op.fn, op.operation = form, product.operation.replace("mul", "fma")
        op.s = [product.s[0], product.s[1], other]
        return v
    return None


def _float_form(op: Op, product: Op, position: int, float_mad: str) -> str | None:
    type = product.fn[4:]
    if op.exact or op.fpenv != product.fpenv or op.fn not in (f"{n}{s}_{type}" for n in ("add", "sub") for s in ("", "_sat")):
        return None
    plain, minus, negated = _FLOAT_FORMS[float_mad if type == "f32" else "fused"]
    stem = plain if op.fn.startswith("add") else minus if position == 0 else negated
    return f"{stem}{'_sat' if '_sat' in op.fn else ''}_{type}"
