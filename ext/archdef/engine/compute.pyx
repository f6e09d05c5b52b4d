"""What micro-ops do to registers: arithmetic, predicates, and exchanges between the lanes of a warp."""
from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from archdef.engine.bits cimport lowest_bit
from archdef.engine.lanes cimport carry_table, compare_table
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.operand cimport row_of
from archdef.engine.sm_core cimport SmCore
from archdef.engine.types cimport (CB_AND, CB_NONE, CB_OR, FL_CARRY_OUT, FL_SIGNED, K_ALU, K_CARRY, K_MATCH, K_P2R, K_PRED,
                                   K_REDUX, K_SELP, K_SETP, K_SHUFFLE, K_SPECIAL, K_VOTE, PRED_CARRY, REDUX_ADD, REDUX_AND,
                                   REDUX_MAX_S, REDUX_MAX_U, REDUX_MIN_S, REDUX_MIN_U, REDUX_OR, SHFL_DOWN,
                                   SHFL_IDX, SHFL_UP, SR_CLOCK, SR_CLOCK64, SR_CLOCK_HI, SR_GLOBALTIMER, SR_NSMID, SR_SMID,
                                   VOTE_ACTIVE, VOTE_ALL, VOTE_ANY, VOTE_BALLOT, VOTE_ELECT)
from archdef.engine.uop cimport Uop


cdef inline uint64_t _predicate(const Warp *w, int32_t operand) noexcept nogil:
    """Lanes for which a predicate operand holds."""
    return w.predicates[operand >> 1] ^ (<uint64_t>0 - <uint64_t>(operand & 1))


cdef inline void _put(Warp *w, int32_t predicate, uint64_t lanes, uint64_t value) noexcept nogil:
    if predicate >= 0:
        w.predicates[predicate] = (w.predicates[predicate] & ~lanes) | (value & lanes)


cdef void _blend(char *row, const char *result, uint64_t lanes, int width) noexcept nogil:
    """Copy the active lanes of a result to its row."""
    cdef int lane
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if width == 8:
            (<uint64_t *>row)[lane] = (<const uint64_t *>result)[lane]
        else:
            (<uint32_t *>row)[lane] = (<const uint32_t *>result)[lane]


cdef inline uint64_t _pack(const uint8_t *bytes, int n) noexcept nogil:
    """Gather bytes of 0 or 1 into a mask; `bytes` is readable up to the next multiple of 8."""
    cdef uint64_t mask = 0, eight
    cdef int i = 0
    while i < n:
        memcpy(&eight, bytes + i, 8)
        mask |= ((eight * <uint64_t>0x0102040810204080) >> 56) << i
        i += 8
    return mask


cdef inline void _unpack(uint64_t mask, uint8_t *bytes, int n) noexcept nogil:
    cdef int i
    for i in range(n):
        bytes[i] = mask >> i & 1


