"""Texture instructions of one warp: coordinates to texels, nearest texels, gathering, queries.

The definition in words and numpy is `archdef.testing.texturing`; this is the same, and the two agree to the bit. Positions are fixed-point
numbers, of `texture_weight_bits` behind the point where they choose weights.
"""
from libc.math cimport fabs, fabsf, floor
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.counters cimport StatementCounters
from archdef.engine.fault cimport op_fault
from archdef.engine.fault_code cimport FAULT_BOUNDS, FAULT_TEXTURE_HANDLE, FAULT_TEXTURE_SHAPE
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.machine cimport MachineTable
from archdef.engine.memory cimport GLOBAL_BASE
from archdef.engine.operand cimport row_of
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.texture_cache cimport MOST_TAPS, texel_place, texture_transact
from archdef.engine.texture_filter cimport Corners, corner_weights, filtered
from archdef.engine.texture_ops cimport (GEO_1D, GEO_3D, GEO_A1D, GEO_A2D, GEO_ACUBE, GEO_CUBE, TQ_ADDRESS_0, TQ_ADDRESS_1,
                                         TQ_ADDRESS_2, TQ_ARRAY_SIZE, TQ_CHANNEL_ORDER, TQ_DEPTH, TQ_FILTER, TQ_HEIGHT, TQ_KIND,
                                         TQ_LAYOUT, TQ_MIP_LEVELS, TQ_NORMALIZED, TQ_SAMPLES, TQ_UNNORMALIZED, TQ_WIDTH,
                                         TX_GATHER, TX_QUERY)
from archdef.engine.texture_table cimport (AM_BORDER, AM_CLAMP, AM_MIRROR, AM_WRAP, TF_F16, TF_F32, TF_S8, TF_S16, TF_S32, TF_U8, TF_U16,
                                           TF_U32, TK_SAMPLER, TK_SURFACE, TK_TEXTURE, Texture, texture_find, texture_stale)
from archdef.engine.types cimport FL_SIGNED, K_ATOM, K_LOAD, SP_TEXTURE
from archdef.engine.uop cimport Uop

cdef enum:
    OUTSIDE = -1             # index of a texel that is not there: it reads zero

cdef float SMALLEST_NORMAL = 2.0 ** -126
cdef double WHOLE = 2.0 ** 31        # coordinates from here on have no fraction and repeat an even number of times
cdef char[16] NOTHING
memset(NOTHING, 0, sizeof(NOTHING))
cdef double FAR = 2.0 ** 40          # beyond every texture
cdef float INFINITE = float("inf")

cdef struct Axis:            # what one coordinate selects
    int64_t at[2]            # texel indices
    int64_t weight           # of the second; 0 without filtering

cdef struct Sampled:         # what one warp's access touched so far
    uint64_t place[512]      # of the texels read, as caches see them
    int count
    const Launch *launch
    uint64_t beyond          # where a texel should be that is not in the texture's allocation; 0: all were
    int stale                # lanes that read what this launch has written
    int lane_stale


cdef const Texture *texture_of(SmCore *sm, const Warp *w, const Uop *u, int lane, uint64_t handle, int kind) noexcept nogil:
    """The texture, surface or sampler of a handle; NULL after a fault."""
    cdef const Texture *t = texture_find(w.launch.textures, handle)
    if t == NULL or t.kind != kind:
        op_fault(sm, w, u, FAULT_TEXTURE_HANDLE, lane, handle)
        return NULL
    return t


# ------------------------------------------------------------------------------------------------------------ coordinates
cdef inline int64_t _resolve(int64_t i, int64_t size, int64_t mode) noexcept nogil:
    """The texel that stands for index i; OUTSIDE if none does."""
    if 0 <= i < size:
        return i
    if mode == AM_BORDER:
        return OUTSIDE
    if mode == AM_WRAP:
        i = i % size
        return i + size if i < 0 else i
    if mode == AM_MIRROR:
        i = i % (2 * size)
        i = i + 2 * size if i < 0 else i
        return i if i < size else 2 * size - 1 - i
    return 0 if i < 0 else size - 1


