"""Pages in the L2 partition that first asks for them.

Reference: Arunkumar et al., MCM-GPU: Multi-Chip-Module GPUs for Continued Performance Scalability, ISCA 2017, section 5.3.
"""
from archdef.policies import Compiled
from archdef.policies.jit import cfunc
from archdef.spec import PagePlacement, named
from archdef.spec.fields import integer


@cfunc("placement")
def _first_touch(view):
    return view.l2_partition


@cfunc("placement")
def _in_turn(view):
    return view.page % view.l2_partitions


@named("first_touch")
class FirstTouch(PagePlacement):
    """A page lies in the L2 partition of the multiprocessor that first asks for it."""

    page_bytes: int = integer(power_of_two=True, default=65536)
    """Bytes that are placed together."""

    def place(self, view):
        return view.l2_partition

    def compiled(self):
        return Compiled(_first_touch)


@named("pages_in_turn")
class PagesInTurn(PagePlacement):
    """Pages lie in the L2 partitions in turn, whoever asks for them: what first touch is compared with."""

    page_bytes: int = integer(power_of_two=True, default=65536)
    """Bytes that are placed together."""

    def place(self, view):
        return view.page % view.l2_partitions

    def compiled(self):
        return Compiled(_in_turn)
