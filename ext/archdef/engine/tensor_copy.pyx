"""Copies by a tensor map: a box of a tensor moves between global and shared memory, row by row.

A map is 128 bytes that the guest may have made itself, laid out as `archdef.run.tensor_map` says. Nothing in it is trusted: it is
decoded and checked at each copy, and every row's bytes are looked up in the allocations by base and length. Coordinates and strides
are so bounded (2^33 and 2^40) that a row's distance is summed only where no product passes `FARTHEST`.
"""
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from archdef.engine.block_cluster cimport own_address
from archdef.engine.copying cimport COPY_GROUPS, BulkCopy, TensorBox
from archdef.engine.delivery cimport ONE_BLOCK, Receivers, receivers, receivers_barrier
from archdef.engine.fault_code cimport (FAULT_ALIGNMENT, FAULT_BOUNDS, FAULT_READ_ONLY, FAULT_TENSOR, TR_FIRST, TR_INTERLEAVED, TR_MAP, TR_MODE,
                                        TR_NEGATIVE, TR_PIXEL, TR_RANK, TR_REDUCE, TR_ROW)
from archdef.engine.guest cimport guest_at, guest_fault
from archdef.engine.lanes cimport atomic_function, atomic_table
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.memory cimport GLOBAL_BASE, Span, find_span
from archdef.engine.operand cimport row_of
from archdef.engine.sm_core cimport SmCore
from archdef.engine.texture_table cimport texture_written
from archdef.engine.types cimport BK_BOX_IN, BO_ADD, BO_AND, BO_DEC, BO_INC, BO_MAX, BO_MIN, BO_OR, BO_XOR, BX_IM2COL, BX_MULTICAST
from archdef.engine.uop cimport Uop

from archdef.engine.lanes import atomic_names

cdef enum:
    MAP_BYTES = 128
    MAP_ALIGNMENT = 64
    PIECE = 16               # bytes: rows are made of such pieces
    SHARED_ALIGNMENT = 128
    TYPES = 11               # of elements, as maps number them
    F16 = 6
    F32 = 7
    F32_FTZ = 8
    F64 = 9
    BF16 = 10

cdef uint64_t FARTHEST = <uint64_t>1 << 57     # of a row from the tensor's first byte, and of addresses
cdef int32_t SIZES[TYPES]
SIZES[:] = [1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2]
_TYPES = ("u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f32_ftz", "f64", "bf16")
cdef int32_t OPERATIONS[BO_XOR + 1][TYPES]     # number of the atomic function, -1: none


def _operations():
    """Give, of each BoxOp and type, the name of the atomic function."""
    bits = {"u32": "b32", "s32": "b32", "u64": "b64", "s64": "b64"}
    extremes = ("u32", "s32", "u64", "s64", "f16", "bf16")
    sums = dict(bits, f16="f16", bf16="bf16", f32="f32", f32_ftz="ftz_f32", f64="raw_f64")
    yield BO_ADD, {t: f"add_{name}" for t, name in sums.items()}
    yield BO_MIN, {t: f"min_{t}" for t in extremes}
    yield BO_MAX, {t: f"max_{t}" for t in extremes}
    yield BO_INC, {"u32": "inc_u32"}
    yield BO_DEC, {"u32": "dec_u32"}
    for op, name in ((BO_AND, "and"), (BO_OR, "or"), (BO_XOR, "xor")):
        yield op, {t: f"{name}_{b}" for t, b in bits.items()}


for _op, _functions in _operations():
    for _number, _type in enumerate(_TYPES):
        OPERATIONS[<int>_op][<int>_number] = atomic_names().index(_functions[_type]) if _type in _functions else -1


# ------------------------------------------------------------------------------------------------------------- what is wrong
cdef int _refuse(SmCore *sm, const Warp *w, int lane, int reason, int64_t found, int64_t wanted) noexcept nogil:
    """Record what a copy by a tensor map cannot be."""
    if sm.fault.code == 0:
        sm.fault.detail[0] = <uint64_t>reason
        sm.fault.detail[1] = <uint64_t>found
        sm.fault.detail[2] = <uint64_t>wanted
    return guest_fault(sm, w, FAULT_TENSOR, lane, 0)


