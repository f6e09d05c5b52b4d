"""The old place of `archdef.formatting`."""
from __future__ import annotations

from functools import partial

from archdef._deprecation import moved

__getattr__ = partial(moved, __name__)
