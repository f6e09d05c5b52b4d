"""Products of warpgroups give on the engine, bit for bit, what they gave on the hardware."""
import json
from functools import cache
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from forms import WARPGROUPS
from warpgroup_forms import HEAD, IMAGE, THREADS, TYPES, Case, Form, cases, descriptor, image, kernel, places

from archdef.engine import core
from archdef.errors import GuestFault
from archdef.lower import lower
from archdef.pack import machine_tables
from archdef.ptx import parse, table
from archdef.registry import get, names

pytestmark = pytest.mark.skipif("h100" not in names(), reason="the plugin of the measured machine is not installed")
FILE = Path(__file__).resolve().parent / "data" / "warpgroup" / "h100-2026-11-22.json"
QUICK = {Form(32, *types, registers) for types in TYPES for registers in (False, True)}
"""Forms of which some kinds of operands are tried every time; all cases of all forms take five seconds."""


@cache
def machine():
    """The measured architecture with few multiprocessors and partitions, which changes no value and saves time."""
    return get("h100").evolve({"chip.multiprocessors": 2, "dram.partitions": 4})


@cache
def known() -> dict[str, int]:
    return json.loads(FILE.read_text())["outputs"]


@cache
def program(form: Form):
    return lower(parse(HEAD + kernel(form, "k"), "k.ptx"), "k", machine())


def launch(case: Case, threads: int = THREADS, **parameters) -> np.ndarray:
    device, data, nbytes = core.DeviceMemory(1 << 22), image(case), 512 * case.form.words
    source, target = device.allocate(data.nbytes), device.allocate(nbytes)
    device.write(source, data)
    given = {"a": descriptor(*case.a), "b": descriptor(*case.b)} | parameters
    packed = b"".join(int(p).to_bytes(8, "little") for p in (source, target, given["a"], given["b"])) + case.scale.to_bytes(4, "little")
    simulation = core.Simulation(machine_tables(machine()), program(case.form), device, (1, 1, 1), (threads, 1, 1), packed, 0, 4,
                                 max_instructions=10**6, max_cycles=10**7)
    while simulation.advance(1000):
        pass
    out = np.zeros(nbytes, np.uint8)
    device.read(target, out)
    return out


def quick(case: Case) -> bool:
    """Two kinds of operands of each pair of types, and a share of the layouts."""
    if case.form in QUICK:
        return case.probe in ("wider" if case.form.registers else "finite", "large")
    return crc32(case.name.encode()) % 12 == 0 and case.form.n < 128


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name, marks=[] if quick(c) else [pytest.mark.long]) for c in cases()])
def test_products_equal_the_hardwares(case):
    assert crc32(launch(case).tobytes()) == known()[case.name]


def test_every_row_has_a_measured_kernel():
    modules = [parse(HEAD + kernel(form, "k"), "k.ptx") for form in {Form(8, *types) for types in TYPES}]
    used = {table.match(i, module).row.form for module in modules for i in module.functions["k"].body}
    assert {row.form for row in table.TABLE if row.builder in WARPGROUPS} <= used


def test_every_output_is_of_a_case_of_today():
    assert set(known()) == {c.name for c in cases()}


def matrix(out: np.ndarray, n: int) -> np.ndarray:
    """Registers of single-precision results → rows and columns, as the PTX ISA documents them."""
    found, thread = np.zeros((64, n)), np.arange(THREADS)
    for k, row in enumerate(out.view("<f4").reshape(-1, THREADS)):
        found[16 * (thread // 32) + thread % 32 // 4 + 8 * (k % 4 // 2), 8 * (k // 4) + 2 * (thread % 4) + k % 2] = row
    return found


@pytest.mark.parametrize("swizzle", range(4))
@pytest.mark.parametrize("transposed", [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_factors_lie_where_the_manual_says(swizzle, transposed):
    """Whole numbers, so that every order of sums gives the same, against numpy."""
    width = (1, 8, 4, 2)[swizzle]
    a, b = (3, 8 * width * 5, 8 * width + 1, swizzle % 3, swizzle), (1024, 8 * width * 3, 8 * width + 2, 1, swizzle)
    case = Case(Form(40, "f32", "f16", "f16", transposed=transposed), "whole", a, b, scale=0)
    numbers = image(case)[:IMAGE].view(np.float16).astype(float)
    left, right = (numbers[places(case, x) // 2] for x in "ab")
    assert np.array_equal(matrix(launch(case), 40), left @ right.T)


@pytest.mark.parametrize("parameters, threads, complaint", [
    ({"a": descriptor(0x3fff, 8, 16, 0, 0)}, 128, "16 bytes at address 0x.* are outside shared memory"),
    ({"b": descriptor(0, 0x3fff, 0x3fff, 0, 1)}, 128, "16 bytes at address 0x.* are outside shared memory"),
    ({"a": (1 << 64) - 1, "b": (1 << 64) - 1}, 128, "16 bytes at address 0x.* are outside shared memory"),
    ({}, 96, "an instruction of four whole warps, of which block .* has not all"),
    ({}, 120, "an instruction of four whole warps|an instruction of a whole warp that"),
    ({}, 32, "an instruction of four whole warps, of which block .* has not all")])
def test_what_a_kernel_may_not_do_is_a_fault(parameters, threads, complaint):
    with pytest.raises(GuestFault, match=complaint):
        launch(Case(Form(32, "f32", "f16", "f16"), "near"), threads, **parameters)
