"""Multiprocessors with few requests in a DRAM queue go before those that fill it.

Reference: Ausavarungnirun et al., Staged Memory Scheduling: Achieving High Performance and Scalability in Heterogeneous Systems, ISCA 2012, whose second stage
serves the source with the fewest requests first. There sources are a GPU and processors; here they are multiprocessors.
"""
import numba

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import DramScheduling, named
from archdef.spec.fields import integer

BANKS = 64                  # of a partition at most
SOURCES = 1 << 14           # multiprocessors of a machine at most, and nobody
# Words of the state.
BEST = 0                    # [BANKS] place, plus 1, of the request that goes first in each bank
WAITING = BEST + BANKS      # [1 + SOURCES] requests of nobody and of each multiprocessor in the window
WORDS = WAITING + 1 + SOURCES


def _before(state, few, multiprocessor, row_hit, i, other):
    """Whether a request goes before one that came sooner: whose multiprocessor has few, then whose row is open."""
    heavy, others_heavy = state[WAITING + 1 + multiprocessor[i]] > few, state[WAITING + 1 + multiprocessor[other]] > few
    if heavy != others_heavy:
        return others_heavy
    return row_hit[i] > row_hit[other]


def _next(state, few, way, now_fs, count, ready_fs, bank, row_hit, write, multiprocessor, before):
    """Of those that go first in their banks: rows are opened first, since that holds up no data; then data go; else the partition waits."""
    for i in range(count):
        state[BEST + bank[i]] = 0
        state[WAITING + 1 + multiprocessor[i]] = 0
    for i in range(count):
        state[WAITING + 1 + multiprocessor[i]] += write[i] == way
    for i in range(count):
        best = state[BEST + bank[i]] - 1
        if write[i] == way and (best < 0 or before(state, few, multiprocessor, row_hit, i, best)):
            state[BEST + bank[i]] = i + 1
    opens, goes, first = -1, -1, -1
    for i in range(count):
        if state[BEST + bank[i]] != i + 1:
            continue
        if first < 0 or ready_fs[i] < ready_fs[first]:
            first = i
        if ready_fs[i] > now_fs:
            continue
        if not row_hit[i]:
            if opens < 0 or before(state, few, multiprocessor, row_hit, i, opens):
                opens = i
        elif goes < 0 or before(state, few, multiprocessor, row_hit, i, goes):
            goes = i
    return opens if opens >= 0 else goes if goes >= 0 else first


_fast_before, _fast_next = numba.njit(_before), numba.njit(_next)


@cfunc("dram")
def _compiled(view):
    n = view.count
    return _fast_next(int64s(view.state, WORDS), int64s(view.parameters, 1)[0], view.writes_next, view.now_fs, n, int64s(view.ready_fs, n),
                      int64s(view.bank, n), int64s(view.row_hit, n), int64s(view.write, n), int64s(view.multiprocessor, n), _fast_before)


@named("few_requests_first")
class FewRequestsFirst(DramScheduling):
    """Requests of multiprocessors that have few in the window first, then row hits, then the oldest."""

    few: int = integer(default=4)
    """Requests of a multiprocessor in the window, in the direction whose turn it is, with which it goes before those that have more."""
    window: int = integer(at_most=1024, default=64)
    """Requests at the head of the queue that are looked at."""

    @property
    def state_words(self):
        return WORDS

    def next_request(self, view):
        return _next(view.state, self.few, view.writes_next, view.now_fs, view.count, view.ready_fs, view.bank, view.row_hit, view.write,
                     view.multiprocessor, _before)

    def compiled(self):
        return Compiled(_compiled, (self.few,))
