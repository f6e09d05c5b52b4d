"""Atomic operations on shared memory against an H100: chains of one warp, by how its lanes share words and banks, and rates of many warps."""
import csv
from importlib.resources import files

import numpy as np
import pytest
from measure_atomics import timed

import archdef

SPELLED = {"add.f16x2": "add.noftz.f16x2", "add.f16": "add.noftz.f16", "red.add.f16x2": "red.add.noftz.f16x2"}
with (files("archdef_hopper_evidence") / "data" / "atomics.csv").open() as table:
    ROWS = list(csv.DictReader(table))
UNCHANGED = ("add.f16", "cas.b16", "cas.b32 other", "min.s64")
"""What hardware's loop does with them depends on values, which these chains leave as they are."""


def measured(quantity):
    """List (operation, pattern, lanes, warps, value)."""
    return [(SPELLED.get(r["operation"], r["operation"]), r["pattern"], int(r["lanes"]), int(r["warps"]), float(r["value"]))
            for r in ROWS if r["quantity"] == quantity and r["operation"] not in (*UNCHANGED, "add one")]


@pytest.fixture(scope="module")
def run():
    device = archdef.Device("h100")
    out, lanes, memory = device.zeros(1 << 18, "u4"), device.zeros(32, "u4"), device.zeros(1 << 18, "u4")
    kernels = {}

    def launch(text, words, warps, trips, active):
        kernel = kernels[text] = kernels.get(text) or device.compile(text).k
        out.copy_from_host(np.zeros(1 << 18, "u4"))
        lanes.copy_from_host(np.array(words, "u4"))
        kernel[(1,), (32 * warps,)](out, lanes, memory, np.uint32(trips), np.uint32(active))
        times = out.to_host()[:4 * warps].view("u8")
        return int(times[1::2].max() - times[0::2].min())
    return launch


def operations(quantity):
    return sorted({row[0] for row in measured(quantity)})


@pytest.mark.parametrize("operation", operations("shared latency"))
def test_a_chain_on_shared_memory_takes_as_long_as_hardware(run, operation):
    wrong = []
    for name, pattern, lanes, _, cycles in measured("shared latency"):
        if name == operation:
            found = timed(run, "shared", operation, pattern, active=lanes, steps=2, trips=(2, 4))
            if abs(found - cycles) > max(1.1, 0.05 * cycles):
                wrong.append((pattern, lanes, found, cycles))
    assert not wrong


@pytest.mark.parametrize("operation", operations("shared rate"))
def test_many_warps_on_shared_memory_get_on_as_on_hardware(run, operation):
    wrong = []
    for name, pattern, _, warps, cycles in measured("shared rate"):
        if name == operation and warps > 2 and pattern != "eights":
            found = timed(run, "shared", operation, pattern, warps=warps, steps=2, trips=(8, 16)) / warps
            if abs(found - cycles) > max(0.7, 0.25 * cycles):
                wrong.append((pattern, warps, found, cycles))
    assert not wrong
