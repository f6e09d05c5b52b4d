"""Kernels about control flow end, with what the reference leaves in memory, on every installed machine: early returns, breaks, switches, calls and
loops that only the end leaves, around barriers, votes and shuffles, in the shapes that compilers give them.

The same kernels each time; ``pytest -m long tests/oracle/test_flow.py`` draws others, as many as ``ARCHDEF_FLOW_KERNELS`` says, from
``ARCHDEF_FLOW_SEED`` on.
"""
import os
import random
import sys
from collections import Counter

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import GuestFault
from archdef.lower import Options
from archdef.ptx import parse
from archdef.ptx.graph import post_dominators
from archdef.run.launch import Launcher
from archdef.testing import equals_reference, reference
from archdef.testing.kernel_flow import WAITS, WAYS_OUT, Module, draw

EACH = 10
"""Kernels of each machine here."""
MANY = 1700
"""Kernels of the long test, of all machines together."""
SWITCHES = [name for name, kind in Options.__annotations__.items() if kind == "bool"]


@pytest.fixture(autouse=True)
def nobody_is_warned(monkeypatch):
    """Kernels that keep CUDA's rules never have threads of a warp at different barriers."""
    launch = Launcher.__call__

    def checked(self, *arguments):
        run = launch(self, *arguments)
        assert run.warnings == ()
        return run
    monkeypatch.setattr(Launcher, "__call__", checked)


def check(name: str, seed: int) -> None:
    """One kernel, drawn from a seed, on one machine, with some passes."""
    numbers, architecture = random.Random(seed), registry.get(name)
    launch = draw(numbers.randint, architecture.isa.features, architecture.warp.size)
    options = numbers.choice([Options(), Options(**dict.fromkeys(SWITCHES, False)),
                              Options(**{switch: numbers.random() < 0.5 for switch in SWITCHES})])
    try:
        equals_reference(architecture, launch, options=options, max_steps=2_000_000)
    except reference.Wrong as error:        # the engine has ended it; what recurses within loops takes the reference minutes
        if "too many steps" not in str(error):
            raise


@pytest.mark.parametrize("name", registry.names())
def test_random_control_flow_ends_and_equals_the_reference(name):
    for k in range(EACH):
        check(name, registry.names().index(name) + k * len(registry.names()))