cdef void _compare(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    cdef uint8_t bytes[72]          # a word past the last lane is cleared for `_pack`
    cdef uint64_t holds, fails, with_
    memset(bytes + (launch.lanes & ~7), 0, 8)
    compare_table()[u.fn](bytes, row_of(launch, w, u, 0), row_of(launch, w, u, 1), launch.lanes)
    holds = _pack(bytes, launch.lanes)
    fails = ~holds
    if u.form.combine != CB_NONE:
        with_ = _predicate(w, u.s[2])
        if u.form.combine == CB_AND:
            holds &= with_
            fails &= with_
        elif u.form.combine == CB_OR:
            holds |= with_
            fails |= with_
        else:
            holds ^= with_
            fails ^= with_
    _put(w, u.d[0], lanes, holds)
    _put(w, u.d[1], lanes, fails)


cdef void _logic(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """A truth table over three predicates."""
    cdef uint64_t a = _predicate(w, u.s[0]), b = _predicate(w, u.s[1]), c = _predicate(w, u.s[2])
    cdef uint64_t value = 0
    cdef int row
    for row in range(8):
        if u.fn >> row & 1:
            value |= (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
    _put(w, u.d[0], lanes, value)


cdef void _select(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    cdef uint64_t chosen = _predicate(w, u.s[2])
    cdef const char *a = row_of(launch, w, u, 0)
    cdef const char *b = row_of(launch, w, u, 1)
    cdef char *d = w.rows + u.d[0]
    cdef int i
    while lanes:
        i = lowest_bit(lanes)
        lanes &= lanes - 1
        if u.width == 8:
            (<uint64_t *>d)[i] = (<const uint64_t *>(a if chosen >> i & 1 else b))[i]
        else:
            (<uint32_t *>d)[i] = (<const uint32_t *>(a if chosen >> i & 1 else b))[i]


cdef void _carry(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    cdef uint8_t into[64]
    cdef uint8_t out[72]
    cdef uint64_t result[64]
    cdef const char *c = row_of(launch, w, u, 2) if u.s[2] >= 0 else row_of(launch, w, u, 1)
    memset(out + (launch.lanes & ~7), 0, 8)
    _unpack(w.predicates[PRED_CARRY], into, launch.lanes)
    carry_table()[u.fn](result, out, row_of(launch, w, u, 0), row_of(launch, w, u, 1), c, into, launch.lanes)
    _blend(w.rows + u.d[0], <const char *>result, lanes, u.width)
    if u.flags & FL_CARRY_OUT:
        _put(w, PRED_CARRY, lanes, _pack(out, launch.lanes))


cdef void _redux(Warp *w, const Uop *u, uint64_t lanes, uint64_t members, const uint32_t *a) noexcept nogil:
    """Combine a value over the members and give it to `lanes`."""
    cdef uint64_t left = members
    cdef uint32_t total, value
    cdef int lane
    if left == 0:
        return
    total = a[lowest_bit(left)]
    left &= left - 1
    while left:
        value = a[lowest_bit(left)]
        left &= left - 1
        if u.fn == REDUX_ADD:
            total += value
        elif u.fn == REDUX_AND:
            total &= value
        elif u.fn == REDUX_OR:
            total |= value
        elif u.fn == REDUX_MIN_U:
            total = min(total, value)
        elif u.fn == REDUX_MAX_U:
            total = max(total, value)
        elif u.fn == REDUX_MIN_S:
            total = <uint32_t>min(<int32_t>total, <int32_t>value)
        elif u.fn == REDUX_MAX_S:
            total = <uint32_t>max(<int32_t>total, <int32_t>value)
        else:
            total ^= value
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        (<uint32_t *>(w.rows + u.d[0]))[lane] = total


cdef void _vote(Warp *w, const Uop *u, uint64_t lanes, uint64_t members, uint64_t votes) noexcept nogil:
    """Tell `lanes` what the members vote."""
    cdef uint64_t holds, value
    cdef int i, leader
    if u.fn == VOTE_ELECT:
        leader = lowest_bit(members if members else lanes)
        _put(w, u.d[1], lanes, <uint64_t>1 << leader)
        while lanes and u.d[0] >= 0:
            i = lowest_bit(lanes)
            lanes &= lanes - 1
            (<uint32_t *>(w.rows + u.d[0]))[i] = <uint32_t>leader
        return
    holds = members if u.fn == VOTE_ACTIVE else votes & members
    if u.fn == VOTE_BALLOT or u.fn == VOTE_ACTIVE:
        while lanes:
            i = lowest_bit(lanes)
            lanes &= lanes - 1
            if u.width == 8:
                (<uint64_t *>(w.rows + u.d[0]))[i] = holds
            else:
                (<uint32_t *>(w.rows + u.d[0]))[i] = <uint32_t>holds
        return
    if u.fn == VOTE_ALL:
        value = holds == members
    elif u.fn == VOTE_ANY:
        value = holds != 0
    else:
        value = holds == members or holds == 0
    _put(w, u.d[0], lanes, <uint64_t>0 - value)


cdef void _shuffle(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes, uint64_t everyone, const uint32_t *a) noexcept nogil:
    """Read another lane's value. PTX ISA, shfl: the clamp operand holds a segment mask (bits 8 up) and a clamp (low bits).

    The fields are as wide as a lane number of this machine: 5 bits up to 32 lanes, 6 bits on 64. What a lane that does not take part
    gives is left open there; an H100 gives 0, whether the lane is elsewhere, has ended or never was.
    """
    cdef uint32_t value[64]
    cdef const uint32_t *b = <const uint32_t *>row_of(launch, w, u, 1)
    cdef const uint32_t *c = <const uint32_t *>row_of(launch, w, u, 2)
    cdef uint64_t left = lanes, inside = 0
    cdef int32_t lane, other, field = 31 if launch.lanes <= 32 else 63, segment, clamp, most, least
    memcpy(value, a, <size_t>(4 * launch.lanes))
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        segment = <int32_t>(c[lane] >> 8) & field
        clamp = <int32_t>c[lane] & field
        least = lane & segment
        most = least | (clamp & ~segment)
        if u.fn == SHFL_UP:
            other = lane - (<int32_t>b[lane] & field)
            if other >= most:
                inside |= <uint64_t>1 << lane
            else:
                other = lane
        elif u.fn == SHFL_IDX:
            other = least | (<int32_t>b[lane] & field & ~segment)
            if other <= most:
                inside |= <uint64_t>1 << lane
            else:
                other = lane
        else:
            other = lane + (<int32_t>b[lane] & field) if u.fn == SHFL_DOWN else lane ^ (<int32_t>b[lane] & field)
            if other <= most:
                inside |= <uint64_t>1 << lane
            else:
                other = lane
        (<uint32_t *>(w.rows + u.d[0]))[lane] = value[other] if other < launch.lanes and everyone >> other & 1 else 0
    _put(w, u.d[1], lanes, inside)


cdef void _match(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes, uint64_t members, const char *a) noexcept nogil:
    """Find the members that hold the same value."""
    cdef uint64_t same, left, value
    cdef bint wide = u.element.bytes == 8, all_same
    cdef int lane, other
    cdef uint64_t masks[64]
    left = lanes
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        value = (<const uint64_t *>a)[lane] if wide else (<const uint32_t *>a)[lane]
        same = 0
        for other in range(launch.lanes):
            if members >> other & 1 and ((<const uint64_t *>a)[other] if wide else (<const uint32_t *>a)[other]) == value:
                same |= <uint64_t>1 << other
        masks[lane] = same
    all_same = masks[lowest_bit(lanes)] == members
    left = lanes
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        value = masks[lane] if u.fn == 0 else (members if all_same else 0)
        if u.width == 8:
            (<uint64_t *>(w.rows + u.d[0]))[lane] = value
        else:
            (<uint32_t *>(w.rows + u.d[0]))[lane] = <uint32_t>value
    if u.fn:
        _put(w, u.d[1], lanes, <uint64_t>0 - <uint64_t>all_same)


cdef void exchange(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes, uint64_t everyone, const char *a,
                   uint64_t votes) noexcept nogil:
    """Execute an instruction among lanes for `lanes` (not empty). `everyone` is there; `a` and `votes` are what they bring.

    Votes, matches and reductions are over those that are there and, if there is a mask s[1], named by it. Lanes that name different
    masks (tiles of a warp that come to one instruction together) are groups of their own.
    """
    cdef bint wide = (u.width if u.kind == K_MATCH else u.element.mask_bytes) == 8
    cdef const char *row
    cdef uint64_t left, same, members = everyone, mask
    cdef int i
    if u.kind == K_SHUFFLE:
        _shuffle(launch, w, u, lanes, everyone, <const uint32_t *>a)
        return
    while lanes:
        same = lanes
        if u.s[1] >= 0:
            row = row_of(launch, w, u, 1)
            i = lowest_bit(lanes)
            mask = (<const uint64_t *>row)[i] if wide else (<const uint32_t *>row)[i]
            left = lanes
            while left:
                i = lowest_bit(left)
                left &= left - 1
                if ((<const uint64_t *>row)[i] if wide else <uint64_t>(<const uint32_t *>row)[i]) != mask:
                    same &= ~(<uint64_t>1 << i)
            members = everyone & mask
        if u.kind == K_VOTE:
            _vote(w, u, same, members, votes)
        elif u.kind == K_REDUX:
            _redux(w, u, same, members, <const uint32_t *>a)
        else:
            _match(launch, w, u, same, members, a)
        lanes &= ~same


cdef void _special(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Registers that change while the kernel runs."""
    cdef uint64_t value = 0
    cdef int lane
    if u.fn >= SR_CLOCK and u.fn <= SR_GLOBALTIMER:
        sm.effects += 1         # what looks at the time may do something else the next time
    if u.fn == SR_SMID:
        value = <uint64_t>sm.id
    elif u.fn == SR_NSMID:
        value = <uint64_t>w.launch.m.chip.multiprocessors
    elif u.fn == SR_CLOCK or u.fn == SR_CLOCK64:
        value = <uint64_t>sm.now
    elif u.fn == SR_CLOCK_HI:
        value = <uint64_t>sm.now >> 32
    elif u.fn == SR_GLOBALTIMER:
        value = <uint64_t>(sm.now * w.launch.m.clocks.shader_period_fs // 1000000)
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if u.width == 8:
            (<uint64_t *>(w.rows + u.d[0]))[lane] = value
        else:
            (<uint32_t *>(w.rows + u.d[0]))[lane] = <uint32_t>value


cdef bint exchange_apart(const Launch *launch, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Execute an instruction among lanes that stand at several places of the program: `lanes` at `u`, splits that have `passed` at ops
    of their own, which must do the same. They all go on behind them. Returns whether there were any.
    """
    cdef uint64_t values[64]
    cdef uint64_t votes = 0, everyone = lanes, left
    cdef const Uop *other = NULL
    cdef int32_t i, pass_
    cdef bint wide = u.kind == K_MATCH and u.element.bytes == 8
    for pass_ in range(2):              # first what all bring, then what each takes
        for i in range(-1, w.split_room):
            if i < 0:
                other = u
                left = lanes
            else:
                if w.splits[i].mask == 0 or w.splits[i].passed == 0:
                    continue
                other = launch.ops + w.splits[i].pc
                left = w.splits[i].mask & w.alive
                if other.guarded:
                    left &= w.predicates[other.guard_mask] ^ other.guard_flip
            if other.kind != u.kind or other.fn != u.fn or other.element.bytes != u.element.bytes or left == 0:
                continue
            if pass_:
                exchange(launch, w, other, left, everyone, <const char *>values, votes)
                if i >= 0:
                    w.splits[i].passed = 0
                    w.splits[i].pc += 1
                continue
            everyone |= left
            if u.kind == K_VOTE:
                votes |= (_predicate(w, other.s[0]) if u.fn < VOTE_ACTIVE else 0) & left
            else:
                _blend(<char *>values, row_of(launch, w, other, 0), left, 8 if wide else 4)
        if everyone == lanes:
            return False
    return True


cdef void compute_some(Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Do plain arithmetic for `lanes`, not all of the warp's."""
    cdef uint64_t result[64]
    cdef const Launch *launch = w.launch
    u.alu(result, row_of(launch, w, u, 0), row_of(launch, w, u, 1), row_of(launch, w, u, 2), row_of(launch, w, u, 3), launch.lanes)
    _blend(w.rows + u.d[0], <const char *>result, lanes, u.width)


cdef void compute(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Execute a micro-op that touches registers only, for `lanes` (not empty)."""
    cdef const Launch *launch = w.launch
    cdef int i
    if u.kind == K_ALU:
        compute_alu(w, u, lanes)
    elif u.kind == K_SETP:
        _compare(launch, w, u, lanes)
    elif u.kind == K_SELP:
        _select(launch, w, u, lanes)
    elif u.kind == K_PRED:
        _logic(w, u, lanes)
    elif u.kind == K_CARRY:
        _carry(launch, w, u, lanes)
    elif u.kind == K_P2R:
        while lanes:
            i = lowest_bit(lanes)
            lanes &= lanes - 1
            (<uint32_t *>(w.rows + u.d[0]))[i] = (
                (<uint32_t>0xffffffff if u.flags & FL_SIGNED else <uint32_t>1) if _predicate(w, u.s[0]) >> i & 1 else 0)
    elif u.kind == K_VOTE:
        exchange(launch, w, u, lanes, lanes, NULL, _predicate(w, u.s[0]) if u.fn < VOTE_ACTIVE else 0)
    elif u.kind == K_MATCH or u.kind == K_REDUX or u.kind == K_SHUFFLE:
        exchange(launch, w, u, lanes, lanes, row_of(launch, w, u, 0), 0)
    elif u.kind == K_SPECIAL:
        _special(sm, w, u, lanes)
