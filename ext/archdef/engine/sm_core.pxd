"""What instructions of a multiprocessor work on, whatever time they take: its warps and blocks."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.events cimport Events
from archdef.engine.fault_record cimport Fault
from archdef.engine.launch cimport Block, Warp
from archdef.engine.messages cimport Messages
from archdef.engine.observers cimport Observers
from archdef.engine.reach cimport Reach
from archdef.engine.uop cimport Uop

cdef struct SmCore
cdef struct SmCore:
    Events *inbox
    Warp *warps                  # [schedulers * SCHEDULER_WARPS], at a line of the host's cache
    Block *blocks                # as many: a block has a warp at least
    int64_t now
    int64_t effects              # so far, that end a livelock: see livelock.pyx
    Fault *fault                 # the machine's
    Messages *messages           # likewise
    Observers *observers         # NULL: nobody is told of what happens
    int32_t id
    int (*access_tiles)(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, Reach *reach) noexcept nogil       # see matrix.pyx
