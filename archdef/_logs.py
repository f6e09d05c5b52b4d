"""Loggers of the standard module ``logging``, below ``archdef``: silent unless a program asks for them.

INFO has what was loaded, compiled, launched and measured, with times; DEBUG has what was lowered.
"""
from __future__ import annotations

import logging

logging.getLogger("archdef").addHandler(logging.NullHandler())


def logger(name: str) -> logging.Logger:
    """Give the logger of a module."""
    return logging.getLogger(name)
