"""What `archdef.testing.forms` makes of the rows that no recipe covers: bulk copies, clusters, formatted and reducing surface accesses."""
from __future__ import annotations

from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
from forms import LAUNCHES

from archdef.ptx import parse, table
from archdef.testing.compare import Launch
from archdef.testing.forms import forms

DATA = Path(__file__).resolve().parent / "data" / "launches"
"""All arrays of a launch after it, one after the other, in the format of `outputs`."""


@cache
def launches() -> dict[str, Launch]:
    """Make the launch of every form that has a kernel."""
    made = {form.name: form.launch() for form in forms([row for row in table.TABLE if row.builder in LAUNCHES])}
    return {name: launch for name, launch in made.items() if launch is not None}


def fingerprint(launch: Launch) -> int:
    """What the outputs depend on: the text and the arguments."""
    mark = crc32(repr((launch.ptx, launch.grid, launch.block, launch.shared_bytes)).encode())
    for argument in launch.arguments:
        mark = crc32(argument.tobytes() if isinstance(argument, np.ndarray) else repr(argument).encode(), mark)
    return mark


def rows(launch: Launch) -> set[str]:
    """Give the rows of the instruction table that a kernel tries."""
    module = parse(launch.ptx, "k.ptx")
    found = {table.match(i, module).row for i in module.functions[launch.entry].body}
    return {row.form for row in found if row.builder in LAUNCHES}
