"""A coalescer for waves of 64 lanes: lines of the whole wave at once."""
import numpy as np

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s, uint64s
from archdef.spec import CoalescingRule, Transaction, named
from archdef.spec.fields import integer


@cfunc("coalescing")
def _lines(view):
    line_bytes = np.uint64(int64s(view.parameters, 1)[0])
    half, addresses = line_bytes // np.uint64(2), uint64s(view.addresses, view.lanes)
    starts, sizes, count = uint64s(view.starts, view.room), int64s(view.sizes, view.room), 0
    for lane in range(view.lanes):
        if view.mask >> np.uint64(lane) & np.uint64(1):
            line = addresses[lane] // line_bytes * line_bytes
            at = 0
            while at < count and starts[at] // line_bytes * line_bytes != line:
                at += 1
            first = addresses[lane] // half * half
            if at == count:
                starts[at], sizes[at] = first, np.int64(half)
                count += 1
            elif first != starts[at] and sizes[at] == np.int64(half):
                starts[at], sizes[at] = line, np.int64(line_bytes)
    return count


@named("wave_lines")
class WaveLines(CoalescingRule):
    """A transaction for each distinct line of the wave, in the order of its first lane; only half of it if the other half is unused."""

    line_bytes: int = integer(power_of_two=True, at_least=32, default=128)
    """Bytes of a line."""

    @property
    def sector_bytes(self) -> int:
        """Least bytes of a transaction."""
        return self.line_bytes // 2

    @property
    def largest_bytes(self):
        return self.line_bytes

    def transactions(self, addresses, word_bytes, mask=None):
        half, found = self.line_bytes // 2, {}
        for lane, address in enumerate(addresses):
            if mask is None or mask[lane]:
                halves, lanes = found.setdefault(address // self.line_bytes * self.line_bytes, (set(), []))
                halves.add(address // half * half)
                lanes.append(lane)
        return [Transaction(min(halves), half * len(halves), tuple(lanes)) for halves, lanes in found.values()]

    def compiled(self):
        return Compiled(_lines, (self.line_bytes,))
