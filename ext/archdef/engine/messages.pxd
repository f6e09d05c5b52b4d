"""What multiprocessors tell each other past the network: barriers that open, and operations on mbarriers of other blocks; and who is in which cluster."""
from libc.stdint cimport int32_t, int64_t, uint32_t

from archdef.engine.launch cimport BlockCluster, Launch

cdef struct Posted:              # an operation on an mbarrier of another block that is on its way
    BlockCluster *cluster        # NULL: it has come
    int64_t serial
    Launch *launch
    int32_t rank
    int32_t fn                   # PhaseOp
    uint32_t offset
    uint32_t count
    int32_t op                   # who has sent it: …
    int32_t sm
    int32_t warp
    int32_t lane
    int32_t number               # among those of its multiprocessor, modulo 2**31

cdef struct Outbox:              # what one multiprocessor has posted and has not come
    Posted *ring                 # at its number modulo `room`, a power of two
    int32_t room
    int32_t next_number

cdef struct Messages:
    bint gathered                # all blocks of some grid have arrived at its barrier in this epoch
    int64_t opening              # blocks that a barrier lets go on, but not yet, and operations that are on their way
    BlockCluster *clusters       # records of clusters not in use …
    BlockCluster *clusters_made  # … and all
    int64_t cluster_serial
    Outbox *outboxes             # [multiprocessor]
    int64_t outbox_count
