"""Runs that were kept, and what has changed since: of the time, of each metric, of each source line.

`Run.compare` and ``archdef compare --baseline`` use it.
"""
from archdef.baseline.difference import Difference, Differences, MetricChange, difference, differences
from archdef.baseline.lines import LineChange
from archdef.baseline.saved import BaselineError, Saved, load, save

__all__ = ["BaselineError", "Difference", "Differences", "LineChange", "MetricChange", "Saved", "difference", "differences", "load", "save"]
