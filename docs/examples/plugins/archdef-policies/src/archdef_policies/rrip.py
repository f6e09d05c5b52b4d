"""Replacement by predictions of when lines will be read again, which scans and loops longer than the cache do not defeat.

Reference: Jaleel et al., High Performance Cache Replacement Using Re-Reference Interval Prediction (RRIP), ISCA 2010: a few bits of each line say how far
its next use is thought to lie; a new line is thought to be needed late, one that hits soon, and sets that keep to one of two rules for new lines choose
the rule of all others.
"""
import numba

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import Replacement, named
from archdef.spec.fields import integer

VICTIM, HIT, MISS, FILL = 0, 1, 2, 3    # ARCHDEF_CACHE_… of policy.h

# Words of the state.
CHOICE, LATE = 0, 1     # misses of the sets that insert by the first rule, less those of the second's; lines that the second rule has inserted
MOST_CHOICE = 512       # PSEL of the paper, 10 bits
SELDOM = 32             # the second rule puts one line of so many where the first puts all


def _victim(words, ways, busy, distant):
    """Give the first way thought to be needed latest, when all have aged until one is thought to be needed in the distant future."""
    best = -1
    for way in range(ways):
        if not busy[way >> 6] >> (way & 63) & 1 and (best < 0 or words[way] > words[best]):
            best = way
    age = distant - words[best]
    for way in range(ways):
        words[way] = min(words[way] + age, distant)
    return best


def _told(state, words, event, way, set_, distant, duel_sets):
    """Note what has happened to a line."""
    leads = set_ % duel_sets if duel_sets else -1
    if event == HIT:
        words[way] = 0
    elif event == MISS and leads == 0:
        state[CHOICE] = min(state[CHOICE] + 1, MOST_CHOICE)
    elif event == MISS and leads == 1:
        state[CHOICE] = max(state[CHOICE] - 1, -MOST_CHOICE)
    elif event == FILL:
        words[way] = distant - 1
        if duel_sets and (leads == 1 or leads > 1 and state[CHOICE] > 0):
            state[LATE] += 1
            if state[LATE] % SELDOM:
                words[way] = distant


_fast_victim, _fast_told = numba.njit(_victim), numba.njit(_told)


@cfunc("replacement")
def _compiled(view):
    given, words = int64s(view.parameters, 2), int64s(view.words, view.ways)
    if view.event == VICTIM:
        return _fast_victim(words, view.ways, int64s(view.busy_ways, (view.ways + 63) // 64), given[0])
    _fast_told(int64s(view.state, 2), words, view.event, view.way, view.set, given[0], given[1])
    return 0


@named("rrip")
class ReReferenceInterval(Replacement):
    """The line whose next use is thought to lie furthest ahead: SRRIP, and DRRIP where sets are given that keep to one of two rules.

    A line that hits is needed soon (hit priority). A new one is needed late, but not in the distant future; by the second rule mostly there.
    """

    bits: int = integer(at_most=8, default=2)
    """M of the paper: bits of a line's prediction."""
    duel_sets: int = integer(at_least=0, at_most=1024, default=8)
    """Of so many sets, one keeps to the first rule for new lines and one to the second; 0: all keep to the first (SRRIP)."""

    @property
    def line_words(self):
        return 1

    @property
    def distant(self):
        """The largest prediction."""
        return (1 << self.bits) - 1

    def victim(self, view):
        return _victim(view.words, view.ways, view.busy_ways, self.distant)

    def told(self, view):
        _told(view.state, view.words, view.event, view.way, view.set, self.distant, self.duel_sets)

    def compiled(self):
        return Compiled(_compiled, (self.distant, self.duel_sets))
