"""What depends on the space of an access, settled once that is known: features, how atomics round, caches."""
from __future__ import annotations

from archdef.lower.encoding import Flag, Kind, Space
from archdef.lower.select.selection import need
from archdef.lower.virtual import Code
from archdef.ptx import ir


def check_features(code: Code, architecture, module: ir.Module, source: list[ir.Instruction]) -> None:
    """Refuse generic accesses and atomics that the architecture does not have; settle how atomics treat subnormals and NaNs."""
    for op in code.ops:
        if op.kind not in (Kind.LOAD, Kind.STORE, Kind.ATOM):
            continue
        instruction = source[op.statement]
        if op.space == Space.GENERIC:
            need(architecture, "unified_addressing", module, instruction)
        if op.kind == Kind.ATOM:
            where = "shared" if op.space == Space.SHARED else "global"
            need(architecture, f"atomics_{where}", module, instruction)
            if op.element == 8 and op.fn != "add_f64":
                need(architecture, f"atomics_{where}_64", module, instruction)
                if op.fn.startswith(("min", "max", "and", "or", "xor")):
                    need(architecture, "atomics_minmax_64", module, instruction)
            if op.fn == "add_f64" and op.space == Space.SHARED:
                op.fn = "add_loop_f64"
            # single-precision sums flush subnormals in global memory and keep them in shared memory
            if op.fn == "add_f32" and op.space != Space.SHARED:
                op.fn = "add_ftz_f32"
            # there, double-precision ones keep a signalling NaN
            if op.fn == "add_f64" and op.space != Space.SHARED:
                op.fn = "add_raw_f64"


def settle_caches(code: Code, architecture, source: list[ir.Instruction]) -> None:
    """Let global loads go past L1 where the machine keeps it for local memory, and read-only ones where they have another cache."""
    caches = architecture.caches
    elsewhere = caches.texture_l1 is not None and "read_only_loads" in architecture.isa.features
    for op in code.ops:
        if op.kind != Kind.LOAD or op.space not in (Space.GLOBAL, Space.GENERIC):
            continue
        asked = "ca" in source[op.statement].modifiers
        if elsewhere and op.flags & Flag.READ_ONLY or not (caches.l1_global_loads or asked):
            op.flags |= Flag.BYPASS_L1
