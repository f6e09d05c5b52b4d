"""What the host link costs, in femtoseconds: the unit of time in which the engine keeps everything beyond a multiprocessor."""
from __future__ import annotations

from archdef.spec import TYPICAL_LINK, Architecture, HostLink

FS_PER_S = 10**15
FS_PER_US = 10**9

def link_of(architecture: Architecture) -> HostLink:
    """Give the declared link, or the typical one."""
    return architecture.host_link or TYPICAL_LINK


def fs(us: float) -> int:
    """Microseconds → femtoseconds."""
    return round(us * FS_PER_US)


def transfer_fs(nbytes: int, gb_s: float) -> int:
    """Time in which bytes pass at a rate."""
    return round(nbytes * 1e6 / gb_s)


def peers(one: Architecture, other: Architecture) -> float | None:
    """Give the rate in GB/s of direct copies between two devices; None: they go by way of the host.

    Both must declare one, and be of one vendor: fabrics of two do not join.
    """
    a, b = link_of(one).peer_gb_s, link_of(other).peer_gb_s
    return min(a, b) if a is not None and b is not None and one.vendor == other.vendor else None
