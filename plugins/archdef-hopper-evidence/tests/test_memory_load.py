"""Do loads wait for device memory as long as on the hardware, alone and beside streams?"""
import csv
from pathlib import Path

import archdef
import numpy as np
import pytest

HERE = Path(__file__).parent
DATA = HERE.parent / "src" / "archdef_hopper_evidence" / "data"
LINE, LOADS = 128, 4
PROBES, PERCENTILES = 24, (5, 25, 50, 75, 90, 95, 99)
WAITED_CYCLES = 840
"""More than a load takes from the far half of the chip."""


@pytest.fixture(scope="module")
def device():
    return archdef.Device("h100")


def rows(name: str) -> list[dict[str, str]]:
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("warps, megabytes", [(4, 13), (16, 45)])
def test_streams_and_loads_beside_them_are_as_fast_as_measured(device, warps, megabytes):
    """A warp of each multiprocessor times loads of its own while others stream; the rate is that between two launches."""
    measured = next(row for row in rows("memory_load.csv") if row["warps"] == str(warps) and not row["piece_bytes"])
    multiprocessors = device.architecture.chip.multiprocessors
    trip = multiprocessors * warps * LOADS * LINE
    trips = [int(megabytes * 1e6 / trip * share) for share in (0.7, 1)]
    seconds = []
    for n in trips:
        fresh = archdef.Device("h100")
        memory, out, samples = fresh.empty((192 << 20) // 4, "u4"), fresh.zeros(16, "u4"), fresh.zeros(multiprocessors * PROBES, "u4")
        launched = fresh.compile(HERE / "memory_load.ptx").loads[(multiprocessors,), (32 * (warps + 1),)](
            memory, np.uint32(20), np.uint32(0), np.uint32(0), np.int32(n), out, np.int32(PROBES), samples, np.uint32(19))
        seconds.append(launched.elapsed_s)
    rate = (trips[1] - trips[0]) * trip / (seconds[1] - seconds[0]) / 1e9
    latencies = samples.copy_to_host().reshape(multiprocessors, PROBES)[:, 2:]
    assert rate == pytest.approx(float(measured["gb_s"]), rel=0.15)
    assert latencies.mean() == pytest.approx(float(measured["mean_cycles"]), rel=0.08)
    assert np.percentile(latencies, PERCENTILES) == pytest.approx([float(measured[f"cycles_{p}"]) for p in PERCENTILES], rel=0.15)


def test_as_many_loads_wait_for_a_refresh_and_as_long_as_measured(device):
    counts = {int(row["cycles"]): int(row["value"]) for row in rows("refresh.csv") if row["what"] == "loads"}
    measured = np.repeat(list(counts), list(counts.values()))
    memory, out = device.empty((256 << 20) // 4, "u4"), device.zeros(32 * 512 * 2, "u4")
    device.compile(HERE / "memory_load.ptx").times[(1,), (1024,)](memory, np.uint32(21), np.int32(512), out)
    taken = out.copy_to_host().reshape(-1, 2)[:, 1]
    assert taken.mean() == pytest.approx(measured.mean() + 10, rel=0.03)     # bins of 20 cycles are named by where they begin
    assert (taken > WAITED_CYCLES).mean() == pytest.approx((measured > WAITED_CYCLES).mean(), rel=0.25)
    assert np.percentile(taken, 99.5) == pytest.approx(np.percentile(measured, 99.5), rel=0.06)


def test_refreshes_repeat_as_the_description_says(device):
    """Ends of long waits repeat after half of the period in which a bank is refreshed, and after the whole."""
    dram, cycles = device.architecture.dram, [int(row["cycles"]) for row in rows("refresh.csv") if row["what"] == "period"]
    half = dram.t_refi_ns * device.architecture.clocks.shader_mhz / 1000
    assert half == pytest.approx(cycles[0], rel=0.01)
    assert all(period == pytest.approx(half * round(period / half), rel=0.01) for period in cycles)
    assert dram.banks // dram.refresh_banks == 2
