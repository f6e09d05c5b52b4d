"""The weighted mean of a filter's texels, in the width that texture units have."""
from libc.stdint cimport int64_t, uint32_t

from archdef.engine.texture_table cimport Texture

cdef enum:
    MOST_CORNERS = 8

cdef struct Corners:         # the texels that one lane's filter uses
    const char *texel[8]     # x fastest, then y, then z; NULL: outside, it counts as zero
    int64_t weight[8]        # in 1/2**weight_bits; their sum is 1
    int used[8]              # an infinity or a NaN here shows, even if the weight was rounded to zero
    int count                # 1, 2, 4 or 8

cdef void corner_weights(int64_t x, int64_t y, int64_t z, int axes, int weight_bits, Corners *out) noexcept nogil
cdef uint32_t filtered(const Texture *t, const Corners *corners, int channel, int weight_bits, int guard_bits) noexcept nogil
