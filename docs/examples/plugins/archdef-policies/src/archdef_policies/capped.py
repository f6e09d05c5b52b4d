"""First-ready scheduling of a DRAM queue whose row hits are capped, so that a stream does not keep others from its banks for ever.

Reference: Mutlu and Moscibroda, Stall-Time Fair Memory Access Scheduling for Chip Multiprocessors, MICRO 2007 (FR-FCFS+Cap).
"""
import numba

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import DramScheduling, named
from archdef.spec.fields import integer

BANKS = 64       # of a partition at most
HITS = 0         # [BANKS] words of the state: requests that the open row of each bank has served


def _due(state, cap, way, count, bank, row_hit, write):
    """Mark, of the requests of one direction, the oldest of each bank that may go, and give whether there is one: the oldest row hit, or, where there is none
    or its row has served as many as it may while an older one waits, the oldest."""
    seen, due, hit = 0, 0, 0        # masks of banks
    for i in range(count):
        if write[i] == way and row_hit[i]:
            hit |= 1 << bank[i]
    for i in range(count):
        b = 1 << bank[i]
        if write[i] != way or due & b:
            continue
        if row_hit[i] or not hit & b or not seen & b and state[HITS + bank[i]] >= cap:
            due |= b
            state[BANKS + i] = 1
        seen |= b
    return due != 0


def _next(state, cap, window, way, now_fs, count, ready_fs, bank, row_hit, write, due):
    """Rows are opened first, since that holds up no data; then the oldest row hit goes that can; else the partition waits for the first that can."""
    for i in range(window):
        state[BANKS + i] = 0
    if not due(state, cap, way, count, bank, row_hit, write) and not due(state, cap, 1 - way, count, bank, row_hit, write):
        return -1
    first, oldest = -1, -1
    for i in range(count):
        if not state[BANKS + i]:
            continue
        if ready_fs[i] <= now_fs:
            if not row_hit[i]:
                state[HITS + bank[i]] = 0
                return i
            if oldest < 0:
                oldest = i
        if first < 0 or ready_fs[i] < ready_fs[first]:
            first = i
    if oldest < 0:
        return first
    state[HITS + bank[oldest]] += 1
    return oldest


_fast_due, _fast_next = numba.njit(_due), numba.njit(_next)


@cfunc("dram")
def _compiled(view):
    given, n = int64s(view.parameters, 2), view.count
    return _fast_next(int64s(view.state, BANKS + given[1]), given[0], given[1], view.writes_next, view.now_fs, n, int64s(view.ready_fs, n),
                      int64s(view.bank, n), int64s(view.row_hit, n), int64s(view.write, n), _fast_due)


@named("first_ready_capped")
class CappedFirstReady(DramScheduling):
    """Row hits first, then the oldest, but of one row only so many while an older request waits for another row of the bank."""

    cap: int = integer(default=4)
    """Requests that an open row serves at most while an older one waits for its bank."""
    window: int = integer(at_most=1024, default=64)
    """Requests at the head of the queue that are looked at."""

    @property
    def state_words(self):
        return BANKS + self.window

    def next_request(self, view):
        return _next(view.state, self.cap, self.window, view.writes_next, view.now_fs, view.count, view.ready_fs, view.bank, view.row_hit, view.write, _due)

    def compiled(self):
        return Compiled(_compiled, (self.cap, self.window))
