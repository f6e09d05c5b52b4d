"""Shared memory: how many passes over the banks one warp access takes.

The readable definition is `archdef.spec.SharedMemory.passes`; this is its compiled form, compared with it in the tests.
"""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t
from libc.string cimport memset

from archdef.engine.parameters cimport SharedMemoryParameters
from archdef.engine.policy cimport Hook, ask_banks

cpdef enum:
    MAX_BANKS = 256
    MAX_WORDS = 64 * 16      # lanes times bank words of one access


cdef int _multicast(const SharedMemoryParameters *table, const uint64_t *words, const int64_t *bank_of, int count) noexcept nogil:
    """Distinct words of the most loaded bank: equal words are read once for all lanes."""
    cdef int counts[MAX_BANKS]
    cdef int latest[MAX_BANKS]      # of each bank, the distinct word found last, -1: none …
    cdef int before[MAX_WORDS]      # … and the one found before a word
    cdef int i, other, bank, most = 0
    for bank in range(<int>table.banks):
        counts[bank] = 0
        latest[bank] = -1
    for i in range(count):
        bank = <int>bank_of[i]
        other = latest[bank]
        while other >= 0 and words[other] != words[i]:
            other = before[other]
        if other >= 0:
            continue
        before[i] = latest[bank]
        latest[bank] = i
        counts[bank] += 1
        if counts[bank] > most:
            most = counts[bank]
    return most


cdef int _single_word(uint64_t *words, int64_t *bank_of, int count) noexcept nogil:
    """Each pass serves every request for one word, the first one waiting, and one request of every other bank."""
    cdef uint64_t taken[4]         # MAX_BANKS bits
    cdef uint64_t word
    cdef int i, bank, left, passes = 0
    while count:
        passes += 1
        word = words[0]
        for i in range(4):
            taken[i] = 0
        bank = <int>bank_of[0]
        taken[bank >> 6] |= <uint64_t>1 << (bank & 63)
        left = 0
        for i in range(count):
            bank = <int>bank_of[i]
            if words[i] == word:
                continue
            if taken[bank >> 6] >> (bank & 63) & 1:
                words[left] = words[i]
                bank_of[left] = bank
                left += 1
            else:
                taken[bank >> 6] |= <uint64_t>1 << (bank & 63)
        count = left
    return passes


cdef bint _paired(const uint64_t *addresses, uint64_t mask, int first, int last) noexcept nogil:
    """Whether each active lane reads what its neighbour reads, or each what the next but one does."""
    cdef int lane, apart = 1
    cdef bint all_
    while apart <= 2:
        all_ = True
        for lane in range(first, last):
            if mask >> lane & 1 and first <= lane ^ apart < last and mask >> (lane ^ apart) & 1 and addresses[lane] != addresses[lane ^ apart]:
                all_ = False
        if all_:
            return True
        apart *= 2
    return False


cdef int64_t bank_passes(const SharedMemoryParameters *table, const uint64_t *addresses, uint64_t mask, int lanes,
                         int bytes, bint load) noexcept nogil:
    """Count passes (low 32 bits) and conflict groups that have an active lane (high 32 bits).

    An access wider than a bank serves fewer lanes at a time, all their bank words together, or all lanes of a group one bank
    word after the other; these pieces cost the same, as they only rotate the banks. Words of one row of a bank count as one:
    each is named by its row and bank. On some machines a group that loads words of four banks takes a pass more.
    """
    cdef uint64_t words[MAX_WORDS]
    cdef int64_t bank_of[MAX_WORDS]
    cdef int i, lane, first = 0, last, piece, count, width = <int>table.bank_width_bytes
    cdef int per_group = <int>table.conflict_lanes, pieces = bytes // width if bytes > width else 1, together = 1
    cdef int64_t passes = 0, groups = 0, extra = 1 if table.word_at_a_time == 3 and load and bytes >= 4 * width else 0
    cdef uint64_t banks = <uint64_t>table.banks, row = banks * <uint64_t>table.row_words
    if table.word_at_a_time != 1:
        together = pieces
        pieces = pieces // <int>table.row_words if pieces > table.row_words else 1
        per_group = per_group // pieces if per_group > pieces else 1
        pieces = 1
    while first < lanes:
        last = first + per_group
        if (table.word_at_a_time == 2 and load and together > 1 and first % (2 * per_group) == 0
                and _paired(addresses, mask, first, min(first + 2 * per_group, lanes))):
            last = first + 2 * per_group
        if last > lanes:
            last = lanes
        count = 0
        for lane in range(first, last):
            if mask >> lane & 1:
                for piece in range(together):
                    words[count] = addresses[lane] // <uint64_t>width + <uint64_t>piece
                    bank_of[count] = <int64_t>(words[count] % banks)
                    count += 1
        if count:
            groups += 1
            if table.hook:
                ask_banks(<Hook *><size_t>table.hook, words, count, table.banks, bank_of)
            if table.row_words > 1:
                for i in range(count):
                    words[i] = words[i] // row * banks + <uint64_t>bank_of[i]
            passes += extra + (_single_word(words, bank_of, count) if table.single_word_broadcast else _multicast(table, words, bank_of, count))
        first = last
    return passes * pieces | groups * pieces << 32


