"""Which transposes of the study are told apart: by the table itself, and by changes that hardware does not hold still.

Three kernels camp alike, on hardware and here. Their order is chance: it changes with the distance of the two arrays in memory, and with a
cycle more or less between the starts of blocks.
"""
from itertools import combinations

import pytest

import archdef
from archdef import registry
from archdef.validate import references, spearman
from archdef.validate.load import evidence_of
from archdef.validate.statistics import columns, order
from archdef.validate.run import Outcome

pytestmark = pytest.mark.skipif("gt200" not in registry.names(), reason="needs a plugin of this repository")
CAMPING = ("coalesced", "conflict_free", "coarse_grained")
SIDE = 2048
APART, STARTS, TURNOVERS = 256, (8, 9, 11, 12, 14), (280, 290, 310, 320)
"""Bytes between the two arrays; cycles between starts of blocks, and from a block's end to the next in its place (10 and 300 are declared)."""


def published(group="transposes"):
    return {case.parameters["kernel"]: case for case in references("gt200").only([group])}


def gb_s(architecture, kernel, apart=0):
    """Run one kernel of the study, as compiled, on arrays with something between them."""
    device = archdef.Device(architecture)
    module = device.compile(str(evidence_of("gt200") / "data" / "transpose_study.ptx"))
    source, between, target = device.zeros((SIDE, SIDE), "f4"), device.zeros(max(apart, 1), "u1"), device.zeros((SIDE, SIDE), "f4")
    run = module[kernel][(SIDE // 32, SIDE // 32), (32, 8)](target, source, SIDE, SIDE, 1)
    del between
    return 2 * source.nbytes / run.elapsed_s / 1e9


@pytest.mark.long
def test_the_order_of_kernels_that_camp_alike_is_chance():
    machine = registry.get("gt200")
    machines = [(machine.evolve({path: value}), 0) for path, values in (
        ("chip.block_launch_cycles", STARTS), ("chip.block_turnover_cycles", TURNOVERS)) for value in values]
    found = [{kernel: gb_s(machine, kernel, apart) for kernel in CAMPING} for machine, apart in ((machine, 0), (machine, APART), *machines)]
    for a, b in combinations(CAMPING, 2):
        differences = [row[a] - row[b] for row in found]
        assert min(differences) < 0 < max(differences), f"{a} and {b}"
    for kernel in CAMPING:
        values = [row[kernel] for row in found]
        assert max(values) / min(values) < 1 + 2 * 2 * published()[kernel].spread, "no wider than twice the spread of the table"


@pytest.mark.parametrize("group", ["transposes", "passes"])
def test_the_spread_is_that_of_kernels_which_make_the_same_accesses(group):
    """Half of what they differ by, and of the step in which figures are printed."""
    cases = published(group)
    for a, b in (("conflict_free", "coarse_grained"), ("copy_shared", "fine_grained")):
        a, b = cases[a], cases[b]
        assert abs(a.value - b.value) < a.spread * a.value + b.spread * b.value
        assert a.spread == pytest.approx(0.006 + 0.05 / 16.6, rel=0.02)


def test_the_table_tells_the_rest_apart():
    """Camping or not, copy, diagonal: all pairs but those of kernels that are alike."""
    outcomes = [Outcome(case, case.value, "ranks only") for case in published().values()]
    models, values, spreads = columns(outcomes)
    assert order(models, values, spreads) == (28 - 4, 24), "three pairs that camp, and the copy through shared memory with the transpose within tiles"
    assert spearman(models, values, spreads) == pytest.approx(1)
