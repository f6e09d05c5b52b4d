"""Workloads that archdef ships: CUDA files, how to launch them, and what numpy says the answer is.

`workloads()` lists them. A workload of your own is a Python file that defines `WORKLOAD`; `load` takes its path.
"""
from archdef._lazy import submodules
from archdef.examples.workload import Case, Input, Output, Workload, WorkloadError, load, workloads

__all__ = ["Case", "Input", "Output", "Workload", "WorkloadError", "load", "workloads"]
__getattr__ = submodules(__name__, "comparison")
