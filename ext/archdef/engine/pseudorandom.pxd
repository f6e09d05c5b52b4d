"""What happens by chance on a machine, and here always in the same way."""
from libc.stdint cimport uint32_t, uint64_t

cdef inline uint32_t pseudorandom_below(uint64_t seed, uint32_t count) noexcept nogil:
    """A number below `count`, by the seed; mixed as in splitmix64."""
    seed *= <uint64_t>0x9e3779b97f4a7c15
    seed = (seed ^ seed >> 30) * <uint64_t>0xbf58476d1ce4e5b9
    return <uint32_t>((seed ^ seed >> 27) >> 33) % count
