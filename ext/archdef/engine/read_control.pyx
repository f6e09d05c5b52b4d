"""Reading micro-ops that decide where a warp goes on, and those that ask the machine's runtime."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine cimport types as T
from archdef.engine.program_tables cimport ProgramTables
from archdef.engine.types cimport MicroOp
from archdef.engine.uop cimport NAMES_ALL, Uop

from archdef.engine.program_tables import ProgramError

# bytes a lane of the destination and of the sources of a system call
_SYSTEM_BYTES = (
    (4, 8, 8), (0, 8, 8, 4, 8, 8), (8, 8), (0, 8), (4, 4, 4),
    (8, 8, 4, 4, 4, 4, 4, 4, 4), (4, 8, 8), (4,), (4, 8, 4), (4, 8), (4, 8, 4), (4, 8), (4, 8, 8), (4, 8, 8, 4), (4, 8, 8, 8, 4, 8),
    (4, 8, 4, 8, 8), (4, 8, 8), (4, 8), (4, 4), (8, 4, 4), (4, 8, 4), (4, 8, 4, 4), (4, 8, 4), (4, 8, 4), (8, 4),
    (4, 8, 8, 8), (4, 8, 8, 8))


cdef int _reconverge(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check where lanes that part meet."""
    u.reconverge = m.reconverge
    if m.reconverge != -1:
        p.number(m.reconverge, p.op_count, "reconvergence point")
    return 0


cdef int read_branch(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a branch or a call."""
    p.number(m.target, p.op_count, "target")
    u.target = m.target
    if m.kind == T.K_BRANCH:
        p.routine(u, m)
    return _reconverge(p, u, m)


cdef int read_branch_indexed(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a branch to one of a list of ops."""
    cdef int i
    p.source(u, m, 0, 4)
    p.required(u.s[0] >= 0, "source 0")
    p.number(m.target, p.target_count, "target list")
    if m.count < 1 or m.target + <int64_t>m.count > p.target_count:
        raise ProgramError(f"target list of {m.count}")
    u.first_target = m.target
    u.target_count = m.count
    for i in range(m.target, m.target + m.count):
        p.number(p.targets[i], p.op_count, "branch target")
    return _reconverge(p, u, m)


cdef int read_call_indirect(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a call of one of a list of functions, some of which cannot be called."""
    p.source(u, m, 0, 8 if m.flags & T.FL_ADDRESS64 else 4)
    p.required(u.s[0] >= 0, "source 0")
    if m.count < 0 or m.target < 0 or m.target + <int64_t>m.count > p.target_count:
        raise ProgramError(f"list of {m.count} functions")
    u.first_target = m.target
    u.target_count = m.count
    return 0


cdef int read_exit(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check an end of lanes."""
    return p.number(m.fn, T.END_BRANCH + 1, "end")


cdef int read_plain(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """A kind without operands."""
    return 0


cdef int read_registers(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a change of a warp's registers."""
    p.number(m.fn, T.RG_TAKE + 1, "operation on registers")
    if not 0 < m.count <= 1 << 16:
        raise ProgramError(f"{m.count} registers of a thread")
    u.registers = m.count
    u.named = NAMES_ALL
    return 0


cdef int read_system(ProgramTables p, Uop *u, const MicroOp *m) except -1:
    """Check a system call, whose operands lie in a list if there are many."""
    cdef tuple each
    cdef int i, bytes
    cdef int32_t row
    p.number(m.fn, T.SYSTEM_CALLS, "system call")
    p.system_calls |= <uint64_t>1 << m.fn
    each = _SYSTEM_BYTES[m.fn]
    p.destination(u, m, 0, each[0])
    p.required(u.d[0] >= 0 or m.fn != T.SYS_STACK, "destination")
    if len(each) <= 6:
        for i in range(5):
            bytes = each[i + 1] if i + 1 < len(each) else 0
            p.source(u, m, i, bytes)
            p.required(u.s[i] >= 0 or bytes == 0, f"source {i}")
        return 0
    p.take_operands(u, m, len(each) - 1, "system call")
    for i in range(m.count):
        row = p.operand(u, i, each[i + 1], False)
        if row >= 0:
            p.wait_for(u, row)
    return 0
