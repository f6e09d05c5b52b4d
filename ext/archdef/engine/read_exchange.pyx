"""Reading micro-ops by which the lanes of a warp tell each other something."""
from archdef.engine cimport types as T
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop


cdef int _members(ProgramTables p, Uop *u, const MicroOp *m, int i) except -1:
    """Resolve s[i], the mask of members."""
    u.element.mask_bytes = m.element
    p.source(u, m, i, 8 if m.element == 8 else 4)
    return p.names_lanes(u, i, 8 if m.element == 8 else 4)


cdef int read_vote(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a vote."""
    p.width(m)
    p.number(m.fn, T.VOTE_ELECT + 1, "vote")
    if m.fn < T.VOTE_ACTIVE:
        p.predicate_source(u, m, 0)
    _members(p, u, m, 1)
    if m.fn in (T.VOTE_BALLOT, T.VOTE_ACTIVE):
        p.destination(u, m, 0, m.width)
        p.required(u.d[0] >= 0, "destination")
    elif m.fn == T.VOTE_ELECT:
        p.destination(u, m, 0, 4)
        p.predicate_destination(u, m, 1)
    else:
        p.predicate_destination(u, m, 0)
    return 0


cdef int read_redux(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a reduction over members."""
    p.number(m.fn, T.REDUX_XOR + 1, "reduction")
    p.source(u, m, 0, 4)
    _members(p, u, m, 1)
    p.required(u.s[0] >= 0, "source 0")
    p.destination(u, m, 0, 4)
    p.required(u.d[0] >= 0, "destination")
    return 0


cdef int read_shuffle(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a shuffle."""
    cdef int i
    p.number(m.fn, T.SHFL_IDX + 1, "shuffle")
    for i in range(3):
        p.source(u, m, i, 4)
        p.required(u.s[i] >= 0, f"source {i}")
    _members(p, u, m, 3)
    p.destination(u, m, 0, 4)
    p.required(u.d[0] >= 0, "destination")
    p.predicate_destination(u, m, 1)
    return 0


cdef int read_match(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a search for members of the same value; their masks are as wide as the result."""
    p.width(m)
    u.element.bytes = m.element
    p.source(u, m, 0, 8 if m.element == 8 else 4)
    p.source(u, m, 1, m.width)
    p.names_lanes(u, 1, m.width)
    p.required(u.s[0] >= 0, "source 0")
    p.destination(u, m, 0, m.width)
    p.required(u.d[0] >= 0, "destination")
    p.predicate_destination(u, m, 1)
    return 0