cdef inline void _axis(float given, int64_t size, int64_t mode, bint normalized, bint centred, bint linear, int bits, int weight_bits,
                       int64_t moved, Axis *out) noexcept nogil:
    """The texels that a coordinate, moved by so many texels, selects along an axis of `size` texels.

    Normalised ones are cut to `bits` fraction bits; centred ones, of cubes, run from -1 to 1.
    """
    cdef double x = given
    cdef int64_t i, place
    if given != given or fabsf(given) < SMALLEST_NORMAL:
        x = 0
    if normalized:
        if centred:
            place = (<int64_t>1 << (bits - 1)) + <int64_t>floor(max(-1.0, min(1.0, x)) * (<int64_t>1 << (bits - 1)))
        elif mode == AM_WRAP or mode == AM_MIRROR:
            place = 0 if fabs(x) >= WHOLE else <int64_t>floor(x * (<int64_t>1 << bits)) & ((<int64_t>2 << bits) - 1)
        else:
            place = <int64_t>floor(max(-2.0, min(3.0, x)) * (<int64_t>1 << bits))
        place *= size
        if linear:
            i = (place * (<int64_t>1 << weight_bits) + (<int64_t>1 << (bits - 1))) >> bits
        else:
            i = place >> bits
    else:
        x = max(-FAR, min(FAR, x))
        i = <int64_t>floor(x * (<int64_t>1 << weight_bits) + 0.5) if linear else <int64_t>floor(x)
    out.weight = 0
    out.at[1] = OUTSIDE
    if linear:
        i -= <int64_t>1 << weight_bits >> 1
        out.weight = i & ((<int64_t>1 << weight_bits) - 1)
        i >>= weight_bits
        out.at[1] = _resolve(i + moved + 1, size, mode)
    out.at[0] = _resolve(i + moved, size, mode)
    if mode == AM_CLAMP and out.at[0] == out.at[1]:      # held at the edge, a coordinate lies on a texel's centre
        out.weight = 0


cdef inline void _whole(int64_t i, int64_t size, Axis *out) noexcept nogil:
    """An integer coordinate selects one texel, and none out of range."""
    out.at[0] = i if 0 <= i < size else OUTSIDE
    out.at[1] = OUTSIDE
    out.weight = 0


cdef inline float _size(float x) noexcept nogil:
    return fabsf(x) if x == x else -1    # no number is less than every number


cdef int64_t _cube_face(float *x) noexcept nogil:
    """The face that a direction points at; x[0] and x[1] become the place on it, -1 to 1.

    As code for hardware does it: a reciprocal of the greatest coordinate and three products, then the choice of a face.
    """
    cdef float a = x[0], b = x[1], c = x[2], most = 0, reciprocal
    cdef int k
    for k in range(3):
        if fabsf(x[k]) > most:
            most = fabsf(x[k])
    reciprocal = <float>1 / most if most >= SMALLEST_NORMAL else INFINITE
    if reciprocal < SMALLEST_NORMAL:
        reciprocal = 0
    a, b, c = a * reciprocal, b * reciprocal, c * reciprocal
    if _size(c) >= _size(a) and _size(c) >= _size(b):
        x[0], x[1] = -a if c < 0 else a, -b
        return 5 if c < 0 else 4
    if _size(b) >= _size(a):
        x[0], x[1] = a, -c if b < 0 else c
        return 3 if b < 0 else 2
    x[0], x[1] = c if a < 0 else -c, -b
    return 1 if a < 0 else 0


# ---------------------------------------------------------------------------------------------------------------- texels
cdef inline uint32_t _bits(float value) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &value, 4)
    return bits


