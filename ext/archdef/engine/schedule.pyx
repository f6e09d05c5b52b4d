"""Which ready warp issues next: one function per policy."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.bits cimport count_bits, highest_bit, lowest_bit, rotate_right
from archdef.engine.machine cimport (MachineTable, SCH_ASKED, SCH_GREEDY_OLDEST, SCH_GREEDY_ROUND_ROBIN, SCH_OLDEST, SCH_TWO_LEVEL,
                                     SCH_WEIGHTED)

from archdef.engine.policy cimport ask_scheduler


cdef int _round_robin(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """The next candidate after the warp issued last."""
    cdef int start = (s.last + 1) & 63
    return (start + lowest_bit(rotate_right(candidates, start))) & 63


cdef extern from *:
    """
    #include "archdef/engine/lanes.h"
    /* The candidate with the least key; ties go to the lower slot. Without a branch on which is less, as that is anybody's guess. */
    LANES_CLONES static int least_of(const int64_t *keys, uint64_t candidates)
    {
        int64_t best = INT64_MAX;
        uint64_t found = 0;
        do {
            const uint64_t warp = (uint64_t)__builtin_ctzll(candidates);
            const int64_t key = keys[warp];
            const int less = key < best;
            found = less ? warp : found;
            best = less ? key : best;
        } while (candidates &= candidates - 1);
        return (int)found;
    }
    """
    int least_of(const int64_t *keys, uint64_t candidates) noexcept nogil


cdef inline int _longest_waiting(const Scheduler *s, uint64_t candidates) noexcept nogil:
    """The candidate whose last issue lies furthest back."""
    return least_of(s.issued_at, candidates)


cdef int _oldest(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """The candidate that was launched first."""
    return least_of(s.order, candidates)


cdef int _greedy_oldest(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """The warp issued last while it can go on, else the oldest."""
    if s.last >= 0 and candidates >> s.last & 1:
        return s.last
    return _oldest(machine, s, candidates, cycle)


cdef int _two_level(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """Round robin in a small set; a warp that is not ready makes room for one that is only when the set runs dry."""
    cdef int warp
    if candidates & s.active == 0:
        # nobody in the set can issue: its members that are not ready leave, ready ones from outside take their places
        s.active &= s.ready
        while count_bits(s.active) < machine.schedulers.policy_a and candidates & ~s.active:
            warp = _round_robin(machine, s, candidates & ~s.active, cycle)
            s.active |= <uint64_t>1 << warp
            s.last = warp
        if candidates & s.active == 0:
            # the set is full of ready warps held by a busy unit: replace it rather than lose the slot
            s.active = candidates
    return _round_robin(machine, s, candidates & s.active, cycle)


cdef inline uint64_t _of_oldest_block(const Scheduler *s, uint64_t candidates) noexcept nogil:
    """Those candidates that belong to the oldest block which has any."""
    cdef int i
    for i in range(s.groups):
        if candidates & s.group[i]:
            return candidates & s.group[i]
    return candidates


cdef void group_warp(Scheduler *s, int bit, int64_t age) noexcept nogil:
    """Put a warp with the others of its block, which was the `age`-th to start."""
    cdef int i, kept = 0
    for i in range(s.groups):
        s.group[i] &= ~(<uint64_t>1 << bit)
        if s.group[i]:
            s.group[kept] = s.group[i]
            s.group_age[kept] = s.group_age[i]
            kept += 1
    if kept == 0 or s.group_age[kept - 1] != age:
        s.group[kept] = 0
        s.group_age[kept] = age
        kept += 1
    s.group[kept - 1] |= <uint64_t>1 << bit
    s.groups = kept


cdef int _greedy_round_robin(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """Whoever has waited longest for a unit that the schedulers share, as if it had queued; else the warp issued last while it can go on,
    else the next candidate before it, where that matters of the oldest block that has one."""
    cdef uint64_t shared = 0, before, units = <uint64_t>machine.schedulers.shared_units
    while units:
        shared |= s.uses[lowest_bit(units)]
        units &= units - 1
    if candidates & shared:
        return _longest_waiting(s, _of_oldest_block(s, candidates & shared) if machine.schedulers.policy_a else candidates & shared)
    if s.last >= 0:
        if candidates >> s.last & 1:
            return s.last
        if machine.schedulers.policy_a:
            candidates = _of_oldest_block(s, candidates)
        before = candidates & ((<uint64_t>1 << s.last) - 1)
        if before:
            candidates = before
    return highest_bit(candidates)


cdef int _weighted(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """The candidate of greatest weight: kind of instruction plus cycles since it last issued.

    Within one kind the longest waiting has the greatest weight, so only the best of each kind need be weighed.
    """
    cdef uint64_t memory = candidates & s.memory, other = candidates & ~s.memory
    cdef int first, second
    if memory == 0 or other == 0:
        return _longest_waiting(s, candidates)
    first = _longest_waiting(s, memory)
    second = _longest_waiting(s, other)
    if machine.schedulers.policy_a + machine.schedulers.policy_b * (s.issued_at[second] - s.issued_at[first]) > 0:
        return first
    return second


cdef int _asked(const MachineTable *machine, Scheduler *s, uint64_t candidates, int64_t cycle) noexcept nogil:
    """What a plugin's policy says."""
    return ask_scheduler(s.asked, candidates, s.memory, s.last, cycle)


cdef pick_function pick_of(int64_t policy) noexcept nogil:
    """The function of a SchedulerPolicy."""
    if policy == SCH_ASKED:
        return _asked
    if policy == SCH_GREEDY_OLDEST:
        return _greedy_oldest
    if policy == SCH_GREEDY_ROUND_ROBIN:
        return _greedy_round_robin
    if policy == SCH_OLDEST:
        return _oldest
    if policy == SCH_TWO_LEVEL:
        return _two_level
    if policy == SCH_WEIGHTED:
        return _weighted
    return _round_robin


def pick(dict machine, int policy, uint64_t candidates, int64_t cycle=0, *, int last=-1, uint64_t memory=0, order=(),
         issued_at=(), blocks=()):
    """Ask one policy for one choice: the warp (bit of `candidates`) that it would issue.

    Parameters
    ----------
    machine : dict
        ``policy_a`` and ``policy_b``, see `SchedulerPolicy`; ``shared_units``, bits of the units that `memory` stands for.
    order, issued_at : sequence of int
        Age rank and cycle of the last issue, per warp.
    blocks : sequence of int
        Warps of each block, one bit for each, the oldest block first.
    """
    cdef MachineTable table
    cdef Scheduler s
    cdef int i
    if not candidates:
        raise ValueError("candidates is empty")
    table.schedulers.policy_a = machine.get("policy_a", 0)
    table.schedulers.policy_b = machine.get("policy_b", 0)
    table.schedulers.shared_units = machine.get("shared_units", 0)
    s.ready = candidates
    s.memory = memory
    s.last = last
    s.active = 0
    s.groups = <int32_t>len(blocks)
    for i in range(s.groups):
        s.group[i] = blocks[i]
    for i in range(16):
        s.uses[i] = memory if table.schedulers.shared_units >> i & 1 else 0
    for i in range(64):
        s.order[i] = order[i] if i < len(order) else i
        s.issued_at[i] = issued_at[i] if i < len(issued_at) else 0
    return pick_of(policy)(&table, &s, candidates, cycle)
