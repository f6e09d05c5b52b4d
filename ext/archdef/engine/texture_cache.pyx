"""What texture and surface accesses cost: where texels lie for the caches, and the transactions of one warp's texels.

Functionally an array lies row by row in device memory. For caches, partitions and DRAM an array of two or three dimensions is
*tiled*: one sector of the texture cache holds `tile_rows` rows of a few columns each, and the sectors of one line lie as
nearly square as they can, so that a neighbourhood of texels is in few lines whichever way a warp walks.
"""
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.parameters cimport CacheParameters
from archdef.engine.texture_table cimport Texture

cdef enum:
    PLAIN_SECTOR = 32        # bytes, where the machine declares no texture cache


cdef uint64_t texel_place(const CacheParameters *cache, int64_t tile_rows, const Texture *t, int64_t x_bytes, int64_t y,
                          int64_t slice) noexcept nogil:
    """The address at which caches and partitions see a byte of a row; `slice` counts slices or layers."""
    cdef int64_t sector = cache.sector_bytes if cache.sets else PLAIN_SECTOR
    cdef int64_t line = cache.line_bytes if cache.sets else PLAIN_SECTOR
    cdef int64_t rows = min(tile_rows, sector), columns = sector // rows, down = 1, across = line // sector, per_row, inner
    if not t.tiled:
        return t.address + <uint64_t>(slice * t.slice + y * t.pitch + x_bytes)
    while across >= 2 * down:            # the sectors of a line: as many rows of them as columns, or twice
        across //= 2
        down *= 2
    per_row = (t.pitch + columns * across - 1) // (columns * across)
    inner = ((y // rows % down) * across + x_bytes // columns % across) * sector + y % rows * columns + x_bytes % columns
    slice *= (t.height + rows * down - 1) // (rows * down)
    return (t.address & ~<uint64_t>(line - 1)) + <uint64_t>(
        ((slice + y // (rows * down)) * per_row + x_bytes // (columns * across)) * line + inner)


cdef void texture_transact(const CacheParameters *cache, const uint64_t *places, int count, LsuPipeline *out) noexcept nogil:
    """Append one transaction for each line that the texels lie in, with the sectors asked for."""
    cdef uint64_t sector = <uint64_t>(cache.sector_bytes if cache.sets else PLAIN_SECTOR)
    cdef uint64_t line_bytes = <uint64_t>(cache.line_bytes if cache.sets else PLAIN_SECTOR)
    cdef uint64_t line
    cdef int32_t first = out.count, at = first, k
    cdef int i
    for i in range(count):
        line = places[i] & ~(line_bytes - 1)
        if out.count == first or out.transactions[at].line != line:
            at = -1
            for k in range(out.count - 1, first - 1, -1):
                if out.transactions[k].line == line:
                    at = k
                    break
            if at < 0:
                at = out.count
                out.count += 1
                out.transactions[at].line = line
                out.transactions[at].sectors = 0
        out.transactions[at].sectors |= <uint32_t>1 << <int>((places[i] - line) // sector)
    for k in range(first, out.count):
        out.transactions[k].address = out.transactions[k].line + <uint64_t>lowest_bit(out.transactions[k].sectors) * sector
        out.transactions[k].bytes = <uint32_t>(<uint64_t>count_bits(out.transactions[k].sectors) * sector)
