"""Surface instructions of one warp: bytes of a texture's memory, addressed by coordinates.

The first coordinate counts bytes, the others rows, slices and layers. What is out of range traps, moves to the nearest place
inside, or reads zero and writes nothing, as the instruction says. Loads go through the texture cache, stores as stores do.
"""
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from archdef.engine.access cimport Reach
from archdef.engine.coalesce cimport coalesce
from archdef.engine.memory cimport GLOBAL_BASE
from archdef.engine.program cimport Uop
from archdef.engine.schedule cimport count_bits, lowest_bit
from archdef.engine.state cimport (FAULT_SURFACE_ALIGNMENT, FAULT_SURFACE_BOUNDS, FAULT_TEXTURE_SHAPE, Injection, Launch, Sm,
                                   Warp)
from archdef.engine.texture cimport texture_fault, texture_of
from archdef.engine.texture_cache cimport texel_place, texture_transact
from archdef.engine.texture_table cimport Texture, TF_F32, TF_S32, TF_S8, TF_U32, TF_U8, TK_SURFACE, texture_stale, texture_written
from archdef.engine.types cimport GEO_1D, GEO_2D, GEO_3D, GEO_A1D, GEO_A2D, K_LOAD, SB_CLAMP, SB_TRAP


cdef inline const char *_row(const Launch *launch, const Warp *w, const Uop *u, int i) noexcept nogil:
    return (launch.constants if u.s_bank[i] else <const char *>w.rows) + u.s[i]


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


cdef void _move(const Launch *launch, Warp *w, const Uop *u, int lane, char *host) noexcept nogil:
    """Copy one lane's elements between memory (NULL: nowhere) and its registers."""
    cdef int v
    cdef uint64_t value
    for v in range(u.vec):
        if u.kind != K_LOAD:
            if host == NULL:
                return
            if u.element == 8:
                (<uint64_t *>host)[v] = (<const uint64_t *>_row(launch, w, u, 1 + u.count + v))[lane]
                continue
            value = (<const uint32_t *>_row(launch, w, u, 1 + u.count + v))[lane]
            if u.element == 4:
                (<uint32_t *>host)[v] = <uint32_t>value
            elif u.element == 2:
                (<uint16_t *>host)[v] = <uint16_t>value
            else:
                (<uint8_t *>host)[v] = <uint8_t>value
        elif u.d[v] >= 0:
            value = 0
            if host != NULL:
                value = ((<const uint64_t *>host)[v] if u.element == 8 else (<const uint32_t *>host)[v] if u.element == 4 else
                         (<const uint16_t *>host)[v] if u.element == 2 else (<const uint8_t *>host)[v])
            if u.element == 8:
                (<uint64_t *>(w.rows + u.d[v]))[lane] = value
            else:
                (<uint32_t *>(w.rows + u.d[v]))[lane] = <uint32_t>value


cdef int access_surface(Sm *sm, Warp *w, const Uop *u, uint64_t lanes, Injection *out, Reach *reach) noexcept nogil:
    """Perform a surface load or store for `lanes` (not empty) and say what it costs. Returns -1 after a fault."""
    cdef Launch *launch = sm.launch
    cdef const uint64_t *handles = <const uint64_t *>_row(launch, w, u, 0)
    cdef const Texture *t = NULL
    cdef uint64_t place[64]
    cdef uint64_t left = lanes, inside = 0, address
    cdef int64_t at[4]
    cdef int64_t x, y, slice, texel
    cdef int lane, k, first, count = 0, bytes = u.lane_bytes, layered = u.fn == GEO_A1D or u.fn == GEO_A2D
    cdef bint held
    while left:
        lane = lowest_bit(left)
        left &= left - 1
        if t == NULL or t.handle != handles[lane]:
            t = texture_of(sm, w, u, lane, handles[lane], TK_SURFACE)
            if t == NULL:
                return -1
        if not _fits(t, u.fn):
            return texture_fault(sm, w, u, FAULT_TEXTURE_SHAPE, lane, t.handle)
        for k in range(u.count):
            at[k] = (<const int32_t *>_row(launch, w, u, 1 + k))[lane]
        texel = t.channels * (4 if t.format in (TF_U32, TF_S32, TF_F32) else 1 if t.format in (TF_U8, TF_S8) else 2)
        x = at[layered]
        y = at[layered + 1] if u.fn in (GEO_2D, GEO_A2D, GEO_3D) else 0
        slice = at[0] if layered else at[2] if u.fn == GEO_3D else 0
        if x & (bytes - 1):
            return texture_fault(sm, w, u, FAULT_SURFACE_ALIGNMENT, lane, t.handle)
        held = _hold(&x, (t.width * texel - bytes) & ~<int64_t>(bytes - 1) if t.width * texel >= bytes else -1, u.offset)
        held = _hold(&y, t.height - 1, u.offset) and held
        if layered:
            slice &= 0xffff          # layers count from 0, and 16 bits of them
        held = _hold(&slice, (t.depth if u.fn == GEO_3D else t.layers) - 1, u.offset) and held
        if not held:
            if u.offset == SB_TRAP:
                return texture_fault(sm, w, u, FAULT_SURFACE_BOUNDS, lane, t.handle)
            _move(launch, w, u, lane, NULL)
            continue
        address = t.address + <uint64_t>(slice * t.slice + y * t.pitch + x)
        if u.kind == K_LOAD:
            reach.hazards += texture_stale(&launch.textures, address, bytes)
        else:
            texture_written(&launch.textures, address, bytes)
        _move(launch, w, u, lane, launch.arena + (address - <uint64_t>GLOBAL_BASE))
        place[lane] = texel_place(&sm.texture.table, launch.m.texture_tile_rows, t, x, y, slice)
        inside |= <uint64_t>1 << lane
    reach.texture_lanes = count_bits(lanes)
    if inside == 0:
        return 0
    if u.kind == K_LOAD:
        for lane in range(launch.lanes):
            if inside >> lane & 1:
                place[count] = place[lane]
                count += 1
        texture_transact(&sm.texture.table, place, count, out)
    else:
        first = lowest_bit(inside)
        for lane in range(launch.lanes):
            if not inside >> lane & 1:
                place[lane] = place[first]
        out.count += coalesce(&launch.m.store, place, inside, launch.lanes, bytes, out.transactions + out.count)
    for k in range(out.count):
        reach.pieces += count_bits(out.transactions[k].sectors)
    return 0
