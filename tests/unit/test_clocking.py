"""Does what runs at the core clock take longer when that clock is lower, and nothing else?"""
import attrs
import pytest
from lowering import kernel
from small_machine import gizmo

import archdef
from archdef.errors import SpecErrors
from archdef.pack import machine_tables
from archdef.spec import Cache, Caches, CoreDomain, KiB
from archdef.spec.clocking import in_sm_cycles
from archdef.spec.machine import CORE_PARTS

RATIO = gizmo().clocks.shader_mhz / gizmo().clocks.core_mhz


def two_clocks(*parts):
    """A machine of which `parts` run at the core clock."""
    return gizmo().evolve({"clocks.core_domain": CoreDomain(parts=parts, cycle_ratio=RATIO)})


def chained(arch, line, count=64, warps=1):
    """Cycles from one of a chain of instructions to the next."""
    def cycles(count):
        text = kernel("ld.param.u64 %rd1, [out]; .shared .align 8 .b8 s[256]; mov.u32 %r1, s; mov.f32 %f0, 0f3F800000;\n" + f"{line}\n" * count
                      + "st.global.u32 [%rd1], %r1; st.global.f32 [%rd1+4], %f0;")
        device = archdef.Device(arch)
        return device.compile(text).k[(1,), (warps * arch.warp.size,)](device.zeros(4)).cycles
    return (cycles(2 * count) - cycles(count)) / count


SHARED, ARITHMETIC = "ld.volatile.shared.u32 %r1, [%r1];", "add.f32 %f0, %f0, %f0;"


def test_at_the_declared_clocks_a_machine_is_as_declared():
    arch = two_clocks(*CORE_PARTS, "lsu")
    assert in_sm_cycles(arch) is arch
    assert machine_tables(arch) == machine_tables(gizmo())
    slow = gizmo().evolve({"clocks.core_mhz": 1})
    assert in_sm_cycles(slow) is slow       # nothing of its multiprocessors runs at the core clock


@pytest.mark.parametrize("slower", [2, 3])
def test_times_at_the_core_clock_grow_as_it_falls(slower):
    arch = two_clocks("shared", "lsu")
    slow = arch.evolve({"clocks.core_mhz": arch.clocks.core_mhz / slower})
    before, now = machine_tables(arch), machine_tables(slow)
    assert {name for name in now["shared"] if now["shared"][name] != before["shared"][name]} >= {"latency_cycles", "pass_cycles"}
    assert now["shared"]["latency_cycles"] == slower * before["shared"]["latency_cycles"]
    assert now["schedulers"]["issue_interval_cycles"] == before["schedulers"]["issue_interval_cycles"]
    assert chained(slow, SHARED) == pytest.approx(slower * chained(arch, SHARED), rel=0.05)
    assert chained(slow, ARITHMETIC) == chained(arch, ARITHMETIC)


def test_a_faster_shader_clock_is_a_slower_core_clock_in_sm_cycles():
    arch = two_clocks("shared")
    fast = arch.evolve({"clocks.shader_mhz": 2 * arch.clocks.shader_mhz})
    assert machine_tables(fast)["shared"]["latency_cycles"] == 2 * machine_tables(arch)["shared"]["latency_cycles"]


@pytest.mark.parametrize("part", sorted(CORE_PARTS))
def test_every_part_has_times_that_change(part):
    small = Cache(size_bytes=1 * KiB, line_bytes=64, sector_bytes=32, ways=4, latency_cycles=300, misses_in_flight=4, scope="multiprocessor",
                  write="evict")
    plain = gizmo(caches=Caches(l1=attrs.evolve(small, line_bytes=128, sector_bytes=128), constant=small, instruction=attrs.evolve(small, sector_bytes=small.line_bytes), texture_l1=small))
    arch = plain.evolve({"clocks.core_domain": CoreDomain(parts=(part,), cycle_ratio=RATIO)})

    def at_half(machine):
        return machine_tables(machine.evolve({"clocks.core_mhz": machine.clocks.core_mhz / 2}))
    with_part, without = at_half(arch), at_half(plain)
    assert [name for name in without if with_part[name] != without[name]]
    assert machine_tables(arch) == machine_tables(plain)


def test_issue_at_half_the_clock_halves_the_rate_of_arithmetic():
    arch = two_clocks("issue")
    half = arch.evolve({"clocks.core_mhz": arch.clocks.core_mhz / 2})
    warps = arch.limits.threads_per_block // arch.warp.size
    assert chained(half, ARITHMETIC, warps=warps) >= 1.5 * chained(arch, ARITHMETIC, warps=warps)


def test_parts_at_the_core_clock_are_named_and_known():
    for parts, fault in (((), "must name parts: without any nothing runs at the core clock, got ()"), (("shred",), "must name parts (issue, fetch, constants, "
                         "shared, l1, texture, load_store) or units, got 'shred' (did you mean shared?)")):
        with pytest.raises(SpecErrors) as caught:
            two_clocks(*parts)
        assert [str(each) for each in caught.value.exceptions] == [f"gizmo.clocks.core_domain.parts {fault}"]
