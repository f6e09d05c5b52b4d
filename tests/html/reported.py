"""Launches for the tests of reports, on a small machine that no plugin offers."""
import functools
import sys
from pathlib import Path

import numpy as np

from archdef import Device, LaneWindow, TimelineWindow
from archdef.examples import load
from archdef.examples.comparison import compare

sys.path.append(str(Path(__file__).parents[1] / "unit"))
from small_machine import gizmo

HOSTILE = "</script></style><img src=x onerror=alert(1)><!-- {{ 1 }} & \" ' \f \u2028"
DIVERGENT = f"""
.version 4.0
.target sm_20
.address_size 64
// {HOSTILE}
.visible .entry k(.param .u64 out)
{{
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .b64 %d<4>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x; and.b32 %r2, %r1, 1;
    mul.wide.u32 %d2, %r1, 4;
    add.s64 %d3, %d1, %d2;
    setp.eq.u32 %p1, %r2, 0;
    mov.u32 %r3, 0;
LOOP: // {HOSTILE}
    @%p1 bra EVEN;
    add.u32 %r3, %r3, 3;
    xor.b32 %r3, %r3, 5;
    bra DONE;
EVEN:
    add.u32 %r3, %r3, 2;
DONE:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 40;
    st.global.u32 [%d3], %r3;
    ret;
}}
"""


@functools.cache
def transposes():
    """Two kernels on two variants of the machine."""
    machines = [gizmo(), gizmo().evolve({"chip.multiprocessors": 2})]
    return compare(load("transpose"), machines, 64, ("naive", "tiled"), lanes=LaneWindow((0,), (0, 400)), timeline=TimelineWindow("units", buckets=64))


@functools.cache
def products():
    """Kernels with floating-point arithmetic."""
    return compare(load("matmul"), [gizmo()], 32, ())


@functools.cache
def divergent():
    """A kernel in PTX alone whose text is hostile, and whose lanes are traced."""
    device = Device(gizmo().evolve({"isa.predication_max_instructions": 0}))
    module = device.compile(DIVERGENT)
    return module.k[2, 48].launch(device.to_device(np.zeros(256, "u4")), lanes=LaneWindow((0, (1, 1)), (0, 2000)))


def runs():
    """All of them."""
    return [*(row.run for row in (*transposes().rows, *products().rows)), divergent(), elsewhere()]


def spread(column, rows):
    """Unpack a column, as the page's script does."""
    if isinstance(column, list):
        return column
    values = [column["of"]] * rows
    for at, value in zip(column["at"], column["is"], strict=True):
        values[at] = value
    return values


def records(columns):
    """Unpack columns into records."""
    fields = {name: spread(column, columns["rows"]) for name, column in columns.items() if name != "rows"}
    return [dict(zip(fields, row)) for row in zip(*fields.values(), strict=True)]


def unpacked(spec):
    """Unpack a chart's specification."""
    if isinstance(spec, list):
        return [unpacked(value) for value in spec]
    if not isinstance(spec, dict):
        return spec
    if "grid" in spec:
        begins, lengths, rows = (spec["grid"][name] for name in ("begins", "lengths", "rows"))
        values = spread(spec["grid"]["values"], rows * len(begins))
        return {"values": [{"begin": begins[k // rows], "end": begins[k // rows] + lengths[k // rows], "row": k % rows, "below": k % rows + 1, "value": value}
                           for k, value in enumerate(values)]}
    return {"values": records(spec["columns"])} if "columns" in spec else {key: unpacked(value) for key, value in spec.items()}


def places(run):
    """List the lines that a packed launch has costs of: its script gives them rows."""
    last = len(run["files"]) - 1
    found = {f"{last}:{number}" for number in spread(run["statements"]["number"], run["statements"]["rows"])}
    if run["lines"]:
        lines = run["lines"]
        found |= {f"{file}:{line}" for file, line in zip(spread(lines["file"], lines["rows"]), spread(lines["line"], lines["rows"]))}
    return found


ELSEWHERE = """
.version 4.0
.target sm_20
.address_size 64
.file 1 "gone.cu"
.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<3>;
    .reg .b64 %d<2>;
    .loc 1 7 1
    ld.param.u64 %d1, [out];
    ld.global.u32 %r1, [%d1];
    .loc 1 2000000000 1
    add.u32 %r2, %r1, 1;
    .loc 1 0 1
    st.global.u32 [%d1], %r2;
    ret;
}
"""


@functools.cache
def elsewhere():
    """A kernel whose source is not at hand, or does not have the line that its PTX names."""
    device = Device(gizmo())
    return device.compile(ELSEWHERE).k[1, 32](device.zeros(4))
