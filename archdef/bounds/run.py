"""The bounds of a finished launch."""
from __future__ import annotations

from typing import TYPE_CHECKING

from archdef.bounds.bound import Bounds
from archdef.bounds.latency import latency
from archdef.bounds.serial import serial
from archdef.bounds.throughput import throughput
from archdef.pack import machine_tables

if TYPE_CHECKING:
    from archdef.run.result import Run


def bounds(run: Run) -> Bounds | None:
    """Bound the cycles of a launch from below and from above.

    Parameters
    ----------
    run : Run
        A finished launch.

    Returns
    -------
    Bounds or None
        None for launches whose kernels launched others: what those executed is not told apart.

    Notes
    -----
    The rules, and why each of them holds, are in docs/explanation/bounds.md.
    """
    if run.launches:
        return None
    machine = machine_tables(run.architecture)
    lower = [*throughput(run, machine, tuple(unit.name for unit in run.architecture.units)), *latency(run, machine)]
    return Bounds(run.cycles, tuple(sorted(lower, key=lambda bound: -bound.cycles)), serial(run, machine),
                  run.architecture.clocks.shader_mhz * 1e3)
