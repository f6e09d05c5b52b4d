"""Reading micro-ops on textures and surfaces, which the issue loop takes for loads, stores and atomic operations."""
from archdef.engine cimport texture_ops as TO, types as T
from archdef.engine.counters cimport ST_MEMORY_DEPENDENCY
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

from archdef.engine import lanes as _lanes
from archdef.engine.program_tables import ProgramError

cdef int _ATOMIC_COUNT = len(_lanes.atomic_names())
cdef int *_COORDINATES = [1, 2, 3, 2, 3, 3, 4]     # by Geometry


cdef int _coordinates(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Resolve the handle and the coordinates."""
    cdef int i
    u.coordinates = m.count
    p.source(u, m, 0, 8)
    p.required(u.s[0] >= 0, "handle")
    for i in range(m.count):
        p.source(u, m, 1 + i, 4)
        p.required(u.s[1 + i] >= 0, f"coordinate {i}")
    return 0


cdef int read_texture(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a fetch, gather or query."""
    cdef int i
    p.number(m.fn, TO.GEO_ACUBE + 1, "geometry")
    p.number(m.combine, TO.TX_QUERY + 1, "texture operation")
    p.number(m.count, 5, "number of coordinates")
    if m.combine == TO.TX_QUERY:
        p.number(m.element, TO.TQ_KIND + 1, "query")
        u.element.query = m.element
        u.vec.surface = m.vec
    else:
        p.number(m.element, 4, "component")
        if m.count != _COORDINATES[m.fn] or m.combine == TO.TX_GATHER and (
                m.fn not in (TO.GEO_2D, TO.GEO_A2D, TO.GEO_CUBE, TO.GEO_ACUBE) or m.flags & T.FL_SIGNED):
            raise ProgramError(f"{m.count} coordinates of geometry {m.fn}")
        u.element.component = m.element
        u.offset.texels = m.offset
    p.uses_textures = True
    u.kind = T.K_LOAD
    u.form.texture = m.combine
    u.space = T.SP_TEXTURE
    u.memory = 1
    u.cause = ST_MEMORY_DEPENDENCY
    _coordinates(p, u, m)
    if m.count < 4:
        p.source(u, m, 1 + m.count, 4 if m.combine == TO.TX_QUERY else 8)    # a level, or a sampler
    for i in range(4):
        p.destination(u, m, i, 4)
    return 0


cdef int read_surface(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a load, a store or a reduction of a surface."""
    cdef int i, bytes = 8 if m.element == 8 else 4
    p.number(m.fn, TO.GEO_A2D + 1, "geometry")
    p.number(m.combine, TO.SF_REDUCE_FORMATTED + 1, "surface operation")
    if m.element not in (1, 2, 4, 8) or m.vec not in (1, 2, 4) or m.element * m.vec > 16:
        raise ProgramError(f"{m.vec} elements of {m.element} bytes")
    if m.count != _COORDINATES[m.fn] or not 0 <= m.offset <= TO.SB_ZERO:
        raise ProgramError(f"{m.count} coordinates of geometry {m.fn}, boundary {m.offset}")
    p.uses_textures = True
    u.kind = T.K_LOAD if m.combine == TO.SF_LOAD else T.K_STORE if m.combine in (TO.SF_STORE, TO.SF_STORE_FORMATTED) else T.K_ATOM
    if m.combine == TO.SF_STORE_FORMATTED and m.element != 4:
        raise ProgramError(f"a formatted store of elements of {m.element} bytes")
    if u.kind == T.K_ATOM:
        p.number(m.atomic_function, _ATOMIC_COUNT, "atomic function")
        u.atomic_function = m.atomic_function
        if m.vec != 1 or m.element < 4:
            raise ProgramError(f"surface reduction of {m.vec} elements of {m.element} bytes")
    u.form.surface = m.combine
    u.element.bytes = m.element
    u.vec.elements = m.vec
    u.offset.boundary = m.offset
    u.space = T.SP_SURFACE
    u.memory = 1
    u.lane_bytes = m.element * m.vec
    u.cause = ST_MEMORY_DEPENDENCY
    _coordinates(p, u, m)
    if m.combine == TO.SF_LOAD:
        for i in range(m.vec):
            p.destination(u, m, i, bytes)
        return 0
    return _values(p, u, m, bytes)


cdef int _values(ProgramTables p, Uop *u, const MicroOp *m, int bytes) except -1:
    """Resolve what a surface is given; what has no place in s stands in d."""
    cdef int i, at
    for i in range(m.vec):
        at = 1 + m.count + i
        if at >= 5:
            p.source_from(u, m.d[at - 5], 4, at, bytes)
        else:
            p.source(u, m, at, bytes)
        p.required(u.s[at] >= 0, f"value {i}")
    return 0
