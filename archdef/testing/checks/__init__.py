"""The checks that every architecture must pass, in the order in which they are reported.

Each is a plain function; `archdef.testing.Conformance` makes pytest tests of them, ``archdef check`` a table.
"""
from __future__ import annotations

from archdef.testing.checks import access, counting, declaration, errors, extremes, features, residency, results, timing
from archdef.testing.checks.check import Broken, Check, Subject, check, expect

__all__ = ["Broken", "CHECKS", "Check", "Subject", "check", "expect"]

CHECKS: tuple[Check, ...] = tuple(value for module in (declaration, features, results, timing, access, residency, counting, extremes, errors)
                                  for value in vars(module).values() if isinstance(value, Check))
"""All of them."""
