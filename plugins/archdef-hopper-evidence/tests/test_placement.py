"""Do blocks go to the groups of multiprocessors in the order in which an H100 hands them out?"""
import csv
import importlib.resources
from itertools import groupby

import numpy as np
import pytest
from archdef_hopper import H100

import archdef

RULE = H100.chip.dispatch
STARTS = np.cumsum([0, *RULE.groups])
FIRST = {124 + k: 0 for k in range(8)}
"""Multiprocessors of the card that was measured, by number: eight that come first; of the others two neighbours in turn for each group."""
OTHERS = [(range(row, row + 2 * len(names), 2), names) for row, names in (
    (0, "12345678"), (16, "12345678"), (32, "12345678"), (48, "12345678"), (64, "2345678"), (78, "2345678"), (92, "2345678"), (106, "2345678"), (120, "78"))]
GROUP = FIRST | {place + k: int(name) for places, names in OTHERS for place, name in zip(places, names) for k in (0, 1)}
with (importlib.resources.files("archdef_hopper_evidence") / "data" / "placement.csv").open() as table:
    PLACED = {(int(row["threads"]), int(row["blocks"])): [int(k) for k in row["multiprocessor_of_each_block"].split()]
              for row in csv.DictReader(table) if row["threads"].isdigit()}


@pytest.fixture(scope="module")
def placed():
    device = archdef.Device(H100)
    kernel = device.compile('extern "C" __global__ void where(unsigned *at) { unsigned m; asm("mov.u32 %0, %%smid;" : "=r"(m)); at[blockIdx.x] = m; }').where

    def run(blocks, threads):
        at = device.zeros(blocks, "u4")
        kernel[blocks, threads](at)
        return at.to_host()
    return run


@pytest.mark.parametrize("threads, blocks", [case for case in PLACED if case[1] % 132 == 0])
def test_groups_take_turns(placed, threads, blocks):
    """The others come in one order, which begins anywhere; the engine's begins with the first of them."""
    measured = [GROUP[m] for m in PLACED[threads, blocks]]
    begins = next(group for group in measured if group)
    order = [(group - begins) % 8 + 1 if group else 0 for group, _ in groupby(measured)]
    assert order == [group for group, _ in groupby(RULE.turns(blocks // 132))]
    found = np.searchsorted(STARTS, placed(blocks, threads), side="right") - 1
    assert [group for group, _ in groupby(found)] == order


@pytest.mark.parametrize("threads, blocks", [case for case in PLACED if case[1] % 132 and case[1] != 265])
def test_what_is_left_is_divided(placed, threads, blocks):
    """As many blocks on each multiprocessor of two neighbours, for as many of them, as there."""
    def neighbours(places):
        counts = np.bincount(places, minlength=132).reshape(-1, 2)
        return sorted(map(tuple, np.sort(counts, axis=1)))
    here, there = neighbours(placed(blocks, threads)), neighbours(PLACED[threads, blocks])
    assert sum(a != b for a, b in zip(here, there)) <= 4
