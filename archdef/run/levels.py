"""What a timeline can hold: words and bounds that the command line shows before anything else is imported."""

DETAILS = ("kernels", "blocks", "units", "warps", "requests")
"""Levels of detail, each with what those before it have, in the order of the engine's ``TimelineDetail``."""
FOREVER = 1 << 60
"""Cycle that no launch reaches."""
