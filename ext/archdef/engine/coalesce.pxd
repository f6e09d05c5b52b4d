"""Global memory: how the lanes of one warp access become memory transactions."""
from libc.stdint cimport int64_t, uint32_t, uint64_t

from archdef.engine.machine cimport CoalescingTable

cpdef enum:
    MAX_TRANSACTIONS = 256   # 64 lanes x 16 bytes over 32-byte sectors, with room to spare

cdef struct Transaction:
    uint64_t address         # first byte moved, aligned to the rule's unit
    uint32_t bytes           # bytes moved
    uint32_t covered         # bytes of the sectors that lanes access; 0: not looked at
    uint32_t words           # lines of up to 128 bytes, where that is looked at: mask of words that lanes access; else 0
    uint32_t sectors         # CO_LINES: mask of sectors of the line that starts at `line`; else 1
    uint64_t line            # CO_LINES: first byte of the line; else `address`

cdef int coalesce(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int lanes, int bytes,
                  Transaction *out) noexcept nogil
