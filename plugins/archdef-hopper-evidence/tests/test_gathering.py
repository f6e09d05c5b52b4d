"""Does L2 answer equal requests of a cluster together as Nsight Compute counts it on the hardware?"""
import csv
import importlib.resources

import numpy as np
import pytest
from archdef_hopper import H100
from archdef_hopper_evidence.calibration import SECTOR, Case, run

import archdef

DATA = importlib.resources.files("archdef_hopper_evidence") / "data"
LINE, LINES = 128, 64
CHASE = """.version 7.5
.target sm_75
.address_size 64
.visible .entry k(.param .u64 memory, .param .u64 late, .param .u64 size, .param .u64 from) {
.reg .b32 %r<9>; .reg .b64 %d<9>; .reg .pred %p;
ld.param.u64 %d0, [memory]; ld.param.u64 %d1, [late]; ld.param.u64 %d2, [size]; ld.param.u64 %d3, [from];
mov.u32 %r0, %smid; mul.wide.u32 %d4, %r0, 4; add.s64 %d1, %d1, %d4; add.s64 %d2, %d2, %d4; add.s64 %d3, %d3, %d4;
ld.global.u32 %r1, [%d1]; ld.global.u32 %r2, [%d2]; ld.global.u32 %r3, [%d3];
setp.eq.u32 %p, %r2, 0; @%p ret;
mov.u32 %r4, %tid.x; shl.b32 %r4, %r4, 2; sub.u32 %r2, %r2, 1; and.b32 %r4, %r4, %r2; add.u32 %r4, %r4, %r3;
cvt.u64.u32 %d4, %r4; add.s64 %d0, %d0, %d4;
add.u32 %r1, %r1, 12000;
W: mov.u32 %r5, %clock; setp.lt.u32 %p, %r5, %r1; @%p bra W;
mov.u32 %r6, 0; mov.u32 %r7, 0;
L: ld.global.cg.u32 %r8, [%d0]; add.s64 %d0, %d0, 128; add.u32 %r7, %r7, %r8;
add.u32 %r1, %r1, 2000;
V: mov.u32 %r5, %clock; setp.lt.u32 %p, %r5, %r1; @%p bra V;
add.u32 %r6, %r6, 1; setp.lt.u32 %p, %r6, 64; @%p bra L;
ret;
}"""


def gathered(requests: dict[int, tuple[int, int, int]]) -> float:
    """Sectors of a line that are not looked up, where each of some multiprocessors asks so many cycles late for so many bytes from so far on."""
    device = archdef.Device("h100")
    late, size, start = (np.zeros(132, "u4") for _ in range(3))
    for multiprocessor, (cycles, nbytes, first) in requests.items():
        late[multiprocessor], size[multiprocessor], start[multiprocessor] = cycles, nbytes, first
    memory = device.to_device(np.zeros(LINES * LINE, "u1"))
    kernel = device.compile(CHASE).k
    counted = []
    for each in (size, np.zeros(132, "u4")):    # the parameters of every multiprocessor are read too, with and without the lines
        result = kernel[(132,), (32,)](memory, *(device.to_device(x) for x in (late, each, start)))
        counted.append(int(result.counters.partition["bytes_gathered"].sum()))
    return (counted[0] - counted[1]) / SECTOR / LINES


def rows(name: str) -> list[dict[str, str]]:
    with (DATA / name).open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("together", [2, 3, 4, 5, 8, 16])
def test_as_many_requests_of_a_cluster_are_gathered_as_measured(together):
    found = gathered(dict.fromkeys(range(together), (0, LINE, 0))) / 4
    wanted = [float(r["gathered"]) for r in rows("gathering.csv") if (r["who"], r["sectors"], r["requests"]) == ("cluster", "4", str(together))]
    assert found == pytest.approx(np.mean(wanted), abs=0.3)


def test_multiprocessors_of_two_clusters_are_not_gathered():
    first, second = 0, H100.chip.cluster_sizes[0]
    assert gathered({first: (0, LINE, 0), second: (0, LINE, 0)}) == 0
    others = [float(r["gathered"]) for r in rows("gathering.csv") if r["who"] == "pair" and r["multiprocessors"] == "2 4"]
    assert max(others) < 0.1


@pytest.mark.parametrize("late", [0, 20, 40, 120, 320])
def test_the_window_of_lines_that_come_from_dram_is_that_of_the_measurement(late):
    wanted = np.mean([float(r["gathered"]) for r in rows("gathering.csv")
                      if (r["lines"], r["who"], r["multiprocessors"], r["cycles_apart"]) == ("in DRAM", "pair", "2 18", str(late))])
    assert gathered({0: (0, LINE, 0), 2: (late, LINE, 0)}) / 4 == pytest.approx(wanted, abs=0.1)


@pytest.mark.parametrize("parts", ["AB", "ABAB", "ABBA", "FAA", "FA", "AAAA"])
def test_a_request_for_other_sectors_of_a_line_ends_the_gathering(parts):
    """F: the whole line, A and B: its halves, 16 cycles one after the other."""
    names = {"F": (LINE, 0), "A": (LINE // 2, 0), "B": (LINE // 2, LINE // 2)}
    found = gathered({2 * k: (16 * k, *names[part]) for k, part in enumerate(parts)})
    lags = "" if parts == "AAAA" else " ".join(str(16 * k) for k in range(len(parts)))
    wanted = np.mean([float(r["sectors_gathered_per_line"]) for r in rows("gathering_parts.csv") if (r["parts"], r["cycles_apart"]) == (parts, lags)])
    assert found == pytest.approx(wanted, abs=0.6)


@pytest.mark.parametrize("kernel, n, within", [("matmul_tiled16", 64, 0.06), ("matmul_tiled16", 128, 0.06), ("matmul_tiled32", 128, 0.06),
                                               ("matmul_tiled32", 64, 0.16), ("matmul_tiled32", 256, 0.06)])
def test_products_ask_l2_for_as_many_sectors_as_counted(kernel, n, within):
    """Four blocks, as in one of them, meet or miss each other for a few cycles: see H3."""
    tile = 32 if kernel.endswith("32") else 16
    _, result = run(Case(kernel, {"n": n}, (n // tile, n // tile), (tile, tile), "c", 0, 0, 0), "ptx90", archdef.Device("h100"))
    partition = result.counters.partition
    wanted = next(int(r["l2_sectors"]) for r in rows("gathered_products.csv") if (r["kernel"], r["n"]) == (kernel, str(n)))
    assert int((partition["bytes_asked"] + partition["bytes_given"]).sum()) / SECTOR == pytest.approx(wanted, rel=within)