cdef uint32_t _single(uint16_t bits) noexcept nogil:
    """Half precision as single precision, NaNs with their bits."""
    cdef uint32_t sign = <uint32_t>(bits >> 15) << 31, fraction = bits & 1023
    cdef int exponent = bits >> 10 & 31
    if exponent == 31:
        return sign | 0x7f800000u | fraction << 13
    if exponent:
        return sign | <uint32_t>(exponent + 112) << 23 | fraction << 13
    return sign | _bits(<float>fraction / <float>16777216)


cdef inline double _number(const Texture *t, const char *texel, int channel) noexcept nogil:
    """A narrow integer, normalised reads not yet divided."""
    if t.format == TF_U8:
        return (<const uint8_t *>texel)[channel]
    if t.format == TF_S8:
        return max((<const int8_t *>texel)[channel], -127) if t.normalized_read else (<const int8_t *>texel)[channel]
    if t.format == TF_U16:
        return (<const uint16_t *>texel)[channel]
    return max((<const int16_t *>texel)[channel], -32767) if t.normalized_read else (<const int16_t *>texel)[channel]


cdef inline double _greatest(const Texture *t) noexcept nogil:
    """What normalised reads divide by; 1 for others."""
    if not t.normalized_read:
        return 1
    return 255 if t.format == TF_U8 else 127 if t.format == TF_S8 else 65535 if t.format == TF_U16 else 32767


cdef inline uint32_t _element(const Texture *t, const char *texel, int channel) noexcept nogil:
    """A channel as a register takes it: integers extended, floats in single precision; other channels than stored read 0."""
    if channel >= t.channels:
        return 0
    if t.format == TF_F32 or t.format == TF_U32 or t.format == TF_S32:
        return (<const uint32_t *>texel)[channel]
    if t.format == TF_F16:
        return _single((<const uint16_t *>texel)[channel])
    if t.normalized_read:
        return _bits(<float>(_number(t, texel, channel) / _greatest(t)))
    return <uint32_t><int64_t>_number(t, texel, channel)


cdef inline const char *_texel(const MachineTable *m, const Texture *t, int64_t x, int64_t y, int64_t slice, int bytes,
                               Sampled *seen) noexcept nogil:
    """The bytes of a texel inside the texture; notes where it lies."""
    cdef uint64_t address = t.address + <uint64_t>(slice * t.slice + y * t.pitch + x * bytes)
    if x >= t.there:
        seen.beyond = address
        return NOTHING
    if seen.count < MOST_TAPS:
        seen.place[seen.count] = texel_place(&m.caches.texture_l1, m.caches.texture_tile_rows, t, x * bytes, y, slice)
        seen.count += 1
    if seen.launch.textures.written_count and not seen.lane_stale:
        seen.lane_stale = texture_stale(seen.launch.textures, address, bytes)
    return seen.launch.arena + (address - <uint64_t>GLOBAL_BASE)


cdef inline int _texel_bytes(const Texture *t) noexcept nogil:
    return <int>t.channels * (4 if t.format in (TF_U32, TF_S32, TF_F32) else 1 if t.format in (TF_U8, TF_S8) else 2)


cdef void _filtered(const MachineTable *m, const Texture *t, const Axis *axis, int axes, int64_t layer, uint32_t *result, Sampled *seen) noexcept nogil:
    """The weighted mean of two, four or eight texels."""
    cdef Corners corners
    cdef int c, i, j, k, bytes = _texel_bytes(t), weight_bits = <int>m.texture.weight_bits
    corner_weights(axis[0].weight, axis[1].weight, axis[2].weight, axes, weight_bits, &corners)
    for c in range(corners.count):
        i, j, k = c & 1, c >> 1 & 1, c >> 2
        corners.used[c] = (not i or axis[0].weight) and (not j or axis[1].weight) and (not k or axis[2].weight)
        corners.texel[c] = NULL
        if corners.used[c] and axis[0].at[i] >= 0 and axis[1].at[j] >= 0 and axis[2].at[k] >= 0:
            corners.texel[c] = _texel(m, t, axis[0].at[i], axis[1].at[j], axis[2].at[k] + layer, bytes, seen)
    for c in range(4):
        result[c] = filtered(t, &corners, c, weight_bits, <int>m.texture.guard_bits) if c < t.channels else 0


