"""Is the right bound the greatest where a kernel is made to run into it, and do bounds follow from the description?"""
import math

import attrs
import pytest

import archdef
from archdef import registry
from archdef.bounds import ceilings, needed

PTX = """
.version 2.3
.target sm_20
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n) {{
.reg .u64 %p; .reg .u32 %i, %n, %t, %b, %w; .reg .u64 %q; .reg .f32 %a<9>; .reg .pred %c;
.shared .align 4 .b8 s[4096];
ld.param.u64 %p, [p]; ld.param.u32 %n, [n];
mov.u32 %t, %tid.x; mov.u32 %b, %ctaid.x; mov.u32 %w, %ntid.x;
mad.lo.u32 %t, %b, %w, %t;
mul.wide.u32 %q, %t, 4; add.u64 %p, %p, %q;
ld.global.f32 %a0, [%p];
mov.u32 %i, 0;
{setup}
LOOP:
{body}
add.u32 %i, %i, 1;
setp.lt.u32 %c, %i, %n;
@%c bra LOOP;
st.global.f32 [%p], %a0;
ret;
}}
"""
CHAIN = "\n".join(["add.f32 %a0, %a0, %a0;"] * 16)
APART = "\n".join(f"add.f32 %a{1 + k % 8}, %a0, %a0;" for k in range(32))
CLASH = "mov.u32 %t, %tid.x; mul.lo.u32 %t, %t, 128; and.b32 %t, %t, 4095; mov.u32 %b, s; add.u32 %b, %b, %t;"


def launched(body, *, setup="", blocks, threads, trips):
    device = archdef.Device("gf100")
    kernel = device.compile(PTX.format(body=body, setup=setup)).k
    return kernel[(blocks,), (threads,)](device.zeros((blocks * threads,), "f4"), trips)


def test_one_warp_with_a_chain_is_bound_by_latency():
    run = launched(CHAIN, blocks=1, threads=32, trips=200)
    assert run.bounds.binding.name == "latency"
    assert run.bounds.share > 0.95


def test_many_warps_with_independent_instructions_are_bound_by_issue_or_units():
    run = launched(APART, blocks=15 * 6, threads=256, trips=60)
    assert run.bounds.binding.name in ("issue", *(unit.name for unit in run.architecture.units))
    assert run.bounds.share > 0.9


def test_bank_conflicts_are_bound_by_shared_memory():
    body = "ld.volatile.shared.f32 %a1, [%b];\n" * 4
    run = launched(body, setup=CLASH, blocks=15 * 4, threads=256, trips=50)
    assert run.bounds.binding.name == "shared"
    assert run.bounds.share > 0.9


def test_streaming_is_bound_by_memory():
    run = launched("", blocks=15 * 60, threads=256, trips=1)
    assert run.bounds.binding.name in ("DRAM", "partitions", "ports")


@pytest.mark.parametrize("name", sorted(registry.names()))
def test_ceilings_are_the_descriptions_rates(name):
    architecture = registry.get(name)
    tops = {ceiling.name: ceiling for ceiling in ceilings(architecture)}
    assert tops["DRAM"].rate == pytest.approx(architecture.dram_bandwidth_gb_s)
    shared = architecture.shared
    per_cycle = shared.banks * shared.bank_width_bytes / shared.pass_cycles
    assert tops["shared memory"].rate == pytest.approx(per_cycle * architecture.chip.multiprocessors * architecture.clocks.shader_mhz / 1e3)


@pytest.mark.parametrize("name", sorted(registry.names()))
def test_what_is_needed_is_latency_times_throughput(name):
    for each in needed(registry.get(name)):
        assert each.in_flight == pytest.approx(each.latency_cycles * each.per_cycle)
        assert each.warps >= 1 or each.in_flight == 0


def test_littles_law_of_the_textbook():
    """Fermi as the book has it: 20 cycles, 32 lanes a cycle, 640 threads."""
    fermi = registry.get("gf100").evolve({"isa.operations.fp32_add.latency_cycles": 20})
    add = next(each for each in needed(fermi) if each.name == "fp32_add")
    assert math.ceil(add.in_flight) * fermi.warp.size == 640


def test_a_launch_that_launches_others_has_none():
    run = launched(CHAIN, blocks=1, threads=32, trips=1)
    assert attrs.evolve(run, launches=(object(),)).bounds is None


def test_plain_data_has_them():
    data = launched(CHAIN, blocks=2, threads=64, trips=3).to_dict()
    assert data["bounds"]["binding"] and data["bounds"]["upper"]["cycles"] > data["cycles"] > data["bounds"]["lower"][0]["cycles"]
    assert data["roofline"]["flops"] == 16 * 3 * 128
