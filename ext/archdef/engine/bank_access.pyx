"""How often an access of a warp goes over the banks of shared memory; a memo per op keeps it."""
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memset

from archdef.engine.bits cimport lowest_bit
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.memo cimport Memo
from archdef.engine.shared cimport bank_passes
from archdef.engine.timeline cimport bank_use, note_banks, timeline_pattern
from archdef.engine.timeline_record cimport BankRecord
from archdef.engine.types cimport K_LOAD
from archdef.engine.uop cimport Uop


cdef void _serial_by_group(const Launch *launch, Memo *memo, uint64_t lanes, int together) noexcept nogil:
    """Count the lanes on one address where only so many lanes are served together."""
    cdef int first = 0, i, k, here, most
    memo.serial_more = 0
    memo.serial_most = 1
    while first < launch.lanes:
        most = 1
        for i in range(first, min(first + together, launch.lanes)):
            here = 0
            for k in range(first, min(first + together, launch.lanes)):
                if lanes >> i & 1 and lanes >> k & 1 and memo.delta[k] == memo.delta[i]:
                    here += 1
            most = max(most, here)
        memo.serial_more += most - 1
        memo.serial_most = max(memo.serial_most, most)
        first += together


cdef int _most_in_a_bank(const Launch *launch, uint64_t lanes, const uint64_t *address) noexcept nogil:
    """Count the lanes of the bank that most of them want, whichever of its words."""
    cdef uint8_t counts[256]        # as many banks as there can be
    cdef int bank, most = 0
    memset(counts, 0, sizeof(counts))
    while lanes:
        bank = <int>(address[lowest_bit(lanes)] // <uint64_t>launch.m.shared.bank_width_bytes % <uint64_t>launch.m.shared.banks)
        lanes &= lanes - 1
        counts[bank] += 1
        if counts[bank] > most:
            most = counts[bank]
    return most


cdef void _count_passes(Warp *w, const Uop *u, Memo *memo, uint64_t lanes, const uint64_t *address, int key) noexcept nogil:
    """Find how often an access of a new pattern goes over the banks."""
    cdef const Launch *launch = w.launch
    cdef int n = launch.lanes
    memo.passes = bank_passes(&launch.m.shared, address, lanes, n, u.lane_bytes, u.kind == K_LOAD)
    memo.serial_most = memo.serial
    memo.serial_more = memo.serial - 1
    if memo.serial > 1 and memo.passes >> 32 > 1:
        _serial_by_group(launch, memo, lanes, n // <int>(memo.passes >> 32))
    if u.retry_cycles and memo.passes >> 32 == 1:     # a loop, of which each try serves a lane of each bank
        memo.serial_most = (_most_in_a_bank(launch, lanes, address) if not launch.m.shared.hook
                            else <int>(memo.passes & <int64_t>0xffffffff) + memo.serial_more)
    if not launch.m.shared.hook:      # a plugin's map may look at every bit
        memo.banks_key = key


cdef void over_banks(Warp *w, const Uop *u, Memo *memo, uint64_t lanes, const uint64_t *address, int key) noexcept nogil:
    """Find how often an access, for which `memo.passes` is not, goes over the banks."""
    _count_passes(w, u, memo, lanes, address, key)
    memo.passes_key = memo.banks_key


cdef void record_banks(Warp *w, const Uop *u, Memo *memo, uint64_t lanes, const uint64_t *address, int key) noexcept nogil:
    """The same in a launch that is in a timeline, which also records what the banks serve: of accesses in another pattern than that of last time."""
    cdef BankRecord *banks = &w.residency.recorded.timeline.banks
    _count_passes(w, u, memo, lanes, address, key)
    memo.bank_use = bank_use(banks, w.launch, u)
    timeline_pattern(memo.bank_use, w.launch, u, banks, address, lanes, address[memo.first])
    note_banks(w, memo.bank_use, address[memo.first])
