"""Surface instructions of one warp: bytes of a texture's memory, addressed by coordinates.

The first coordinate counts bytes (texels, if the access is formatted), the others rows, slices and layers. What is out of range
traps, moves to the nearest place inside, or reads zero and writes nothing, as the instruction says. Loads go through the texture
cache, stores as stores do, reductions as atomics do.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.coalesce cimport coalesce, covers
from archdef.engine.fault cimport op_fault
from archdef.engine.fault_code cimport FAULT_SURFACE_ALIGNMENT, FAULT_SURFACE_BOUNDS, FAULT_SURFACE_FORMAT, FAULT_TEXTURE_SHAPE
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.lanes cimport atomic_function, atomic_table
from archdef.engine.launch cimport Launch, Warp
from archdef.engine.memory cimport GLOBAL_BASE
from archdef.engine.operand cimport row_of
from archdef.engine.reach cimport Reach
from archdef.engine.sm_core cimport SmCore
from archdef.engine.texture cimport texture_of
from archdef.engine.texture_cache cimport texel_place, texture_transact
from archdef.engine.texture_ops cimport GEO_1D, GEO_2D, GEO_3D, GEO_A1D, GEO_A2D, SB_CLAMP, SB_TRAP, SF_REDUCE_FORMATTED, SF_STORE_FORMATTED
from archdef.engine.texture_table cimport (TF_F16, TF_F32, TF_S8, TF_S16, TF_S32, TF_U8, TF_U16, TF_U32, TK_SURFACE, Texture,
                                           texture_stale, texture_written)
from archdef.engine.types cimport FL_SIGNED, K_ATOM, K_LOAD
from archdef.engine.uop cimport Uop


cdef inline bint _fits(const Texture *t, int geometry) noexcept nogil:
    if geometry == GEO_1D or geometry == GEO_A1D:
        return t.dimensions == 1
    return t.dimensions == (3 if geometry == GEO_3D else 2)


cdef inline bint _hold(int64_t *x, int64_t last, int64_t boundary) noexcept nogil:
    """Keep a coordinate in 0 … last if the boundary mode moves it there. Returns whether it is inside."""
    if 0 <= x[0] <= last:
        return True
    if boundary == SB_CLAMP and last >= 0:
        x[0] = 0 if x[0] < 0 else last
        return True
    return False


cdef void _reduce(const Launch *launch, const Warp *w, const Uop *u, const Texture *t, int lane, char *host) noexcept nogil:
    """Combine one lane's value with what is there."""
    cdef atomic_function function = atomic_table()[u.atomic_function]
    cdef const char *row = row_of(launch, w, u, 1 + u.coordinates)
    cdef uint64_t turned = 0
    if u.form.surface == SF_REDUCE_FORMATTED and u.flags & FL_SIGNED and t.format in (TF_S8, TF_S16, TF_S32):
        # with the sign turned round, signed numbers have the order of unsigned ones
        turned = <uint64_t>1 << (8 * u.element.bytes - 1)
    if u.element.bytes == 8:
        (<uint64_t *>host)[0] = function((<uint64_t *>host)[0] ^ turned, (<const uint64_t *>row)[lane] ^ turned, 0) ^ turned
    else:
        (<uint32_t *>host)[0] = <uint32_t>(function((<uint32_t *>host)[0] ^ turned, (<const uint32_t *>row)[lane] ^ turned, 0) ^ turned)


cdef uint16_t _half(uint32_t single) noexcept nogil:
    """Half precision, rounded towards zero; a NaN keeps the bits that fit, and stays one (measured on an H100)."""
    cdef uint32_t magnitude = single & 0x7fffffff, sign = single >> 16 & 0x8000
    if magnitude > 0x7f800000:
        return <uint16_t>(sign | 0x7c00 | max(magnitude >> 13 & 0x3ff, <uint32_t>1))
    if magnitude == 0x7f800000:
        return <uint16_t>(sign | 0x7c00)
    if magnitude >= 0x47800000:         # too large
        return <uint16_t>(sign | 0x7bff)
    if magnitude >= 0x38800000:         # a normal number
        return <uint16_t>(sign | (magnitude - 0x38000000) >> 13)
    if magnitude < 0x33800000:          # less than the least one
        return <uint16_t>sign
    return <uint16_t>(sign | (magnitude & 0x7fffff | 0x800000) >> (126 - (magnitude >> 23)))


