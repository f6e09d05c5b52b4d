"""A function without a body that the machine's runtime serves."""
from __future__ import annotations

import attrs

from archdef.lower.encoding import SystemCall


@attrs.frozen
class Service:
    """One function of the runtime."""

    number: SystemCall
    parameters: tuple[str, ...]
    """PTX types, in order; ``dim3`` for three 32-bit words."""
    result: str | None
    feature: str
    constants: tuple[int, ...] = ()
    """32-bit words that the system call takes besides."""
