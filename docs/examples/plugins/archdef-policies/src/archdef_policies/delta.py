"""A prefetcher by delta correlation: the steps between a load's lines go on as they did when the last two of them came before.

References: Nesbit and Smith, Data Cache Prefetching Using a Global History Buffer, HPCA 2004 (delta correlation); Lee et al., Many-Thread Aware Prefetching
Mechanisms for GPGPU Applications, MICRO 2010 (one history for each warp, or the warps' accesses mix).
"""
import numba
import numpy as np

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s, uint64s
from archdef.spec import Prefetcher, named
from archdef.spec.fields import integer

STEPS = 8       # that are kept of each load

# Words of an entry.
KEY, LINE, COUNT, HISTORY, ENTRY = 0, 1, 2, 3, 3 + STEPS       # the load and its warp, plus 1; its last line; steps so far; [STEPS] the latest last


def _fetch(state, entries, degree, launched, instruction, line, fetch):
    """Write the lines to fetch; give how many."""
    key = launched * 4096 + instruction % 4096 + 1
    at = (launched * 61 + instruction) % entries * ENTRY
    if state[at + KEY] != key:
        state[at + KEY], state[at + LINE], state[at + COUNT] = key, line, 0
        return 0
    if state[at + LINE] == line:
        return 0
    last = at + HISTORY + STEPS - 1
    for i in range(at + HISTORY, last):
        state[i] = state[i + 1]
    state[last] = line - state[at + LINE]
    state[at + LINE] = line
    state[at + COUNT] = min(state[at + COUNT] + 1, STEPS)
    for ago in range(1, state[at + COUNT] - 1):       # when the last two steps came before
        if state[last - ago] == state[last] and state[last - ago - 1] == state[last - 1]:
            for i in range(degree):
                line += state[last - ago + 1 + i % ago]
                fetch[i] = line
            return degree
    return 0


_fast = numba.njit(_fetch)


@cfunc("l1")
def _compiled(view):
    given = int64s(view.parameters, 2)
    if not view.first:
        return 0
    return _fast(int64s(view.state, given[0] * ENTRY), given[0], given[1], view.launched, view.instruction, np.int64(view.line),
                 uint64s(view.fetch, view.room))


@named("delta")
class DeltaCorrelation(Prefetcher):
    """What a load of one warp reads next, where its last two steps are found among those before: the steps that came then."""

    entries: int = integer(at_most=4096, default=256)
    """Loads of one warp each that are followed; each has its place, where the latest stays."""
    degree: int = integer(at_most=16, default=4)
    """Lines that are fetched at a time."""

    @property
    def state_words(self):
        return self.entries * ENTRY

    def fetch(self, view):
        found = [0] * view.room
        count = _fetch(view.state, self.entries, self.degree, view.launched, view.instruction, view.line, found) if view.first else 0
        return [line % (1 << 64) for line in found[:count]]

    def compiled(self):
        return Compiled(_compiled, (self.entries, self.degree))