cdef void _put(const Launch *launch, const Warp *w, const Uop *u, const Texture *t, int lane, char *host) noexcept nogil:
    """Store values of 32 bits as a texel: integers are held in its range, floats rounded; what is not given is 0."""
    cdef int c
    cdef uint32_t value
    cdef int64_t number
    for c in range(t.channels):
        value = (<const uint32_t *>row_of(launch, w, u, 1 + u.coordinates + c))[lane] if c < u.vec.elements else 0
        number = <int32_t>value
        if t.format in (TF_U32, TF_S32, TF_F32):
            (<uint32_t *>host)[c] = value
        elif t.format == TF_F16:
            (<uint16_t *>host)[c] = _half(value)
        elif t.format == TF_U8:
            (<uint8_t *>host)[c] = <uint8_t>min(value, <uint32_t>255)
        elif t.format == TF_U16:
            (<uint16_t *>host)[c] = <uint16_t>min(value, <uint32_t>65535)
        elif t.format == TF_S8:
            (<uint8_t *>host)[c] = <uint8_t>max(<int64_t>-128, min(number, <int64_t>127))
        else:
            (<uint16_t *>host)[c] = <uint16_t>max(<int64_t>-32768, min(number, <int64_t>32767))


cdef void _move(const Launch *launch, Warp *w, const Uop *u, int lane, char *host) noexcept nogil:
    """Copy one lane's elements between memory (NULL: nowhere) and its registers."""
    cdef int v
    cdef uint64_t value
    for v in range(u.vec.elements):
        if u.kind != K_LOAD:
            if u.element.bytes == 8:
                (<uint64_t *>host)[v] = (<const uint64_t *>row_of(launch, w, u, 1 + u.coordinates + v))[lane]
                continue
            value = (<const uint32_t *>row_of(launch, w, u, 1 + u.coordinates + v))[lane]
            if u.element.bytes == 4:
                (<uint32_t *>host)[v] = <uint32_t>value
            elif u.element.bytes == 2:
                (<uint16_t *>host)[v] = <uint16_t>value
            else:
                (<uint8_t *>host)[v] = <uint8_t>value
        elif u.d[v] >= 0:
            value = 0
            if host != NULL:
                value = ((<const uint64_t *>host)[v] if u.element.bytes == 8 else (<const uint32_t *>host)[v] if u.element.bytes == 4 else
                         (<const uint16_t *>host)[v] if u.element.bytes == 2 else (<const uint8_t *>host)[v])
            if u.element.bytes == 8:
                (<uint64_t *>(w.rows + u.d[v]))[lane] = value
            else:
                (<uint32_t *>(w.rows + u.d[v]))[lane] = <uint32_t>value


cdef struct Spot:                # one lane's access
    int64_t x                    # bytes into the row
    int64_t y
    int64_t slice                # or layer
    int32_t bytes                # of its texel, if the access is formatted, else of what it accesses
    bint inside


cdef int _find(SmCore *sm, const Warp *w, const Uop *u, const Texture *t, int lane, Spot *spot) noexcept nogil:
    """Say where a lane's coordinates are in a surface. Returns -1 after a fault."""
    cdef const Launch *launch = w.launch
    cdef int64_t at[4]
    cdef int64_t texel = t.channels * (4 if t.format in (TF_U32, TF_S32, TF_F32) else 1 if t.format in (TF_U8, TF_S8) else 2)
    cdef int k, layered = u.fn == GEO_A1D or u.fn == GEO_A2D
    if not _fits(t, u.fn):
        return op_fault(sm, w, u, FAULT_TEXTURE_SHAPE, lane, t.handle)
    for k in range(u.coordinates):
        at[k] = (<const int32_t *>row_of(launch, w, u, 1 + k))[lane]
    spot.x = at[layered]
    spot.y = at[layered + 1] if u.fn in (GEO_2D, GEO_A2D, GEO_3D) else 0
    spot.slice = at[0] if layered else at[2] if u.fn == GEO_3D else 0
    spot.bytes = u.lane_bytes
    if u.form.surface == SF_STORE_FORMATTED or u.form.surface == SF_REDUCE_FORMATTED:
        if u.form.surface == SF_REDUCE_FORMATTED and texel != spot.bytes:
            return op_fault(sm, w, u, FAULT_SURFACE_FORMAT, lane, t.handle)
        spot.bytes = <int32_t>texel
        spot.inside = _hold(&spot.x, t.width - 1, u.offset.boundary)
        spot.x *= texel
    elif spot.x & (spot.bytes - 1):
        return op_fault(sm, w, u, FAULT_SURFACE_ALIGNMENT, lane, t.handle)
    else:
        spot.inside = _hold(&spot.x, (t.width * texel - spot.bytes) & ~<int64_t>(spot.bytes - 1) if t.width * texel >= spot.bytes else -1,
                            u.offset.boundary)
    spot.inside = _hold(&spot.y, t.height - 1, u.offset.boundary) and spot.inside
    if layered:
        spot.slice &= 0xffff         # layers count from 0, and 16 bits of them
    spot.inside = _hold(&spot.slice, (t.depth if u.fn == GEO_3D else t.layers) - 1, u.offset.boundary) and spot.inside
    if not spot.inside and u.offset.boundary == SB_TRAP:
        return op_fault(sm, w, u, FAULT_SURFACE_BOUNDS, lane, t.handle)
    return 0


