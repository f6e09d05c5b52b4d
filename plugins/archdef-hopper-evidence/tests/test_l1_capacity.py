"""Does L1 lose as much as the hardware's of what it does not hold as a whole?"""
import csv
import importlib.resources

import pytest

import archdef
from archdef.microbench.memory_latency import global_latency
from archdef.microbench.simulated import Simulated
from archdef.spec import RandomOfKLru, LeastRecentlyUsed
from archdef_hopper import H100

DATA = importlib.resources.files("archdef_hopper_evidence") / "data" / "l1_capacity.csv"
CARVEOUT_KIB = 32
"""Beside kernels that use no shared memory."""


def measured(footprint_kib: int) -> list[float]:
    """Cycles of a chase, at random and as the lines lie."""
    with DATA.open(newline="") as file:
        return sorted(float(row["cycles"]) for row in csv.DictReader(file)
                      if (int(row["carveout_kib"]), int(row["footprint_kib"])) == (CARVEOUT_KIB, footprint_kib))


@pytest.mark.parametrize("footprint_kib", [208, 224, 256, 288])
def test_a_chase_takes_about_what_it_took(footprint_kib):
    machine = Simulated(archdef.Device(H100))
    least, most = measured(footprint_kib)
    assert 0.85 * least < global_latency(machine, footprint_bytes=footprint_kib * 1024)["cycles"] < 1.05 * most


@pytest.mark.parametrize("lines, hits", [(1, 0), (2, 1 / 3), (3, 1 / 2)])
def test_what_goes_round_and_does_not_fit_hits_by_chance(lines, hits):
    """Five lines in sets of four: a line stays with what is left of the chance of being replaced by each of the others."""
    tiny = H100.evolve({"caches.l1.size_bytes": 16 * 1024, "caches.unified_l1_shared": False, "caches.l1.replacement": RandomOfKLru(lines)})
    chase = {kib: global_latency(Simulated(archdef.Device(tiny)), footprint_bytes=1024 * kib, order="linear")["cycles"] for kib in (8, 20, 64)}
    assert (chase[64] - chase[20]) / (chase[64] - chase[8]) == pytest.approx(hits, abs=0.05)
    if lines == 1:
        oldest = Simulated(archdef.Device(tiny.evolve({"caches.l1.replacement": LeastRecentlyUsed()})))
        assert global_latency(oldest, footprint_bytes=20 * 1024, order="linear")["cycles"] == chase[20]
