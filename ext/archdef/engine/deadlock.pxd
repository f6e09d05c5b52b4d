"""Who waits for whom when nothing can go on."""
from libc.stdint cimport int64_t

from archdef.engine.grid cimport Grid
from archdef.engine.state cimport Dispatcher, Fault, Sm

cdef object explain_deadlock(const Fault *f, const Sm *sms, int64_t multiprocessors, const Dispatcher *dispatcher, Grid grid)
