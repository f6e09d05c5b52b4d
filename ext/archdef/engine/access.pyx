"""Memory accesses of one warp: addresses, checks, data movement, and the transactions or bank passes that they cost.

Most static accesses repeat one lane pattern: the differences of the lanes' addresses, the mask and the base's alignment. A
memo per op keeps the pattern and its transactions, so that one comparison replaces the analysis.
"""
from libc.stdint cimport (int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t)
from libc.string cimport memset

from archdef.engine.bits cimport count_bits, highest_bit, lowest_bit
from archdef.engine.block_cluster cimport CLUSTER_END, OFFSET_BITS, OFFSET_MASK, cluster_reach, is_remote, own_address
from archdef.engine.coalesce cimport coalesce, covers
from archdef.engine.fault cimport op_fault
from archdef.engine.fault_code cimport FAULT_ALIGNMENT, FAULT_BOUNDS, FAULT_READ_ONLY
from archdef.engine.heap cimport heap_room
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.lanes cimport atomic_function, atomic_table
from archdef.engine.launch cimport Block, Launch, Warp
from archdef.engine.machine cimport CO_STRICT, CoalescingTable, MachineTable
from archdef.engine.matrix cimport part_of_warp
from archdef.engine.memo cimport MEMO_SLOTS, MEMO_TRANSACTIONS, Memo
from archdef.engine.memory cimport CLUSTER_FIRST, GLOBAL_BASE, LOCAL_PHYSICAL, LOCAL_WINDOW, SHARED_WINDOW, WINDOW_BYTES, Span, find_span, span_room
from archdef.engine.operand cimport row_of
from archdef.engine.reach cimport MULTICAST
from archdef.engine.shared cimport word_passes
from archdef.engine.supposed cimport transact_together
from archdef.engine.sm_core cimport SmCore
from archdef.engine.surface cimport access_surface
from archdef.engine.texture cimport access_texture
from archdef.engine.texture_table cimport texture_written
from archdef.engine.timeline cimport note_banks
from archdef.engine.transaction cimport Transaction
from archdef.engine.types cimport (FL_ADDRESS64, FL_BYPASS_L1, FL_SIGNED, FL_TOGETHER, K_ATOM, K_LOAD, K_STORE, SP_CONST, SP_GLOBAL, SP_LOCAL,
                                   SP_MATRIX, SP_SHARED, SP_TEXTURE)
from archdef.engine.uop cimport NAMES_ALL, Uop

cdef enum:
    REMOTE_PIECE = 32            # bytes in which shared memory of other blocks comes


# --------------------------------------------------------------------------------------------------------- the lane pattern
cdef extern from "archdef/engine/pattern.h":
    ctypedef struct Seen:
        uint64_t differ
        uint64_t bits
    void pattern_64(Seen *seen, uint64_t *address, const uint64_t *row, uint64_t offset, const int64_t *delta, int first, int n) noexcept nogil
    void pattern_low(Seen *seen, uint64_t *address, const uint64_t *row, uint32_t offset, const int64_t *delta, int first, int n) noexcept nogil
    void pattern_32(Seen *seen, uint64_t *address, const uint32_t *row, uint32_t offset, const int64_t *delta, int first, int n) noexcept nogil
    void pattern_of(Seen *seen, const uint64_t *address, const int64_t *delta, int first, int n) noexcept nogil
    enum:
        GROUP_LANES
    void copy_lanes(char *to, const char *source, size_t bytes) noexcept nogil
    void gather_groups(uint32_t *row, const char *host, const uint64_t *address, int same, int n) noexcept nogil
    void gather_32(uint32_t *row, const char *host, const uint64_t *address, int n) noexcept nogil
    void gather_64(uint64_t *row, const char *host, const uint64_t *address, int n) noexcept nogil
    void scatter_32(char *host, const uint64_t *address, const uint32_t *row, int first, int end) noexcept nogil
    void scatter_64(char *host, const uint64_t *address, const uint64_t *row, int first, int end) noexcept nogil


cdef inline uint64_t _all(int n) noexcept nogil:
    """The lanes of a full warp."""
    return ~<uint64_t>0 >> (64 - n)


