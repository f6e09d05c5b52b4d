"""Reading micro-ops that copy memory in bulk."""
from archdef.engine cimport types as T
from archdef.engine.counters cimport ST_MEMORY_DEPENDENCY
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

from archdef.engine import lanes as _lanes
from archdef.engine.program_tables import ProgramError

cdef int _ATOMIC_COUNT = len(_lanes.atomic_names())


cdef int read_bulk(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a bulk copy or reduction."""
    p.copies = True
    p.number(m.combine, T.BK_BOX_OUT + 1, "route of a bulk copy")
    p.number(m.vec, 2, "a bulk reduction")
    p.uses_bulk = True
    u.form.route = m.combine
    u.vec.reduces = m.vec
    u.element.bytes = m.element
    u.space = T.SP_GENERIC
    u.memory = 1
    u.cause = ST_MEMORY_DEPENDENCY
    return _box(p, u, m) if m.combine >= T.BK_BOX_IN else _bytes(p, u, m)


cdef int _bytes(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a copy of bytes that lie one behind the other."""
    if m.vec:
        p.number(m.fn, _ATOMIC_COUNT, "atomic function")
        if m.element not in (2, 4, 8):
            raise ProgramError(f"bulk reduction of elements of {m.element} bytes")
    p.source(u, m, 0, 8 if m.combine == T.BK_TO_GLOBAL else 4)
    p.source(u, m, 1, 8 if m.combine == T.BK_TO_SHARED else 4)
    p.source(u, m, 2, 4)
    p.required(u.s[0] >= 0 and u.s[1] >= 0 and u.s[2] >= 0, "an address or the size")
    if m.combine != T.BK_TO_GLOBAL:
        p.source(u, m, 3, 4)
        p.required(u.s[3] >= 0, "mbarrier")
    if m.combine == T.BK_TO_SHARED:
        p.source(u, m, 4, 4)     # a mask of blocks
    return 0


cdef int _box(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a copy by a tensor map, whose coordinates from the second on stand in d."""
    cdef int i
    p.number(m.fn, T.BO_XOR + 1, "operation on a tensor")
    if not 1 <= m.count <= 5 or not 0 <= m.offset <= (T.BX_IM2COL | T.BX_MULTICAST) or m.vec and m.combine == T.BK_BOX_IN:
        raise ProgramError(f"box of {m.count} dimensions, flags {m.offset}, reduction {m.vec}")
    u.coordinates = m.count
    u.offset.box = m.offset
    p.source(u, m, 0, 4)
    p.source(u, m, 1, 8)
    p.source(u, m, 2, 4)
    p.source(u, m, 3, 8)
    p.source(u, m, 4, 4)
    p.required(u.s[0] >= 0 and u.s[1] >= 0 and u.s[4] >= 0, "an address or a coordinate")
    p.required(u.s[2] >= 0 or m.combine == T.BK_BOX_OUT, "mbarrier")
    p.required(u.s[3] >= 0 or not m.offset & T.BX_MULTICAST, "mask of blocks")
    for i in range(1, m.count):
        p.source_from(u, m.d[i - 1], 4, 4 + i, 4)
        p.required(u.s[4 + i] >= 0, f"coordinate {i}")
    return 0
