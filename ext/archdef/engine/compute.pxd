"""What micro-ops do to registers: arithmetic, predicates, and exchanges between the lanes of a warp."""
from libc.stdint cimport uint64_t

from archdef.engine.lanes cimport set_fpenv
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.operand cimport row_of
from archdef.engine.sm_core cimport SmCore
from archdef.engine.uop cimport Uop

cdef bint exchange_apart(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
cdef void compute(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil
cdef void compute_some(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil

cdef inline void compute_alu(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Do plain arithmetic for `lanes` (not empty)."""
    cdef const Launch *launch = w.launch
    # lanes that never launched or have ended may be overwritten; if all others are active the result needs no blending
    if w.alive & ~lanes == 0:
        u.alu(w.rows + u.d[0], row_of(launch, w, u, 0), row_of(launch, w, u, 1), row_of(launch, w, u, 2), row_of(launch, w, u, 3), launch.lanes)
    else:
        compute_some(w, u, lanes)


cdef inline void compute_rounded(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """As `compute`, with the op's rounding and flushing; the host's default is restored at once."""
    if u.fpenv:
        set_fpenv(u.fpenv)
        compute(sm, w, u, lanes)
        set_fpenv(0)
    else:
        compute(sm, w, u, lanes)
