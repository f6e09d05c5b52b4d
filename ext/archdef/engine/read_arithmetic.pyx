"""Reading micro-ops of arithmetic: on rows, on predicates, from one to the other."""
from libc.stdint cimport uint8_t

from archdef.engine cimport types as T
from archdef.engine.lanes cimport alu_bytes, alu_table, compare_bytes
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport Uop

from archdef.engine import lanes as _lanes
from archdef.engine.program_tables import ProgramError

cdef int _ALU_COUNT = len(_lanes.alu_names())
cdef int _COMPARE_COUNT = len(_lanes.compare_names())
cdef int _CARRY_COUNT = len(_lanes.carry_names())


cdef int _unread(Uop *u, int i) except -1:
    """An absent source is never read by the function, but a pointer all the same."""
    if u.s[i] < 0:
        u.s[i] = 0
        u.s_bank[i] = 1
    return 0


cdef int read_alu(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a lane function of up to four rows."""
    cdef const uint8_t *widths
    cdef int i
    p.width(m)
    p.number(m.fn, _ALU_COUNT, "lane function")
    u.alu = alu_table()[m.fn]
    widths = alu_bytes() + 4 * m.fn
    if widths[0] != m.width:
        raise ProgramError(f"width {m.width}, but the lane function writes {widths[0]} bytes")
    for i in range(4):
        p.source(u, m, i, widths[i + 1] if i < 3 else 4)
        _unread(u, i)
    p.required(m.s[0] != T.NO_ROW, "source 0")
    p.required(m.d[0] != T.NO_ROW and m.d[0] >= 0, "destination")
    p.destination(u, m, 0, m.width)
    return 0


cdef int read_setp(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a comparison."""
    p.number(m.fn, _COMPARE_COUNT, "compare function")
    p.source(u, m, 0, compare_bytes()[m.fn])
    p.source(u, m, 1, compare_bytes()[m.fn])
    p.required(u.s[0] >= 0, "source 0")
    _unread(u, 1)
    if m.combine > T.CB_XOR:
        raise ProgramError(f"combine {m.combine}")
    u.form.combine = m.combine
    p.routine(u, m)
    if m.combine:
        p.predicate_source(u, m, 2)
    p.predicate_destination(u, m, 0)
    p.predicate_destination(u, m, 1)
    return 0


cdef int read_selp(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a choice between two rows."""
    p.width(m)
    p.source(u, m, 0, m.width)
    p.source(u, m, 1, m.width)
    p.predicate_source(u, m, 2)
    p.destination(u, m, 0, m.width)
    p.required(u.s[0] >= 0 and u.s[1] >= 0 and u.d[0] >= 0, "an operand")
    return 0


cdef int read_pred(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a truth table of predicates."""
    cdef int i
    for i in range(3):
        p.predicate_source(u, m, i)
    p.predicate_destination(u, m, 0)
    return 0


cdef int read_carry(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check arithmetic with the carry flag."""
    cdef int i
    p.width(m)
    p.number(m.fn, _CARRY_COUNT, "carry function")
    for i in range(3):
        p.source(u, m, i, m.width)
    p.required(u.s[0] >= 0 and u.s[1] >= 0, "a source")
    p.destination(u, m, 0, m.width)
    p.required(u.d[0] >= 0, "destination")
    p.wait_for(u, p.rows + T.PRED_CARRY)
    if m.flags & T.FL_CARRY_OUT:
        p.makes_wait(u, p.rows + T.PRED_CARRY)
    return 0


cdef int read_p2r(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a predicate that becomes a row."""
    p.predicate_source(u, m, 0)
    p.destination(u, m, 0, 4)
    p.required(u.d[0] >= 0, "destination")
    return 0


cdef int read_special(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a read of a special register that changes."""
    p.width(m)
    p.destination(u, m, 0, m.width)
    p.required(u.d[0] >= 0, "destination")
    return 0
