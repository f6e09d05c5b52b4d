"""The engine's own policies once more, as a plugin would write them: their answers must be the engine's."""
from archdef.spec import (BankMap, BlockDispatch, CoalescingRule, ConvergenceBarriers, IpdomStack, Lines, PartitionMap, Replacement,
                          SchedulerPolicy, named)
from archdef.spec.fields import integer


def slots(bits):
    """List the bits that are set."""
    return [slot for slot in range(64) if bits >> slot & 1]


@named("again_lrr")
class RoundRobinAgain(SchedulerPolicy):
    def choose(self, view):
        ready = slots(view.candidates)
        return next((slot for slot in ready if slot > view.last), ready[0])


@named("again_oldest")
class OldestAgain(SchedulerPolicy):
    def choose(self, view):
        return min(slots(view.candidates), key=lambda slot: view.launched[slot])


@named("again_weighted")
class WeightedAgain(SchedulerPolicy):
    memory_weight: int = integer(default=16)

    def choose(self, view):
        def weight(slot):
            return self.memory_weight * (view.memory >> slot & 1) + view.cycle - view.issued_at[slot]
        return max(slots(view.candidates), key=lambda slot: (weight(slot), not view.memory >> slot & 1, -slot))


@named("again_interleaved")
class InterleavedAgain(PartitionMap):
    def partition(self, address, interleave_bytes, partitions):
        return address // interleave_bytes % partitions


@named("again_low_order")
class LowOrderAgain(BankMap):
    def banks_of(self, words, banks):
        return [word % banks for word in words]


@named("again_lines")
class LinesAgain(CoalescingRule):
    line_bytes: int = integer(default=128)
    sector_bytes: int = integer(default=32)

    def transactions(self, addresses, word_bytes, mask=None):
        """The sectors of `Lines`, each alone: the same bytes in more transactions."""
        rule = Lines(group_lanes=64, line_bytes=self.sector_bytes, sector_bytes=self.sector_bytes)
        return rule.transactions(addresses, word_bytes, mask)

    @property
    def largest_bytes(self):
        return self.line_bytes


@named("again_lru")
class LeastRecentlyUsedAgain(Replacement):
    def victim(self, view):
        return min((way for way in range(view.ways) if not view.busy >> way & 1), key=lambda way: view.used[way])


@named("again_round_robin")
class FewestWarpsAgain(BlockDispatch):
    def multiprocessor(self, view):
        return min((k for k in range(view.multiprocessors) if view.room[k]), key=lambda k: (view.load[k], k))


@named("again_ipdom")
class StackAgain(IpdomStack):
    def taken_first(self, view):
        return False


@named("again_barriers")
class BarriersAgain(ConvergenceBarriers):
    def taken_first(self, view):
        return False
