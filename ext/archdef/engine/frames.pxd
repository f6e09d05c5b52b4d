"""The memory of divergence stacks."""
from archdef.engine.launch cimport Warp

cpdef enum:
    STACK_FRAMES = 192       # two per lane that can split off, and room for nested calls; recursion grows a stack beyond
    GROWN_FRAMES = 1 << 22   # by which all stacks of a launch may grow together

cdef int stack_grow(Warp *w) noexcept nogil
cdef void stack_drop(Warp *w) noexcept nogil
