"""Resident warps over the resources of a launch."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archdef import registry, values
from archdef.errors import LaunchError
from archdef.html.occupied import resident
from archdef.occupancy import Occupancy, occupancy_of
from archdef.plot.axes import begin, finish, grid

if TYPE_CHECKING:
    from archdef.spec import Architecture

TITLES = {"threads": "threads per block", "registers": "registers per thread", "shared_bytes": "shared memory per block, KiB"}
"""Resource → what its axis says."""


def occupancy(architecture: Architecture | str, *, threads: int, registers: int, shared_bytes: int = 0, over: str = "threads", ax: Any = None) -> Any:
    """Draw how many warps a multiprocessor holds if one resource of a kernel changes, with the kernel as a point.

    architecture : a description, or the name of an installed one.
    threads      : int, threads per block.
    registers    : int, 32-bit registers per thread.
    shared_bytes : int, bytes of shared memory per block.
    over         : the resource along the axis, one of these three names.
    ax           : Axes to draw in; None: those of a new figure.

    Raises LaunchError if not even one block can run, MissingExtra without matplotlib.
    """
    machine = registry.described(architecture)
    now = occupancy_of(machine.limits, machine.warp.size, threads=threads, registers=registers, shared_bytes=shared_bytes, name=machine.label,
                       vocabulary=machine.words)
    return draw(machine, now, over, ax)


def draw(machine: Architecture, now: Occupancy, over: str, ax: Any) -> Any:
    """Draw resident warps over one resource."""
    values.one_of(over, "resource of an occupancy plot", tuple(TITLES), LaunchError)
    ax = begin(ax, 3.0)
    scale = 1 / 1024 if over == "shared_bytes" else 1
    curve = resident(machine, now)[over]
    own = getattr(now, over) * scale
    ax.plot([x * scale for x, _ in curve], [warps for _, warps in curve], color="#3b82c4", linewidth=1.4, drawstyle="default" if over == "threads"
            else "steps-post", label=machine.label)
    ax.plot([own], [now.active_warps], "o", color="#d1495b", markersize=7, zorder=3, clip_on=False,
            label=f"this kernel: {now.active_warps} of {now.max_warps} ({now.occupancy:.0%})")
    ax.axvline(own, color="#d1495b", linestyle=":", linewidth=1.0)
    ax.set_ylim(0, now.max_warps * 1.02)
    ax.set_xlim(left=0)
    grid(ax)
    return finish(ax, TITLES[over], f"resident {machine.words.warp}s per {machine.words.multiprocessor}")
