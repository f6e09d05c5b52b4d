"""A ring on which partitions of memory and multiprocessors lie in turn: answers go the shorter way round.

Reference: Dally and Towles, Principles and Practices of Interconnection Networks, 2004, chapter 5 (a ring is a torus of one dimension).
"""
from archdef.policies import Compiled
from archdef.policies.jit import cfunc, int64s
from archdef.spec import Topology, named
from archdef.spec.fields import integer


@cfunc("topology")
def _ring(view):
    stops, links = int64s(view.parameters, 1)[0], int64s(view.links, view.room)
    to, at = view.multiprocessor * stops // view.multiprocessors, view.partition * stops // view.partitions
    ahead, hops = (to - at) % stops, 0
    while at != to:
        if 2 * ahead <= stops:
            links[hops] = at
            at = (at + 1) % stops
        else:
            at = (at - 1) % stops
            links[hops] = stops + at
        hops += 1
    return hops


@named("ring")
class Ring(Topology):
    """Stops in a circle, each with its share of partitions and multiprocessors; a link each way between neighbours."""

    stops: int = integer(at_least=2, at_most=128, default=16)
    """How many there are."""

    def hops(self, view):
        to, at = view.multiprocessor * self.stops // view.multiprocessors, view.partition * self.stops // view.partitions
        ahead = (to - at) % self.stops
        clockwise = 2 * ahead <= self.stops
        hops = ahead if clockwise else self.stops - ahead
        for k in range(hops):
            view.links[k] = (at + k) % self.stops if clockwise else self.stops + (at - k - 1) % self.stops
        return hops

    def compiled(self):
        return Compiled(_ring, (self.stops,))