cdef void _nearest(const MachineTable *m, const Texture *t, const Axis *axis, int64_t layer, uint32_t *result, Sampled *seen) noexcept nogil:
    """One texel, unchanged."""
    cdef int c
    cdef const char *texel
    for c in range(4):
        result[c] = 0
    if axis[0].at[0] < 0 or axis[1].at[0] < 0 or axis[2].at[0] < 0:
        return
    texel = _texel(m, t, axis[0].at[0], axis[1].at[0], axis[2].at[0] + layer, _texel_bytes(t), seen)
    for c in range(t.channels):
        result[c] = _element(t, texel, c)


cdef void _gathered(const MachineTable *m, const Texture *t, const Axis *axis, int64_t layer, int component, uint32_t *result,
                    Sampled *seen) noexcept nogil:
    """One channel of the four texels that filtering would use, counterclockwise from the lower left: (0,1), (1,1), (1,0), (0,0)."""
    cdef int k
    cdef int64_t x, y
    for k in range(4):
        x = axis[0].at[1 if k == 1 or k == 2 else 0]
        y = axis[1].at[1 if k < 2 else 0]
        result[k] = 0
        if x >= 0 and y >= 0:
            result[k] = _element(t, _texel(m, t, x, y, axis[2].at[0] + layer, _texel_bytes(t), seen), component)


# ------------------------------------------------------------------------------------------------------------------- lanes
cdef inline bint _fits(const Texture *t, int geometry) noexcept nogil:
    """Whether an instruction of this geometry can read the texture."""
    if geometry == GEO_CUBE or geometry == GEO_ACUBE:
        return t.cube != 0
    if t.cube:
        return False
    if geometry == GEO_1D or geometry == GEO_A1D:
        return t.dimensions == 1
    return t.dimensions == (3 if geometry == GEO_3D else 2)


cdef int _coordinate_bits(const Launch *launch, const Texture *t) noexcept nogil:
    """Fraction bits of normalised coordinates: large textures keep more."""
    cdef int64_t largest = max(t.width, max(t.height, t.depth))
    cdef int k, bits = <int>launch.m.texture.coordinate_bits
    for k in range(4):
        if 0 < launch.m.texture.coordinate_extents[k] < largest:
            bits += 1
    return bits


cdef void _sample(const MachineTable *m, const Texture *t, const Texture *sampler, const Uop *u, const uint32_t *coordinate, uint32_t *result,
                  Sampled *seen) noexcept nogil:
    """One lane's fetch: layer (if the geometry has one) and coordinates as the registers hold them."""
    cdef Axis axis[3]
    cdef int geometry = u.fn, k, first = 0, count = 1 if geometry in (GEO_1D, GEO_A1D) else 3 if geometry == GEO_3D else 2, axes = count
    cdef int bits = 0, weight_bits = <int>m.texture.weight_bits
    cdef int64_t layer = 0, size
    cdef float x[3]
    cdef bint whole = u.flags & FL_SIGNED, cube = False
    cdef bint linear = (sampler.linear != 0 or u.form.texture == TX_GATHER) and not whole, normalized = sampler.normalized != 0
    if geometry in (GEO_A1D, GEO_A2D, GEO_ACUBE):
        first = 1
        size = t.layers // 6 if geometry == GEO_ACUBE else t.layers
        layer = min(<int64_t>coordinate[0], size - 1)
    if geometry == GEO_CUBE or geometry == GEO_ACUBE:
        memcpy(x, coordinate + first, 12)
        layer = layer * 6 + _cube_face(x)
        normalized = cube = True
    else:
        memcpy(x, coordinate + first, 4 * count)
    if normalized and not whole:
        bits = _coordinate_bits(seen.launch, t)
    for k in range(3):
        size = t.width if k == 0 else t.height if k == 1 else t.depth
        if k >= count:
            _whole(0, 1, &axis[k])
        elif whole:
            _whole(<int32_t>coordinate[first + k] + <int64_t>(<int8_t>(u.offset.texels >> 8 * k)), size, &axis[k])
        else:
            _axis(x[k], size, sampler.address_mode[k], normalized, cube, linear, bits, weight_bits, <int8_t>(u.offset.texels >> 8 * k), &axis[k])
    if whole and first and <int64_t>coordinate[0] > layer:
        axis[0].at[0] = OUTSIDE          # integers are not clamped, neither is the layer beside them
    if geometry == GEO_1D and linear and sampler.address_mode[1] == AM_BORDER:
        axes = 2                         # its one row is fetched at row 0, half of which is border
        _axis(0, 1, AM_BORDER, False, False, True, bits, weight_bits, 0, &axis[1])
    if u.form.texture == TX_GATHER:
        _gathered(m, t, axis, layer, u.element.component, result, seen)
    elif linear:
        _filtered(m, t, axis, axes, layer, result, seen)
    else:
        _nearest(m, t, axis, layer, result, seen)