cdef void bank_words(const SharedMemoryParameters *table, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, uint16_t *served) noexcept nogil:
    """Count the different words that each bank serves to an access: words of one row of a bank are one, lanes of other groups ask again."""
    cdef uint64_t words[MAX_WORDS]
    cdef int64_t bank_of[MAX_WORDS]
    cdef int i, k, lane, first = 0, count, piece, width = <int>table.bank_width_bytes, pieces = bytes // width if bytes > width else 1
    cdef int per_group = <int>table.conflict_lanes
    cdef uint64_t banks = <uint64_t>table.banks, row = banks * <uint64_t>table.row_words
    for i in range(<int>table.banks):
        served[i] = 0
    while first < lanes:
        count = 0
        for lane in range(first, min(first + per_group, lanes)):
            if mask >> lane & 1:
                for piece in range(pieces):
                    words[count] = addresses[lane] // <uint64_t>width + <uint64_t>piece
                    bank_of[count] = <int64_t>(words[count] % banks)
                    count += 1
        if count and table.hook:
            ask_banks(<Hook *><size_t>table.hook, words, count, table.banks, bank_of)
        for i in range(count):
            if table.row_words > 1:
                words[i] = words[i] // row * banks + <uint64_t>bank_of[i]
            k = 0
            while k < i and (words[k] != words[i] or bank_of[k] != bank_of[i]):
                k += 1
            served[bank_of[i]] += k == i
        first += per_group


def passes(dict banks, addresses, int word_bytes, mask=None, bint load=True):
    """Count the passes of one warp access over the banks, as the engine does.

    Parameters
    ----------
    banks : dict
        What `archdef.pack.bank_table` gives.
    addresses : sequence of int, at most 64
        Byte address in shared memory of each lane.
    word_bytes : int
        Bytes that each lane accesses.
    mask : int, optional
        Active lanes; all by default.
    load : bool
        Whether the access reads.

    Returns
    -------
    (int, int)
        Passes, and the passes that an access without any conflict would take.
    """
    cdef SharedMemoryParameters table = banks
    cdef uint64_t lanes[64]
    cdef int n = len(addresses), i
    if not 0 < n <= 64:
        raise ValueError(f"addresses: 1 to 64 lanes, got {n}")
    if not 0 < table.banks <= MAX_BANKS:
        raise ValueError(f"banks: 1 to {MAX_BANKS}, got {table.banks}")
    for i in range(n):
        lanes[i] = addresses[i]
    cdef uint64_t active = (~<uint64_t>0 >> (64 - n)) & <uint64_t>(mask if mask is not None else 0xffffffffffffffff)
    cdef int64_t result = bank_passes(&table, lanes, active, n, word_bytes, load)
    return result & 0xffffffff, result >> 32


cdef int64_t word_passes(const SharedMemoryParameters *table, const uint64_t *address, uint64_t lanes, int n, int bytes) noexcept nogil:
    """Most different words that one bank of L1 serves to a group of lanes, summed over the groups that follow each other."""
    cdef uint64_t seen[64][64]
    cdef uint8_t counts[64]
    cdef uint64_t word, banks = <uint64_t>table.banks
    cdef int pieces = bytes // 4 if bytes > 4 else 1, group = max(<int>table.conflict_lanes // pieces, 1), first = 0, lane, piece, k
    cdef int64_t passes = 0, most
    if banks > 64:
        return bank_passes(table, address, lanes, n, bytes, False) & <int64_t>0xffffffff
    while first < n:
        memset(counts, 0, <size_t>banks)
        most = 0
        for lane in range(first, min(first + group, n)):
            if not lanes >> lane & 1:
                continue
            for piece in range(pieces):
                word = (address[lane] >> 2) + <uint64_t>piece
                k = 0
                while k < counts[word % banks] and seen[word % banks][k] != word:
                    k += 1
                if k == counts[word % banks]:
                    seen[word % banks][k] = word
                    counts[word % banks] += 1
                    most = max(most, <int64_t>k + 1)
        passes += most
        first += group
    return passes
