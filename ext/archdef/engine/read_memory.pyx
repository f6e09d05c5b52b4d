"""Reading micro-ops that access memory lane by lane."""
from archdef.engine cimport types as T
from archdef.engine.counters cimport ST_CONSTANT_DEPENDENCY, ST_MEMORY_DEPENDENCY, ST_SHARED_DEPENDENCY
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.reach cimport MULTICAST, WHOLE_WARP
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport NAMES_ALL, Uop

from archdef.engine import lanes as _lanes
from archdef.engine.program_tables import ProgramError

cdef int _ATOMIC_COUNT = len(_lanes.atomic_names())


cdef int _access(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check what loads, stores and atomic operations have in common."""
    if m.element not in (1, 2, 4, 8) or m.vec not in (1, 2, 4) or m.element * m.vec > 16:
        raise ProgramError(f"{m.vec} elements of {m.element} bytes")
    p.number(m.space, T.SP_GENERIC + 1, "space")
    p.source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
    p.required(u.s[0] >= 0, "address")
    u.element.bytes = m.element
    u.vec.elements = m.vec
    u.offset.bytes = m.offset
    u.lane_bytes = m.element * m.vec
    u.uniform = m.kind == T.K_LOAD and m.space == T.SP_CONST and m.flags & T.FL_UNIFORM != 0
    u.memory = m.space != T.SP_SHARED and not u.uniform
    u.cause = (ST_SHARED_DEPENDENCY if m.space == T.SP_SHARED else
               ST_CONSTANT_DEPENDENCY if m.space == T.SP_CONST else ST_MEMORY_DEPENDENCY)
    p.number(m.combine, (WHOLE_WARP | MULTICAST) + 1, "access")
    u.form.reach = m.combine
    if m.combine & MULTICAST and m.space != T.SP_GLOBAL:
        raise ProgramError(f"multicast addresses in space {m.space}")
    if m.combine & WHOLE_WARP and m.kind != T.K_ATOM:
        u.named = NAMES_ALL
    return 0


cdef int read_load(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a load."""
    cdef int i
    _access(p, u, m)
    for i in range(m.vec):
        p.destination(u, m, i, 8 if m.element == 8 else 4)
    return 0


cdef int read_store(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a store."""
    cdef int i
    _access(p, u, m)
    for i in range(m.vec):
        p.source(u, m, 1 + i, 8 if m.element == 8 else 4)
        p.required(u.s[1 + i] >= 0, f"source {1 + i}")
    return 0


cdef int read_atomic(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check an atomic operation."""
    cdef int i, bytes = 8 if m.element == 8 else 4
    _access(p, u, m)
    p.number(m.fn, _ATOMIC_COUNT, "atomic function")
    if m.element < 2:
        raise ProgramError(f"atomic on {m.vec} elements of {m.element} bytes")
    u.retry_cycles = m.retry_cycles
    if m.bank_passes:
        u.bank_passes = m.bank_passes
        u.lanes_merged = m.lanes_merged != 0
        u.weight = m.weight
        u.value_count = m.value_count
    for i in range(max(m.vec, 2)):
        p.source(u, m, 1 + i, bytes)
    for i in range(m.vec):
        p.required(u.s[1 + i] >= 0, f"source {1 + i}")
        p.destination(u, m, i, bytes)
    return 0


cdef int read_copy(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check an asynchronous copy of each lane."""
    p.copies = True
    if m.element not in (4, 8, 16):
        raise ProgramError(f"copies of {m.element} bytes")
    p.source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
    p.source(u, m, 1, 8)
    p.source(u, m, 2, 4)
    p.required(u.s[0] >= 0 and u.s[1] >= 0, "an address")
    p.number(m.space, T.SP_GENERIC + 1, "space")
    u.offset.bytes = m.offset
    u.lane_bytes = m.element
    u.memory = 1
    u.cause = ST_MEMORY_DEPENDENCY
    return 0