cdef uint32_t _query(const Texture *t, int what) noexcept nogil:
    """A property of a texture or surface; layers count where a further axis would."""
    cdef int64_t layers = t.layers // 6 if t.cube and t.layered else t.layers
    if what == TQ_WIDTH:
        return <uint32_t>t.width
    if what == TQ_HEIGHT:
        if t.dimensions > 1:
            return <uint32_t>t.height
        return <uint32_t>layers if t.layered else t.array != 0 and t.kind == TK_TEXTURE
    if what == TQ_DEPTH:
        if t.dimensions > 2:
            return <uint32_t>t.depth
        if t.cube and t.kind == TK_SURFACE:
            return <uint32_t>t.layers
        return <uint32_t>layers if t.layered and t.dimensions == 2 else 0
    if what == TQ_ARRAY_SIZE:
        return <uint32_t>t.layers if t.layered else 0
    if what == TQ_NORMALIZED:
        return <uint32_t>t.normalized
    if what == TQ_MIP_LEVELS or what == TQ_SAMPLES:
        return 1
    if what == TQ_LAYOUT:
        return <uint32_t>(not t.tiled)
    if what == TQ_FILTER:
        return <uint32_t>t.linear
    if what == TQ_UNNORMALIZED:
        return <uint32_t>(not t.normalized)
    if what in (TQ_ADDRESS_0, TQ_ADDRESS_1, TQ_ADDRESS_2):     # wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
        what = <int>t.address_mode[what - TQ_ADDRESS_0]
        return 0 if what == AM_WRAP else 1 if what == AM_MIRROR else 3 if what == AM_CLAMP else 4
    if what == TQ_CHANNEL_ORDER:     # OpenCL's numbers, as PTX refers to
        return 0x10b0 if t.channels == 1 else 0x10b2 if t.channels == 2 else 0x10b5
    if t.format == TF_F32:
        return 0x10de
    if t.format == TF_F16:
        return 0x10dd
    if t.normalized_read:
        return 0x10d0 if t.format == TF_S8 else 0x10d1 if t.format == TF_S16 else 0x10d2 if t.format == TF_U8 else 0x10d3
    return (0x10d7 if t.format == TF_S8 else 0x10d8 if t.format == TF_S16 else 0x10d9 if t.format == TF_S32 else
            0x10da if t.format == TF_U8 else 0x10db if t.format == TF_U16 else 0x10dc)


cdef void count_texture(StatementCounters *c, const Uop *u, const Reach *reach) noexcept nogil:
    """Count one access to a texture or surface."""
    c.texture_hazards += reach.hazards
    if u.kind == K_ATOM:
        c.atomics += 1
        c.atomic_operations += reach.texture_lanes
        c.atomic_transactions += reach.pieces
        return
    if u.kind != K_LOAD:
        c.surface_stores += 1
        c.surface_store_transactions += reach.pieces
        return
    c.texture_transactions += reach.pieces
    if u.space == SP_TEXTURE:
        c.texture_loads += 1
    else:
        c.surface_loads += 1


