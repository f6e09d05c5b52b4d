"""Admission to L1 by instruction: loads whose lines are not read again bypass L1.

References: Tian et al., Adaptive GPU Cache Bypassing, GPGPU 2015 (a table of counters by instruction, trained by what becomes of lines); Xie et al.,
Coordinated Static and Dynamic Cache Bypassing for GPUs, HPCA 2015.
"""
import numba

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import Admission, named
from archdef.spec.fields import integer

HIT, MISS, FILL = 1, 2, 3       # ARCHDEF_CACHE_… of policy.h
TABLE = 128                     # instructions that are told apart, by their place modulo this
MOST = 15                       # of a counter

# Words of the state: [TABLE] lines that gave way unread less lines that were read again, then [TABLE] misses that would have passed by.
PASSED = TABLE


def _admit(state, instruction, threshold, sample):
    """Let what mostly goes unread pass, but for one of so many lines, by which it is seen whether that has changed."""
    entry = instruction % TABLE
    if state[entry] < threshold:
        return 1
    state[PASSED + entry] += 1
    return int(state[PASSED + entry] % sample == 0)


def _told(state, words, event, place, instruction):
    """A line's word: twice the number plus 1 of the entry that brought it, and 1 as soon as it has been read again."""
    if event == HIT and words[place] and not words[place] & 1:
        entry = words[place] // 2 - 1
        state[entry] = max(state[entry] - 1, 0)
        words[place] += 1
    elif event == FILL:
        if words[place] and not words[place] & 1:
            entry = words[place] // 2 - 1
            state[entry] = min(state[entry] + 1, MOST)
        words[place] = 2 * (instruction % TABLE + 1) if instruction >= 0 else 0


_fast_admit, _fast_told = numba.njit(_admit), numba.njit(_told)


@cfunc("l1")
def _compiled(view):
    given, state = int64s(view.parameters, 2), int64s(view.state, 2 * TABLE)
    if view.event == MISS:
        return _fast_admit(state, view.instruction, given[0], given[1])
    _fast_told(state, int64s(view.words, view.sets * view.ways), view.event, view.place, view.instruction)
    return 0


@named("reuse")
class Reuse(Admission):
    """Lines of an instruction pass by once `threshold` more of them have given way unread than were read again."""

    threshold: int = integer(at_most=MOST, default=8)
    """Value of an instruction's counter from which on its lines pass by."""
    sample: int = integer(at_most=1024, default=32)
    """Of so many lines that would pass by, one gets a place all the same."""

    @property
    def state_words(self):
        return 2 * TABLE

    @property
    def line_words(self):
        return 1

    def admit(self, view):
        return _admit(view.state, view.instruction, self.threshold, self.sample)

    def told(self, view):
        _told(view.state, view.words, view.event, view.place, view.instruction)

    def compiled(self):
        return Compiled(_compiled, (self.threshold, self.sample))
