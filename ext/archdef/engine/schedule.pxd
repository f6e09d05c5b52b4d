"""Which ready warp issues next: the scheduler's state, and one function per policy."""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.machine cimport MachineTable, SCH_GREEDY_ROUND_ROBIN
from archdef.engine.policy cimport SchedulerHook

cdef struct Scheduler:
    # bit i of a mask is the scheduler's i-th warp slot; what every cycle touches comes first
    uint64_t ready           # dependencies of the next op are met
    uint64_t memory          # the next op accesses global or local memory
    uint64_t loads           # it loads from there; kept only where a plugin's policy throttles …
    uint64_t held            # … warps whose loads it holds back
    uint64_t slots           # bit c: wheel[c] is not empty
    int64_t next_issue       # cycle of the next issue slot
    int64_t wake             # no later than the next cycle in which it has something to do
    uint32_t busy            # bit u: unit_free[u] may lie ahead
    int32_t last             # warp issued last, -1 before the first
    int32_t number           # of the scheduler in its multiprocessor
    int32_t groups           # blocks that have warps here, the oldest first; what has ended stays until its slots are used again
    uint64_t queueing        # the next op goes through the queue of `queue.pyx` …
    int32_t queue_first      # … whose oldest entry this is …
    int32_t queue_count      # … of so many
    void *queue              # [queue_room] of Queued
    uint64_t active          # two-level: the inner set
    uint8_t unit[64]         # of the warp's next op
    uint64_t uses[16]        # by unit: the next op needs it
    int64_t unit_free[16]    # cycle at which the unit can start again (units of this scheduler)
    int64_t product_free     # cycle at which products of warpgroups that are queued have been taken up by the unit
    int64_t unit_blocked[16]  # cycles so far in which the unit was occupied past an issue slot
    uint16_t unit_parts[16]  # 256ths of a cycle for which ops have occupied the unit beyond whole cycles
    uint64_t wheel[64]       # warps that become ready at a cycle, by cycle mod 64
    int64_t issued_at[64]    # cycle of the warp's last issue
    int64_t order[64]        # age: smaller is older
    int64_t group_age[64]    # when each started, in order of starts
    uint64_t group[64]       # its warps
    SchedulerHook *asked     # of a plugin's policy, else NULL

# candidates is not empty; returns one of its bits
ctypedef int (*pick_function)(const MachineTable *machine, Scheduler *scheduler, uint64_t candidates, int64_t cycle) noexcept nogil

cdef pick_function pick_of(int64_t policy) noexcept nogil
cdef void group_warp(Scheduler *s, int bit, int64_t age) noexcept nogil

cdef inline bint looks_at_blocks(const MachineTable *machine) noexcept nogil:
    """Whether the policy needs to know which warps are of one block."""
    return machine.schedulers.policy == SCH_GREEDY_ROUND_ROBIN and machine.schedulers.policy_a != 0
