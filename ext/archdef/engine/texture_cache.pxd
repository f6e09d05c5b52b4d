"""What texture and surface accesses cost: where texels lie for the caches, and the transactions of one warp's texels."""
from libc.stdint cimport int32_t, int64_t, uint64_t

from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.parameters cimport CacheParameters
from archdef.engine.texture_table cimport Texture

cdef enum:
    MOST_TAPS = 512          # 64 lanes of 8 texels

cdef uint64_t texel_place(const CacheParameters *cache, int64_t tile_rows, const Texture *t, int64_t x_bytes, int64_t y,
                          int64_t slice) noexcept nogil
cdef void texture_transact(const CacheParameters *cache, const uint64_t *places, int count, LsuPipeline *out) noexcept nogil
