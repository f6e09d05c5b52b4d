"""Products of warpgroups take the cycles that they took on an H100, alone and beside loads; kernels made of them give its bits."""
import csv
from functools import cache

import archdef
import numpy as np
import pytest
from archdef_hopper_evidence.calibration import DATA
from archdef_hopper_evidence.launches import name_of
from archdef_hopper_evidence.warpgroup import WARPGROUP

HEAD = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {
.reg .pred %p<4>; .reg .b32 %r<16>; .reg .b64 %d<8>; .reg .b32 %a<4>; .reg .b32 %c<256>; .reg .b32 %v<40>;
.shared .align 1024 .b8 tile[40960];
ld.param.u64 %d1, [out]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 8; add.u64 %d1, %d1, %d2; mov.u32 %r2, tile; shr.u32 %r3, %r2, 4;
cvt.u64.u32 %d3, %r3; or.b64 %d4, %d3, 68720001024;
"""
TAIL = "mov.u32 %r9, %clock; st.global.v2.u32 [%d1], {%r8, %r9}; ret; }\n"


@cache
def table(name: str) -> list[dict[str, str]]:
    lines = (DATA / name).read_text().splitlines()
    return list(csv.DictReader(line for line in lines if line[0] != "#"))


def product(sums: str, numbers: str, columns: int, registers: bool) -> str:
    size = {"f16": 16, "bf16": 16, "tf32": 32}.get(numbers, 8)
    c = ", ".join(f"%c{k}" for k in range(columns // (4 if sums == "f16" else 2)))
    last = "" if sums == "s32" else ", 1, 1" + (", 0" if registers else ", 0, 0") * (size == 16)
    return (f"wgmma.mma_async.sync.aligned.m64n{columns}k{256 // size}.{sums}.{numbers}.{numbers} {{{c}}}, "
            f"{'{%a0, %a1, %a2, %a3}' if registers else '%d4'}, %d4, 1{last};\n")


def group(row, count: int) -> str:
    one = product(row.get("sums", "f32"), row.get("numbers", "f16"), int(row["columns"]), row["first_factor"] == "registers")
    return "wgmma.fence.sync.aligned;\n" + one * count + "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n"


def run(text: str, threads: int) -> np.ndarray:
    device = archdef.Device("h100")
    out = device.zeros(2 * threads, "u4")
    device.compile(text).k[1, threads](out)
    return out.to_host().reshape(-1, 2).astype(int)


LEFT_OUT = {"warpgroup.csv": [
    lambda r: r["first_factor"] == "registers" and int(r["warpgroups"]) in (2, 3) and int(r["columns"]) < 40,      # H60: they stay in step
    lambda r: int(r["columns"]) > 192 and r["products"] == "1"],                                                   # H60: the fence behind a wait
    "warpgroup_loads.csv": [
    lambda r: (r["load_words"], r["load_warps"]) != ("4", "4"),                         # few loads wait for themselves
    lambda r: (r["columns"], r["first_factor"]) == ("16", "registers")]}                # shared memory is idle between such products


def cases(name: str, words: int, every: int) -> list:
    """One of so many rows of a table that are no known deviation."""
    rows = [row for row in table(name) if not any(rule(row) for rule in LEFT_OUT[name])]
    return [pytest.param(row, id="-".join(list(row.values())[:words])) for row in rows[every // 2::every]]


@pytest.mark.parametrize("row", cases("warpgroup.csv", 6, 101))
def test_groups_of_products_take_their_time(row):
    groups, products = 4, int(row["products"])
    threads = 128 * int(row["warpgroups"])
    spans = run(HEAD + group(row, products) + "bar.sync 0; mov.u32 %r8, %clock;\n" + group(row, products) * groups + TAIL, threads)
    assert (spans[:, 1].max() - spans[:, 0].min()) / groups == pytest.approx(float(row["cycles"]), rel=0.05, abs=5)


@pytest.mark.parametrize("row", cases("warpgroup_loads.csv", 4, 4))
def test_loads_from_shared_memory_give_way_to_products(row):
    groups, trips = max(8, 3000 // int(row["columns"])), 50
    loads = "".join(f"ld.volatile.shared.v4.b32 {{%v{4 * k}, %v{4 * k + 1}, %v{4 * k + 2}, %v{4 * k + 3}}}, [%r5+{512 * k}];\n" for k in range(8))
    text = f"""{HEAD} setp.ge.u32 %p1, %r1, 128; mov.u32 %r7, 0; and.b32 %r4, %r1, 31; shl.b32 %r4, %r4, 4; add.u32 %r5, %r2, %r4;
    bar.sync 0; mov.u32 %r8, %clock; @%p1 bra LOADS;
AGAIN: {group(row, 8)} add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, {groups}; @%p2 bra AGAIN; bra END;
LOADS: {loads} add.u32 %r7, %r7, 1; setp.lt.u32 %p2, %r7, {trips}; @%p2 bra LOADS;
END: {TAIL}"""
    spans = run(text, 256)
    took = (spans[:, 1] - spans[:, 0]).reshape(2, 128).max(1)
    assert took[0] == pytest.approx(float(row["products_beside"]), rel=0.12)
    assert took[1] == pytest.approx(float(row["loads_beside"]), rel=0.3)


@pytest.mark.parametrize("kernel, size", [pytest.param(*case, id=name_of(*case)) for case in WARPGROUP.cases if case[1] == "n=128"])
def test_kernels_give_the_hardwares_bits(kernel, size):
    output, result, launch = WARPGROUP.run(kernel, size, archdef.Device("h100"))
    row = WARPGROUP.rows()[name_of(kernel, size)]
    assert launch.agrees(row["output"], output)
    assert result.cycles + 4160 == pytest.approx(float(row["cycles"]), rel=0.3)
