# What happens to the blocks of a multiprocessor at a known cycle, whether it is timed or not.
from libc.stdint cimport int32_t

from archdef.engine.barriers cimport barrier_open, cluster_open
from archdef.engine.block_cluster cimport cluster_receive
from archdef.engine.block_swap cimport block_swap_in, children_done
from archdef.engine.blocks cimport start_block
from archdef.engine.events cimport (EV_BLOCK, EV_CHILDREN, EV_CLUSTER, EV_GRIDS, EV_POSTED, EV_SWAPPED_IN, EV_SWAPPED_OUT, Event, event_detail, event_index,
                                    event_kind)
from archdef.engine.observers cimport tell_warp_left


cdef inline void block_event(Sm *sm, Event event) noexcept nogil:
    """A block begins, comes back, leaves, hears from others, or need not wait any longer."""
    cdef int32_t kind = event_kind(event), index = event_index(event)
    if kind == EV_BLOCK:
        start_block(sm, index)
    elif kind == EV_CHILDREN:
        children_done(sm, index)
    elif kind == EV_SWAPPED_IN:
        block_swap_in(sm, index)
    elif kind == EV_SWAPPED_OUT:
        tell_warp_left(sm.core.observers, index)
    elif kind == EV_GRIDS:
        barrier_open(sm, index)
    elif kind == EV_CLUSTER:
        cluster_open(sm, index)
    elif kind == EV_POSTED:
        cluster_receive(&sm.core, event_detail(event), index)        # a fault shows when the epoch is over
