"""Do warps come by their addresses, and by what all of them load at a time, as late as on the hardware?"""
import csv
from pathlib import Path

import archdef
import numpy as np
import pytest

HERE = Path(__file__).parent
ROWS = {(row["what"], row["until"], int(row["blocks"]), int(row["threads"])): row
        for row in csv.DictReader((HERE.parent / "src" / "archdef_hopper_evidence" / "data" / "starts.csv").open()) if row["flushed"] == "0"}
WAVES = 4
"""Blocks in the place of each that starts with the launch; the first of them are left out."""


@pytest.fixture(scope="module")
def device():
    return archdef.Device("h100")


@pytest.mark.parametrize("what, arrays", [("one", 1), ("three", 3)])
def test_addresses_are_there_as_late_as_measured_once_constants_are(device, what, arrays):
    resident = 8 * device.architecture.chip.multiprocessors
    log, memory = device.zeros(4 * 8 * WAVES * resident, "u4"), device.zeros(1024, "f4")
    getattr(device.compile(HERE / "starts.ptx"), f"start_{what}")[WAVES * resident, 256](log, *[memory] * arrays, np.int32(1 << 30))
    cycles = log.copy_to_host().reshape(-1, 4)[8 * resident:, 0]
    assert np.median(cycles) == pytest.approx(float(ROWS[what, "ready", 10560, 256]["cycles_50"]), rel=0.2)


@pytest.mark.parametrize("loads, blocks", [(1, 528), (1, 1056), (2, 528), (4, 528)])
def test_loads_that_all_warps_start_at_once_take_as_long_as_measured(loads, blocks):
    device = archdef.Device("h100")         # whose caches hold nothing yet
    log, memory = device.zeros(4 * 8 * blocks, "u4"), device.zeros(256 * blocks * loads, "f4")
    getattr(device.compile(HERE / "starts.ptx"), f"start_loads_{loads}")[blocks, 256](memory, log)
    cycles = log.copy_to_host().reshape(-1, 4)
    for column, until in ((1, "first"), (2, "last")):
        assert cycles[:, column].mean() == pytest.approx(float(ROWS[f"loads_{loads}", until, blocks, 256]["mean_cycles"]), rel=0.1), until
