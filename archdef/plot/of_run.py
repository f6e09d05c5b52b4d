"""Plots of one launch."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from archdef.plot import occupied, roof, stacks, times

if TYPE_CHECKING:
    from archdef.run.result import Run


class RunPlots:
    """Plots of a launch, `Run.plot`. Each takes ``ax``, the Axes to draw in (None: a new figure's), and gives it back.

    All raise MissingExtra without matplotlib, and LaunchError where the launch has not what they show.
    """

    def __init__(self, run: Run):
        self._run = run

    def __repr__(self) -> str:
        return f"<plots of {self._run!r}: bounds, cpi, lanes, lines, occupancy, roofline, stalls, timeline>"

    def cpi(self, ax: Any = None) -> Any:
        """Draw a warp's cycles per instruction, by cause."""
        return stacks.cpi(self._run, ax)

    def stalls(self, ax: Any = None) -> Any:
        """Draw what warps waited for, a bar for each cause."""
        return stacks.stalls(self._run, ax)

    def lines(self, ax: Any = None, most: int = 12) -> Any:
        """Draw the costliest source lines, by cause; so many of them at most."""
        return stacks.lines(self._run, ax, most)

    def roofline(self, ax: Any = None) -> Any:
        """Draw the roofs of the machine with the launch under them."""
        return roof.roofline(self._run, ax)

    def bounds(self, ax: Any = None) -> Any:
        """Draw the cycles that each bound asks for at least, beside those that the launch took."""
        return stacks.bounds(self._run, ax)

    def timeline(self, ax: Any = None) -> Any:
        """Draw blocks on multiprocessors over time, of a launch with ``timeline=True``."""
        return times.timeline(self._run, ax)

    def lanes(self, ax: Any = None, warp: int = 0, block: int = 0) -> Any:
        """Draw what the lanes of a warp did over time, of a launch with the option ``lanes``."""
        return times.lanes(self._run, ax, warp, block)

    def occupancy(self, ax: Any = None, over: str = "threads") -> Any:
        """Draw resident warps over ``threads``, ``registers`` or ``shared_bytes``, with the launch marked."""
        return occupied.draw(self._run.architecture, self._run.occupancy, over, ax)