cdef int _outside(SmCore *sm, const Warp *w, int code, int lane, uint64_t address, int64_t bytes) noexcept nogil:
    """Record a fault at an address; `bytes`: what would have been reached, or what it must be a multiple of."""
    if sm.fault.code == 0:
        sm.fault.detail[0] = <uint64_t>bytes
    return guest_fault(sm, w, code, lane, address)


# ------------------------------------------------------------------------------------------------------------------ the map
cdef inline int64_t _signed(uint32_t value, int bits) noexcept nogil:
    """Give the low bits of a field as a signed number."""
    value &= (<uint32_t>1 << bits) - 1
    return <int64_t>value - (<int64_t>(value >> (bits - 1)) << bits)


cdef int _read_map(SmCore *sm, const Warp *w, const Uop *u, int lane, uint32_t *word) noexcept nogil:
    """Fetch the 128 bytes."""
    cdef uint64_t address = (<const uint64_t *>row_of(w.launch, w, u, 1))[lane]
    cdef int64_t room = 0
    cdef char *place
    if address & (MAP_ALIGNMENT - 1):
        return _outside(sm, w, FAULT_ALIGNMENT, lane, address, MAP_ALIGNMENT)
    place = guest_at(sm, w, lane, address, &room)
    if place == NULL or room < MAP_BYTES:
        return _outside(sm, w, FAULT_BOUNDS, lane, address, MAP_BYTES)
    memcpy(word, place, MAP_BYTES)
    return 0


cdef int _decode(SmCore *sm, const Warp *w, const Uop *u, int lane, const uint32_t *word, TensorBox *box) noexcept nogil:
    """Fill a box with what tiles and pixels have in common."""
    cdef int i, interleave = word[2] >> 11 & 3
    memset(box, 0, sizeof(TensorBox))
    box.base = <uint64_t>word[0] | <uint64_t>word[1] << 32
    box.rank = (word[2] >> 4 & 7) + 1
    box.type = word[2] >> 7 & 15
    box.pixels = word[2] & 1
    box.fill = word[2] >> 15 & 1
    box.rounds = word[2] >> 16 & 1 and (box.type == F32 or box.type == F32_FTZ)
    box.span = (16 << (word[2] >> 13 & 3)) & ~16
    if (box.type >= TYPES or box.rank > 5 or interleave == 3 or interleave and box.rank < 3 or box.pixels and box.rank < 3
            or box.base & (PIECE - 1) or box.base >= FARTHEST or box.fill and box.type < F16):
        return _refuse(sm, w, lane, TR_MAP, 0, 0)
    if box.rank != u.coordinates:
        return _refuse(sm, w, lane, TR_RANK, box.rank, u.coordinates)
    if box.pixels != (u.offset.box & BX_IM2COL):
        return _refuse(sm, w, lane, TR_MODE, box.pixels, 0)
    if box.pixels and interleave:
        return _refuse(sm, w, lane, TR_INTERLEAVED, 0, 0)
    box.unit = PIECE * interleave if interleave else SIZES[box.type]
    box.stride[0] = <uint64_t>box.unit
    for i in range(box.rank):
        box.dims[i] = <int64_t>word[8 + i] + 1
        box.step[i] = (word[13] >> (3 * i) & 7) + 1
        if i:
            box.stride[i] = (<uint64_t>word[2 + i] | <uint64_t>(word[7] >> (4 * (i - 1)) & 15) << 32) << 4
        box.first[i] = (<const int32_t *>row_of(w.launch, w, u, 4 + i))[lane]
    box.count[0] = (word[13] >> 24) + 1
    if not interleave:
        box.step[0] = 1
        if box.first[0] * box.unit & (PIECE - 1):
            return _refuse(sm, w, lane, TR_FIRST, box.first[0] * box.unit, PIECE)
    return 0


cdef int _tiles(SmCore *sm, const Warp *w, int lane, const uint32_t *word, TensorBox *box) noexcept nogil:
    """Complete a box of a tile."""
    cdef int i
    cdef bint interleaved = word[2] >> 11 & 3
    for i in range(box.rank):
        if i:
            box.count[i] = (word[14] >> (8 * (i - 1)) & 255) + 1
        box.count[i] = (box.count[i] + box.step[i] - 1) // box.step[i]
    if interleaved:
        box.count[box.rank - 2] = 1     # slices of channels: a copy is of one
    box.rows = 1
    for i in range(1, box.rank):
        box.rows *= box.count[i]
    return 0


