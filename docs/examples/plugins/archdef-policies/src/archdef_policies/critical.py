"""A scheduler that lets the warps go first for which others will wait.

Reference: Lee, Arunkumar and Wu, CAWA: Coordinated Warp Scheduling and Cache Prioritization for Critical Warp Acceleration, ISCA 2015. There,
criticality is predicted from the instructions that a warp has left and the cycles that it stalled; here it is what the warp has issued.
"""
import numpy as np

from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s, lowest_bit
from archdef.spec import SchedulerPolicy, named


@cfunc("scheduler")
def _critical(view):
    issued, left = int64s(view.issued, 64), view.candidates
    best = lowest_bit(left)
    while left:
        slot = lowest_bit(left)
        left &= left - np.uint64(1)
        if issued[slot] > issued[best]:
            best = slot
    return best


@named("critical")
class Critical(SchedulerPolicy):
    """The warp that has issued most; ties go to the lower slot."""

    def choose(self, view):
        return max((slot for slot in range(64) if view.candidates >> slot & 1), key=lambda slot: (view.issued[slot], -slot))

    def compiled(self):
        return Compiled(_critical)
