"""How long a kernel must take at least and can take at most, and what the machine could give: arithmetic, no simulation.

Bounds follow from what a launch executed and from the description (docs/explanation/bounds.md). They are there in milliseconds, stand
beside every timed result, and the timed engine must stay between them.
"""
from archdef.bounds.bound import Bound, Bounds
from archdef.bounds.ceilings import Ceiling, Needed, ceilings, needed
from archdef.bounds.roofline import Point, Roofline, roofline
from archdef.bounds.run import bounds

__all__ = ["Bound", "Bounds", "Ceiling", "Needed", "Point", "Roofline", "bounds", "ceilings", "needed", "roofline"]