cdef int _answer(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes) noexcept nogil:
    """Answer a query: of a texture or surface, or of a sampler. Returns -1 after a fault."""
    cdef const uint64_t *handles = <const uint64_t *>row_of(w.launch, w, u, 0)
    cdef const uint32_t *levels = NULL
    cdef const Texture *t = NULL
    cdef uint32_t found
    cdef int lane
    if u.s[1 + u.coordinates] >= 0:
        levels = <const uint32_t *>row_of(w.launch, w, u, 1)
    while lanes:
        lane = lowest_bit(lanes)
        lanes &= lanes - 1
        if u.element.query >= TQ_FILTER:
            t = texture_find(w.launch.textures, handles[lane])
            if u.element.query == TQ_KIND:
                found = 0 if t == NULL else <uint32_t>t.kind + 1
            elif t == NULL or t.kind == TK_SURFACE:
                return op_fault(sm, w, u, FAULT_TEXTURE_HANDLE, lane, handles[lane])
            else:
                found = _query(t, u.element.query)
        else:
            if t == NULL or t.handle != handles[lane]:
                t = texture_of(sm, w, u, lane, handles[lane], TK_SURFACE if u.vec.surface else TK_TEXTURE)
                if t == NULL:
                    return -1
            found = _query(t, u.element.query) if levels == NULL or levels[lane] == 0 else 0
        if u.d[0] >= 0:
            (<uint32_t *>(w.rows + u.d[0]))[lane] = found
    return 0


cdef int access_texture(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil:
    """Perform a fetch, gather or query for `lanes` (not empty) and say what it costs. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef const uint64_t *handles = <const uint64_t *>row_of(launch, w, u, 0)
    cdef const uint64_t *samplers = NULL
    cdef const Texture *t = NULL
    cdef const Texture *sampler = NULL
    cdef Sampled seen
    cdef uint32_t coordinate[4]
    cdef uint32_t result[4]
    cdef uint64_t left = lanes
    cdef int lane, k
    if u.form.texture == TX_QUERY:
        return _answer(sm, w, u, lanes)
    seen.count = seen.stale = 0
    seen.beyond = 0
    seen.launch = launch
    if u.s[1 + u.coordinates] >= 0:
        samplers = <const uint64_t *>row_of(launch, w, u, 1 + u.coordinates)
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        if t == NULL or t.handle != handles[lane]:
            t = texture_of(sm, w, u, lane, handles[lane], TK_TEXTURE)
            if t == NULL:
                return -1
        if not _fits(t, u.fn):
            return op_fault(sm, w, u, FAULT_TEXTURE_SHAPE, lane, t.handle)
        sampler = t
        if samplers != NULL:
            sampler = texture_of(sm, w, u, lane, samplers[lane], TK_SAMPLER)
            if sampler == NULL:
                return -1
        for k in range(u.coordinates):
            coordinate[k] = (<const uint32_t *>row_of(launch, w, u, 1 + k))[lane]
        seen.lane_stale = 0
        _sample(w.launch.m, t, sampler, u, coordinate, result, &seen)
        if seen.beyond:
            return op_fault(sm, w, u, FAULT_BOUNDS, lane, seen.beyond)
        seen.stale += seen.lane_stale
        for k in range(4):
            if u.d[k] >= 0:
                (<uint32_t *>(w.rows + u.d[k]))[lane] = result[k]
    reach.texture_lanes = count_bits(lanes)
    reach.hazards = seen.stale
    texture_transact(&w.launch.m.caches.texture_l1, seen.place, seen.count, out)
    for k in range(out.count):
        reach.pieces += count_bits(out.transactions[k].sectors)
    return 0
