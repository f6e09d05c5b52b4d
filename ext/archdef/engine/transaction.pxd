"""What one request for global memory moves."""
from libc.stdint cimport uint32_t, uint64_t

cdef struct Transaction:
    uint64_t address         # first byte moved, aligned to the rule's unit
    uint32_t bytes           # bytes moved
    uint32_t covered         # bytes of the sectors that lanes access; 0: not looked at
    uint32_t words           # lines of up to 128 bytes, where that is looked at: mask of words that lanes access; else 0
    uint32_t sectors         # CO_LINES: mask of sectors of the line that starts at `line`; else 1
    uint64_t line            # CO_LINES: first byte of the line; else `address`
