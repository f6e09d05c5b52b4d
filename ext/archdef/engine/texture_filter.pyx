"""The weighted mean of a filter's texels, in the width that texture units have.

The rule was fitted to the outputs of hardware, bit for bit (`tests/hardware`); `archdef.testing.texturing` says it in numpy.
Floats are aligned at the greatest exponent among texels of weight, keeping `guard_bits` below its last bit, and cut; products and sums
are exact, and the result is rounded once, halves away from zero. The two slices of a volume are summed apart, then brought to one
exponent, a multiple of four, and cut downwards. Normalised integers become 16 bits wide first; halves are rounded up.
"""
from libc.math cimport ldexp
from libc.stdint cimport int8_t, int16_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from archdef.engine.texture_table cimport TF_F32, TF_S8, TF_S16, TF_U8, TF_U16, Texture

cdef enum:
    NO_EXPONENT = -100000    # of zero
    EXPONENT_STEP = 4        # slices are aligned at multiples of it
    SLICE_BITS = 3           # bits that slices have beyond those of a product
    SINGLE_NAN = 0x7fffffff
    HALF_NAN = 0x7fffe000    # in single precision

cdef struct Term:            # a texel's channel
    int64_t significand      # with its sign; the last bit is worth 2**(exponent - fraction)
    int exponent             # NO_EXPONENT for zero
    int negative             # sign, of zeros too
    int infinite
    int nan


cdef void corner_weights(int64_t x, int64_t y, int64_t z, int axes, int weight_bits, Corners *out) noexcept nogil:
    """Weights of the corners from the second texel's weight along each axis; rounded where they are products."""
    cdef int64_t one = <int64_t>1 << weight_bits, half = one >> 1, whole, left, right, near, far
    cdef int k, slices = 2 if axes == 3 else 1
    cdef int64_t *w
    out.count = 1 << axes
    if axes == 1:
        out.weight[0] = one - x
        out.weight[1] = x
        return
    for k in range(slices):
        whole = one if slices == 1 else z if k else one - z
        right = (x * whole + half) >> weight_bits
        left = whole - right
        near = (left * (one - y) + half) >> weight_bits
        far = (right * y + half) >> weight_bits
        w = &out.weight[4 * k]
        w[0] = near
        w[1] = right - far
        w[2] = left - near
        w[3] = far


cdef inline void _term(const Texture *t, const char *texel, int channel, Term *out) noexcept nogil:
    """Take a float apart; single precision flushes subnormal texels."""
    cdef uint32_t bits, fraction
    cdef int exponent, width, bias
    if texel == NULL:
        out.significand = out.negative = out.infinite = out.nan = 0
        out.exponent = NO_EXPONENT
        return
    if t.format == TF_F32:
        bits, width, bias = (<const uint32_t *>texel)[channel], 23, 127
        exponent = <int>(bits >> 23 & 255)
    else:
        bits, width, bias = (<const uint16_t *>texel)[channel], 10, 15
        exponent = <int>(bits >> 10 & 31)
    fraction = bits & ((<uint32_t>1 << width) - 1)
    out.negative = <int>(bits >> (31 if width == 23 else 15))
    out.infinite = exponent == 2 * bias + 1 and fraction == 0
    out.nan = exponent == 2 * bias + 1 and fraction != 0
    out.significand = fraction
    out.exponent = exponent - bias
    if exponent:
        out.significand += <int64_t>1 << width
    elif width == 10 and fraction:
        out.exponent = -14
    else:
        out.significand = 0
    if out.significand == 0:
        out.exponent = NO_EXPONENT
    if out.negative:
        out.significand = -out.significand


cdef inline int64_t _cut(int64_t value, int shift) noexcept nogil:
    """Value divided by 2**shift, towards zero."""
    if shift > 62:
        return 0
    return value >> shift if value >= 0 else -(-value >> shift)


cdef inline int64_t _floored(int64_t value, int shift) noexcept nogil:
    """Value divided by 2**shift, downwards; a negative shift multiplies."""
    if shift < 0:
        return value << -shift
    return value >> min(shift, 63)


cdef inline uint32_t _bits(float value) noexcept nogil:
    cdef uint32_t bits
    memcpy(&bits, &value, 4)
    return bits


