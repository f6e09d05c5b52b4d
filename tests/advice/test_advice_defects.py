"""Does each rule name the line and the remedy of a defect, does the remedied kernel gain what was promised, and is nothing advised on it then?"""
import importlib.util
from pathlib import Path

import attrs
import numpy as np
import pytest

from archdef import registry
from archdef.advice import advise
from archdef.advice.rules import redundant_barriers
from archdef.attribution.measure import Launches
from archdef.errors import ArchdefError
from archdef.examples import Case, Input, Output, Workload, load
from archdef.examples.comparison import compare
from archdef.lower import Options, lower
from archdef.ptx import parse

SOURCE = Path(__file__).with_name("defects.cu")
pytestmark = [pytest.mark.skipif("gt200" not in registry.names(), reason="needs the plugins of this repository")]
nvrtc = pytest.mark.skipif(importlib.util.find_spec("nvidia.cuda_nvrtc") is None, reason="compiles CUDA C++")


def line_of(text):
    return next(number for number, line in enumerate(SOURCE.read_text().splitlines(), start=1) if text in line)


def workload(name, cases, size, **defines):
    return Workload(name.lower(), "kernels with a defect, and without", SOURCE, cases, size=size, options={"defines": [f"{key}={value}" for key, value in {name: 1, **defines}.items()]})


def cycles(of, machine, kernel):
    (run,) = Launches(of, kernel, of.size)(registry.get(machine))
    return run.cycles


def checked(of, machine, rule, within):
    """Give the advice on the defect, once the remedied kernel has been as fast as it promises, and has got none."""
    (advice,) = advise(of, machine, ["defect"], rules=[rule])
    assert len(advise(of, machine, ["remedied"], rules=[rule])) == 0
    better = cycles(of, machine, "remedied")
    assert better < advice.cycles and advice.gain == pytest.approx(advice.cycles / better, rel=within), advice
    return advice


