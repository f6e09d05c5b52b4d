"""Shared memory: how many passes over the banks one warp access takes.

The readable definition is `archdef.spec.SharedMemory.passes`; this is its compiled form, compared with it in the tests.
"""
from libc.stdint cimport int64_t, uint64_t

cpdef enum:
    MAX_BANKS = 256


cdef int _multicast(const BankTable *table, const uint64_t *words, uint64_t mask, int first, int last) noexcept nogil:
    """Distinct words of the most loaded bank: equal words are read once for all lanes."""
    cdef int counts[MAX_BANKS]
    cdef uint64_t seen[64]
    cdef int lane, other, found, bank, distinct = 0, most = 0
    for bank in range(<int>table.banks):
        counts[bank] = 0
    for lane in range(first, last):
        if not mask >> lane & 1:
            continue
        found = 0
        for other in range(distinct - 1, -1, -1):
            if seen[other] == words[lane]:
                found = 1
                break
        if found:
            continue
        seen[distinct] = words[lane]
        distinct += 1
        bank = <int>(words[lane] % <uint64_t>table.banks)
        counts[bank] += 1
        if counts[bank] > most:
            most = counts[bank]
    return most


cdef int _single_word(const BankTable *table, const uint64_t *words, uint64_t mask, int first, int last) noexcept nogil:
    """Each pass serves every lane of one word, the lowest waiting lane's, and one lane of every other bank."""
    cdef uint64_t left = 0, word
    cdef uint64_t taken[4]
    cdef int lane, bank, passes = 0
    for lane in range(first, last):
        left |= mask & (<uint64_t>1 << lane)
    while left:
        passes += 1
        lane = first
        while not left >> lane & 1:
            lane += 1
        word = words[lane]
        taken[0] = taken[1] = taken[2] = taken[3] = 0
        bank = <int>(word % <uint64_t>table.banks)
        taken[bank >> 6] |= <uint64_t>1 << (bank & 63)
        while lane < last:
            if left >> lane & 1:
                bank = <int>(words[lane] % <uint64_t>table.banks)
                if words[lane] == word:
                    left &= ~(<uint64_t>1 << lane)
                elif not taken[bank >> 6] >> (bank & 63) & 1:
                    taken[bank >> 6] |= <uint64_t>1 << (bank & 63)
                    left &= ~(<uint64_t>1 << lane)
            lane += 1
    return passes


cdef int64_t bank_passes(const BankTable *table, const uint64_t *addresses, uint64_t mask, int lanes,
                         int bytes) noexcept nogil:
    """Count passes (low 32 bits) and conflict groups that have an active lane (high 32 bits).

    An access wider than a bank serves fewer lanes at a time, or all lanes of a group one bank word after the other. Its first
    word stands for all: addresses are multiples of the access, so pieces of different lanes meet in a bank only where their
    first words do.
    """
    cdef uint64_t words[64]
    cdef uint64_t group
    cdef int lane, first = 0, last, width = <int>table.bank_width_bytes
    cdef int per_group = <int>table.conflict_lanes
    cdef int64_t passes = 0, groups = 0, pieces = 1, repeats = 1
    if bytes > width:
        pieces = bytes // width
        if not table.word_at_a_time:
            per_group = per_group // <int>pieces if per_group > pieces else 1
            repeats = pieces // table.banks if pieces > table.banks else 1     # fewer banks than one lane's words
            pieces = 1
    for lane in range(lanes):
        words[lane] = addresses[lane] // <uint64_t>width
    while first < lanes:
        last = first + per_group
        if last > lanes:
            last = lanes
        group = mask & (~<uint64_t>0 << first)
        if last < 64:
            group &= ~(~<uint64_t>0 << last)
        if group:
            groups += 1
            if table.single_word_broadcast:
                passes += _single_word(table, words, group, first, last)
            else:
                passes += _multicast(table, words, group, first, last)
        first = last
    return passes * pieces * repeats | groups * pieces << 32


def passes(dict banks, addresses, int word_bytes, mask=None):
    """Count the passes of one warp access over the banks, as the engine does.

    Parameters
    ----------
    banks : dict
        ``banks, bank_width_bytes, conflict_lanes, single_word_broadcast, word_at_a_time``.
    addresses : sequence of int, at most 64
        Byte address in shared memory of each lane.
    word_bytes : int
        Bytes that each lane accesses.
    mask : int, optional
        Active lanes; all by default.

    Returns
    -------
    (int, int)
        Passes, and the passes that an access without any conflict would take.
    """
    cdef BankTable table = banks
    cdef uint64_t lanes[64]
    cdef int n = len(addresses), i
    if not 0 < n <= 64:
        raise ValueError(f"addresses: 1 to 64 lanes, got {n}")
    if not 0 < table.banks <= MAX_BANKS:
        raise ValueError(f"banks: 1 to {MAX_BANKS}, got {table.banks}")
    for i in range(n):
        lanes[i] = addresses[i]
    cdef uint64_t active = (~<uint64_t>0 >> (64 - n)) & <uint64_t>(mask if mask is not None else 0xffffffffffffffff)
    cdef int64_t result = bank_passes(&table, lanes, active, n, word_bytes)
    return result & 0xffffffff, result >> 32