cdef int _in_groups(const int64_t *delta, int n) noexcept nogil:
    """As `Memo.contiguous`, of lanes that are not contiguous all of them."""
    cdef int group, first, i, groups = 0
    cdef bint same, next_
    for group in range(n // GROUP_LANES):
        first = group * GROUP_LANES
        same = next_ = True
        for i in range(first + 1, first + GROUP_LANES):
            same &= delta[i] == delta[first]
            next_ &= delta[i] == delta[i - 1] + 4
        if not same and not next_:
            return 0
        groups |= same << group
    return 2 | groups << 8


cdef void _learn(Memo *memo, const uint64_t *address, uint64_t lanes, int n, int bytes, bint count_equal) noexcept nogil:
    """Keep a new pattern."""
    cdef int i, k, most, equal, first = lowest_bit(lanes)
    cdef int64_t high = 0
    cdef uint64_t base = address[first], deltas = 256
    memo.valid = 1
    memo.mask = lanes
    memo.first = first
    memo.low = 0
    memo.contiguous = 1
    for i in range(n):
        memo.delta[i] = <int64_t>(address[i] - base)
        if not lanes >> i & 1:
            continue
        deltas |= <uint64_t>memo.delta[i]
        if memo.delta[i] < memo.low:
            memo.low = memo.delta[i]
        if memo.delta[i] > high:
            high = memo.delta[i]
    memo.granule = 1 << lowest_bit(deltas)
    memo.extent = <uint64_t>high - <uint64_t>memo.low
    # what goes round the address space fits nowhere
    memo.extent = memo.extent + <uint64_t>bytes if memo.extent <= ~<uint64_t>0 - <uint64_t>bytes else ~<uint64_t>0
    for i in range(n):
        if memo.delta[i] != <int64_t>i * bytes:
            memo.contiguous = 0
    if lanes != _all(n):
        memo.contiguous = 0
    elif memo.contiguous == 0 and bytes == 4 and n % GROUP_LANES == 0:
        memo.contiguous = _in_groups(memo.delta, n)
    for i in range(MEMO_SLOTS):
        memo.slot_key[i] = -1
    memo.passes_key = memo.banks_key = memo.word_key = -1
    memo.serial = 1
    memo.apart = 0
    memo.apart_key = -1
    if count_equal:
        most = 1
        for i in range(n):
            equal = 0
            if lanes >> i & 1:
                for k in range(n):
                    if lanes >> k & 1 and memo.delta[k] == memo.delta[i]:
                        equal += 1
                if equal > most:
                    most = equal
        memo.serial = most


cdef void _set_apart(Memo *memo, const uint64_t *address, uint64_t lanes, int n) noexcept nogil:
    """Count operations on one word that travel apart: of each sector, by its first lane, the most that one word of it has."""
    cdef int equal[64]
    cdef int i, k, most
    memo.apart = 0
    memo.apart_key = <int32_t>(address[memo.first] & 31)
    for i in range(n):
        equal[i] = 0
        for k in range(n):
            equal[i] += <int>(lanes >> k & 1) * (memo.delta[k] == memo.delta[i])
    for i in range(n):
        most = 0
        for k in range(n):
            if lanes >> i & 1 and lanes >> k & 1 and address[k] >> 5 == address[i] >> 5:
                if k < i:
                    most = 0
                    break
                most = max(most, equal[k])
        if most:
            memo.apart += most - 1


# -------------------------------------------------------------------------------------------------------- data movement
cdef void _load(const Launch *launch, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, char *host,
                int contiguous) noexcept nogil:
    """Move memory to rows; `host` + address is the byte in host memory, `contiguous` is as in `Memo`."""
    cdef int v, lane, n = launch.lanes
    cdef char *row
    cdef uint64_t left
    cdef bint extend = u.flags & FL_SIGNED
    if contiguous and u.vec.elements == 1 and u.element.bytes >= 4 and u.d[0] >= 0:
        if contiguous == 1:
            copy_lanes(w.rows + u.d[0], host + address[0], <size_t>(n * u.element.bytes))
        else:
            gather_groups(<uint32_t *>(w.rows + u.d[0]), host, address, contiguous >> 8, n)
        return
    for v in range(u.vec.elements):
        if u.d[v] < 0:
            continue
        row = w.rows + u.d[v]
        left = lanes
        if lanes == _all(n) and u.element.bytes == 4:
            gather_32(<uint32_t *>row, host + 4 * v, address, n)
        elif lanes == _all(n) and u.element.bytes == 8:
            gather_64(<uint64_t *>row, host + 8 * v, address, n)
        elif u.element.bytes == 4:
            while left:
                lane = lowest_bit(left)
                left &= left - 1
                (<uint32_t *>row)[lane] = (<const uint32_t *>(host + address[lane]))[v]
        elif u.element.bytes == 8:
            while left:
                lane = lowest_bit(left)
                left &= left - 1
                (<uint64_t *>row)[lane] = (<const uint64_t *>(host + address[lane]))[v]
        elif u.element.bytes == 2:
            while left:
                lane = lowest_bit(left)
                left &= left - 1
                (<uint32_t *>row)[lane] = (<uint32_t><int32_t>(<const int16_t *>(host + address[lane]))[v] if extend
                                           else (<const uint16_t *>(host + address[lane]))[v])
        else:
            while left:
                lane = lowest_bit(left)
                left &= left - 1
                (<uint32_t *>row)[lane] = (<uint32_t><int32_t>(<const int8_t *>(host + address[lane]))[v] if extend
                                           else (<const uint8_t *>(host + address[lane]))[v])


cdef void _store(const Launch *launch, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, char *host,
                 int contiguous) noexcept nogil:
    """Move rows to memory.

    Lanes of up to 4 bytes are served at once, of 8 bytes half a warp at once, of 16 a quarter, one part after the other; of lanes of
    one part that store to one address the lowest wins. PTX leaves it open; an H100 does so, in shared and in global memory.
    """
    cdef int first = 0, size = launch.lanes >> (2 if u.lane_bytes > 8 else 1 if u.lane_bytes > 4 else 0)
    if contiguous == 1 and u.vec.elements == 1 and u.element.bytes >= 4:
        copy_lanes(host + address[0], row_of(launch, w, u, 1), <size_t>(launch.lanes * u.element.bytes))
        return
    size = max(size, 1)
    while first < launch.lanes:
        _store_part(launch, w, u, lanes, address, host, first, min(first + size, launch.lanes))
        first += size


cdef void _store_part(const Launch *launch, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, char *host,
                      int first, int end) noexcept nogil:
    cdef int v, lane
    cdef const char *row
    cdef uint64_t part = lanes & _all(end) & ~<uint64_t>0 << first, left
    for v in range(u.vec.elements):
        row = row_of(launch, w, u, 1 + v)
        if lanes == _all(launch.lanes) and u.element.bytes == 4:
            scatter_32(host + 4 * v, address, <const uint32_t *>row, first, end)
            continue
        if lanes == _all(launch.lanes) and u.element.bytes == 8:
            scatter_64(host + 8 * v, address, <const uint64_t *>row, first, end)
            continue
        left = part
        while left:
            lane = highest_bit(left)
            left ^= <uint64_t>1 << lane
            if u.element.bytes == 4:
                (<uint32_t *>(host + address[lane]))[v] = (<const uint32_t *>row)[lane]
            elif u.element.bytes == 8:
                (<uint64_t *>(host + address[lane]))[v] = (<const uint64_t *>row)[lane]
            elif u.element.bytes == 2:
                (<uint16_t *>(host + address[lane]))[v] = <uint16_t>(<const uint32_t *>row)[lane]
            else:
                (<uint8_t *>(host + address[lane]))[v] = <uint8_t>(<const uint32_t *>row)[lane]


cdef bint _operate(const Launch *launch, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address,
                   char *host) noexcept nogil:
    """Atomic operations, lane by lane in ascending order; the elements of a vector are operated on one by one.

    Returns whether a value is another one than before.
    """
    cdef atomic_function function = atomic_table()[u.fn]
    cdef const char *b = row_of(launch, w, u, 1)
    cdef const char *c = row_of(launch, w, u, 2) if u.s[2] >= 0 else b
    cdef uint64_t old, new, changed = 0
    cdef char *place
    cdef int lane, v
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        for v in range(u.vec.elements):
            if u.vec.elements > 1:
                b = row_of(launch, w, u, 1 + v)
            place = host + address[lane] + v * u.element.bytes
            if u.element.bytes == 8:
                old = (<uint64_t *>place)[0]
                new = function(old, (<const uint64_t *>b)[lane], (<const uint64_t *>c)[lane])
                (<uint64_t *>place)[0] = new
                changed |= new ^ old
                if u.d[v] >= 0:
                    (<uint64_t *>(w.rows + u.d[v]))[lane] = old
                continue
            if u.element.bytes == 4:
                old = (<uint32_t *>place)[0]
                new = <uint32_t>function(old, (<const uint32_t *>b)[lane], (<const uint32_t *>c)[lane])
                (<uint32_t *>place)[0] = <uint32_t>new
            else:
                old = (<uint16_t *>place)[0]
                new = <uint16_t>function(old, (<const uint32_t *>b)[lane], (<const uint32_t *>c)[lane])
                (<uint16_t *>place)[0] = <uint16_t>new
            changed |= new ^ old
            if u.d[v] >= 0:
                (<uint32_t *>(w.rows + u.d[v]))[lane] = <uint32_t>old
    return changed != 0


cdef inline void _move(SmCore *sm, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, char *host,
                       int contiguous) noexcept nogil:
    if u.kind == K_LOAD:
        _load(w.launch, w, u, lanes, address, host, contiguous)
    elif u.kind == K_STORE:
        _store(w.launch, w, u, lanes, address, host, contiguous)
        sm.effects += 1
    elif _operate(w.launch, w, u, lanes, address, host):
        sm.effects += 1


# ---------------------------------------------------------------------------------------------------------------- checks
cdef inline int _aligned(SmCore *sm, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, uint64_t bits) noexcept nogil:
    """Fault unless every active lane's address is a multiple of what it accesses."""
    if bits & <uint64_t>(u.lane_bytes - 1) == 0:        # inactive lanes repeat an active one
        return 0
    return _misaligned(sm, w, u, lanes, address)


cdef int _misaligned(SmCore *sm, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address) noexcept nogil:
    cdef int lane
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if address[lane] & <uint64_t>(u.lane_bytes - 1):
            return op_fault(sm, w, u, FAULT_ALIGNMENT, lane, address[lane])
    return 0


cdef inline bint _fits(const Memo *memo, uint64_t base, uint64_t start, uint64_t bytes) noexcept nogil:
    """Whether all that the pattern accesses, its first lane at `base`, lies in `bytes` bytes from `start` on.

    Addresses are the guest's, and may be anything: their differences wrap as they do, and no sum is compared.
    """
    return memo.extent <= bytes and base + <uint64_t>memo.low - start <= bytes - memo.extent


cdef int _inside(SmCore *sm, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, Memo *memo) noexcept nogil:
    """Fault unless every active lane stays inside allocations that the kernel may use this way."""
    cdef Launch *launch = w.launch
    cdef const Span *span
    cdef int lane
    if _fits(memo, address[memo.first], memo.span_start, memo.span_bytes):
        return 0
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        span = find_span(launch.spans, launch.span_count, address[lane])
        if span == NULL and launch.heap != NULL and heap_room(launch.heap, address[lane]) >= <uint64_t>u.lane_bytes:
            continue        # not kept in the memo: a block may be freed at any time
        if span == NULL or span_room(span, address[lane]) < <uint64_t>u.lane_bytes:
            return op_fault(sm, w, u, FAULT_BOUNDS, lane, address[lane])
        if u.kind != K_LOAD:
            if span.start == launch.parameter_start or span.read_only:
                return op_fault(sm, w, u, FAULT_READ_ONLY, lane, address[lane])
            if span.start == launch.const_start:
                launch.origin.constants_written = True
        memo.span_start = span.start
        memo.span_bytes = span.bytes
    return 0


cdef inline int64_t _readable(int64_t size, int bytes) noexcept nogil:
    """How far aligned loads of so many bytes may go that begin in `size` bytes of shared memory.

    Hardware hands it out in larger units, so that compilers widen loads of aligned words beyond its end: `block_storage_plan` has room for that.
    """
    return (size + bytes - 1) // bytes * bytes


cdef int _within(SmCore *sm, const Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, int64_t size) noexcept nogil:
    """Fault unless every active lane stays inside `size` bytes of shared or local memory."""
    cdef int lane
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if size < u.lane_bytes or address[lane] > <uint64_t>(size - u.lane_bytes):
            return op_fault(sm, w, u, FAULT_BOUNDS, lane, address[lane])
    return 0


# -------------------------------------------------------------------------------------------------------------- the spaces
cdef void _recall(const Memo *memo, int k, uint64_t base, LsuPipeline *out, Reach *reach) noexcept nogil:
    """Append the memo's transactions, moved to this base."""
    cdef Transaction *t = out.transactions + out.count
    cdef uint64_t start = base & ~<uint64_t>255
    cdef int i
    for i in range(memo.slot_count[k]):
        t[i].address = start + <uint64_t>memo.relative[k][i]
        t[i].line = start + <uint64_t>memo.relative_line[k][i]
        t[i].bytes = memo.bytes[k][i]
        t[i].covered = t[i].words = 0
        t[i].sectors = memo.sectors[k][i]
    if memo.slot_covered[k]:
        for i in range(memo.slot_count[k]):
            t[i].covered = memo.covered[k][i]
            t[i].words = memo.words[k][i]
    out.count += memo.slot_count[k]
    reach.pieces += memo.slot_pieces[k]
    reach.bytes_moved += memo.slot_bytes[k]


cdef void _transact(const CoalescingTable *rule, Memo *memo, const uint64_t *address, uint64_t lanes, int n, int bytes, bint atomic,
                    LsuPipeline *out, Reach *reach) noexcept nogil:
    """Append the access's transactions to those that the unit is to send."""
    cdef uint64_t base = address[memo.first], start = base & ~<uint64_t>255
    cdef int k = <int>(base >> 5) & (MEMO_SLOTS - 1), key = <int>(base & 255), i, count
    cdef Transaction *t = out.transactions + out.count
    if memo.granule > bytes and rule.rule != CO_STRICT and not covers(rule, atomic):
        # all that counts is which sectors lanes touch, and none touches another of them if all move by less than is between them
        key &= -min(memo.granule, <int>rule.sector_bytes)
    if memo.slot_key[k] == key:
        _recall(memo, k, base, out, reach)
        return
    count = coalesce(rule, address, lanes, n, bytes, covers(rule, atomic), t)
    out.count += count
    memo.slot_pieces[k] = memo.slot_bytes[k] = 0
    for i in range(count):
        memo.slot_pieces[k] += count_bits(t[i].sectors)
        memo.slot_bytes[k] += <int32_t>t[i].bytes
    reach.pieces += memo.slot_pieces[k]
    reach.bytes_moved += memo.slot_bytes[k]
    memo.slot_key[k] = -1
    # 256 bytes further on a pattern lies in segments and lines as it did, unless these are larger
    if count <= MEMO_TRANSACTIONS and rule.hook == 0 and max(rule.line_bytes, rule.sector_bytes) <= 256:
        memo.slot_key[k] = key
        memo.slot_count[k] = count
        memo.slot_covered[k] = covers(rule, atomic)
        for i in range(count):
            memo.relative[k][i] = <int64_t>(t[i].address - start)
            memo.relative_line[k][i] = <int64_t>(t[i].line - start)
            memo.bytes[k][i] = t[i].bytes
            memo.covered[k][i] = t[i].covered
            memo.words[k][i] = t[i].words
            memo.sectors[k][i] = t[i].sectors


cdef inline const CoalescingTable *_rule(const MachineTable *m, const Uop *u) noexcept nogil:
    if u.kind != K_LOAD:
        return &m.store
    if m.caches.l1.sets == 0 or u.flags & FL_BYPASS_L1:
        return &m.load_uncached
    return &m.load


cdef int _global(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, const Seen *seen, LsuPipeline *out,
                 Reach *reach) noexcept nogil:
    cdef Launch *launch = w.launch
    cdef Memo *memo = launch.memos + (u - launch.ops)
    cdef int n = launch.lanes
    if seen.differ or not memo.valid or memo.mask != lanes:
        _learn(memo, address, lanes, n, u.lane_bytes, u.kind == K_ATOM)
    if _aligned(sm, w, u, lanes, address, seen.bits) < 0 or _inside(sm, w, u, lanes, address, memo) < 0:
        return -1
    _move(sm, w, u, lanes, address, launch.arena - <uint64_t>GLOBAL_BASE, memo.contiguous)
    if launch.textures.written_count and u.kind != K_LOAD:
        _note(launch, u, lanes, address)
    if u.flags & FL_TOGETHER and u.kind != K_ATOM:
        transact_together(_rule(launch.m, u), address, memo.first, lanes, n, u.lane_bytes, out, reach)
    else:
        _transact(_rule(launch.m, u), memo, address, lanes, n, u.lane_bytes, u.kind == K_ATOM, out, reach)
    if launch.m.caches.l1.tag_bank_masks_count and u.kind == K_LOAD and not u.flags & FL_BYPASS_L1:
        if memo.word_key != <int>(address[memo.first] & 3):
            memo.word_passes = word_passes(&launch.m.shared, address, lanes, n, u.lane_bytes)
            memo.word_key = <int>(address[memo.first] & 3)
        reach.word_passes = memo.word_passes if not u.flags & FL_TOGETHER else max(<int64_t>(n * u.lane_bytes) // (4 * <int64_t>launch.m.shared.banks), 1)
    if memo.serial > 1 and memo.apart_key != <int32_t>(address[memo.first] & 31):
        _set_apart(memo, address, lanes, n)
    out.serial = memo.serial if not u.flags & FL_TOGETHER else 1        # the warp has made one operation of those on one word
    out.apart = memo.apart if not u.flags & FL_TOGETHER else 0
    reach.global_lanes += count_bits(lanes)
    return 0


cdef void _note(const Launch *launch, const Uop *u, uint64_t lanes, const uint64_t *address) noexcept nogil:
    """Tell textures what is stored to."""
    cdef int lane
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        texture_written(launch.textures, address[lane], u.lane_bytes)


cdef int _shared(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, const Seen *seen, Reach *reach) noexcept nogil:
    cdef Launch *launch = w.launch
    cdef Memo *memo = launch.memos + (u - launch.ops)
    cdef int n = launch.lanes, key
    cdef uint64_t base
    if seen.differ or not memo.valid or memo.mask != lanes:
        _learn(memo, address, lanes, n, u.lane_bytes, u.kind == K_ATOM)
    base = address[memo.first]
    if not _fits(memo, base, 0, <uint64_t>launch.shared_bytes):
        if launch.cluster_blocks > 1 and _names_rank(lanes, address):
            return _of_cluster(sm, w, u, lanes, address, reach)
        if _within(sm, w, u, lanes, address, _readable(launch.shared_bytes, u.lane_bytes) if u.kind == K_LOAD else launch.shared_bytes) < 0:
            return -1
    if _aligned(sm, w, u, lanes, address, seen.bits) < 0:
        return -1
    _move(sm, w, u, lanes, address, sm.blocks[w.block].shared, memo.contiguous)
    key = <int>(base & <uint64_t>(launch.passes_period - 1))
    if memo.passes_key != key:
        if memo.banks_key == key and memo.bank_use != NULL:     # recorded, in the pattern of last time
            note_banks(w, memo.bank_use, base)
        else:
            launch.over_banks(w, u, memo, lanes, address, key)
    if u.flags & FL_TOGETHER:
        reach.shared_passes += memo.passes >> 32
        reach.shared_groups += memo.passes >> 32
        reach.shared_serial = 1
        return 0
    # operations on one word follow each other
    reach.shared_passes += (memo.passes & <int64_t>0xffffffff) + memo.serial_more
    reach.shared_more += memo.serial_more
    reach.shared_groups += memo.passes >> 32
    reach.shared_serial = memo.serial_most
    return 0


cdef bint _names_rank(uint64_t lanes, const uint64_t *address) noexcept nogil:
    """Whether some lane's address in shared memory says of which block of the cluster."""
    cdef int lane
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if <uint64_t>CLUSTER_FIRST <= address[lane] < <uint64_t>CLUSTER_END:
            return True
    return False


cdef int64_t _pieces_of(uint64_t lanes, const uint64_t *address, int bytes) noexcept nogil:
    """Bytes of the aligned pieces of shared memory that lanes access."""
    cdef uint64_t piece
    cdef uint64_t seen[64]
    cdef int lane, k, count = 0
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        piece = address[lane] // REMOTE_PIECE
        k = 0
        while k < count and seen[k] != piece:
            k += 1
        if k == count:
            seen[count] = piece
            count += 1
    return count * max(<int64_t>REMOTE_PIECE, <int64_t>bytes)


cdef int _of_cluster(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, Reach *reach) noexcept nogil:
    """Shared memory of the blocks of a cluster: the lanes of one block after those of another."""
    cdef Memo *memo = w.launch.memos + (u - w.launch.ops)
    cdef const Block *own = sm.blocks + w.block
    cdef const Block *b
    cdef Seen seen
    cdef uint64_t moved[64]
    cdef uint64_t part, left, place
    cdef int lane, first
    while lanes:
        first = lowest_bit(lanes)
        place = own_address(w.launch, own, address[first])
        part = 0
        for lane in range(first, w.launch.lanes):
            if lanes >> lane & 1 and own_address(w.launch, own, address[lane]) >> OFFSET_BITS == place >> OFFSET_BITS:
                part |= <uint64_t>1 << lane
        lanes &= ~part
        for lane in range(w.launch.lanes):
            moved[lane] = own_address(w.launch, own, address[lane if part >> lane & 1 else first])
        if not is_remote(w.launch, own, place):
            pattern_of(&seen, moved, memo.delta, memo.first, w.launch.lanes)
            if _shared(sm, w, u, part, moved, &seen, reach) < 0:
                return -1
            continue
        left = part
        b = own
        while left:
            lane = lowest_bit(left)
            left &= left - 1
            b = cluster_reach(sm, w, lane, moved[lane], u.lane_bytes)
            if b == NULL:
                return -1
            moved[lane] &= OFFSET_MASK
        for lane in range(w.launch.lanes):
            moved[lane] &= OFFSET_MASK
        if _misaligned(sm, w, u, part, moved) < 0:
            return -1
        _move(sm, w, u, part, moved, b.shared, False)
        reach.remote_bytes += _pieces_of(part, moved, u.lane_bytes)
        memo.valid = 0
    return 0


cdef int _local(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, const Seen *seen, LsuPipeline *out,
                Reach *reach) noexcept nogil:
    """Local memory: every thread has its own bytes; word i of all lanes of a warp lies together."""
    cdef Launch *launch = w.launch
    cdef Memo *memo = launch.memos + (u - launch.ops)
    cdef uint64_t place[64]
    cdef uint64_t base
    cdef int lane, n = launch.lanes
    if _within(sm, w, u, lanes, address, launch.local_bytes) < 0:
        return -1
    if _aligned(sm, w, u, lanes, address, seen.bits) < 0:
        return -1
    for lane in range(n):
        place[lane] = address[lane] + <uint64_t>(lane * launch.local_bytes)
    _move(sm, w, u, lanes, place, w.local, False)
    base = LOCAL_PHYSICAL + <uint64_t>(sm.id * launch.m.limits.warps_per_multiprocessor + (w - sm.warps)) * <uint64_t>((launch.local_bytes + 15) // 16 * 16 * n)
    for lane in range(n):
        place[lane] = base + (address[lane] >> 2) * <uint64_t>(4 * n) + <uint64_t>(4 * lane) + (address[lane] & 3)
        if u.lane_bytes > 4:     # words of a wide access lie a row apart: charge each lane's piece as if together
            place[lane] = base + (address[lane] & ~<uint64_t>(u.lane_bytes - 1)) * <uint64_t>n + <uint64_t>(u.lane_bytes * lane)
    _learn(memo, place, lanes, n, u.lane_bytes, False)
    _transact(_rule(launch.m, u), memo, place, lanes, n, u.lane_bytes, u.kind == K_ATOM, out, reach)
    memo.valid = 0
    reach.local_lanes += count_bits(lanes)
    return 0


cdef int _constant(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, const uint64_t *address, const Seen *seen, LsuPipeline *out,
                   Reach *reach) noexcept nogil:
    """Constant memory: one pass per distinct address; lines that are not cached are fetched."""
    cdef Launch *launch = w.launch
    cdef Memo *memo = launch.memos + (u - launch.ops)
    cdef int lane, other, n = launch.lanes
    cdef uint64_t left = lanes, line, bytes = <uint64_t>launch.m.caches.constant.line_bytes
    cdef bint found
    if launch.m.caches.constant.sets == 0:
        return _global(sm, w, u, lanes, address, seen, out, reach)
    if seen.differ or not memo.valid or memo.mask != lanes:
        _learn(memo, address, lanes, n, u.lane_bytes, False)
    if _aligned(sm, w, u, lanes, address, seen.bits) < 0 or _inside(sm, w, u, lanes, address, memo) < 0:
        return -1
    _move(sm, w, u, lanes, address, launch.arena - <uint64_t>GLOBAL_BASE, memo.contiguous)
    if out == NULL:     # the warp reads it as a whole, and it is there
        return 0
    while left:
        lane = lowest_bit(left)
        reach.constant_passes += 1
        line = address[lane] & ~(bytes - 1)
        found = False
        for other in range(out.count):
            if out.transactions[other].line == line:
                found = True
                break
        if not found:
            out.transactions[out.count].address = out.transactions[out.count].line = line
            out.transactions[out.count].bytes = <uint32_t>bytes
            out.transactions[out.count].sectors = 1
            out.count += 1
        for other in range(lane + 1, n):
            if left >> other & 1 and address[other] == address[lane]:
                left &= ~(<uint64_t>1 << other)
        left &= left - 1
    if reach.constant_passes > 1 and u.lane_bytes > launch.m.caches.constant_port.pass_bytes:
        reach.constant_passes *= u.lane_bytes // <int>launch.m.caches.constant_port.pass_bytes
    return 0


cdef int _generic(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, uint64_t *address, LsuPipeline *out,
                  Reach *reach) noexcept nogil:
    """Generic addresses: lanes of each window go to its space."""
    cdef uint64_t of_shared = 0, of_local = 0, part
    cdef uint64_t moved[64]
    cdef Memo *memo = w.launch.memos + (u - w.launch.ops)
    cdef Seen seen
    cdef int lane, n = w.launch.lanes, first
    for lane in range(n):
        if lanes >> lane & 1:
            if address[lane] - <uint64_t>SHARED_WINDOW < <uint64_t>WINDOW_BYTES:
                of_shared |= <uint64_t>1 << lane
            elif address[lane] - <uint64_t>LOCAL_WINDOW < <uint64_t>WINDOW_BYTES:
                of_local |= <uint64_t>1 << lane
            elif w.launch.cluster_blocks > 1 and <uint64_t>CLUSTER_FIRST <= address[lane] - <uint64_t>SHARED_WINDOW < <uint64_t>CLUSTER_END:
                of_shared |= <uint64_t>1 << lane
    part = lanes & ~of_shared & ~of_local
    if part:
        first = lowest_bit(part)
        for lane in range(n):
            moved[lane] = address[lane] if part >> lane & 1 else address[first]
        pattern_of(&seen, moved, memo.delta, memo.first, n)
        if _global(sm, w, u, part, moved, &seen, out, reach) < 0:
            return -1
    if of_shared:
        first = lowest_bit(of_shared)
        for lane in range(n):
            moved[lane] = (address[lane] if of_shared >> lane & 1 else address[first]) - <uint64_t>SHARED_WINDOW
        pattern_of(&seen, moved, memo.delta, memo.first, n)
        if _shared(sm, w, u, of_shared, moved, &seen, reach) < 0:
            return -1
    if of_local:
        first = lowest_bit(of_local)
        for lane in range(n):
            moved[lane] = (address[lane] if of_local >> lane & 1 else address[first]) - <uint64_t>LOCAL_WINDOW
        pattern_of(&seen, moved, memo.delta, memo.first, n)
        if _local(sm, w, u, of_local, moved, &seen, out, reach) < 0:
            return -1
    return 0


cdef int _of_multicast(SmCore *sm, const Warp *w, const Uop *u, uint64_t lanes, uint64_t *address) noexcept nogil:
    """Replace multicast addresses by those of the one device's memory. Returns -1 after a fault."""
    cdef const Span *window
    cdef int lane, n = w.launch.lanes, first = lowest_bit(lanes)
    for lane in range(n):
        if not lanes >> lane & 1:
            continue
        window = w.launch.spans + w.launch.span_count
        while window.bytes and address[lane] - window.start >= window.bytes:
            window += 2
        if window.bytes == 0 or span_room(window, address[lane]) < <uint64_t>u.lane_bytes:
            return op_fault(sm, w, u, FAULT_BOUNDS, lane, address[lane])
        address[lane] = window[1].start + (address[lane] - window.start)
    for lane in range(n):
        if not lanes >> lane & 1:
            address[lane] = address[first]
    return 0


cdef int access_memory(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil:
    """Perform the access for `lanes` (not empty) and say what it costs. Returns -1 after a fault.

    Data move at once, in program order of the warp; only their time comes later.
    """
    cdef Launch *launch = w.launch
    cdef uint64_t address[64]
    cdef const Memo *memo = launch.memos + (u - launch.ops)
    cdef Seen seen
    cdef const char *row = row_of(launch, w, u, 0)
    cdef int i, lane, n = launch.lanes, first = lowest_bit(lanes)
    cdef bint wide = u.flags & FL_ADDRESS64, near = u.space == SP_SHARED or u.space == SP_LOCAL     # which have 32-bit addresses
    cdef uint64_t offset = <uint64_t>u.offset.bytes
    memset(reach, 0, sizeof(Reach))
    if u.space >= SP_TEXTURE or u.space == SP_MATRIX:
        sm.effects += u.kind != K_LOAD
    if u.space == SP_MATRIX:
        return sm.access_tiles(sm, w, u, lanes, reach)
    if u.space >= SP_TEXTURE:
        return (access_texture if u.space == SP_TEXTURE else access_surface)(sm, w, u, lanes, out, reach)
    if lanes == _all(n):
        if wide and near:
            pattern_low(&seen, address, <const uint64_t *>row, <uint32_t>offset, memo.delta, memo.first, n)
        elif wide:
            pattern_64(&seen, address, <const uint64_t *>row, offset, memo.delta, memo.first, n)
        else:
            pattern_32(&seen, address, <const uint32_t *>row, <uint32_t>offset, memo.delta, memo.first, n)
    else:
        if u.named == NAMES_ALL:
            return part_of_warp(sm, w, lanes)
        for i in range(n):
            lane = i if lanes >> i & 1 else first       # inactive lanes hold junk
            if wide:
                address[i] = (<const uint64_t *>row)[lane] + offset
            else:
                address[i] = (<const uint32_t *>row)[lane] + <uint32_t>offset
            if near or not wide:
                address[i] = <uint32_t>address[i]
        pattern_of(&seen, address, memo.delta, memo.first, n)
    if u.form.reach & MULTICAST:
        if _of_multicast(sm, w, u, lanes, address) < 0:
            return -1
        pattern_of(&seen, address, memo.delta, memo.first, n)
    if u.space == SP_GLOBAL:
        return _global(sm, w, u, lanes, address, &seen, out, reach)
    if u.space == SP_SHARED:
        return _shared(sm, w, u, lanes, address, &seen, reach)
    if u.space == SP_LOCAL:
        return _local(sm, w, u, lanes, address, &seen, out, reach)
    if u.space == SP_CONST:
        return _constant(sm, w, u, lanes, address, &seen, out, reach)
    return _generic(sm, w, u, lanes, address, out, reach)