cdef void _exchange(Launch *launch, Warp *w, const Uop *u, const Texture *t, int lane, const Spot *spot, Reach *reach) noexcept nogil:
    """Do what the op does to the memory that a lane's coordinates stand for."""
    cdef uint64_t address = t.address + <uint64_t>(spot.slice * t.slice + spot.y * t.pitch + spot.x)
    cdef char *host = launch.arena + (address - <uint64_t>GLOBAL_BASE)
    if u.kind == K_LOAD:
        reach.hazards += texture_stale(launch.textures, address, spot.bytes)
    else:
        texture_written(launch.textures, address, spot.bytes)
    if u.kind == K_ATOM:
        _reduce(launch, w, u, t, lane, host)
    elif u.form.surface == SF_STORE_FORMATTED:
        _put(launch, w, u, t, lane, host)
    else:
        _move(launch, w, u, lane, host)


cdef void _transact(const Launch *launch, const Uop *u, uint64_t *place, uint64_t inside, int widest, LsuPipeline *out) noexcept nogil:
    """Make transactions of the places of the lanes that are `inside` (not empty)."""
    cdef int lane, k, count = 0, first = lowest_bit(inside), most = 1, here
    if u.kind == K_LOAD:
        for lane in range(launch.lanes):
            if inside >> lane & 1:
                place[count] = place[lane]
                count += 1
        texture_transact(&launch.m.caches.texture_l1, place, count, out)
        return
    for lane in range(launch.lanes):
        if not inside >> lane & 1:
            place[lane] = place[first]
    out.count += coalesce(&launch.m.store, place, inside, launch.lanes, widest, covers(&launch.m.store, u.kind == K_ATOM), out.transactions + out.count)
    if u.kind == K_ATOM:        # operations on one texel follow each other
        for lane in range(launch.lanes):
            here = 0
            for k in range(launch.lanes):
                if inside >> lane & inside >> k & 1 and place[k] == place[lane]:
                    here += 1
            most = max(most, here)
        out.serial = most
        out.apart = most - 1


cdef int access_surface(SmCore *sm, Warp *w, const Uop *u, uint64_t lanes, LsuPipeline *out, Reach *reach) noexcept nogil:
    """Perform a surface load, store or reduction for `lanes` (not empty) and say what it costs. Returns -1 after a fault."""
    cdef Launch *launch = w.launch
    cdef const uint64_t *handles = <const uint64_t *>row_of(launch, w, u, 0)
    cdef const Texture *t = NULL
    cdef Spot spot
    cdef uint64_t place[64]
    cdef uint64_t left = lanes, inside = 0
    cdef int lane, k, widest = 0
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        if t == NULL or t.handle != handles[lane]:
            t = texture_of(sm, w, u, lane, handles[lane], TK_SURFACE)
            if t == NULL:
                return -1
        if _find(sm, w, u, t, lane, &spot) < 0:
            return -1
        widest = max(widest, spot.bytes)
        if not spot.inside:
            if u.kind == K_LOAD:
                _move(launch, w, u, lane, NULL)
            continue
        _exchange(launch, w, u, t, lane, &spot, reach)
        place[lane] = texel_place(&launch.m.caches.texture_l1, launch.m.caches.texture_tile_rows, t, spot.x, spot.y, spot.slice)
        inside |= <uint64_t>1 << lane
    reach.texture_lanes = count_bits(lanes)
    if inside:
        _transact(launch, u, place, inside, widest, out)
        for k in range(out.count):
            reach.pieces += count_bits(out.transactions[k].sectors)
    return 0
