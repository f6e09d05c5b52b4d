"""Matrix instructions give on the engine, bit for bit, what they gave on the hardware, and take the cycles that they took there."""
import numpy as np
import pytest
from forms import MATRICES
from matrix_forms import HEAD, LOADS, PRODUCTS, ROUNDS, THREADS, TILE_BYTES, TILES, TIMED, UNROLLED, WARPS, memory, numbered, results, sizes
from matrix_operands import FORMATS, inputs, probes, tile_input, warps
from matrix_outputs import chain_kernel, fingerprint, kernels, known

from archdef.engine import core
from archdef.lower import lower
from archdef.pack import machine_tables
from archdef.ptx import parse, table
from archdef.registry import get, names

pytestmark = pytest.mark.skipif("h100" not in names(), reason="the plugin of the measured machine is not installed")
KERNELS = kernels()


@pytest.fixture(scope="module")
def machine():
    """The measured architecture with few multiprocessors and partitions, which changes no value and saves time."""
    return get("h100").evolve({"chip.multiprocessors": 2, "dram.partitions": 4})


def launch(machine, text: str, blocks: int, threads: int, buffers: list, nbytes: int, resident: int = 4) -> np.ndarray:
    program = lower(parse(HEAD + text, "k.ptx"), "k", machine)
    device, places = core.DeviceMemory(1 << 25), []
    for data in buffers:
        places.append(device.allocate(data.nbytes))
        device.write(places[-1], np.ascontiguousarray(data).view(np.uint8).reshape(-1))
    places.append(device.allocate(nbytes))
    device.fill(places[-1], nbytes, 0)
    simulation = core.Simulation(machine_tables(machine), program, device, (blocks, 1, 1), (threads, 1, 1),
                                 b"".join(p.to_bytes(8, "little") for p in places), 0, resident, max_instructions=10**8, max_cycles=10**9)
    while simulation.advance(1000):
        pass
    out = np.zeros(nbytes, np.uint8)
    device.read(places[-1], out)
    return out


@pytest.mark.parametrize("name", PRODUCTS)
def test_products_equal_the_hardwares(name, machine):
    form, total = PRODUCTS[name], warps(PRODUCTS[name]) * len(probes(PRODUCTS[name]))
    got = launch(machine, KERNELS[name], total // WARPS, THREADS, memory(form, inputs(form)), sizes(form)[3] * total)
    differ = (results(form, got) != results(form, known()[0][name][1].copy())).reshape(len(probes(form)), -1).sum(-1)
    assert {probe: int(n) for probe, n in zip(probes(form), differ) if n} == {}


@pytest.mark.parametrize("name", [name for name, form in PRODUCTS.items() if form.types[0] in FORMATS])
def test_the_hardware_itself_is_exact_on_whole_numbers(name):
    """So the operands are scattered and the results gathered as the PTX ISA says."""
    form, count = PRODUCTS[name], warps(PRODUCTS[name])
    start = count * probes(form).index("whole")
    a, b, c = (numbers(t, inputs(form)[x][start:start + count]) for x, t in zip("abc", form.types))
    got = numbers(form.types[3], results(form, known()[0][name][1].copy())[start:start + count])
    assert np.array_equal(got, a @ b + c)


def numbers(t: str, bits: np.ndarray) -> np.ndarray:
    """Bits of floats → their values."""
    if t == "bf16":
        return (bits << np.uint64(16)).astype("<u4").view("<f4").astype(float)
    size = {"f16": 2, "f64": 8}.get(t, 4)
    return bits.astype(f"<u{size}").view(f"<f{size}").astype(float)


@pytest.mark.parametrize("name", LOADS)
def test_fragments_lie_as_on_the_hardware(name, machine):
    form, hardware = LOADS[name], known()[0][name][1]
    got = [launch(machine, KERNELS[name], 1, 32, [numbered(form, plane)], 256 * form.registers) for plane in range(form.planes)]
    assert np.array_equal(np.concatenate(got), hardware)


@pytest.mark.parametrize("name", TILES)
def test_tiles_lie_as_on_the_hardware(name, machine):
    assert np.array_equal(launch(machine, KERNELS[name], 1, 32, [tile_input()], TILE_BYTES), known()[0][name][1])


def test_every_row_has_a_measured_kernel():
    used = set()
    for text in KERNELS.values():
        module = parse(HEAD + text, "k.ptx")
        used |= {table.match(i, module).row.form for i in module.functions["k"].body}
    assert {row.form for row in table.TABLE if row.builder in MATRICES} <= used


def test_every_output_belongs_to_the_kernel_of_today():
    there = known()[0]
    assert set(there) == set(KERNELS)
    assert [name for name, (mark, _) in there.items() if fingerprint(name) != mark] == [], "measure again"


NATIVE = [name for name in TIMED if not any(word in name for word in (".u4.", ".s4.", "xor", "m8n8k4.row.col.f16", "m8n8k4.row.col.f32"))]
"""Products that are instructions of the machine, not calls of a routine."""


def cycles(machine, name: str, chains: int, count: int) -> float:
    out = launch(machine, chain_kernel(PRODUCTS[name], "k", chains), 1, 32 * count, [np.zeros(1 << 19, np.uint64)], 16 * count, 1)
    spans = out.view(np.int64).reshape(-1, 2)
    return (spans[:, 1].max() - spans[:, 0].min()) / (ROUNDS * UNROLLED)


@pytest.mark.parametrize("name", [name for name in NATIVE if f"{name}|4|16" in known()[1]])
def test_full_schedulers_issue_products_at_the_hardwares_rate(name, machine):
    # until the last warp has ended, which is alone for up to 3 % of the time: how far warps part depends on who came to the loop last
    assert cycles(machine, name, 4, 16) == pytest.approx(known()[1][f"{name}|4|16"], rel=0.04)


@pytest.mark.parametrize("name", NATIVE)
def test_a_chain_takes_the_hardwares_latency(name, machine):
    # the loop around the products costs up to 25 cycles here, of which the hardware hides most: its comparison comes last
    assert known()[1][f"{name}|1|1"] * 0.99 <= cycles(machine, name, 1, 1) <= known()[1][f"{name}|1|1"] + 25 / UNROLLED + 1
