"""Microbenchmarks that run on any simulated machine and, as the same PTX, on real hardware.

>>> from archdef.microbench import measure                       # doctest: +SKIP
>>> measure("latency", archdef.Device("my_machine"), operation="fp32_add") # doctest: +SKIP
{'cycles': 24.0}
"""
from __future__ import annotations

from archdef._lazy import submodules
from archdef.microbench.driver import NoGpu
from archdef.microbench.machine import Machine, Properties
from archdef.microbench.results import Results, ResultsError, Row
from archdef.microbench.simulated import as_machine
from archdef.microbench.suite import BENCHMARKS, Benchmark, UnfitParameter, UnknownBenchmark, Unsupported, benchmark, find, measure, sweep

__all__ = ["BENCHMARKS", "Benchmark", "Machine", "NoGpu", "Properties", "Results", "ResultsError", "Row", "UnfitParameter", "UnknownBenchmark",
           "Unsupported", "as_machine", "benchmark", "find", "measure", "sweep"]
__getattr__ = submodules(__name__, "hardware")
