"""Does a launch count the same on a device that has run others as on a new one, though both use one memory for the machine's state?

What came before leaves lines in caches, requests on their way, warps that were given up: none of it may be seen by the next.
"""
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.engine import core
from archdef.errors import BudgetExceeded, GuestFault

MACHINES = [name for name in ("g80", "gt200", "gf100", "k20", "gtx980", "v100", "h100", "c500") if name in registry.names()]
pytestmark = pytest.mark.skipif(not MACHINES, reason="needs the plugins of this repository")
WORDS = 1 << 12
HEAD = """.version 6.0
.target sm_20
.address_size 64
.global .align 4 .u32 seen;
"""
KERNEL = """
.visible .entry {name}(.param .u64 data)
{{
    .reg .pred %p<3>; .reg .b32 %r<16>; .reg .b64 %rd<8>; .shared .align 4 .b8 room[1024];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;
    mov.u32 %r6, 0;
    {body}
}}
"""
BODIES = {
    "empty": "ret;",
    "reads": "LOOP: mad.lo.u32 %r5, %r6, 977, %r4; and.b32 %r5, %r5, 4095; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;"
             " ld.global.u32 %r7, [%rd3]; add.u32 %r4, %r4, %r7; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 6; @%p1 bra LOOP;"
             " and.b32 %r5, %r4, 4095; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r6; ret;",
    "shares": "and.b32 %r5, %r1, 255; mul.lo.u32 %r5, %r5, 4; mov.u32 %r7, room; add.u32 %r5, %r5, %r7; st.shared.u32 [%r5], %r4; bar.sync 0;"
              " ld.shared.u32 %r8, [%r5]; and.b32 %r9, %r1, 1; setp.eq.u32 %p1, %r9, 0; @%p1 bra EVEN; add.u32 %r8, %r8, 3;"
              " EVEN: and.b32 %r4, %r4, 4095; mul.wide.u32 %rd2, %r4, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r8; ret;",
    "faults": "mul.wide.u32 %rd2, %r4, 1048576; add.u64 %rd3, %rd1, %rd2; ld.global.u32 %r7, [%rd3]; st.global.u32 [%rd3], %r7; ret;",
    "adds": "LOOP: mad.lo.u32 %r5, %r6, 977, %r4; and.b32 %r5, %r5, 4095; mul.wide.u32 %rd2, %r5, 4; add.u64 %rd3, %rd1, %rd2;"
            " atom.global.add.u32 %r7, [%rd3], %r1; ld.global.u32 %r8, [%rd1]; add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 3; @%p1 bra LOOP; ret;",
    "never_ends": "LOOP: st.global.u32 [%rd1], %r6; add.u32 %r6, %r6, 1; bra LOOP; ret;",
}
TEXT = HEAD + "".join(KERNEL.format(name=name, body=body) for name, body in BODIES.items())
SEQUENCE = [("reads", 40), ("empty", 1), ("faults", 8), ("reads", 40), ("adds", 20), ("never_ends", 30), ("reads", 3), ("adds", 5), ("shares", 16), ("empty", 1), ("reads", 40)]


def device(machine):
    made = archdef.Device(machine)
    return made, made.compile(TEXT)


def once(machine, module, name, blocks):
    """All that a launch counts, or the kind of its error and what that says."""
    data = machine.to_device((np.arange(WORDS, dtype=np.uint32) * 7) % 13)
    try:
        run = module[name][blocks, 128].launch(data, max_cycles=20_000, progress=False)
    except (GuestFault, BudgetExceeded) as error:
        return type(error).__name__, str(error)
    counters = run.counters
    return (run.cycles, counters.statements.tobytes(), counters.multiprocessor.tobytes(), counters.partition.tobytes(), counters.issued.tobytes(),
            counters.max_resident_blocks, counters.partitions_in_use, data.to_host().tobytes())


@pytest.mark.parametrize("name", MACHINES)
def test_launches_after_each_other_count_as_each_on_a_new_device(name):
    machine, module = device(name)
    for kernel, blocks in ((kernel, blocks) for kernel, blocks in SEQUENCE if kernel != "adds" or name != "g80"):       # which has no atomics
        assert once(machine, module, kernel, blocks) == once(*device(name), kernel, blocks), (kernel, blocks)


@pytest.mark.parametrize("name", [each for each in ("gt200", "v100") if each in MACHINES])
def test_devices_of_several_threads_do_not_see_each_other(name):
    expected = [once(*device(name), kernel, blocks) for kernel, blocks in SEQUENCE]

    def all_of_them(_):
        machine, module = device(name)
        return [once(machine, module, kernel, blocks) for kernel, blocks in SEQUENCE]
    with ThreadPoolExecutor(3) as pool:
        assert all(found == expected for found in pool.map(all_of_them, range(3)))


@pytest.mark.parametrize("name", [each for each in ("gt200", "v100") if each in MACHINES])
def test_sessions_of_one_machine_at_a_time_do_not_see_each_other(name):
    machine, other = archdef.Device(name), archdef.Device(name)
    tables, expected = core.Tables(machine.machine), once(*device(name), "shares", 40)[0]
    grids = []
    for each in (machine, other):
        module = each.compile(TEXT)
        prepared = module["shares"][40, 128].prepare(each.to_device((np.arange(WORDS, dtype=np.uint32) * 7) % 13))
        session = core.Session(tables, each.memory.engine)
        grids.append((session, prepared.start(session)))
    for _ in range(1000):                   # in turns, a few cycles each
        for session, _ in grids:
            session.advance(1000, until_cycle=session.cycle + 50, closed=True)
    for session, grid in grids:
        while session.advance(1000):
            pass
        assert session.finished() == [grid] and session.result(grid)["cycles"] == expected


def test_a_recorded_launch_counts_as_one_that_is_not():
    machine, module = device(MACHINES[-1])
    data = machine.to_device(np.zeros(WORDS, np.uint32))
    plain = module["shares"][16, 128].launch(data, progress=False)
    recorded = module["shares"][16, 128].launch(data, progress=False, timeline=True)
    assert plain.cycles == recorded.cycles and (plain.counters.multiprocessor == recorded.counters.multiprocessor).all()


def test_a_machine_that_has_changed_is_not_the_one_before():
    machine, module = device(MACHINES[-1])
    before = once(machine, module, "reads", 40)
    machine.set_machine({"chip.multiprocessors": 2})
    after = once(machine, module, "reads", 40)
    assert len(after[2]) < len(before[2]) and after[0] > before[0]
    assert after == once(*_changed(MACHINES[-1]), "reads", 40)


def _changed(name):
    made = archdef.Device(registry.get(name).evolve({"chip.multiprocessors": 2}))
    return made, made.compile(TEXT)
