"""Tables of lane functions, for the engine's other modules; index them by the numbers of MicroOp.fn."""
from libc.stdint cimport uint8_t, uint64_t

cdef extern from "archdef/engine/fpenv.h" nogil:
    uint64_t save_fpenv()             # the host's control word
    void restore_fpenv(uint64_t saved)
    void set_fpenv(int fpenv)         # MicroOp.fpenv

ctypedef void (*alu_function)(void *d, const void *a, const void *b, const void *c, const void *e, int n) noexcept nogil
ctypedef void (*compare_function)(uint8_t *d, const void *a, const void *b, int n) noexcept nogil
ctypedef void (*carry_function)(void *d, uint8_t *carry_out, const void *a, const void *b, const void *c,
                                const uint8_t *carry_in, int n) noexcept nogil
ctypedef uint64_t (*atomic_function)(uint64_t old, uint64_t b, uint64_t c) noexcept nogil

cdef const alu_function *alu_table() noexcept nogil
cdef const compare_function *compare_table() noexcept nogil
cdef const carry_function *carry_table() noexcept nogil
cdef const atomic_function *atomic_table() noexcept nogil
cdef const uint8_t *alu_bytes() noexcept nogil       # [function][4] bytes of a lane of d, a, b, c
cdef const uint8_t *compare_bytes() noexcept nogil   # [function] bytes of a lane of a and b