@pytest.mark.long
@pytest.mark.parametrize("name", registry.names())
def test_much_random_control_flow_ends_and_equals_the_reference(name):
    names = registry.names()
    for k in range(int(os.environ.get("ARCHDEF_FLOW_KERNELS", MANY)) // len(names)):
        check(name, int(os.environ.get("ARCHDEF_FLOW_SEED", "10000")) + names.index(name) + k * len(names))


def test_what_is_drawn_holds_each_kind_of_control_flow():
    """A writer that draws fewer kinds would still pass everything else."""
    features = registry.get("h100").isa.features
    texts = [Module(random.Random(seed).randint, features, 64, 32).text() for seed in range(60)]
    words = {i.opcode for text in texts for f in parse(text).functions.values() for i in f.body}
    assert words >= {"bar", "barrier", "vote", "shfl", "brx", "bra", "call", "ret", "exit"}
    kernels = [parse(text).functions["k"] for text in texts]
    assert any(sum(i.opcode in ("ret", "exit") for i in k.body) == 1 for k in kernels)                   # merged returns
    assert any(sum(i.opcode in ("ret", "exit") for i in k.body) > 3 for k in kernels)                    # and those that are not
    assert any("bra.uni" in text and "@!%p" not in text for text in texts)                               # what is made to be debugged
    assert any(i.guard and i.opcode in ("add", "xor", "mad", "mov") for k in kernels for i in k.body)    # pieces under a guard


def test_what_is_drawn_leaves_loops_that_wait_in_every_way():
    features, written = registry.get("h100").isa.features, Counter()
    for seed in range(400):
        module = Module(random.Random(seed).randint, features, 64, 32)
        module.text()
        written += module.written
    assert set(written) >= {f"{way} beside {wait}" for way in WAYS_OUT for wait in WAITS}
    assert set(written) >= {"switch by table", "switch by chain", "loop that only the end leaves", "call of itself", "loop: while", "loop: rotated",
                            "loop: do", "loop: within"}


@pytest.mark.parametrize("name, seed", [("p100", 30), ("gf104", 56), ("k20", 60)])
def test_kernels_tell_apart_lowering_that_lets_lanes_meet_wherever_their_ways_merge(name, seed, monkeypatch):
    """As compilers merge the code with which threads end: some then go to a barrier one after the other that come there together."""
    if name not in registry.names():
        pytest.skip(f"{name} is not installed")
    monkeypatch.setattr(sys.modules["archdef.lower.pack"], "reconvergence_points", lambda graph, waits: post_dominators(graph.successors))
    with pytest.raises(AssertionError):
        check(name, seed)
    monkeypatch.undo()
    check(name, seed)


NO_MEETING = """.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 words)
{
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %d<4>; .shared .b32 s[64];
    ld.param.u64 %d1, [words]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;
    mov.u64 %d3, s; add.s64 %d3, %d3, %d2; mov.u32 %r4, 5; and.b32 %r3, %r1, 3;
    T: .branchtargets TAIL, LONG, WAIT, WAIT;
    brx.idx %r3, T;
LONG: mul.lo.u32 %r4, %r4, %r1;
WAIT: st.shared.u32 [%d3], %r1; bar.sync 0;
    xor.b32 %r5, %r1, 1; mul.wide.u32 %d2, %r5, 4; mov.u64 %d3, s; add.s64 %d3, %d3, %d2; ld.shared.u32 %r6, [%d3]; add.u32 %r4, %r4, %r6;
TAIL: st.global.u32 [%d1], %r4;
    ret;
}"""


@pytest.mark.parametrize("name", registry.names())
def test_two_ways_to_a_barrier_meet_before_it_though_a_third_leads_to_the_merged_end(name):
    """All ways meet at TAIL only; threads 0, 4, … are as good as ended there. LONG and WAIT come to the barrier once, together."""
    device = archdef.Device(name, max_cycles=1_000_000)
    out = device.zeros(64, "u4")
    run = device.compile(NO_MEETING)["k"][1, 64](out)
    t = np.arange(64)
    other = np.where((t ^ 1) % 4 == 0, 0, t ^ 1)        # a thread that went to the end has stored nothing
    expected = np.choose(t % 4, [np.full(64, 5), 5 * t + other, 5 + other, 5 + other])
    assert np.array_equal(out.to_host(), expected) and run.warnings == ()


TRAPS = """.version 7.0
.target sm_50
.address_size 64
.visible .entry k(.param .u64 words, .param .u32 n)
{
    .reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [words]; ld.param.u32 %r2, [n]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2;
    setp.ge.u32 %p1, %r1, 40; @%p1 bra END;
    setp.eq.u32 %p2, %r1, %r2; @!%p2 bra ON;
    INSTRUCTION;
ON: bar.sync 0; st.global.u32 [%d1], 1;
END: ret;
}"""


@pytest.mark.parametrize("instruction", ["trap", "brkpt"])
@pytest.mark.parametrize("name", registry.names())
def test_a_trap_or_a_breakpoint_ends_the_launch_if_a_thread_meets_it(name, instruction):
    """CUDA: without a debugger a breakpoint is an error too. Threads that have ended do not meet it."""
    device = archdef.Device(name, max_cycles=1_000_000)
    kernel = device.compile(TRAPS.replace("INSTRUCTION", instruction))["k"]
    with pytest.raises(GuestFault, match="trap") as caught:
        kernel[1, 64](device.zeros(64, "u4"), 7)
    assert caught.value.data["thread"] == (7, 0, 0)
    device = archdef.Device(name, max_cycles=1_000_000)
    out = device.zeros(64, "u4")
    device.compile(TRAPS.replace("INSTRUCTION", instruction))["k"][1, 64](out, 50)
    assert out.to_host().sum() == 40


NEVER_RETURNS = """.version 7.0
.target sm_50
.address_size 64
.func (.reg .b32 %back) leave(.reg .b32 %x, .reg .b64 %to) { mov.u32 %back, 1; st.global.u32 [%to], %x; exit; }
.visible .entry k(.param .u64 words)
{
    .reg .pred %p; .reg .b32 %r<4>; .reg .b64 %d<4>;
    ld.param.u64 %d1, [words]; mov.u32 %r1, %tid.x; mul.wide.u32 %d2, %r1, 4; add.s64 %d1, %d1, %d2; mov.u32 %r2, 9;
    setp.lt.u32 %p, %r1, 40; @%p bra ON;
    call (%r2), leave, (%r1, %d1);
ON: bar.sync 0; st.global.u32 [%d1], %r2; ret;
}"""


@pytest.mark.parametrize("name", [name for name in registry.names() if "device_calls" in registry.get(name).isa.features])
def test_a_function_that_never_returns_may_declare_a_result(name):
    device = archdef.Device(name, max_cycles=1_000_000)
    out = device.zeros(64, "u4")
    device.compile(NEVER_RETURNS)["k"][1, 64](out)
    assert np.array_equal(out.to_host(), np.where(np.arange(64) < 40, 9, np.arange(64)))
