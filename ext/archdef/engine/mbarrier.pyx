"""The word of a barrier in shared memory that counts arrivals and bytes; `asynchronous.pyx` says what its bits are."""
from libc.stdint cimport uint32_t, uint64_t

from archdef.engine.types cimport MB_ARRIVE_DROP, MB_ARRIVE_EXPECT, MB_COMPLETE, MB_EXPECT


cdef inline uint64_t _settle(uint64_t word) noexcept nogil:
    """Begin the next phase if nothing is pending."""
    if word >> 20 & 0xfffff or word >> 40 & 0x1fffff:
        return word
    return (word ^ <uint64_t>1 << 63) | (word & 0xfffff) << 20


cdef inline uint64_t _expect(uint64_t word, uint32_t bytes) noexcept nogil:
    """Add bytes to come; the count wraps in its 21 bits."""
    return word & ~(<uint64_t>0x1fffff << 40) | ((word >> 40) + bytes & 0x1fffff) << 40


cdef uint64_t phase_complete(uint64_t word, uint32_t bytes) noexcept nogil:
    """The barrier's word when so many bytes have arrived."""
    return _settle(_expect(word, 0 - bytes))


cdef int phase_apply(uint64_t *word, int fn, uint64_t count) noexcept nogil:
    """Let arrivals or bytes, expected or come, change a barrier's word. Returns -1 if it does not allow so many."""
    if fn == MB_EXPECT:
        word[0] = _expect(word[0], <uint32_t>count)
        return 0
    if fn == MB_COMPLETE:
        word[0] = phase_complete(word[0], <uint32_t>count)
        return 0
    if fn == MB_ARRIVE_EXPECT:
        word[0] = _expect(word[0], <uint32_t>count)
        count = 1
    if count > (word[0] >> 20 & 0xfffff):
        return -1
    if fn == MB_ARRIVE_DROP:
        if count > (word[0] & 0xfffff):
            return -1
        word[0] -= count
    word[0] = _settle(word[0] - (count << 20))
    return 0
