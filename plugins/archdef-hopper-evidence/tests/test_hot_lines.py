"""Does the L2 operate on few and many lines as fast as that of an H100, and are the same slices in each other's way?"""
import csv
import importlib.resources
from pathlib import Path

import numpy as np
import pytest
from archdef_hopper import H100

import archdef

BLOCKS, WARPS = 264, 264 * 16
STEPS = {"same": 0, "words": 4, "words8": 8, "sectors": 32, "lines": 128}
KERNELS = ["red.add.u32", "atom.add.u32", "atom.cas.b32", "red.add.f32"]


def table(name):
    with (importlib.resources.files("archdef_hopper_evidence") / "data" / name).open() as lines:
        return list(csv.DictReader(lines))


LINES = {(r["operation"], r["pattern"], int(r["lanes"]), int(r["places"]), int(r["place_bytes"]), int(r["own"])): float(r["cycles"])
         for r in table("hot_lines.csv")}
CASES = [("red.add.u32", "same", 1, 2, 1024, 0), ("red.add.u32", "same", 32, 8, 1024, 0), ("red.add.u32", "same", 32, 4096, 4, 1),
         ("red.add.u32", "words", 8, 1, 128, 0), ("red.add.u32", "words", 32, 256, 4, 0), ("red.add.u32", "words8", 32, 16, 1024, 0),
         ("atom.add.u32", "same", 32, 16, 1024, 0), ("atom.add.u32", "words", 32, 16, 1024, 0), ("atom.cas.b32", "words", 32, 64, 1024, 0),
         ("red.add.f32", "same", 32, 1, 128, 0)]


@pytest.fixture(scope="module")
def run():
    device = archdef.Device(H100)
    module = device.compile((Path(__file__).parent / "hot_lines.ptx").read_text())
    memory, out = device.zeros(8 << 20, "u1"), device.zeros(BLOCKS, "i8")

    def cycles(operation, pattern, lanes, places, place_bytes, own, trips):
        kernel = getattr(module, f"_Z5linesILi{KERNELS.index(operation)}EEvPciijiiiPx")
        return kernel[BLOCKS, 512](memory, np.int32(STEPS[pattern]), np.int32(lanes), np.uint32(places), np.int32(place_bytes), np.int32(own),
                                   np.int32(trips), out).cycles
    return cycles


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case)))
def test_lines_are_operated_on_as_fast(run, case):
    few, many = (run(*case, trips) for trips in (1, 4))
    assert (many - few) / 3 / WARPS == pytest.approx(LINES[case], rel=0.15)


def test_slices_that_share_a_way_or_a_link_halve_each_other():
    """Opposite slices share the ways in of both, those of a link what crosses it; other pairs, nothing."""
    device = archdef.Device(H100)
    kernel = device.compile("""extern "C" __global__ void add(unsigned *memory, int other) {
        unsigned *at = memory + (threadIdx.x / 32 & 1 ? other : 0) + threadIdx.x % 32;
        if (threadIdx.x % 32 < 8) for (int k = 0; k < 16; k++) atomicAdd(at, 1u); }""").add
    memory = device.zeros(1 << 16, "u4")
    slices = [H100.interconnect.slices.map.partition(memory.address + at, H100.dram.interleave_bytes, 80) for at in range(0, 1 << 18, 256)]
    pairs = {(r["access"], int(r["lanes"]), r["relation"]): float(r["median"]) for r in table("slice_pairs.csv")}

    def cycles(slice_):
        return kernel[132, 512](memory, np.int32(slices.index(slice_) * 64)).cycles
    mine = slices[0]
    base = cycles((mine + 1) % 20 + mine // 20 * 20)
    for relation, other in (("opposite", (mine + 40) % 80), ("same link", mine + 20 if mine % 40 < 20 else mine - 20)):
        assert cycles(other) / base == pytest.approx(pairs["red", 8, relation] / pairs["red", 8, "other"], rel=0.15)
