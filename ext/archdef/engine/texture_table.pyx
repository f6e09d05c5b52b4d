"""Textures, samplers and surfaces of a launch: checked descriptions, found by handle, and which of their bytes were written.

Sampling trusts a description once it stands in the table: every texel inside its extents lies inside one allocation, but for those of a linear
texture from `Texture.there` on, which are faults.
"""
import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from archdef.engine.memory cimport Span, find_span, span_room

cdef enum:
    MOST_TEXELS = 1 << 28    # along one axis; one more than there may be


cdef Texture _none
memset(&_none, 0, sizeof(Texture))
TEXTURE_DTYPE = np.dtype([(name, np.int64, (len(value),)) if isinstance(value, list) else (name, np.int64)
                          for name, value in (<object>_none).items()])
MOST_EXTENT = int(MOST_TEXELS - 1)
_CHANNEL_BYTES = (1, 1, 2, 2, 4, 4, 2, 4)


cdef int _check(Texture *t, const Span *spans, int64_t span_count) except -1:
    """Refuse a description that could lead out of its memory, and note how much of a linear texture is there."""
    cdef const Span *span
    cdef int64_t texel, i
    t.there = t.width
    for i in range(3):
        if not 0 <= t.address_mode[i] <= AM_BORDER:
            raise ValueError(f"texture {t.handle:#x}: address mode {t.address_mode[i]}")
    if t.kind == TK_SAMPLER:
        return 0
    if not 0 <= t.kind <= TK_SAMPLER or not 0 <= t.format <= TF_F32 or t.channels not in (1, 2, 4) or not 1 <= t.dimensions <= 3:
        raise ValueError(f"texture {t.handle:#x}: kind {t.kind}, format {t.format}, {t.channels} channels, "
                         f"{t.dimensions} dimensions")
    for extent in (t.width, t.height, t.depth, t.layers):
        if not 1 <= extent < MOST_TEXELS:
            raise ValueError(f"texture {t.handle:#x}: an extent of {extent} texels")
    texel = t.channels * <int64_t>_CHANNEL_BYTES[t.format]
    if (t.dimensions < 2 and t.height != 1 or t.dimensions < 3 and t.depth != 1 or not t.layered and not t.cube and t.layers != 1
            or t.cube and (t.dimensions != 2 or t.layers % 6) or t.dimensions == 3 and t.layers != 1):
        raise ValueError(f"texture {t.handle:#x}: {t.width} x {t.height} x {t.depth} texels, {t.layers} layers in "
                         f"{t.dimensions} dimensions")
    if not 0 <= t.pitch < <int64_t>1 << 40 or not 0 <= t.slice < <int64_t>1 << 50 or t.pitch % texel or t.slice % texel or t.address % texel:
        raise ValueError(f"texture {t.handle:#x}: rows of {t.pitch} bytes, slices of {t.slice} bytes")
    # Python's integers: nothing overflows here
    reach = int(t.width) * texel + (int(t.height) - 1) * int(t.pitch) + (int(t.depth) * int(t.layers) - 1) * int(t.slice)
    span = find_span(spans, span_count, t.address)
    if span != NULL and t.kind == TK_TEXTURE and t.dimensions == 1 and not t.array:
        t.there = min(t.width, <int64_t>span_room(span, t.address) // texel)
        reach = int(t.there) * texel
    if span == NULL or reach > int(span_room(span, t.address)):
        raise ValueError(f"texture {t.handle:#x}: {reach} bytes at address {t.address:#x} are not inside one allocation")
    return 0


cdef int textures_open(Textures *table, const unsigned char *packed, int64_t packed_bytes, const Span *spans, int64_t span_count,
                       bint watch) except -1:
    """Copy descriptions (an array of `TEXTURE_DTYPE` sorted by handle, as bytes); `watch`: keep what the launch writes there."""
    cdef int64_t count = packed_bytes // <int64_t>sizeof(Texture), i
    cdef const Span *span
    if count == 0:
        return 0
    table.entries = <Texture *>malloc(<size_t>count * sizeof(Texture))
    table.written = <Written *>calloc(<size_t>count, sizeof(Written))
    if table.entries == NULL or table.written == NULL:
        raise MemoryError("textures")
    memcpy(table.entries, packed, <size_t>count * sizeof(Texture))
    for i in range(count):
        _check(table.entries + i, spans, span_count)
        if i and table.entries[i].handle <= table.entries[i - 1].handle:
            raise ValueError("textures must be sorted by handle")
    table.count = count
    if not watch:
        return 0
    starts = {int(table.entries[i].address) for i in range(count) if table.entries[i].kind != TK_SAMPLER}
    known = set()
    for address in sorted(starts):
        span = find_span(spans, span_count, address)
        if span.start in known:
            continue
        known.add(span.start)
        table.written[table.written_count].bits = <uint8_t *>calloc(<size_t>(span.bytes // 8 + 4), 1)
        if table.written[table.written_count].bits == NULL:
            raise MemoryError("record of what is written to textures")
        table.written[table.written_count].start = span.start
        table.written[table.written_count].bytes = span.bytes
        table.written_count += 1
    return 0


cdef void textures_close(Textures *table) noexcept nogil:
    """Free what `textures_open` took, complete or not."""
    cdef int64_t i
    for i in range(table.written_count):
        free(table.written[i].bits)
    free(table.written)
    free(table.entries)
    memset(table, 0, sizeof(Textures))


cdef const Texture *texture_find(const Textures *table, uint64_t handle) noexcept nogil:
    """The description of a handle, or NULL."""
    cdef int64_t low = 0, high = table.count, middle
    while low < high:
        middle = (low + high) // 2
        if table.entries[middle].handle < handle:
            low = middle + 1
        else:
            high = middle
    if low < table.count and table.entries[low].handle == handle:
        return table.entries + low
    return NULL


cdef inline const Written *_record(const Textures *table, uint64_t address) noexcept nogil:
    cdef int64_t low = 0, high = table.written_count, middle
    while low < high:
        middle = (low + high) // 2
        if table.written[middle].start <= address:
            low = middle + 1
        else:
            high = middle
    if low and address - table.written[low - 1].start < table.written[low - 1].bytes:
        return table.written + low - 1
    return NULL


cdef void texture_written(const Textures *table, uint64_t address, int64_t bytes) noexcept nogil:
    """Note a store of `bytes` bytes inside one allocation."""
    cdef const Written *record = _record(table, address)
    cdef uint64_t at
    cdef int64_t k
    if record != NULL:
        for k in range(bytes):
            at = address + <uint64_t>k - record.start
            record.bits[at >> 3] |= <uint8_t>(1 << (at & 7))


cdef int texture_stale(const Textures *table, uint64_t address, int bytes) noexcept nogil:
    """Whether this launch has stored to any of these bytes."""
    cdef const Written *record = _record(table, address)
    cdef uint64_t at
    cdef int k
    if record == NULL:
        return 0
    for k in range(bytes):
        at = address + <uint64_t>k - record.start
        if record.bits[at >> 3] >> (at & 7) & 1:
            return 1
    return 0