cdef int _pixels(SmCore *sm, const Warp *w, const Uop *u, int lane, const uint32_t *word, TensorBox *box) noexcept nogil:
    """Complete a box of pixels: its corners, and where in it the copy begins."""
    cdef int i, axes = box.rank - 2, bits = 16 if axes == 1 else 8 if axes == 2 else 5
    cdef uint64_t shifts = 0
    if u.s[3] >= 0:
        shifts = (<const uint64_t *>row_of(w.launch, w, u, 3))[lane]
    for i in range(1, box.rank - 1):
        box.lower[i] = _signed(word[14] >> (bits * (i - 1)), bits)
        box.upper[i] = box.dims[i] + _signed(word[14] >> (16 + bits * (i - 1)), bits)
        box.shift[i] = <int64_t>(shifts >> (16 * (i - 1)) & 0xFFFF)
        if not box.lower[i] <= box.first[i] < box.upper[i]:
            return _refuse(sm, w, lane, TR_PIXEL, box.first[i], i)
    box.rows = <int64_t>(word[15] & 1023) + 1
    return 0


cdef int _lines(SmCore *sm, const Warp *w, int lane, TensorBox *box) noexcept nogil:
    """Say how rows lie in shared memory: a swizzled one has a line of its own, unless units are interleaved."""
    box.line = box.count[0] * box.unit
    box.pitch = box.line
    if box.line & (PIECE - 1):
        return _refuse(sm, w, lane, TR_ROW, box.line, PIECE)
    if box.span and box.unit < PIECE:
        if box.line > box.span:
            return _refuse(sm, w, lane, TR_ROW, box.line, -box.span)
        box.pitch = box.span
    return 0


# ----------------------------------------------------------------------------------------------------------------- the walk
cdef inline void _begin(TensorBox *box) noexcept nogil:
    cdef int i
    box.row = box.piece = 0
    for i in range(5):
        box.at[i] = box.first[i] if box.pixels else 0


cdef inline void _go_on(TensorBox *box) noexcept nogil:
    """Go to the next row."""
    cdef int i
    box.row += 1
    box.piece = 0
    if not box.pixels:
        for i in range(1, box.rank):
            box.at[i] += 1
            if box.at[i] < box.count[i]:
                return
            box.at[i] = 0
        return
    for i in range(1, box.rank - 1):
        box.at[i] += box.step[i]
        if box.at[i] < box.upper[i]:
            return
        box.at[i] = box.lower[i]
    box.at[box.rank - 1] += 1


cdef inline int _row(const TensorBox *box, uint64_t *distance) noexcept nogil:
    """Give how far the row's unit 0 of the tensor is from the tensor's first byte. 1: inside; 0: it lies outside of the tensor; -1: too far."""
    cdef int i
    cdef int64_t c
    distance[0] = 0
    for i in range(1, box.rank):
        c = box.at[i] + box.shift[i] if box.pixels else box.first[i] + box.at[i] * box.step[i]
        if c < 0 or c >= box.dims[i]:
            return 0
        if box.stride[i] and <uint64_t>c > FARTHEST // box.stride[i]:
            return -1
        distance[0] += <uint64_t>c * box.stride[i]
    return 1


cdef inline bint _unit(const TensorBox *box, int64_t k, int64_t *at) noexcept nogil:
    """Give the bytes from the row's unit 0 to the one that is number k of the box; False: outside of the tensor."""
    cdef int64_t c = box.first[0] + k * box.step[0]
    at[0] = c * box.unit
    return 0 <= c < box.dims[0]


