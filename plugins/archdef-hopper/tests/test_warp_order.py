"""Do schedulers choose among warps as those of an H100 were seen to?"""
import csv
import importlib.resources

import archdef
import measure_scheduling as measured
import numpy as np
import pytest


def hardware(warps):
    with (importlib.resources.files("archdef_hopper") / "data" / "scheduling.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["warps"]) == warps]
    return np.array([[int(row[f"clock{k}"]) for k in range(measured.SAMPLES + 1)] for row in rows])


def simulated(warps):
    device = archdef.Device("h100")
    array = device.zeros(256 + warps * (measured.SAMPLES + 1), "u4")
    device.compile(measured.kernel()).k[1, 32 * warps](array)
    return measured.clocks(array.to_host(), warps)


@pytest.mark.parametrize("warps", measured.WARPS)
def test_warps_of_a_scheduler_end_one_after_the_other_as_on_the_hardware(warps):
    there, here = hardware(warps), simulated(warps)
    assert here[:, -1].max() == pytest.approx(there[:, -1].max(), rel=0.15)
    for clocks in (there, here):
        # staying with a warp: most of its clocks are as near as sixteen instructions can be
        assert (np.diff(clocks) <= 24).mean() > 0.9
        for scheduler in range(4):
            order = np.argsort(clocks[scheduler::4, -1])    # whoever was under way when the others came, then from the youngest on
            assert (np.diff(order[1:]) < 0).all()
