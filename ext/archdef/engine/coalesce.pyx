"""Global memory: how the lanes of one warp access become memory transactions.

The readable definition of each rule, with its source, is the policy of the same name in `archdef.spec`; this is its
compiled form, compared with it in the tests.
"""
from libc.stdint cimport uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.machine cimport CO_SHRINKING, CO_STRICT, CoalescingTable
from archdef.engine.policy cimport Hook, ask_coalescing


cdef inline int _emit(Transaction *out, int count, uint64_t address, uint32_t bytes) noexcept nogil:
    out[count].address = address
    out[count].line = address
    out[count].bytes = bytes
    out[count].covered = 0
    out[count].words = 0
    out[count].sectors = 1
    return count + 1


cdef int _strict(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int first, int last, int bytes,
                 Transaction *out, int count) noexcept nogil:
    """Serve lanes first..last-1 in one or two segments if lane k reads word k, else each lane alone."""
    cdef int lane, start = first
    cdef uint64_t base, span = <uint64_t>bytes * <uint64_t>(last - first)
    cdef bint together = bytes >= 4
    while not mask >> start & 1:
        start += 1
    base = addresses[start] - <uint64_t>bytes * <uint64_t>(start - first)
    if base % min(span, <uint64_t>rule.line_bytes):
        together = False
    for lane in range(start, last):
        if mask >> lane & 1 and addresses[lane] != base + <uint64_t>bytes * <uint64_t>(lane - first):
            together = False
            break
    if together:
        if span <= 128:
            return _emit(out, count, base, <uint32_t>span)
        lane = first
        while lane < last:      # segments that no active lane touches are not sent
            if mask >> lane & (((<uint64_t>1) << (128 // bytes)) - 1):
                count = _emit(out, count, base + <uint64_t>bytes * <uint64_t>(lane - first), 128)
            lane += 128 // bytes
        return count
    for lane in range(start, last):
        if mask >> lane & 1:
            count = _emit(out, count, addresses[lane] & ~<uint64_t>(rule.sector_bytes - 1), <uint32_t>rule.sector_bytes)
    return count


cdef int _shrinking(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int bytes,
                    Transaction *out, int count) noexcept nogil:
    """Serve the lowest lane's segment and all lanes in it, halve it while one half is unused, repeat."""
    cdef int lane, log = 0
    cdef uint64_t left = mask, others, served, base, size, low, high
    while 1 << log < bytes:
        log += 1
    while left:
        lane = lowest_bit(left)
        size = <uint64_t>rule.segment_bytes[log]
        base = addresses[lane] & ~(size - 1)
        served = 0
        low = base + size
        high = base
        others = left
        while others:
            lane = lowest_bit(others)
            others &= others - 1
            if addresses[lane] - base < size:
                served |= <uint64_t>1 << lane
                if addresses[lane] < low:
                    low = addresses[lane]
                if addresses[lane] + <uint64_t>bytes > high:
                    high = addresses[lane] + <uint64_t>bytes
        left &= ~served
        while size > <uint64_t>rule.sector_bytes:
            if high <= base + size // 2:
                size = size // 2
            elif low >= base + size // 2:
                size = size // 2
                base += size
            else:
                break
        count = _emit(out, count, base, <uint32_t>size)
    return count


cdef inline uint32_t _words(uint64_t touched) noexcept nogil:
    """Which of 16 words have a byte among 64."""
    cdef uint32_t words = 0
    cdef int k
    for k in range(16):
        if touched >> 4 * k & 15:
            words |= <uint32_t>1 << k
    return words


cdef int _lines(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int first, int last, int bytes, bint cover,
                Transaction *out, int start) noexcept nogil:
    """One transaction per distinct line of the group, moving the sectors that are touched."""
    cdef int lane, i, count = start, shift = lowest_bit(<uint64_t>rule.sector_bytes)
    cdef int64_t left
    cdef uint64_t line, sector_bytes = <uint64_t>rule.sector_bytes
    cdef uint64_t hashed, found = 0     # bit of each line found so far, by a hash: most scattered lanes come to a new one
    cdef uint64_t a, line_mask = ~<uint64_t>(rule.line_bytes - 1)
    for lane in range(first, last):
        if not mask >> lane & 1:
            continue
        a = addresses[lane]
        left = bytes
        while left > 0:
            line = a & line_mask
            # consecutive lanes mostly fall into the line found last
            i = count - 1
            if i < start or out[i].line != line:
                hashed = <uint64_t>1 << (line * <uint64_t>0x9E3779B97F4A7C15 >> 58)
                if not found & hashed:
                    i = start - 1
                while i >= start and out[i].line != line:
                    i -= 1
                found |= hashed
            if i < start:
                i = count
                count += 1
                out[i].line = line
                out[i].sectors = 0
            out[i].sectors |= <uint32_t>1 << ((a - line) >> shift)
            left -= <int64_t>(sector_bytes - (a & (sector_bytes - 1)))
            a = (a & ~(sector_bytes - 1)) + sector_bytes
    for i in range(start, count):
        out[i].address = out[i].line + <uint64_t>lowest_bit(out[i].sectors) * sector_bytes
        out[i].bytes = <uint32_t>sector_bytes * <uint32_t>count_bits(out[i].sectors)
        out[i].covered = 0
        out[i].words = 0
    if cover and rule.line_bytes <= 256:
        _cover(rule, addresses, mask, first, last, bytes, out, start, count)
    return count


cdef void _cover(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int first, int last, int bytes,
                 Transaction *out, int start, int count) noexcept nogil:
    """Count the bytes of each transaction that lanes touch, and name the words."""
    cdef uint64_t touched[MAX_TRANSACTIONS][4]      # bytes of a line, as bits
    cdef uint64_t a, line, line_mask = ~<uint64_t>(rule.line_bytes - 1)
    cdef int lane, i, left, piece
    for i in range(start, count):
        touched[i][0] = touched[i][1] = touched[i][2] = touched[i][3] = 0
    i = start
    for lane in range(first, last):
        if not mask >> lane & 1:
            continue
        a = addresses[lane]
        left = bytes
        while left > 0:
            line = a & line_mask
            while out[i].line != line:      # lines stand in the order of the lanes that come to them first
                i = i + 1 if i + 1 < count else start
            piece = min(left, <int>(64 - (a & 63)))
            touched[i][(a - line) >> 6] |= (~<uint64_t>0 >> (64 - piece)) << (a & 63)
            left -= piece
            a += <uint64_t>piece
    for i in range(start, count):
        out[i].covered = <uint32_t>(count_bits(touched[i][0]) + count_bits(touched[i][1]) + count_bits(touched[i][2]) + count_bits(touched[i][3]))
        if rule.line_bytes <= 128:
            out[i].words = _words(touched[i][0]) | _words(touched[i][1]) << 16


cdef int coalesce(const CoalescingTable *rule, const uint64_t *addresses, uint64_t mask, int lanes, int bytes, bint cover,
                  Transaction *out) noexcept nogil:
    """Form the transactions of one warp access; `bytes` per lane, `out` holds MAX_TRANSACTIONS. Returns their number.

    Tells the bytes that lanes cover only where `cover` asks for it.
    """
    cdef int first = 0, last, count = 0
    cdef uint64_t group
    if rule.hook:
        return ask_coalescing(<Hook *><size_t>rule.hook, addresses, mask, lanes, bytes, rule.line_bytes, rule.sector_bytes, out,
                              MAX_TRANSACTIONS)
    while first < lanes:
        last = first + <int>rule.group_lanes
        group = mask & (~<uint64_t>0 << first)
        if last < 64:
            group &= ~(~<uint64_t>0 << last)
        if last > lanes:
            last = lanes
        if group:
            if rule.rule == CO_STRICT:
                count = _strict(rule, addresses, group, first, last, bytes, out, count)
            elif rule.rule == CO_SHRINKING:
                count = _shrinking(rule, addresses, group, bytes, out, count)
            else:
                count = _lines(rule, addresses, group, first, last, bytes, cover, out, count)
        first += <int>rule.group_lanes
    return count


def transactions(dict rule, addresses, int word_bytes, mask=None):
    """Form the transactions of one warp access, as the engine does.

    Parameters
    ----------
    rule : dict
        A packed coalescing rule (`archdef.pack.coalescing_table`).
    addresses : sequence of int, at most 64
        Byte address of each lane.
    word_bytes : int
        Bytes that each lane accesses.
    mask : int, optional
        Active lanes; all by default.

    Returns
    -------
    list of (address, bytes, sectors)
        `sectors` is the number of separately counted pieces: sectors of a line, else 1.
    """
    cdef CoalescingTable table = {"hook": 0, **rule}
    cdef uint64_t lanes[64]
    cdef Transaction out[MAX_TRANSACTIONS]
    cdef int n = len(addresses), i
    if not 0 < n <= 64:
        raise ValueError(f"addresses: 1 to 64 lanes, got {n}")
    for i in range(n):
        lanes[i] = addresses[i]
    cdef uint64_t active = (~<uint64_t>0 >> (64 - n)) & <uint64_t>(mask if mask is not None else 0xffffffffffffffff)
    cdef int count = coalesce(&table, lanes, active, n, word_bytes, table.coverage != 0, out)
    return [(out[i].address, out[i].bytes, bin(out[i].sectors).count("1")) for i in range(count)]
