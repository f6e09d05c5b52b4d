"""Results as tables for other programs: pandas, Arrow, Parquet, CSV and JSON, with names and units that are documented and stay.

`views` gives the views of a result: of a launch its metrics, counters, lines …; docs/reference/data.md lists all of them.
"""
from archdef.data.formats import FORMATS, DataError
from archdef.data.frame import Frame
from archdef.data.subjects import Occupied, views
from archdef.data.view import Column, View

__all__ = ["FORMATS", "Column", "DataError", "Frame", "Occupied", "View", "views"]
