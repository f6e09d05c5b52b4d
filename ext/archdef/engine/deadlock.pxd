"""Who waits for whom when nothing can go on."""
from archdef.engine.dispatcher cimport Dispatcher
from archdef.engine.fault_record cimport Fault
from archdef.engine.grid cimport Grid

cdef object explain_deadlock(const Fault *f, const Dispatcher *dispatcher, Grid grid)
