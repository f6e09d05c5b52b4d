"""Do blocks, streams and stores take as long as on an H100, and does as much go back to memory?"""
import csv
import importlib.resources
from pathlib import Path

import archdef
import numpy as np
import pytest

SOURCE = Path(__file__).with_name("streams.ptx")
LAUNCH_NS = 120
"""What starts may be apart where the clock counts in steps of 32 ns and multiprocessors fetch their first instruction one after the other."""


def measured(table: str, **wanted) -> dict[str, str]:
    with (importlib.resources.files("archdef_hopper_evidence") / "data" / table).open() as file:
        return next(row for row in csv.DictReader(file) if all(row[name] == str(value) for name, value in wanted.items()))


def log_of(blocks: int, threads: int, kernel: str, *arguments) -> tuple[np.ndarray, np.ndarray]:
    """When blocks began and ended, in ns."""
    device = archdef.Device("h100")
    log = device.zeros(4 * blocks, "u4")
    arguments = [log if a is log_of else device.zeros(a[0], "f4") if isinstance(a, tuple) else a for a in arguments]
    getattr(device.compile(SOURCE), kernel)[blocks, threads](*arguments)
    began, ended = log.to_host().reshape(blocks, 4)[:, :2].astype(np.int64).T
    return began - began.min(), ended - began.min()


@pytest.mark.parametrize("threads", [128, 256, 1024])
def test_blocks_start_and_follow_each_other_as_measured(threads):
    """All that find room start at once, the others as fast as ends are noted."""
    row = measured("streams.csv", what="live", size=0, threads=threads)
    began, ended = log_of(int(row["blocks"]), threads, "live", log_of, np.uint32(0))
    for times, name in ((began, "start"), (ended, "end")):
        for q in (0.1, 0.5, 0.9, 1):
            assert np.quantile(times, q) == pytest.approx(float(row[f"{name}_{q:g}"]), rel=0.12, abs=LAUNCH_NS)


@pytest.mark.parametrize("kernel, elements, blocks", [
    ("read_one", 2 << 20, 528), ("update", 1 << 20, 1056), ("combine", 1 << 20, 528), ("read_two", 1 << 20, 528)])
def test_streams_end_when_measured(kernel, elements, blocks):
    row = measured("streams.csv", what=kernel, size=elements, blocks=blocks)
    _, ended = log_of(blocks, 256, kernel, (elements,), (elements,), (elements,), log_of, np.int32(elements), np.float32(2))
    assert np.median(ended) == pytest.approx(float(row["end_0.5"]), rel=0.3)
    assert ended.max() == pytest.approx(float(row["end_1"]), rel=0.3)


@pytest.mark.parametrize("what, warps, multiprocessors, within", [(3, 16, 132, 0.1), (3, 32, 16, 0.1), (1, 8, 132, 0.1), (2, 16, 16, 0.1)])
def test_loops_of_loads_and_stores_take_as_long_as_measured(what, warps, multiprocessors, within):
    threads, row = 32 * warps, measured("streams.csv", what=f"trips {what}", threads=32 * warps, blocks=multiprocessors)
    device, trips = archdef.Device("h100"), int(row["size"])
    arrays, out = [device.zeros(multiprocessors * threads * trips, "f4") for _ in range(2)], device.zeros(multiprocessors, "u4")
    device.compile(SOURCE).trips[multiprocessors, threads](*arrays, out, np.int32(trips), np.int32(what))
    assert out.to_host().mean() / trips == pytest.approx(float(row["cycles"]), rel=within)


def test_half_of_the_l2_may_wait_to_be_written_back():
    """What is scaled in place would fit, but no more than this may be written and stay."""
    kept = {(int(row["elements"]) * 4 - int(row["dram_sectors_written"]) * 32) / 1e6
            for row in csv.DictReader((importlib.resources.files("archdef_hopper_evidence") / "data" / "written_back.csv").open())
            if row["kernel"] == "scale" and int(row["elements"]) > 7 << 20}
    l2, dram = (machine := archdef.architecture("h100")).caches.l2, machine.dram
    assert max(kept) < 1.01 * min(kept)
    assert l2.size_bytes * dram.partitions * l2.dirty_ways / l2.ways / 1e6 == pytest.approx(max(kept), rel=0.06)
