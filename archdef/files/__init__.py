"""Whole descriptions as TOML or JSON: written, read, checked against a published JSON Schema.

A file holds every field under its own path, policies as tagged values (``{type = "two_level", active_warps = 8}``) and the
evidence. A file that says ``base = "NAME"`` holds only what differs from an installed architecture, or from another file.
"""

from archdef.files.schema import schema
from archdef.files.text import FORMATS, dumps, load, loads, looks_like_a_file, save

__all__ = ["FORMATS", "dumps", "load", "loads", "looks_like_a_file", "save", "schema"]