cdef inline int _inside(const TensorBox *box, int64_t piece, int64_t *at, int64_t *low, int64_t *high) noexcept nogil:
    """Give which of a piece's bytes lie inside the tensor, and where the piece lies in its row. Returns whether any do."""
    cdef int64_t per = PIECE // box.unit, c, first
    at[0] = low[0] = 0
    high[0] = PIECE
    if box.unit >= PIECE:
        if not _unit(box, piece * PIECE // box.unit, at):
            return 0
        at[0] += piece * PIECE % box.unit
        return 1
    first = box.first[0] + piece * per
    at[0] = first * box.unit
    c = max(<int64_t>0, -first)
    low[0] = min(c, per) * box.unit
    c = max(<int64_t>0, box.dims[0] - first)
    high[0] = min(c, per) * box.unit
    return low[0] < high[0]


cdef int box_pieces(TensorBox *box, uint64_t *address, int most) noexcept nogil:
    """Give the addresses of the next pieces of 16 bytes that memory is asked for; 0: there are no more."""
    cdef int count = 0
    cdef uint64_t distance
    cdef int64_t at, low, high
    while box.row < box.rows:
        if _row(box, &distance) > 0:
            while box.piece < box.line // PIECE:
                if count == most:
                    return count
                if _inside(box, box.piece, &at, &low, &high):
                    address[count] = box.base + distance + <uint64_t>at
                    count += 1
                box.piece += 1
        _go_on(box)
    return count


# ------------------------------------------------------------------------------------------------------------- moving bytes
cdef inline int64_t _swizzled(const TensorBox *box, int64_t offset) noexcept nogil:
    """Say where a byte goes that would be at an offset of shared memory."""
    cdef int64_t mask = (box.span >> 4) - 1 if box.span else 0
    return offset ^ (offset >> 7 & mask) << 4


cdef inline uint32_t _rounded(uint32_t bits) noexcept nogil:
    """Round a number in single precision to tf32."""
    if bits & <uint32_t>0x7FFFFFFF > <uint32_t>0x7F800000:
        return 0x7FFFE000
    return (bits + 0x1000) & <uint32_t>0xFFFFE000


cdef int _fetch(SmCore *sm, const Warp *w, int lane, const TensorBox *box, uint64_t address, int64_t low, int64_t high, char *to) noexcept nogil:
    """Bring a piece, of which the bytes low … high - 1 lie inside the tensor."""
    cdef uint16_t filling[8]
    cdef uint32_t bits
    cdef int64_t room = 0
    cdef char *place
    cdef int k
    for k in range(8):
        filling[k] = 0x7FF7 if box.fill else 0
    if low < high:
        address += <uint64_t>low
        place = guest_at(sm, w, lane, address, &room) if address >= <uint64_t>GLOBAL_BASE else NULL
        if place == NULL or room < high - low:
            return _outside(sm, w, FAULT_BOUNDS, lane, address, high - low)
        memcpy(<char *>filling + low, place, <size_t>(high - low))
        if box.rounds:
            for k in range(<int>low, <int>high, 4):
                memcpy(&bits, <char *>filling + k, 4)
                bits = _rounded(bits)
                memcpy(<char *>filling + k, &bits, 4)
    memcpy(to, filling, PIECE)
    return 0


cdef int _send(SmCore *sm, const Warp *w, const Uop *u, int lane, const TensorBox *box, uint64_t address, const char *source) noexcept nogil:
    """Store or combine a piece. It is written as a whole, if any of it lies inside the tensor, as an H200 does."""
    cdef const Launch *launch = w.launch
    cdef const Span *span
    cdef atomic_function function
    cdef uint64_t old, new
    cdef int64_t room = 0
    cdef int k, size = SIZES[box.type]
    cdef char *place = guest_at(sm, w, lane, address, &room) if address >= <uint64_t>GLOBAL_BASE else NULL
    if place == NULL or room < PIECE:
        return _outside(sm, w, FAULT_BOUNDS, lane, address, PIECE)
    span = find_span(launch.spans, launch.span_count, address)
    if span != NULL and (span.start == launch.const_start or span.start == launch.parameter_start or span.read_only):
        return _outside(sm, w, FAULT_READ_ONLY, lane, address, PIECE)
    if launch.textures.written_count:
        texture_written(launch.textures, address, PIECE)
    if not u.vec.reduces:
        memcpy(place, source, PIECE)
        return 0
    function = atomic_table()[OPERATIONS[u.fn][box.type]]
    for k in range(PIECE // size):
        old = new = 0
        memcpy(&old, place + k * size, size)
        memcpy(&new, source + k * size, size)
        old = function(old, new, 0)
        memcpy(place + k * size, &old, size)
    return 0


cdef int _move(SmCore *sm, const Warp *w, const Uop *u, int lane, const Receivers *to, BulkCopy *copy, TensorBox *box) noexcept nogil:
    """Move the rows of a box, and count the bytes that memory is asked for."""
    cdef const Launch *launch = w.launch
    cdef char *shared = to.memory[0]
    cdef uint64_t distance
    cdef int64_t piece, at, low, high, place
    cdef int inside, any, k
    _begin(box)
    while box.row < box.rows:
        inside = _row(box, &distance)
        if inside < 0:
            return _outside(sm, w, FAULT_BOUNDS, lane, ~<uint64_t>0, box.line)
        for piece in range(box.line // PIECE):
            any = _inside(box, piece, &at, &low, &high)
            place = _swizzled(box, to.offset + box.row * box.pitch + piece * PIECE)
            if place > launch.shared_bytes - PIECE:
                return _outside(sm, w, FAULT_BOUNDS, lane, <uint64_t>place, PIECE)
            if not (any and inside):
                low = high = 0
            else:
                copy.left += PIECE
            if u.form.route == BK_BOX_IN:
                if _fetch(sm, w, lane, box, box.base + distance + <uint64_t>at, low, high, shared + place) < 0:
                    return -1
                for k in range(1, to.count):
                    memcpy(to.memory[k] + place, shared + place, PIECE)
            elif low < high and _send(sm, w, u, lane, box, box.base + distance + <uint64_t>at, shared + place) < 0:
                return -1
        _go_on(box)
    _begin(box)
    return 0


cdef int _target(SmCore *sm, Warp *w, const Uop *u, int lane, Receivers *to, BulkCopy *copy) noexcept nogil:
    """Find the box's place in shared memory, and what says that it has arrived: mbarriers, or the warp's open group."""
    cdef const Launch *launch = w.launch
    cdef uint32_t address = (<const uint32_t *>row_of(launch, w, u, 0))[lane]
    cdef int64_t mask = ONE_BLOCK
    if address & (SHARED_ALIGNMENT - 1):
        return _outside(sm, w, FAULT_ALIGNMENT, lane, address, SHARED_ALIGNMENT)
    copy.barrier = copy.group = -1
    copy.ranks = 0
    if u.form.route != BK_BOX_IN:          # the source is the block's own
        copy.group = w.bulk_group % COPY_GROUPS
        to.count = 1
        to.memory[0] = sm.blocks[w.block].shared
        to.address = own_address(launch, sm.blocks + w.block, address)
        to.offset = <uint32_t>to.address
        return 0
    if u.offset.box & BX_MULTICAST:
        mask = <int64_t>((<const uint64_t *>row_of(launch, w, u, 3))[lane] >> 48)
    if receivers(sm, w, lane, address, PIECE, mask, to) < 0:
        return -1
    return receivers_barrier(sm, w, lane, (<const uint32_t *>row_of(launch, w, u, 2))[lane], mask, copy)


cdef int box_copy(SmCore *sm, Warp *w, const Uop *u, int lane, BulkCopy *copy, TensorBox *box) noexcept nogil:
    """Move the box that one lane asks for, and say what it costs. Returns -1 after a fault."""
    cdef uint32_t word[32]
    cdef Receivers to
    cdef int64_t bytes
    cdef int i
    if _read_map(sm, w, u, lane, word) < 0 or _decode(sm, w, u, lane, word, box) < 0:
        return -1
    if (_pixels(sm, w, u, lane, word, box) if box.pixels else _tiles(sm, w, lane, word, box)) < 0:
        return -1
    if _lines(sm, w, lane, box) < 0 or _target(sm, w, u, lane, &to, copy) < 0:
        return -1
    if u.form.route != BK_BOX_IN and not box.pixels:
        for i in range(box.rank):
            if box.first[i] < 0:
                return _refuse(sm, w, lane, TR_NEGATIVE, box.first[i], i)
    if u.vec.reduces and (OPERATIONS[u.fn][box.type] < 0 or box.rounds):
        return _refuse(sm, w, lane, TR_REDUCE, box.type, 0)
    bytes = w.launch.shared_bytes
    if box.pitch > bytes or box.rows > bytes // box.pitch or to.offset > bytes - box.rows * box.pitch:
        bytes = box.rows * box.pitch if box.rows < (<int64_t>1 << 33) else <int64_t>1 << 48
        return _outside(sm, w, FAULT_BOUNDS, lane, to.address, bytes)
    copy.left = 0
    if to.count and _move(sm, w, u, lane, &to, copy, box) < 0:
        return -1
    copy.bytes = <uint32_t>(box.rows * box.line) if to.count else 0     # a multicast to nobody moves nothing
    copy.address = box.base
    if copy.group >= 0:
        w.copies.bulk_writes[copy.group] += 1
        w.copies.bulk_reads[copy.group] += 1
    return 0
