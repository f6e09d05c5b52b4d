"""Do blocks that all want the same get on in the order in which they did on an H100?"""
import csv
import importlib.resources
from pathlib import Path

import archdef
import measure_order as measured
import numpy as np
import pytest

PTX = Path(__file__).with_name("order.ptx").read_text(encoding="utf-8")


def rows():
    with (importlib.resources.files("archdef_hopper_evidence") / "data" / "block_order.csv").open() as file:
        return list(csv.DictReader(file))


def hardware(what, blocks):
    row = next(row for row in rows() if row["what"] == what and int(row["blocks"]) == blocks)
    return int(row["trips"]), int(row["threads"]), np.array([float(row[f"end_{k}"]) for k in range(blocks)])


def simulated(what, blocks, threads, trips):
    device = archdef.Device("h100")
    count = measured.MULTIPROCESSORS * blocks
    log, out = device.zeros(4 * count * threads // 32, "u4"), device.zeros(4, "f4")
    device.compile(PTX)[what][count, threads](log, out, np.int32(trips))
    return measured.ends(log.to_host().reshape(-1, 4), blocks, threads)


@pytest.mark.parametrize("what, blocks, within", [
    ("loads_1", 8, 0.05), ("loads_2", 8, 0.09), ("loads_4", 8, 0.09), ("loads_8", 6, 0.07), ("loads_4", 2, 0.03), ("stores", 6, 0.10),
    ("exponentials", 8, 0.10), ("chain", 8, 0.10)])
def test_blocks_end_one_after_the_other(what, blocks, within):
    trips, threads, there = hardware(what, blocks)
    here = simulated(what, blocks, threads, trips)
    assert np.all(np.abs(here / there - 1) < within), f"{here.round()} and {there}"


def test_they_do_not_where_the_queue_holds_all():
    there = hardware("loads_1", 8)[2]
    assert there.max() < 1.05 * there.min()         # as the model, by the test above
