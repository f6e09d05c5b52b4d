"""A throttle that lets as many warps load as keep what they will read again in L1.

Reference: Rogers, O'Connor and Aamodt, Cache-Conscious Wavefront Scheduling, MICRO 2012: a victim tag array of each warp finds the locality that it has
lost, a score stands for it, and warps beyond a cumulative score may not load.
"""
import numba
import numpy as np

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import WarpThrottle, named
from archdef.spec.fields import integer

SLOTS = 128      # warps of a multiprocessor at most
PLACES = 8192    # lines of its L1 at most
HIT, MISS, START, END = 1, 2, 3, 4      # ARCHDEF_THROTTLE_… of policy.h

# Words of the state.
DECAYED, AGAIN, LOST = 0, 1, 2          # cycle up to which scores have fallen; cycle at which to ask again, 0: none; hits of victim tags so far
SCORES = 3                              # [SLOTS] of each warp, the base score at least
OWNERS = SCORES + SLOTS                 # [PLACES] the warp that brought the line, plus 1
NEXT = OWNERS + PLACES                  # [SLOTS] the victim tag that the next one replaces
TAGS = NEXT + SLOTS                     # [SLOTS][tags] numbers of lines, plus 1


def _decay(state, base, cycle, resident, warps):
    """Let scores fall by one a cycle, down to the base; give how many warps there are, and the sum of their scores."""
    present, total = 0, 0
    for slot in range(warps):
        state[SCORES + slot] = max(state[SCORES + slot] - (cycle - state[DECAYED]), base)
        present += resident[slot]
        total += resident[slot] * state[SCORES + slot]
    state[DECAYED] = cycle
    return present, total


def _miss(state, tags, warp, line, place, evicted):
    """Keep the tag of the line that gave way for its warp; tell whether this warp had lost the line that it misses."""
    if evicted >= 0 and state[OWNERS + place]:
        owner = state[OWNERS + place] - 1
        state[TAGS + owner * tags + state[NEXT + owner]] = evicted + 1
        state[NEXT + owner] = (state[NEXT + owner] + 1) % tags
    state[OWNERS + place] = warp + 1
    for i in range(TAGS + warp * tags, TAGS + (warp + 1) * tags):
        if state[i] == line + 1:
            state[i] = 0
            return True
    return False


def _stack(state, cutoff, warps, resident, launched, allowed):
    """Allow the warps of the greatest scores, of equal ones the oldest, as far as these add up to no more than the cutoff, and one at least."""
    total = 0
    for slot in range(warps):
        allowed[slot] = 0
    while True:
        best = -1
        for slot in range(warps):
            if resident[slot] and not allowed[slot] and (best < 0 or state[SCORES + slot] > state[SCORES + best]
                                                         or state[SCORES + slot] == state[SCORES + best] and launched[slot] < launched[best]):
                best = slot
        if best < 0 or total > 0 and total + state[SCORES + best] > cutoff:
            return
        allowed[best] = 1
        total += state[SCORES + best]


def _make(decay, miss, stack):
    """Make the rule of its parts, as they are or compiled."""
    def allow(state, base, factor, tags, interval, event, warp, line, place, evicted, cycle, instructions, lines, warps, resident, launched,
              allowed):
        if lines > PLACES or warps > SLOTS:
            return -1       # which is refused: there is no room for them
        if event == HIT:
            return state[AGAIN] if state[AGAIN] > cycle else cycle + 1 if state[AGAIN] else 0
        present, total = decay(state, base, cycle, resident, warps)
        cutoff = present * base
        if event in (START, END):
            total += (base - state[SCORES + warp]) * (event == START)
            state[SCORES + warp] = base
            for i in range(TAGS + warp * tags, TAGS + (warp + 1) * tags):
                state[i] = 0
        elif event == MISS and miss(state, tags, warp, line, place, evicted):
            state[LOST] += 1
            score = state[LOST] * factor * cutoff // max(instructions, 1)
            total += max(score - state[SCORES + warp], 0)
            state[SCORES + warp] = max(score, state[SCORES + warp])
        if total > cutoff:
            stack(state, cutoff, warps, resident, launched, allowed)
            state[AGAIN] = cycle + interval
        else:
            for slot in range(warps):
                allowed[slot] = 1
            state[AGAIN] = 0
        return state[AGAIN]
    return allow


_readable = _make(_decay, _miss, _stack)
_fast = numba.njit(_make(numba.njit(_decay), numba.njit(_miss), numba.njit(_stack)))


@cfunc("throttle")
def _compiled(view):
    given = int64s(view.parameters, 4)
    return _fast(int64s(view.state, TAGS + SLOTS * given[2]), given[0], given[1], given[2], given[3], view.event, view.warp, np.int64(view.line), view.place,
                 np.int64(view.evicted), view.cycle, view.instructions, view.lines, view.warps, int64s(view.resident, view.warps),
                 int64s(view.launched, view.warps), int64s(view.allowed, view.warps))


@named("ccws")
class CacheConscious(WarpThrottle):
    """A warp that misses a line which it has lost gets a score; warps beyond the cutoff of all scores, the greatest first, may not load.

    The score is the hits of victim tags so far, times `factor`, times the cutoff, over the warp instructions so far; it falls by one a cycle. The cutoff is
    the base score of all resident warps. The paper sorts in every cycle; this rule looks at misses, and every `interval_cycles` while warps are held.
    """

    base: int = integer(default=100)
    """Score of a warp that has lost nothing."""
    factor: int = integer(default=8)
    """K_THROTTLE of the paper."""
    tags: int = integer(at_most=64, default=16)
    """Victim tags of a warp."""
    interval_cycles: int = integer(default=16)
    """SM cycles after which scores are looked at again while warps are held back."""

    @property
    def state_words(self):
        return TAGS + SLOTS * self.tags

    def allow(self, view):
        return _readable(view.state, self.base, self.factor, self.tags, self.interval_cycles, view.event, view.warp, view.line, view.place,
                         -1 if view.evicted is None else view.evicted, view.cycle, view.instructions, view.lines, view.warps, view.resident, view.launched,
                         view.allowed)

    def compiled(self):
        return Compiled(_compiled, (self.base, self.factor, self.tags, self.interval_cycles))
