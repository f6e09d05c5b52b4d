"""System calls: what a kernel asks of the machine's runtime, served lane by lane in ascending order."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.launch cimport Warp
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cpdef enum:
    PRINT_VALUES = 32            # most values of one call
    PRINT_FORMAT_BYTES = 8192    # longest format; the rest is cut off
    PRINT_STRING_BYTES = 65536   # longest string value; the rest is cut off
    PRINT_CUT = 1 << 16          # in `PrintRecord.values`: something was cut off

cpdef enum PrintKind:
    PK_INT = 0                   # 32 bits, zero-extended
    PK_LONG = 1                  # 64 bits
    PK_FLOAT = 2                 # bits of a double
    PK_STRING = 3                # `value`: bytes that follow the value
    PK_NULL = 4                  # a null string

cdef packed struct PrintRecord:  # then the format, then the values, each padded to 8 bytes
    uint32_t bytes               # of the whole record
    uint32_t format_bytes
    int64_t cycle
    int32_t sm
    int32_t values               # and PRINT_CUT

cdef packed struct PrintValue:
    uint32_t kind                # PrintKind
    uint32_t pad
    uint64_t value

cdef int call_indirect(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
cdef int system_issue(SmCore *sm, Dispatcher *d, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle, int64_t *earliest, int32_t *cause) noexcept nogil
