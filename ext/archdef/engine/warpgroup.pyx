"""Products of matrices that four warps compute together, from shared memory, without waiting for them.

A group is four warps of a block, the first of which has a number that is a multiple of four. Each computes 16 rows of the 64, when it issues
the product: numbers change there, in program order of the warp, and the time shows where the product's group is waited for. The warps meet
at the fence that stands before their products.

Factors. Rows of a and columns of b have 256 bits, eight words. In memory they lie in units of 16 bytes: a descriptor holds where the first
starts, and two distances. As they come (`GF_ACROSS_…` not set), 8 rows are a block of one pitch, `width`; blocks are the stride apart, and
what goes on behind the width of a block comes the leading distance further on. Across, 8 of the numbers that are summed over are such a block,
and rows lie along it; without a pattern the two distances change places. A pattern exchanges units: the bits of the address above 128 bytes
are exclusive-ored, less the descriptor's base offset, to those of the unit's number, as far as the width goes. The pitch is that of
the pattern, 32, 64 or 128 bytes, or 16.
"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memcpy, memset

from archdef.engine.copying cimport COPY_GROUPS
from archdef.engine.counters cimport ST_BARRIER
from archdef.engine.fault cimport warp_fault
from archdef.engine.fault_code cimport FAULT_BOUNDS, FAULT_PART_OF_GROUP
from archdef.engine.guest cimport guest_fault
from archdef.engine.lane_states cimport note_wait
from archdef.engine.launch cimport WS_BARRIER, Block, Launch
from archdef.engine.matrix cimport (BF16, F16, F32, TF32, Format, Number, add_integers, addend, decode, multiplicand, part_of_warp, result, sum_block,
                                    unpack)
from archdef.engine.matrix_ops cimport (GF_ACROSS_A, GF_ACROSS_B, GF_COMMIT, GF_NEGATIVE_A, GF_NEGATIVE_B, GF_OTHER_B, GP_FENCE, MF_D_F16,
                                        MF_SATURATE, MF_SIGNED_A, MF_SIGNED_B, MX_BF16, MX_E4M3, MX_E5M2, MX_F16, MX_INTEGER)
from archdef.engine.operand cimport row_of
from archdef.engine.simt cimport simt_arrive
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport K_GROUP


cdef enum:
    LANES = 32
    ROWS = 16                    # of a warp
    WORDS = 8                    # of a row of a, or a column of b
    MOST_DEEP = 32
    EIGHT_BIT_SUMS = 5           # entry of the machine's tables
    NO_EXPONENT = -1000000       # of zero, as in `matrix`

cdef Format E4M3 = Format(4, 3, 0)
cdef Format E5M2 = Format(5, 2, 0)


# ----------------------------------------------------------------------------------------------------------------- groups
cdef void group_hold(Warp *w, const Uop *u, int cause, int64_t until) noexcept nogil:
    """Charge the op with the time for which it holds the warp."""
    if until > w.settled:
        w.launch.counters[u.statement].stall_cycles[cause] += until - w.settled
        note_wait(w, u, w.settled, until, cause)
        w.settled = until


cdef int _whole(SmCore *sm, const Warp *w, uint64_t lanes, bint alive) noexcept nogil:
    """Check that all warps of the group were launched, or are `alive`, with all lanes. Returns -1 after a fault."""
    cdef const Block *b = sm.blocks + w.block
    cdef int32_t first = w.index & ~(GROUP_WARPS - 1), i
    if lanes != <uint64_t>0xffffffff:
        return part_of_warp(sm, w, lanes)
    for i in range(first, first + GROUP_WARPS):
        if i >= w.launch.block_warps or (sm.warps[b.warps[i]].alive if alive else sm.warps[b.warps[i]].launched) != <uint64_t>0xffffffff:
            return warp_fault(sm, w, FAULT_PART_OF_GROUP, lanes)
    return 0


cdef inline bint _waits(const Warp *w) noexcept nogil:
    """Whether a warp waits for the others of its group."""
    cdef const Uop *u = w.launch.ops + w.pc
    return w.state == WS_BARRIER and w.active == w.alive and u.kind == K_GROUP and u.fn == GP_FENCE


cdef int group_fence(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle) noexcept nogil:
    """Wait for the other warps of the group; the last one lets all go on, which its caller must `plan`."""
    cdef const Block *b = sm.blocks + w.block
    cdef int32_t first = w.index & ~(GROUP_WARPS - 1), i
    cdef Warp *other
    cdef const Uop *its
    if _whole(sm, w, lanes, True) < 0:
        return -1
    for i in range(first, first + GROUP_WARPS):
        other = sm.warps + b.warps[i]
        if other != w and not _waits(other):
            w.state = WS_BARRIER
            w.barrier_op = w.pc
            w.next_waiting = -1
            return 1
    for i in range(first, first + GROUP_WARPS):
        other = sm.warps + b.warps[i]
        if other == w:
            continue
        its = w.launch.ops + other.pc
        group_hold(other, its, ST_BARRIER, cycle + its.latency)
        other.pc += 1
        simt_arrive(other)
    return 0


cdef void group_commit(Warp *w) noexcept nogil:
    """Close a group. Groups whose place is taken ended before those that have it, as products end in order."""
    if w.copies.product_group < 1 << 30:
        w.copies.product_ends[w.copies.product_group % COPY_GROUPS] = w.copies.product_end
        w.copies.product_group += 1


cdef int64_t group_wait(const Warp *w, const Uop *u) noexcept nogil:
    cdef int32_t latest = w.copies.product_group - 1 - u.groups
    if latest < 0:
        return 0
    if w.copies.product_group - latest > COPY_GROUPS:
        latest = w.copies.product_group - COPY_GROUPS
    return w.copies.product_ends[latest % COPY_GROUPS]


# ---------------------------------------------------------------------------------------------------------------- factors
cdef int _factor(SmCore *sm, const Warp *w, uint64_t descriptor, int first, int rows, bint across, uint32_t *out) noexcept nogil:
    """Gather `rows` rows (columns of b), from `first` on, eight words each. Returns -1 after a fault."""
    cdef const Launch *launch = w.launch
    cdef const char *shared = sm.blocks[w.block].shared
    cdef uint32_t start = <uint32_t>(descriptor & 0x3fff) << 4, mode = <uint32_t>(descriptor >> 62)
    cdef uint32_t leading = <uint32_t>(descriptor >> 16 & 0x3fff) << 4, stride = <uint32_t>(descriptor >> 32 & 0x3fff) << 4
    cdef uint32_t width = 256 >> mode if mode else 16, mask = width // 16 - 1, turn = <uint32_t>(descriptor >> 49 & 7), place, next_
    cdef uint16_t unit[8]
    cdef int r, k, i
    if not across:
        for i in range(rows * 2):
            r = first + i // 2
            k = 16 * (i & 1)
            place = start + <uint32_t>k // width * leading + <uint32_t>r // 8 * stride + <uint32_t>r % 8 * width + <uint32_t>k % width
            place ^= ((place >> 7) - turn & mask) << 4
            if place > launch.shared_bytes - 16:
                return guest_fault(sm, w, FAULT_BOUNDS, 0, place)
            memcpy(out + 4 * i, shared + place, 16)
        return 0
    if mode:
        next_ = stride
    else:
        next_ = leading
        leading = stride
    for r in range(first, first + rows, 8):
        for k in range(16):
            place = start + <uint32_t>(2 * r) // width * leading + <uint32_t>k // 8 * next_ + <uint32_t>k % 8 * width + <uint32_t>(2 * r) % width
            place ^= ((place >> 7) - turn & mask) << 4
            if place > launch.shared_bytes - 16:
                return guest_fault(sm, w, FAULT_BOUNDS, 0, place)
            memcpy(unit, shared + place, 16)
            for i in range(8):
                (<uint16_t *>out)[(r - first + i) * 16 + k] = unit[i]
    return 0


cdef bint _eight_bits(const uint32_t *words, int count, int which, Number *out) noexcept nogil:
    """Decode 8-bit floats, four to a word. Returns whether one of them is no finite number."""
    cdef const uint8_t *bytes = <const uint8_t *>words
    cdef Format f = E4M3 if which == MX_E4M3 else E5M2
    cdef int i
    cdef int32_t top = (1 << f.exponent_bits) - 1, biased, special = 0
    for i in range(4 * count):
        biased = bytes[i] >> f.fraction_bits & top
        out[i].significand = bytes[i] & ((1 << f.fraction_bits) - 1)
        out[i].kind = 0
        if biased == top:
            if which == MX_E5M2:
                out[i].kind = 2 if out[i].significand else -1 if bytes[i] >> 7 else 1
            elif out[i].significand == 7:      # no infinities, and numbers up to there
                out[i].kind = 2
            special |= out[i].kind
        if biased:
            out[i].significand |= 1 << f.fraction_bits
        else:
            biased = 1
        out[i].exponent = biased - (top >> 1) if out[i].significand else NO_EXPONENT
        if bytes[i] >> 7:
            out[i].significand = -out[i].significand
    return special != 0


cdef void _negate(Number *numbers, int count) noexcept nogil:
    cdef int i
    for i in range(count):
        numbers[i].significand = -numbers[i].significand
        if numbers[i].kind != 2:
            numbers[i].kind = -numbers[i].kind


cdef bint _decode(const uint32_t *words, int rows, int which, Number *out) noexcept nogil:
    """Decode rows of floats. Returns whether one of them is no finite number."""
    if which >= MX_E4M3:
        return _eight_bits(words, rows * WORDS, which, out)
    if which == MX_F16 or which == MX_BF16:
        return decode(words, rows * WORDS, 2, F16 if which == MX_F16 else BF16, out)
    return decode(words, rows * WORDS, 1, TF32, out)


# --------------------------------------------------------------------------------------------------------------- products
cdef int _floats(SmCore *sm, Warp *w, const Uop *u, const uint32_t *left, uint64_t where, uint32_t *c) noexcept nogil:
    cdef const Launch *launch = w.launch
    cdef uint32_t words[8 * WORDS]
    cdef Number a[ROWS * MOST_DEEP]
    cdef Number b[8 * MOST_DEEP]
    cdef bint half = u.form.matrix & MF_D_F16 != 0, special_a, special
    cdef int each = 2 if half else 4, depth = 256 // u.element.bits, tile, row, column, k, count, at
    cdef int table = EIGHT_BIT_SUMS if u.fn >= MX_E4M3 else u.fn, of_b = u.fn
    cdef int step = <int>launch.m.isa.matrix.products[table], bits = <int>launch.m.isa.matrix.fraction_bits[table]
    cdef int fraction = 10, lift
    cdef Format of_c = F16 if half else F32, of_d = of_c
    if not half:
        of_d.fraction_bits = <int>launch.m.isa.matrix.result_bits[table]
        of_d.dropped = 23 - of_d.fraction_bits
    if u.offset.group & GF_OTHER_B:
        of_b = MX_E5M2 if u.fn == MX_E4M3 else MX_E4M3
    if u.fn == MX_BF16:
        fraction = 7
    elif u.fn >= MX_E4M3:
        fraction = ((3 if u.fn == MX_E4M3 else 2) + (3 if of_b == MX_E4M3 else 2))
    lift = bits - (fraction if u.fn >= MX_E4M3 else 2 * fraction)
    special_a = _decode(left, ROWS, u.fn, a)
    if u.offset.group & GF_NEGATIVE_A:
        _negate(a, ROWS * depth)
    for tile in range(u.vec.tiles):
        if _factor(sm, w, where, 8 * tile, 8, u.offset.group & GF_ACROSS_B != 0, words) < 0:
            return -1
        special = _decode(words, 8, of_b, b) or special_a
        if u.offset.group & GF_NEGATIVE_B:
            _negate(b, 8 * depth)
        for row in range(ROWS):
            for column in range(8):
                at = 8 * ROWS * tile + 8 * row + column
                k = 0
                while k < depth:
                    count = step if step < depth - k else depth - k
                    c[at] = sum_block(a + row * depth + k, b + column * depth + k, count, c[at], of_c, lift, bits, of_d, special)
                    k += count
    for tile in range(u.vec.tiles):
        result(launch, w, u, each * tile, 2, half, c + 8 * ROWS * tile)
    return 0


cdef int _integers(SmCore *sm, Warp *w, const Uop *u, const uint32_t *left, uint64_t where, uint32_t *c) noexcept nogil:
    cdef const Launch *launch = w.launch
    cdef uint32_t words[8 * WORDS]
    cdef int16_t a[ROWS * MOST_DEEP]
    cdef int16_t b[8 * MOST_DEEP]
    cdef int tile
    unpack(left, ROWS * WORDS, 8, u.form.matrix & MF_SIGNED_A, a)
    for tile in range(u.vec.tiles):
        if _factor(sm, w, where, 8 * tile, 8, False, words) < 0:
            return -1
        unpack(words, 8 * WORDS, 8, u.form.matrix & MF_SIGNED_B, b)
        add_integers(a, b, 8 * ROWS, MOST_DEEP, u.form.matrix & MF_SATURATE != 0, c + 8 * ROWS * tile)
    for tile in range(u.vec.tiles):
        result(launch, w, u, 4 * tile, 2, False, c + 8 * ROWS * tile)
    return 0


cdef int group_product(SmCore *sm, Scheduler *s, Warp *w, const Uop *u, uint64_t lanes, int64_t cycle, int64_t *products_until) noexcept nogil:
    """Compute the warp's rows, and queue the product; puts off `products_until`, the cycle up to which some hold the banks of shared memory."""
    cdef const Launch *launch = w.launch
    cdef uint32_t left[ROWS * WORDS]
    cdef uint32_t c[32 * 8 * ROWS]      # all of it first: results may take the registers of other numbers
    cdef int registers = 0, tile, each = 2 if u.form.matrix & MF_D_F16 else 4
    cdef bint adds = (w.predicates[u.s[2] >> 1] ^ (<uint64_t>0 - <uint64_t>(u.s[2] & 1))) & 1
    cdef uint64_t where = (<const uint64_t *>row_of(launch, w, u, 1))[0]
    cdef int64_t start
    if _whole(sm, w, lanes, False) < 0:
        return -1
    if u.s[0] < 0:
        registers = 4
        multiplicand(launch, w, u, each * u.vec.tiles, 2, WORDS, left)
    elif _factor(sm, w, (<const uint64_t *>row_of(launch, w, u, 0))[0], ROWS * (w.index & 3), ROWS, u.offset.group & GF_ACROSS_A != 0, left) < 0:
        return -1
    if not adds:
        memset(c, 0, <size_t>u.vec.tiles * 8 * ROWS * sizeof(uint32_t))
    for tile in range(u.vec.tiles if adds else 0):
        addend(launch, w, u, each * u.vec.tiles + registers + each * tile, 2, u.form.matrix & MF_D_F16, c + 8 * ROWS * tile)
    if (_integers if u.fn == MX_INTEGER else _floats)(sm, w, u, left, where, c) < 0:
        return -1
    start = max(cycle, s.product_free)
    s.product_free = start + u.interval
    if s.product_free > products_until[0]:
        products_until[0] = s.product_free
    w.copies.product_end = start + u.latency
    if u.offset.group & GF_COMMIT:
        group_commit(w)
    return 0