cdef uint32_t _rounded(int64_t sum, int exponent, int fraction) noexcept nogil:
    """``sum * 2**exponent`` in single precision, rounded to `fraction` bits of a float, halves away from zero."""
    cdef int64_t magnitude = sum if sum >= 0 else -sum
    cdef int leading = 63, drop
    cdef double value
    while not magnitude >> leading:      # sum is not 0
        leading -= 1
    drop = leading - fraction
    if fraction == 10 and drop + exponent < -24:     # a subnormal of half precision
        drop = -24 - exponent
    if drop > 0:
        magnitude = ((magnitude >> (drop - 1)) + 1) >> 1 if drop < 63 else 0
        exponent += drop
    value = ldexp(<double>magnitude, exponent)
    if fraction == 10 and value > 65504:
        value = ldexp(1, 200)            # infinite
    elif fraction == 23 and value < ldexp(1, -126):
        value = 0
    return _bits(<float>value) | (0x80000000u if sum < 0 else 0)


cdef uint32_t _floats(const Texture *t, const Corners *corners, int channel, int weight_bits, int guard_bits) noexcept nogil:
    cdef Term term[8]
    cdef int64_t sum[2]
    cdef int exponent[2]
    cdef int fraction = 23 if t.format == TF_F32 else 10, k, g, greatest, slices = 2 if corners.count == 8 else 1
    cdef int each = corners.count // slices, nan = 0, up = 0, down = 0, negative = 1
    for k in range(corners.count):
        _term(t, corners.texel[k], channel, &term[k])
        if corners.used[k]:
            nan |= term[k].nan
            up |= term[k].infinite & ~term[k].negative
            down |= term[k].infinite & term[k].negative
            negative &= term[k].negative
    if nan or up and down:
        return SINGLE_NAN if fraction == 23 else HALF_NAN
    if up or down:
        return 0x7f800000u if up else 0xff800000u
    for g in range(slices):
        greatest = NO_EXPONENT
        for k in range(each * g, each * (g + 1)):
            if corners.weight[k] and term[k].exponent > greatest:
                greatest = term[k].exponent
        exponent[g] = greatest
        sum[g] = 0
        for k in range(each * g, each * (g + 1)):
            if corners.weight[k] and term[k].exponent != NO_EXPONENT:
                sum[g] += corners.weight[k] * _cut(term[k].significand << guard_bits, greatest - term[k].exponent)
    if slices == 2:
        greatest = max(exponent[0], exponent[1])
        if greatest != NO_EXPONENT:
            k = (greatest + EXPONENT_STEP - 1) & ~(EXPONENT_STEP - 1)
            for g in range(2):
                if exponent[g] != NO_EXPONENT:
                    sum[g] = _floored(sum[g], k - SLICE_BITS - exponent[g])
            sum[0] += sum[1]
            exponent[0] = k - SLICE_BITS
    if sum[0] == 0:
        return 0x80000000u if negative else 0
    return _rounded(sum[0], exponent[0] - fraction - guard_bits - weight_bits, fraction)


cdef uint32_t _integers(const Texture *t, const Corners *corners, int channel, int weight_bits) noexcept nogil:
    cdef int64_t sum = 0, value, most = 65535 if t.format == TF_U8 or t.format == TF_U16 else 32767
    cdef const char *texel
    cdef int k
    for k in range(corners.count):
        texel = corners.texel[k]
        if texel == NULL:
            continue
        if t.format == TF_U8:
            value = <int64_t>257 * (<const uint8_t *>texel)[channel]
        elif t.format == TF_U16:
            value = (<const uint16_t *>texel)[channel]
        elif t.format == TF_S16:
            value = (<const int16_t *>texel)[channel]
        else:
            value = (<const int8_t *>texel)[channel]
        sum += corners.weight[k] * value
    if t.format == TF_S8:    # 7 bits become 15, by a product of fewer bits than the exact one has
        sum <<= 8 - weight_bits
        sum += ((sum & ~<int64_t>15) * 257 + 16384) >> 15
    else:
        sum = (sum + (<int64_t>1 << weight_bits >> 1)) >> weight_bits
    return _bits(<float>(<double>max(-most, min(most, sum)) / <double>most))


cdef uint32_t filtered(const Texture *t, const Corners *corners, int channel, int weight_bits, int guard_bits) noexcept nogil:
    """One channel's mean, as single precision; of a float texture, or of one that reads integers as fractions."""
    if t.normalized_read:
        return _integers(t, corners, channel, weight_bits)
    return _floats(t, corners, channel, weight_bits, guard_bits)
