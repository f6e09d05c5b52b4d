"""Do instructions come as the description of their caches says? On every installed architecture that has such caches, and on changed ones."""
import archdef
import numpy as np
import pytest

from archdef.microbench import measure
from archdef.microbench.instruction_fetch import CHAINS
from archdef.testing.checks.check import at_hand
from archdef.errors import SpecErrors

WITH = [name for name in archdef.architectures() if archdef.architecture(name).caches.instruction is not None]
LOOP = """.version 6.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 trips)
{{
    .reg .u64 %p; .reg .u32 %x, %n, %i; .reg .pred %q;
    ld.param.u64 %p, [out]; ld.param.u32 %n, [trips]; mov.u32 %i, 0; mov.u32 %x, %tid.x;
    mad.wide.u32 %p, %x, 4, %p;
TRIP:
    .pragma "nounroll";
{body}    add.u32 %i, %i, 1;
    setp.lt.u32 %q, %i, %n;
    @%q bra TRIP;
    st.global.u32 [%p], %x;
    ret;
}}
"""


def instructions_of(architecture, nbytes):
    return nbytes // architecture.isa.instruction_bytes


def loop(architecture, instructions=64, trips=4, threads=32):
    """Run a loop of dependent additions; give the run and what it computed."""
    device = archdef.Device(architecture)
    out = device.zeros(threads, "u4")
    run = device.compile(LOOP.format(body="    add.u32 %x, %x, 3;\n" * instructions)).k[1, threads](out, np.uint32(trips))
    assert (out.to_host() == np.arange(threads) + 3 * instructions * trips).all()
    return run


@pytest.mark.parametrize("name", WITH)
def test_a_loop_that_fits_is_as_fast_as_without_caches_and_a_longer_one_waits_as_declared(name):
    architecture = archdef.architecture(name)
    caches = architecture.caches
    near, behind = caches.instruction, caches.instruction_l2
    fits, more = instructions_of(architecture, near.size_bytes // 2), instructions_of(architecture, 7 * near.size_bytes // 4)
    assert measure("code", architecture, instructions=fits)["cycles"] == measure("code", at_hand(architecture), instructions=fits)["cycles"]
    # counters and the branch of the loop count per instruction, too, so what waits add is told by a loop of the same length; lines end within
    # instructions of 9 and 11 bytes, so those that come together are no whole number
    fast = measure("code", at_hand(architecture), instructions=more)["cycles"]
    together = near.line_bytes * (near.prefetch_degree + 1) / architecture.isa.instruction_bytes
    waits = fast + (behind.latency_cycles - fast) / together
    found, schedulers = measure("code", architecture, instructions=more)["cycles"], architecture.schedulers
    free_slots = architecture.isa.operations["fp32_add"].latency_cycles > 2 * CHAINS * schedulers.issue_interval_cycles / schedulers.issue_width
    if free_slots:      # the chains of additions leave slots free, in which what has waited is made up
        assert fast < found < waits
    else:
        assert found == pytest.approx(waits, rel=0.015)


@pytest.mark.parametrize("name", WITH)
def test_waits_for_instructions_are_a_cause_of_their_own(name):
    architecture = archdef.architecture(name)
    run = loop(architecture, instructions_of(architecture, 2 * architecture.caches.instruction.size_bytes))
    stalls = run.counters.stalls
    assert stalls["fetch"] > 0
    assert sum(stalls.values()) == run.counters.multiprocessor["warp_cycles"].sum()
    assert run.metrics["stall_inst_fetch"] == pytest.approx(100 * stalls["fetch"] / (sum(stalls.values()) - stalls["selected"]))


@pytest.mark.parametrize("name", sorted(set(archdef.architectures()) - set(WITH)))
def test_without_caches_of_instructions_nobody_waits_for_them(name):
    assert loop(archdef.architecture(name)).counters.stalls["fetch"] == 0


def test_what_the_launch_brings_along_is_near():
    declared = archdef.architecture("h100")
    cold = declared.evolve({"caches.instruction_preload_bytes": 0})
    lines = instructions_of(declared, declared.caches.instruction_l2.line_bytes) * (1 + declared.caches.instruction_l2.prefetch_degree)
    near, far = (loop(one, 4 * lines, 1).counters.stalls["fetch"] for one in (declared, cold))
    wait = declared.caches.instruction_memory_cycles - declared.caches.instruction_l2.latency_cycles
    assert 4 * wait <= far - near <= 6 * wait


def test_a_cache_of_the_multiprocessor_serves_all_its_schedulers_and_one_of_a_scheduler_only_that():
    own = archdef.architecture("h100")
    shared = own.evolve({"caches.instruction.scope": "multiprocessor"})
    alone, apart, together = (loop(one, 256, 1, threads).counters.stalls["fetch"] for one, threads in ((own, 32), (own, 128), (shared, 128)))
    assert apart == 4 * alone
    assert together >= apart - 4        # who asks for a line that another has asked for waits as long: all start at a time


@pytest.mark.parametrize("changes, reason", [
    ({"caches.instruction": None, "caches.instruction_preload_bytes": 0}, "caches.instruction must be given where caches.instruction_l2 is"),
    ({"caches.instruction": None, "caches.instruction_l2": None}, "caches.instruction_preload_bytes must be 0 without caches.instruction"),
    ({"caches.l1.scope": "scheduler"}, "caches.l1.scope must be multiprocessor"),
    ({"caches.l1.prefetch_degree": 1}, "caches.l1.prefetch_degree must be 0")])
def test_caches_that_make_no_sense_are_refused(changes, reason):
    with pytest.raises(SpecErrors) as refused:
        archdef.architecture("h100").evolve(changes)
    assert any(reason in str(one) for one in refused.value.exceptions)
