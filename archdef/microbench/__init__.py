"""Microbenchmarks that run on any simulated machine and, as the same PTX, on real hardware.

>>> from archdef.microbench import measure                       # doctest: +SKIP
>>> measure("latency", archdef.Device("gt200"), operation="fp32_add")      # doctest: +SKIP
{'cycles': 24.0}
"""
from __future__ import annotations

from archdef.microbench.suite import BENCHMARKS, Benchmark, Unsupported, benchmark, find, measure, sweep
from archdef.microbench.machine import Machine, Properties, as_machine

__all__ = ["BENCHMARKS", "Benchmark", "Machine", "Properties", "Unsupported", "as_machine", "benchmark", "find", "measure", "sweep"]
