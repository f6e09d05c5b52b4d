"""Where the operands of a micro-op lie."""
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.uop cimport Uop


cdef inline const char *row_of(const Launch *launch, const Warp *w, const Uop *u, int i) noexcept nogil:
    """First lane of source i: a row of the warp, or one of the launch's constants."""
    return (launch.constants if u.s_bank[i] else <const char *>w.rows) + u.s[i]
