"""What an access of a warp may ask for, and what it comes to."""
from libc.stdint cimport int32_t, int64_t

cdef enum:
    WHOLE_WARP = 1             # of `combine`: a fault unless every lane takes part …
    MULTICAST = 2              # … and the address is a multicast one. Those are listed behind the launch's spans, two entries each: the
                               # addresses, and where the memory is; an entry without bytes ends the list

cdef struct Reach:             # what one access touched, beyond its transactions; cleared for each: 16 bytes a store
    int64_t shared_passes
    int64_t shared_groups
    int64_t shared_more        # atomics: passes owed to lanes on one word …
    int64_t shared_serial      # … and most lanes of a conflict group on one
    int64_t word_passes        # cycles for which the words of a load from L1 keep its banks busy; 0: it is not from there
    int64_t pieces             # transactions as they are counted
    int64_t bytes_moved
    int32_t global_lanes
    int32_t local_lanes
    int32_t texture_lanes      # of texture and surface accesses
    int32_t hazards            # of those, the ones that read what this launch has written
    int32_t remote_bytes       # of shared memory of other blocks, whole pieces of it
    int32_t constant_passes
