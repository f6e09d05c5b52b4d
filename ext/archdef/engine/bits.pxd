"""Bits of a mask."""
from libc.stdint cimport uint64_t

cdef extern from *:
    """
    static inline int lowest_bit(unsigned long long x) { return __builtin_ctzll(x); }
    static inline int highest_bit(unsigned long long x) { return 63 - __builtin_clzll(x); }
    static inline int count_bits(unsigned long long x) { return __builtin_popcountll(x); }
    static inline unsigned long long rotate_right(unsigned long long x, int n) {
        return x >> (n & 63) | x << (-n & 63); }
    """
    int lowest_bit(uint64_t x) noexcept nogil
    int highest_bit(uint64_t x) noexcept nogil
    int count_bits(uint64_t x) noexcept nogil
    uint64_t rotate_right(uint64_t x, int n) noexcept nogil
