"""The memory of divergence stacks: a fixed piece a warp, and what recursion asks for beyond."""
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from archdef.engine.divergence cimport Frame
from archdef.engine.launch cimport Warp


cdef int stack_grow(Warp *w) noexcept nogil:
    """Double the stack, as far as the launch's allowance goes. Returns -1 if it cannot."""
    cdef int64_t room = 2 * <int64_t>w.stack_room
    cdef Frame *larger
    if w.frames_left[0] < w.stack_room:
        return -1
    larger = <Frame *>malloc(<size_t>room * sizeof(Frame))
    if larger == NULL:
        return -1
    memcpy(larger, w.stack, <size_t>w.depth * sizeof(Frame))
    w.frames_left[0] -= w.stack_room
    if w.stack_grown:
        free(w.stack)
    w.stack = larger
    w.stack_room = <int32_t>room
    w.stack_grown = 1
    return 0


cdef void stack_drop(Warp *w) noexcept nogil:
    """Give back what the stack grew by."""
    if w.stack_grown:
        w.frames_left[0] += w.stack_room - STACK_FRAMES
        free(w.stack)
        w.stack_grown = 0