# -------------------------------------------------------------------------------------------------------------------- barriers
def _rotated(size, random, architecture):
    x = random.random(size, dtype="f4")
    rows, t = x.reshape(-1, 256), np.arange(256)
    y = np.zeros_like(rows)
    for k in range(64):
        y += rows[:, (t + k) & 255] * np.where(t & k, np.float32(2), np.float32(1))
    for kernel in ("defect", "remedied"):
        yield Case(kernel, (size // 256,), (256,), (Output(y.ravel(), tolerance=1e-5), Input(x)), 8 * size)
    z = rows.copy()
    for _ in range(8):
        z = z + z[:, (t + 32) & 255]
    yield Case("needed", (size // 256,), (256,), (Output(z.ravel(), tolerance=1e-5), Input(x)), 8 * size)


@nvrtc
@pytest.mark.parametrize("machine", ["gf100", "k40", "h100"])
def test_a_barrier_between_loads_is_told_to_be_left_out(machine):
    of = workload("BARRIERS", _rotated, 1 << 14)
    advice = checked(of, machine, "redundant-barriers", within=0.15)
    assert advice.line == line_of("nobody stores") and "leave the barrier out" in advice.remedy and advice.evidence["arrivals"] == 64 * 8 * 64


@nvrtc
def test_barriers_that_order_something_are_not_found_even_where_they_cost():
    of = workload("BARRIERS", _rotated, 1 << 12)
    for kernel in ("needed", "remedied"):
        assert len(advise(of, "gf100", [kernel], rules=["redundant-barriers"], least_gain=0.0)) == 0


@pytest.mark.parametrize("name", ["transpose", "reduction", "matmul"])
def test_no_barrier_of_the_shipped_kernels_is_found(name):
    rows = compare(load(name), [registry.get("gf100")], 1 << 12 if name == "reduction" else 64).rows
    assert any(row.run.counters.barriers for row in rows)
    assert [finding.said for row in rows for finding in redundant_barriers.find(row.run)] == []


ACCESSES = {"nothing": "", "ld.shared": "ld.shared.u32 %r1, [part];", "st.shared": "st.shared.u32 [part], %r2;", "ld.global": "ld.global.u32 %r1, [%rd1];",
            "st.global": "st.global.u32 [%rd1], %r2;", "atom.shared": "atom.shared.add.u32 %r1, [part], %r2;", "ld": "ld.u32 %r1, [%rd3];",
            "membar": "membar.gl;"}


def _around_a_barrier(before, behind):
    text = f""".version 6.0
.target sm_35
.address_size 64
.visible .entry k(.param .u64 out)
{{
    .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %p<2>;
    .shared .align 4 .b8 part[4];
    ld.param.u64 %rd1, [out];
    mov.u32 %r2, %tid.x;
    setp.eq.u32 %p1, %r2, 0;
    mov.u64 %rd2, part;
    cvta.shared.u64 %rd2, %rd2;
    selp.b64 %rd3, %rd1, %rd2, %p1;
    {before}
    @%p1 bra END;
    bar.sync 0;
    {behind}
END:
    ret;
}}"""
    return lower(parse(text), "k", registry.get("k40"), options=Options(drop_dead=False)).ops


@pytest.mark.parametrize("before", ACCESSES)
@pytest.mark.parametrize("behind", ACCESSES)
def test_a_barrier_orders_nothing_only_where_no_two_accesses_may_be_in_conflict(before, behind):
    def effects(name):
        spaces = {"shared"} if "shared" in name else {"global"} if "global" in name else set() if name == "nothing" else {"shared", "global"}
        reads, writes = name.startswith(("ld", "atom", "membar")), name.startswith(("st", "atom", "membar"))
        return spaces if reads else set(), spaces if writes else set()
    ops = _around_a_barrier(ACCESSES[before], ACCESSES[behind])
    (read, written), (later_read, later_written) = effects(before), effects(behind)
    conflict = written & (later_read | later_written) or read & later_written
    assert redundant_barriers._order_nothing(ops, redundant_barriers._of_block(ops)) == (not conflict)


# ------------------------------------------------------------------------------------------------------------------ divergence
def _sides(of_defect, remedied):
    def cases(size, random, architecture):
        x = random.integers(0, 1 << 32, size, dtype="u4")
        left, right = x.copy(), x.copy()
        for _ in range(100):
            left = (left ^ left << np.uint32(13)) + (left >> np.uint32(7))
            right = (right ^ right << np.uint32(11)) + (right >> np.uint32(9))
        for kernel, threads in (("defect", of_defect), ("remedied", remedied)):
            odd = np.arange(size) % 256 // threads % 2 == 1
            yield Case(kernel, (size // 256,), (256,), (Output(np.where(odd, left, right)), Input(x)), 8 * size)
    return workload("SIDES", cases, 1 << 14, OF_DEFECT=of_defect, REMEDIED=remedied)


@nvrtc
@pytest.mark.parametrize("machine", ["g80", "gtx680", "h100", "c500"])
def test_even_and_odd_threads_are_told_to_take_whole_warps(machine):
    advice = checked(_sides(1, 128), machine, "lane-parity-divergence", within=0.15)
    assert advice.line == line_of("t / SIZE % 2") and "branch on the index over" in advice.remedy
    assert advice.evidence["divergent_branches_grouped"] == 0 and advice.evidence["divergent_branches"] > 0


def _chance(size, random, architecture):
    x = random.integers(0, 1 << 32, size, dtype="u4")
    left, right = x.copy(), x.copy()
    for _ in range(100):
        left = (left ^ left << np.uint32(13)) + (left >> np.uint32(7))
        right = (right ^ right << np.uint32(11)) + (right >> np.uint32(9))
    yield Case("by_datum", (size // 256,), (256,), (Output(np.where(x & 1, left, right)), Input(x)), 8 * size)


@nvrtc
@pytest.mark.parametrize("machine", ["gf100", "h100"])
def test_branches_that_chance_decides_are_not_told_to_be_grouped(machine):
    of = workload("CHANCE", _chance, 1 << 12)
    assert len(advise(of, machine, rules=["lane-parity-divergence"], least_gain=0.0)) == 0
    assert len(advise("divergence", machine, ["by_warp", "selected"], rules=["lane-parity-divergence"], size=1 << 12, least_gain=0.0)) == 0


# ----------------------------------------------------------------------------------------------------------------- parallelism
def _doubled(size, random, architecture):
    x, sms = random.random(size, dtype="f4"), architecture.chip.multiprocessors
    for kernel, grid, block in (("defect", sms, 128), ("remedied", 4 * sms, 256)):
        yield Case(kernel, (grid,), (block,), (Output(2 * x), Input(x), size), 8 * size)


def _chased(size, random, architecture):
    following = random.permutation(size).astype("i4")
    at = np.arange(32)
    for _ in range(64):
        at = following[at]
    yield Case("chased", (1,), (32,), (Output(at.astype("i4")), Input(following), 64), 128 * 64)


@nvrtc
@pytest.mark.parametrize("machine", ["gt200", "gf100", "gtx680"])
def test_too_few_bytes_in_flight_are_told_with_how_many_it_takes(machine):
    advice = checked(workload("PARALLELISM", _doubled, 1 << 17), machine, "too-little-parallelism", within=0.35)
    assert advice.line == line_of("out[i] = 2.0f * in[i];") and "times as many threads" in advice.remedy
    assert advice.evidence["resident_warps"] <= 4 and advice.evidence["bytes_in_flight"] < advice.evidence["bytes_needed"]


def _gathered(size, random, architecture):
    x, sms = random.random(size, dtype="f4"), architecture.chip.multiprocessors
    y = np.zeros_like(x)
    for k in range(16):
        y += np.roll(x, -32 * k)
    for kernel, grid, block in (("defect", sms, 64), ("remedied", architecture.limits.threads_per_multiprocessor // 256 * sms, 256)):
        yield Case(kernel, (grid,), (block,), (Output(y, tolerance=1e-5), Input(x), size), 8 * size)


@nvrtc
@pytest.mark.parametrize("machine", ["gf100", "gtx680", "k40"])
def test_loads_that_caches_serve_are_told_with_the_latency_that_they_had(machine):
    of = workload("CACHED", _gathered, 1 << 16)
    (advice,) = advise(of, machine, rules=["too-little-parallelism"])
    assert advice.kernel == "defect" and 5 < advice.gain < advice.cycles / cycles(of, machine, "remedied")
    assert advice.line == line_of("y += in[(i + 32 * k) & (n - 1)];") and "caches serve most loads" in advice.said
    assert advice.evidence["bytes_in_flight"] < advice.evidence["bytes_needed"] and 10 < advice.evidence["load_latency_cycles"] < 1000


@nvrtc
def test_loads_that_lead_to_each_other_are_not_told_to_be_shared_out():
    assert len(advise(workload("PARALLELISM", _chased, 1 << 12), "gf100", rules=["too-little-parallelism"], least_gain=0.0)) == 0


# ------------------------------------------------------------------------------------------------------------------- occupancy
def _recurrence(size, random, architecture):
    x = random.random(size, dtype="f4")
    y = np.zeros_like(x)
    for _ in range(200):
        y = (y * np.float32(0.5) + x).astype("f4")
    for kernel in ("defect", "remedied"):
        yield Case(kernel, (size // 64,), (64,), (Output(y, tolerance=1e-5), Input(x)), 8 * size)


@nvrtc
def test_the_smallest_change_that_lets_a_block_more_in_is_named():
    of = workload("OCCUPANCY", _recurrence, 15 * 64 * 12 * 4, WORDS_OF_DEFECT=5000, WORDS_REMEDIED=4096)      # 20 kB and 16 kB of 48
    (advice,) = advise(of, "gf100", ["defect"], rules=["occupancy-limiter"])
    assert "16384 bytes of shared memory" in advice.remedy and "3 blocks" in advice.remedy
    assert advice.gain == pytest.approx(advice.cycles / cycles(of, "gf100", "remedied"), rel=0.1) and advice.gain > 1.2


def _followed(following, times=64):
    at = np.arange(len(following))
    for _ in range(times):
        at = following[at]
    return at.astype("i4")


def _held(size, random, architecture):
    following = np.roll(np.arange(size, dtype="i4"), 32 * 37)        # a warp's threads stay together
    y = _followed(following)
    for j in range(28):
        y ^= np.roll(following, -j)
    for kernel in ("defect", "remedied"):
        yield Case(kernel, (size // 256,), (256,), (Output(y), Input(following), size), 120 * size)


@nvrtc
def test_fewer_registers_are_told_with_what_spilling_costs():
    of = workload("REGISTERS", _held, 15 * 256 * 12, FITTING=4)
    (advice,) = advise(of, "gf100", ["defect"], rules=["occupancy-limiter"], least_gain=0.0)
    assert "registers per thread" in advice.remedy and "whatever must be spilled" in advice.supposed
    assert advice.gain == pytest.approx(advice.cycles / cycles(of, "gf100", "remedied"), rel=0.1)


@nvrtc
@pytest.mark.parametrize("words, told", [(1024, False), (1100, True)])
def test_shared_memory_that_arguments_take_is_not_the_kernels_to_save(words, told):
    def cases(size, random, architecture):
        following = np.roll(np.arange(size, dtype="i4"), 32 * 37)
        yield Case("followed", (size // 64,), (64,), (Output(_followed(following) ^ np.arange(size, dtype="i4")), Input(following)), 8 * size)
    found = advise(workload("ARGUMENTS", cases, 30 * 64 * 8, WORDS=words), "gt200", rules=["occupancy-limiter"], least_gain=0.0)
    assert bool(len(found)) == told


# ------------------------------------------------------------------------------------------------------------------------ tail
def _units(size, random, architecture):
    x = random.random((size, 256), dtype="f4")
    y = np.zeros_like(x)
    for _ in range(32):
        y = (y * np.float32(0.5) + x).astype("f4")
    room = architecture.chip.multiprocessors * 6
    for kernel, grid in (("defect", room + 1), ("remedied", room)):
        yield Case(kernel, (grid,), (256,), (Output(y.ravel(), tolerance=1e-5), Input(x.ravel()), size), 2048 * size)


@nvrtc
def test_a_block_more_than_the_machine_holds_is_told_with_how_many_fill_it():
    advice = checked(workload("TAIL", _units, 91 * 8), "gf100", "tail-effect", within=0.1)
    assert advice.evidence["blocks"] == 91 and advice.evidence["blocks_at_once"] == 90 and "launch 90 blocks" in advice.remedy


def test_the_wider_machine_of_a_tail_has_all_clusters():
    from archdef.advice.rules.tail import _widened
    for name in registry.names():
        machine = registry.get(name)
        assert _widened(machine, machine.chip.multiprocessors + 3).chip.multiprocessors == machine.chip.multiprocessors + 3, name


# ---------------------------------------------------------------------------------------------------------------------- spills
def _sums(size, random, architecture):
    x = random.random(size, dtype="f4")
    y = [x + np.float32(j) for j in range(32)]
    for _ in range(16):
        for j in range(32):
            y[j] = y[j] * np.float32(0.5) + y[(j + 1) & 31]
    for kernel in ("defect", "remedied"):
        yield Case(kernel, (size // 256,), (256,), (Output(sum(y), tolerance=1e-4), Input(x)), 8 * size)


@nvrtc
def test_the_registers_that_keep_values_out_of_local_memory_are_named():
    of = workload("SPILLS", _sums, 1 << 15)
    advice = checked(of, "gf100", "spills", within=0.2)
    assert "registers a thread" in advice.remedy and advice.evidence["spilled_registers"] > 0


# ----------------------------------------------------------------------------------------------------------------------- lanes
@nvrtc
def test_roles_of_32_threads_are_told_where_warps_have_64():
    advice = checked(_sides(32, 64), "c500", "assumes-32-lanes", within=0.15)
    assert advice.line == line_of("t / SIZE % 2") and "divide by 64" in advice.remedy
    assert len(advise(_sides(32, 64), "gf100", rules=["assumes-32-lanes"], least_gain=0.0)) == 0


# ------------------------------------------------------------------------------------------------------------- what is supposed
@pytest.mark.parametrize("order, splits", [((0, 1, 2, 3, 4, 5, 6, 7), 256), ((7, 0, 1, 2, 3, 4, 5, 6), 0), ((7, 6, 5, 4, 3, 2, 1, 0), 0), ((1, 0, 2, 3, 4, 5, 7, 6), 256)])
def test_threads_in_another_order_get_the_same_results_in_other_warps(order, splits):
    of = load("divergence")
    of = attrs.evolve(of, options={**of.options, "lowering": Options(thread_order=order)})
    (run,) = Launches(of, "even_odd", 1 << 13)(registry.get("gf100"))        # raises if an output is wrong
    assert run.block == (256, 1, 1) and run.counters.divergent_branches == splits


def test_barriers_of_other_lines_stay():
    of = load("reduction")
    (run,) = Launches(of, "interleaved", 1 << 12)(registry.get("gf100"))
    lines = [line for line in run.lines if line.counters.barriers]
    without = attrs.evolve(of, options={**of.options, "lowering": Options(without_barriers=frozenset({("elsewhere.cu", lines[0].line)}))})
    (same,) = Launches(without, "interleaved", 1 << 12)(registry.get("gf100"))
    assert same.cycles == run.cycles
    without = attrs.evolve(of, options={**of.options, "lowering": Options(without_barriers=frozenset({(lines[-1].file, lines[-1].line)}))})
    with pytest.raises(ArchdefError, match="output is wrong"):
        Launches(without, "interleaved", 1 << 12)(registry.get("gf100"))
