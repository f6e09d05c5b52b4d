"""The first fault of a machine: what happened, and where."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.launch cimport Launch

cdef struct Fault:
    int32_t code                 # of fault_code.pxd, 0: there is none
    int32_t op                   # index of the micro-op
    int32_t sm
    int32_t warp                 # warp slot
    int32_t lane
    bint out_of_memory           # the host has no memory left, whatever else happened
    uint64_t address
    uint64_t lanes               # lanes concerned
    int64_t cycle
    uint64_t detail[4]           # by code
    Launch *launch               # the warp's, NULL: no warp is to blame
