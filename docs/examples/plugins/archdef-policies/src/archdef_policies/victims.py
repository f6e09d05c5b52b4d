"""A victim cache: what L1 evicts is kept in a few entries, from which it comes back sooner than from L2.

Reference: Jouppi, Improving Direct-Mapped Cache Performance by the Addition of a Small Fully-Associative Cache and Prefetch Buffers, ISCA 1990.
"""
import numba
import numpy as np

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import VictimCache, named
from archdef.spec.fields import integer

MISS, FILL, STORE = 2, 3, 4     # ARCHDEF_CACHE_… of policy.h

# Words of the state.
TIME, ENTRIES = 0, 1            # a count of lines that came; [entries] of three words:
LINE, SECTORS, CAME = 0, 1, 2   # number plus 1, 0: free; those that are there; when it came


def _supply(state, entries, line, sectors):
    """Give back the sectors of a line, if all are here."""
    for at in range(ENTRIES, ENTRIES + 3 * entries, 3):
        if state[at + LINE] == line + 1 and state[at + SECTORS] & sectors == sectors:
            state[at + SECTORS] -= sectors
            if state[at + SECTORS] == 0:
                state[at + LINE] = 0
            return 1
    return 0


def _told(state, entries, event, line, evicted, evicted_sectors):
    """Keep what has given way, in place of what has been here longest; forget what a store has changed."""
    if event == FILL and (evicted < 0 or evicted_sectors == 0):
        return
    if event in (STORE, FILL):
        gone, best = line if event == STORE else evicted, ENTRIES
        for at in range(ENTRIES, ENTRIES + 3 * entries, 3):
            if state[at + LINE] == gone + 1:
                state[at + LINE] = 0
            if state[at + LINE] == 0:
                state[at + CAME] = 0
            if state[at + CAME] < state[best + CAME]:
                best = at
        if event == FILL:
            state[TIME] += 1
            state[best + LINE], state[best + SECTORS], state[best + CAME] = evicted + 1, evicted_sectors, state[TIME]


_fast_supply, _fast_told = numba.njit(_supply), numba.njit(_told)


@cfunc("l1")
def _compiled(view):
    given = int64s(view.parameters, 2)
    state = int64s(view.state, ENTRIES + 3 * given[0])
    if view.event == MISS:
        return given[1] * _fast_supply(state, given[0], np.int64(view.line), np.int64(view.sectors))
    _fast_told(state, given[0], view.event, np.int64(view.line), np.int64(view.evicted), np.int64(view.evicted_sectors))
    return 0


@named("victims")
class Victims(VictimCache):
    """The lines that gave way last, in any place; one that a load asks for again goes back to L1, and another takes its place."""

    entries: int = integer(at_most=256, default=16)
    """Lines that it holds."""
    latency_cycles: int = integer(at_most=1024, default=20)
    """SM cycles from the lookup in L1 until it has given what it holds."""

    @property
    def state_words(self):
        return ENTRIES + 3 * self.entries

    def supply(self, view):
        return self.latency_cycles * _supply(view.state, self.entries, view.line, view.sectors)

    def told(self, view):
        _told(view.state, self.entries, view.event, view.line, -1 if view.evicted is None else view.evicted, view.evicted_sectors)

    def compiled(self):
        return Compiled(_compiled, (self.entries, self.latency_cycles))
