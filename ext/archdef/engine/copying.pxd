"""Copies that threads do not wait for: groups of them, and those that the bulk unit moves."""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.transaction cimport Transaction


cdef enum:
    COPY_GROUPS = 32             # of asynchronous copies of a warp that are told apart
    BULK_FULL = 64               # bulk copies that wait; from there on the load/store unit is held
    BULK_RING = 128              # … and those of the instruction that passes it: 64 lanes
    BULK_LOADS = 64              # bulk copies whose data are on their way

cdef struct Copies:              # of a warp that are on their way, by group modulo COPY_GROUPS
    int32_t pieces[COPY_GROUPS]           # of asynchronous copies
    int32_t bulk_writes[COPY_GROUPS]      # of bulk copies …
    int32_t bulk_reads[COPY_GROUPS]       # … whose source has not been read yet
    int64_t product_ends[COPY_GROUPS]     # groups of products of warpgroups: cycle in which the last of each ends, by group modulo COPY_GROUPS
    int64_t product_end          # … and of the latest product
    int32_t product_group        # number of the group that is open

cdef struct BulkCopy:            # one that waits for the unit, or is being sent
    uint64_t address             # of global memory: where it goes on
    int64_t barrier              # offset in shared memory, -1: none
    uint32_t left                # bytes not yet formed into transactions
    uint32_t bytes
    int32_t warp
    int32_t op
    int32_t group                # modulo COPY_GROUPS, -1: none
    uint32_t ranks               # mask of the blocks that it goes to, each with an mbarrier at that offset; 0: to one
    int64_t ready                # cycle at which it can begin

cdef struct TensorBox:           # a box that is copied: where its rows lie, and which is next
    uint64_t base
    uint64_t stride[5]           # bytes from one to the next unit (first dimension: its size), row, plane …
    int64_t dims[5]
    int64_t first[5]             # coordinates of the first unit
    int64_t count[5]             # units, rows …; of pixels: [1] all pixels
    int64_t step[5]
    int64_t lower[5]             # of pixels: first position …
    int64_t upper[5]             # … and the one behind the last
    int64_t shift[5]             # … and what is added to it
    int64_t at[5]                # the walk: rows, planes …; of pixels: position
    int64_t row                  # number of the row that is next
    int64_t rows
    int64_t piece                # the row's bytes that have become transactions
    int32_t rank
    int32_t unit                 # bytes of what the first dimension counts
    int32_t pixels               # the rows are pixels
    int32_t type                 # element, as the map numbers it
    int32_t rounds               # single precision becomes tf32 on its way in
    int32_t fill                 # what is outside is NaN, else zero
    int32_t span                 # bytes of a swizzled line, 0: none
    int64_t line                 # bytes of a row …
    int64_t pitch                # … and from row to row, in shared memory

cdef struct Bulk:                # the unit that moves bulk copies, one after the other
    BulkCopy *ring               # [BULK_RING]; NULL: the program has none
    int32_t first
    int32_t count
    int32_t load                 # Load of the first copy, -1: it has not begun
    int32_t loads                # records in use
    int32_t chunk                # transactions formed …
    int32_t next                 # … of which these are on their way
    int64_t time                 # cycle at which the next transaction can go
    int64_t wake                 # cycle of the event that goes on
    int64_t over                 # bytes moved in a cycle that has room left
    Transaction *transactions    # [MAX_TRANSACTIONS]
    TensorBox *boxes             # [BULK_RING] of the copies in the ring; NULL: the program has none
