"""Where the ops of a program lie in memory and in time: lines of code, distances, which go through a queue. It depends on the machine."""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t

from archdef.engine.types cimport K_ATOM, K_BARRIER, K_BRANCH, K_BRANCH_INDEXED, K_CALL, K_CALL_INDIRECT, K_EXIT, K_LOAD, K_RETURN, K_SETP, K_STORE
from archdef.engine.uop cimport Uop


cdef int64_t code_place(Uop *ops, int32_t count, int64_t instruction_bytes, int64_t line_bytes) noexcept nogil:
    """Say in which lines of code each op's instructions lie, from 1 on: they follow each other in the order of ops, but for those of routines.
    Gives the lines."""
    cdef int64_t at = 0, end
    cdef int32_t i
    for i in range(count):
        end = at + ops[i].issues * instruction_bytes
        if ops[i].kind == K_SETP or ops[i].kind == K_BRANCH:
            end -= ops[i].routine_issues * instruction_bytes
        ops[i].code_first = <uint32_t>(1 + at // line_bytes)
        ops[i].code_last = <uint32_t>(1 + max(end - 1, at) // line_bytes)
        at = end
    return (at + line_bytes - 1) // line_bytes


cdef void space_out(Uop *ops, int32_t count, int64_t gap, int64_t distance) noexcept nogil:
    """Say how far behind each op the warp's next one is at least: `gap` cycles, and so far that accesses in straight code are `distance` apart."""
    cdef int64_t left = 0       # cycles until the next access
    cdef int32_t i
    cdef Uop *u
    for i in range(count):
        u = ops + i
        u.gap = <uint16_t>gap
        if u.kind in (K_LOAD, K_STORE, K_ATOM) and not u.uniform:
            left = distance
        elif u.kind in (K_BRANCH, K_BRANCH_INDEXED, K_CALL, K_CALL_INDIRECT, K_EXIT, K_RETURN, K_BARRIER):
            left = 0
        if left > 0 and i + 1 < count and u[1].kind in (K_LOAD, K_STORE, K_ATOM) and not u[1].uniform:
            u.gap = <uint16_t>max(gap, left)
        left -= max(<int64_t>u.issues, gap)


cdef void find_queued(Uop *ops, int32_t count, int64_t units) noexcept nogil:
    """Mark the ops for these units."""
    cdef int32_t i
    for i in range(count):
        ops[i].queued = units >> ops[i].unit & 1
