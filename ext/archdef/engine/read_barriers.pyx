"""Reading micro-ops that wait for others: barriers, and groups of copies."""
from archdef.engine cimport types as T
from archdef.engine.counters cimport ST_SHARED_DEPENDENCY
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

from archdef.engine.program_tables import ProgramError


cdef int read_barrier(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a barrier of a block, a warp, a cluster or grids."""
    p.number(m.fn, T.BAR_GRIDS + 1, "barrier operation")
    p.source(u, m, 0, 8 if m.fn == T.BAR_GRIDS or m.fn == T.BAR_WARP and m.element == 8 else 4)
    p.source(u, m, 1, 4)
    if m.fn == T.BAR_WARP:
        p.names_lanes(u, 0, 8 if m.element == 8 else 4)
    if m.fn == T.BAR_GRIDS:
        p.required(u.s[0] >= 0, "handle")
        p.destination(u, m, 0, 4)
    if m.fn in (T.BAR_RED_POPC, T.BAR_RED_AND, T.BAR_RED_OR):
        p.predicate_source(u, m, 2)
        if m.fn == T.BAR_RED_POPC:
            p.destination(u, m, 0, 4)
        else:
            p.predicate_destination(u, m, 1)
    return 0


cdef int read_phase(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check an operation on a barrier in shared memory."""
    p.number(m.fn, T.MB_TEST_PARITY + 1, "operation on a barrier")
    p.source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
    p.source(u, m, 1, 8 if m.fn == T.MB_TEST else 4)
    p.required(u.s[0] >= 0, "address")
    p.required(u.s[1] >= 0 or m.fn in (T.MB_INVALIDATE, T.MB_ARRIVE, T.MB_ARRIVE_DROP), "source 1")
    p.number(m.space, T.SP_GENERIC + 1, "space")
    u.offset.bytes = m.offset
    u.lane_bytes = 8
    u.cause = ST_SHARED_DEPENDENCY
    if m.fn >= T.MB_TEST:
        p.predicate_destination(u, m, 0)
    else:
        p.destination(u, m, 0, 8)
    return 0


cdef int read_copy_group(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check an operation on groups of copies."""
    p.copies = True
    p.number(m.fn, T.CG_BULK_WAIT_READ + 1, "operation on groups of copies")
    if m.count < 0:
        raise ProgramError(f"{m.count} groups")
    u.groups = m.count
    return 0
