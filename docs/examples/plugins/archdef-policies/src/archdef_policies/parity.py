"""A partition map that no power-of-two stride defeats: every bit of the partition's number is the parity of several address bits.

Reference: Liu et al., Get Out of the Valley: Power-Efficient Address Mapping for GPUs, ISCA 2018 (address bits mapped by a binary matrix).
"""
import numpy as np

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import PartitionMap, named
from archdef.spec.fields import integer


def masks(partitions: int, reach: int) -> list[int]:
    """For each bit of the partition's number, the bits of the chunk's number whose parity it is: its own, and every so many above."""
    bits = partitions.bit_length() - 1
    return [sum(1 << k for k in range(bit, reach, bits)) for bit in range(bits)]


@cfunc("partition")
def _parity(view):
    chunk = view.address // np.uint64(view.interleave_bytes)
    if view.partitions & (view.partitions - 1):
        return np.int64(chunk % np.uint64(view.partitions))
    bits = 0
    while 1 << bits < view.partitions:
        bits += 1
    left, found = chunk & ((np.uint64(1) << np.uint64(int64s(view.parameters, 1)[0])) - np.uint64(1)), np.uint64(0)
    while left and bits:        # fold the number: each fold adds its digits to the partition's, without carry
        found ^= left & np.uint64(view.partitions - 1)
        left >>= np.uint64(bits)
    return np.int64(found)


@named("parity")
class Parity(PartitionMap):
    """Parities of address bits; in turn, as usual, where the number of partitions is no power of two."""

    reach_bits: int = integer(at_most=40, default=24)
    """Bits of the chunk's number that are looked at."""

    def partition(self, address, interleave_bytes, partitions):
        chunk = address // interleave_bytes
        if partitions & (partitions - 1):
            return chunk % partitions
        return sum(((chunk & mask).bit_count() & 1) << bit for bit, mask in enumerate(masks(partitions, self.reach_bits)))

    def compiled(self):
        return Compiled(_parity, (self.reach_bits,))
