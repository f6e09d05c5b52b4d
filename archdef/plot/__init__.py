"""Plots by matplotlib, of launches and of machines. `Run.plot` has those of a launch.

Each takes ``ax``, the Axes to draw in (a new figure's if None), gives it back, shows nothing, and changes no setting of matplotlib. Letters are smaller
in narrow axes, such as a column of a paper. Raises MissingExtra without matplotlib, which ``archdef[plot]`` brings.
"""
from archdef.plot.occupied import occupancy
from archdef.plot.speedups import attribution, microbench
from archdef.plot.stacks import compare

__all__ = ["attribution", "compare", "microbench", "occupancy"]
