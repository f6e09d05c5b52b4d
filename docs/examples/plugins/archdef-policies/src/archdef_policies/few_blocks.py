"""Fewer blocks at a time than fit, so that what they read again stays in L1.

Reference: Kayiran, Jog, Kandemir and Das, Neither More Nor Less: Optimizing Thread-level Parallelism for GPGPUs, PACT 2013. The paper finds the number of
blocks while a kernel runs, by how long warps wait for memory; here it is given.
"""
from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import BlockDispatch, named
from archdef.spec.fields import integer

NOT_NOW = -1     # ARCHDEF_DISPATCH_NOT_NOW of policy.h


@cfunc("dispatch")
def _few_blocks(view):
    most, best = int64s(view.parameters, 1)[0], NOT_NOW
    room, blocks = int64s(view.room, view.multiprocessors), int64s(view.blocks, view.multiprocessors)
    for k in range(view.multiprocessors):
        if room[k] and blocks[k] < most and (best < 0 or blocks[k] < blocks[best]):
            best = k
    return best


@named("few_blocks")
class FewBlocks(BlockDispatch):
    """The multiprocessor with the fewest blocks, and none has more than a few of one launch."""

    most: int = integer(default=2)
    """Blocks of a launch that are resident on a multiprocessor at most."""

    def multiprocessor(self, view):
        free = [k for k in range(view.multiprocessors) if view.room[k] and view.blocks[k] < self.most]
        return min(free, key=lambda k: view.blocks[k]) if free else None

    def compiled(self):
        return Compiled(_few_blocks, (self.most,))
