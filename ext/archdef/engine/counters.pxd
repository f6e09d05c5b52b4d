"""What the engine counts. Raw, few, and conserving: metrics are functions of these and of the description.

One `StatementCounters` per statement (what the front end calls an instruction) of the program; the kernel's totals are their sums.
"""
from libc.stdint cimport int64_t

cpdef enum Stall:          # where every cycle of every resident warp goes; exactly one cause each
    ST_SELECTED = 0        # the warp issued (one issue interval per warp instruction)
    ST_ALU_DEPENDENCY = 1  # waits for the result of arithmetic
    ST_MEMORY_DEPENDENCY = 2     # waits for a load or atomic of global or local memory
    ST_SHARED_DEPENDENCY = 3     # waits for shared memory
    ST_CONSTANT_DEPENDENCY = 4   # waits for the constant cache
    ST_BARRIER = 5         # waits at a barrier
    ST_BRANCH = 6          # waits for the next instruction after a branch, call or return
    ST_PIPE_BUSY = 7       # ready, but the unit that it needs is occupied
    ST_MEMORY_THROTTLE = 8  # ready to access memory, but no request slot, no credit or a full queue
    ST_NOT_SELECTED = 9    # ready, but another warp was issued
    ST_LAUNCH = 10         # launches other grids, or waits for those that it launched
    ST_FETCH = 11          # waits for its next instruction itself
    ST_REGISTERS = 12      # waits for registers that other warps of its block hold
    STALLS = 13

cpdef enum LanePart:       # lanes of a warp that do not run with all that live; see docs/explanation/lane-states.md
    LN_FIRST = 0           # runs, on the side of a divergent branch that goes first
    LN_SECOND = 1          # runs, on the other side
    LN_STALLED = 2         # lives, and waits while others run, or for them
    LN_ABSENT = 3          # has ended, or was never launched
    LANE_PARTS = 4

cdef struct StatementCounters:
    int64_t instructions             # warp instructions issued (expansions counted)
    int64_t thread_instructions      # the same times active lanes whose guard holds
    int64_t predicated_off           # lanes active in the warp whose guard was false, times issues
    int64_t branches                 # warp-level branch instructions executed
    int64_t divergent_branches       # of those, the ones that split the warp
    int64_t global_loads             # warp-level requests
    int64_t global_load_transactions  # after coalescing
    int64_t global_load_bytes_asked  # sum over active lanes
    int64_t global_load_bytes_moved  # sum over transactions
    int64_t global_stores
    int64_t global_store_transactions
    int64_t global_store_bytes_asked
    int64_t global_store_bytes_moved
    int64_t local_loads
    int64_t local_load_transactions
    int64_t local_stores
    int64_t local_store_transactions
    int64_t shared_loads             # warp-level instructions, those whose guard holds for no lane among them
    int64_t shared_load_passes       # bank passes, at least one per conflict group of lanes
    int64_t shared_load_groups       # conflict groups with an active lane: passes without any conflict
    int64_t shared_stores
    int64_t shared_store_passes
    int64_t shared_store_groups
    int64_t atomics                  # global atomic requests
    int64_t atomic_operations        # of their lanes (bulk reductions: none)
    int64_t atomic_transactions
    int64_t shared_atomics
    int64_t shared_atomic_passes
    int64_t constant_loads
    int64_t constant_passes          # distinct addresses, each one pass
    int64_t l1_hits                  # sectors that loads looked up in the L1 and found, present or on their way
    int64_t l1_misses
    int64_t barriers                 # warp-level arrivals
    int64_t divergent_barriers       # of those, with lanes that missed an earlier one, or with lanes at different instructions
    int64_t texture_loads            # warp-level texture fetches and gathers
    int64_t texture_transactions     # sectors that they and surface loads asked the texture cache for
    int64_t texture_hits             # of those sectors, the ones present or on their way
    int64_t texture_misses
    int64_t texture_hazards          # lanes that read through a texture or surface what this launch had written
    int64_t surface_loads            # warp-level requests
    int64_t surface_stores
    int64_t surface_store_transactions
    int64_t dram_requests            # requests that gave a partition DRAM work
    int64_t dram_partitions          # partitions that had work when each of them came, its own among them, summed
    int64_t link_bytes_read          # that came over the links to the host and to other devices, in whole pieces …
    int64_t link_bytes_written       # … and that left by them
    int64_t stall_cycles[13]         # by Stall, SM cycles summed over warps
    int64_t lane_cycles[4]           # by LanePart, cycles summed over lanes; what is left of stall_cycles times the warp size is coherent
    int64_t lane_slots[4]            # the same of issued instructions
