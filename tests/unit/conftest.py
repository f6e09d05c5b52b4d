"""Fixtures of several files."""
from elsewhere import elsewhere  # noqa: F401
