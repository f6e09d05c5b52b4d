"""Accesses that are timed as if they were in order, to see what their disorder costs (FL_TOGETHER)."""
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from archdef.engine.bits cimport count_bits, lowest_bit
from archdef.engine.coalesce cimport MAX_TRANSACTIONS, CoalescingTable, coalesce, covers
from archdef.engine.lsu_pipeline cimport LsuPipeline
from archdef.engine.reach cimport Reach
from archdef.engine.transaction cimport Transaction


cdef int _chosen(const uint64_t *address, int first, uint64_t lanes, int bytes) noexcept nogil:
    """Say the piece of which active lane an access reaches, counted from the first."""
    cdef uint64_t active = <uint64_t>count_bits(lanes), word = address[first] // <uint64_t>bytes, apart
    cdef uint64_t others = lanes & (lanes - 1)
    if others and address[lowest_bit(others)] > address[first]:
        apart = (address[lowest_bit(others)] - address[first]) // <uint64_t>bytes
        if 1 < apart < active:
            return <int>(word % apart * active // apart)
    return <int>(word % active)


cdef void transact_together(const CoalescingTable *rule, const uint64_t *address, int first, uint64_t lanes, int n, int bytes, LsuPipeline *out,
                            Reach *reach) noexcept nogil:
    """Append the transactions of an access whose lanes are supposed to lie behind each other, unless it has as few as it is.

    A warp then reaches one piece of memory and not one in each of many; which of them is chosen by where the first lane lies within its own, so that the
    accesses that reach neighbouring words of these pieces reach all of them together, as before. Lanes that are fewer words apart than there are lanes, as
    in arrays of structures, share pieces: then each word of a structure gets a piece of its own.
    """
    cdef uint64_t supposed[64]
    cdef uint64_t left = lanes, base, span = <uint64_t>(n * bytes)
    cdef Transaction *t = out.transactions + out.count
    cdef Transaction fewer[MAX_TRANSACTIONS]
    cdef int i, count, least, chosen
    count = coalesce(rule, address, lanes, n, bytes, covers(rule, False), t)
    chosen = _chosen(address, first, lanes, bytes)
    while chosen:
        left &= left - 1
        chosen -= 1
    base = address[lowest_bit(left)] & ~(span - 1)
    for i in range(n):
        supposed[i] = base + <uint64_t>(i * bytes)
    least = coalesce(rule, supposed, lanes, n, bytes, covers(rule, False), fewer)
    if least < count:
        memcpy(t, fewer, <size_t>least * sizeof(Transaction))
        count = least
    out.count += count
    for i in range(count):
        reach.pieces += count_bits(t[i].sectors)
        reach.bytes_moved += t[i].bytes
