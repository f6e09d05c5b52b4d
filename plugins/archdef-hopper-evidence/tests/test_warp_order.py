"""Do schedulers choose among warps as those of an H100 were seen to?"""
import csv
import importlib.resources

import archdef
import measure_scheduling as measured
import numpy as np
import pytest


def hardware(chains, warps):
    with (importlib.resources.files("archdef_hopper_evidence") / "data" / "scheduling.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if (int(row["chains"]), int(row["warps"])) == (chains, warps)]
    return np.array([[int(row[f"clock{k}"]) for k in range(measured.SAMPLES + 1)] for row in rows])


def simulated(chains, warps):
    device = archdef.Device("h100")
    array = device.zeros(256 + warps * (measured.SAMPLES + 1), "u4")
    device.compile(measured.kernel(chains)).k[1, 32 * warps](array)
    return measured.clocks(array.to_host(), warps)


@pytest.mark.parametrize("warps", measured.WARPS)
def test_a_scheduler_stays_with_a_warp_that_can_go_on_then_goes_round_downwards(warps):
    there, here = hardware(8, warps), simulated(8, warps)
    assert here[:, -1].max() == pytest.approx(there[:, -1].max(), rel=0.15)
    for clocks in (there, here):
        # staying with a warp: most of its clocks are as near as sixteen instructions can be
        assert (np.diff(clocks) <= 24).mean() > 0.9
        for scheduler in range(4):
            order = np.argsort(clocks[scheduler::4, -1])[1:]    # behind whoever was under way when the others came
            assert (np.diff(order) > 0).sum() <= 1              # from the first to the last, once


@pytest.mark.parametrize("chains", [1, 2])
@pytest.mark.parametrize("warps", [24, 32])
def test_warps_that_wait_for_their_results_get_on_alike(chains, warps):
    there, here, steps = hardware(chains, warps), simulated(chains, warps), np.arange(measured.SAMPLES + 1)
    for clocks in (there, here):
        start, end = clocks[:, 0].max(), clocks[:, -1].min()    # all are under way
        done = np.array([np.interp(end, row, steps) - np.interp(start, row, steps) for row in clocks])
        assert done.min() > 0.7 * done.max() > 1
