"""Global memory: how the lanes of one warp access become memory transactions."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.machine cimport CoalescingTable
from archdef.engine.transaction cimport Transaction

cpdef enum:
    MAX_TRANSACTIONS = 256   # 64 lanes x 16 bytes over 32-byte sectors, with room to spare

cdef inline bint covers(const CoalescingTable *rule, bint atomic) noexcept nogil:
    """Whether it matters how many bytes of its sectors a store or an atomic operation covers."""
    return rule.coverage == 1 or rule.coverage == 2 and atomic

cdef int coalesce(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, bint cover,
                  Transaction *out) noexcept nogil
