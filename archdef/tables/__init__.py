"""Tables for any width: columns that do not fit are left out by priority and named below; numbers and line numbers are never cut.

What goes to no terminal has all the room it wants (`archdef.console.width`), so nothing is left out, wrapped or shortened there.
"""
from archdef.tables.column import Column, Kind
from archdef.tables.html import to_html
from archdef.tables.table import Footnotes, Pairs, Table

__all__ = ["Column", "Footnotes", "Kind", "Pairs", "Table", "to_html"]
