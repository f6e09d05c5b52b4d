"""Barriers of blocks, clusters and grids: who has arrived."""
from libc.stdint cimport int32_t, int64_t

cdef enum:
    BARRIERS = 18                  # of a block: 16 by number, the cluster's, and that of blocks or grids
    CLUSTER_BARRIER = 16
    GRID_BARRIER = 17

cdef struct Barrier:
    int32_t arrived              # threads
    int32_t expected             # threads; 0: all that live
    int32_t first_waiting        # warp slot, -1: none
    int32_t popc
    int32_t all
    int32_t any

cdef enum ClusterState:          # of a block at the barrier of its cluster
    CL_OPEN = 0                  # not all of its threads have arrived
    CL_ARRIVED = 1
    CL_OPENS = 2                 # all blocks have; it is on its way to know that

cdef struct GridBarrier:         # blocks of a grid that wait for all of its blocks, or for those of other grids too
    int64_t blocks               # that have arrived
    int64_t latest               # cycle of the last arrival
