"""Is a machine called livelocked when, and only when, nothing will ever change?"""
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import archdef
from archdef import registry
from archdef.errors import GuestFault
from archdef.frontends import nvrtc

_HEAD = """.version 7.0
.target sm_30
.address_size 64
.visible .entry kernel(.param .u64 words, .param .u32 rounds)
{
    .reg .b64 %d<3>; .reg .b32 %r<9>; .reg .pred %p<4>; .shared .align 8 .b8 sh[64];
    ld.param.u64 %d1, [words]; cvta.to.global.u64 %d1, %d1; ld.param.u32 %r8, [rounds];
    mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, WARP_SZ;
"""
_COUNT = "mov.u32 %r4, 0;\nCOUNT: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, %r8; @%p3 bra COUNT;\n"
_LOOK = "LOOK: ld.volatile.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;\n"
_WRITE = "mov.u32 %r6, 1; st.volatile.global.u32 [%d1], %r6;\n"
LATE_PRODUCER = f"{_HEAD} setp.ne.u32 %p1, %r2, 0; @%p1 bra LOOK;\n{_COUNT}{_WRITE} ret;\n{_LOOK} st.global.u32 [%d1+4], %r5; ret;\n}}"
NO_PRODUCER = f"{_HEAD}{_LOOK} ret;\n}}"
SLEEPERS = NO_PRODUCER.replace("LOOK: ", "LOOK: nanosleep.u32 100; ").replace("sm_30", "sm_70")
COMPARERS = NO_PRODUCER.replace("ld.volatile.global.u32 %r5, [%d1]", "atom.global.cas.b32 %r5, [%d1], 7, 9")
EXCHANGERS = NO_PRODUCER.replace("ld.volatile.global.u32 %r5, [%d1]", "mov.u32 %r6, 0; atom.global.exch.b32 %r5, [%d1], %r6")
ADDERS = NO_PRODUCER.replace("ld.volatile.global.u32 %r5, [%d1]; setp.eq.u32 %p2, %r5, 0",
                             "atom.global.add.u32 %r5, [%d1], 1; setp.lt.u32 %p2, %r5, %r8")
WATCHES_A_CLOCK = NO_PRODUCER.replace("setp.eq.u32 %p2, %r5, 0", "mov.u32 %r6, %clock; setp.lt.u32 %p2, %r6, %r8")
STORES_EACH_TIME = LATE_PRODUCER.replace("LOOK: ", "LOOK: st.volatile.global.u32 [%d1+8], %r1; ")
IN_SHARED_MEMORY = f"""{_HEAD} st.volatile.shared.u32 [sh], 0; bar.sync 0;
    setp.lt.u32 %p1, %r1, %r3; @%p1 bra FIRST;
    LOOK: ld.volatile.shared.u32 %r5, [sh]; setp.eq.u32 %p2, %r5, 0; @%p2 bra LOOK;
    st.global.u32 [%d1], %r5; ret;
    FIRST: {_COUNT} st.volatile.shared.u32 [sh], %r8; ret;
}}"""
ATOMICS = [n for n in registry.names() if "atomics_global" in registry.get(n).isa.features]
machines = pytest.mark.parametrize("name", registry.names())

atomics = pytest.mark.parametrize("name", ATOMICS)


def launch(name, text, rounds=1, blocks=2, warps=2, cycles=3_000_000, **changes):
    """Run, and give the first words afterwards."""
    device = archdef.Device(registry.get(name).evolve({"chip.multiprocessors": 2, **changes}), max_cycles=cycles)
    words = device.zeros(16, "u4")
    try:
        device.compile(text).kernel[blocks, warps * device.architecture.warp.size](words, rounds)
    finally:
        launch.words = words.to_host()
    return launch.words


@machines
@pytest.mark.parametrize("text", [LATE_PRODUCER, STORES_EACH_TIME], ids=["looks", "stores"])
def test_a_producer_that_takes_long_is_waited_for(name, text):
    assert launch(name, text, rounds=20_000)[:2].tolist() == [1, 1]


@machines
def test_a_producer_of_the_same_block_that_takes_long_is_waited_for(name):
    assert launch(name, IN_SHARED_MEMORY, rounds=20_000)[0] == 20_000


@machines
def test_who_watches_a_clock_is_waited_for(name):
    launch(name, WATCHES_A_CLOCK, rounds=200_000)


@atomics
def test_who_adds_each_time_is_waited_for(name):
    assert launch(name, ADDERS, rounds=5_000)[0] >= 5_000


@machines
def test_loops_around_what_nobody_writes_are_a_standstill(name):
    with pytest.raises(GuestFault, match="no warp can go on: the warps of 2 resident blocks wait") as caught:
        launch(name, NO_PRODUCER)
    assert caught.value.data["statement"].text in re.sub("LOOK: ", "", _LOOK).replace("; ", ";\n")
    assert len(caught.value.data["waiting"]) == 4 and caught.value.data["missing"] == [] and caught.value.data["branch"] is None
    assert {(w["block"], w["warp"]) for w in caught.value.data["waiting"]} == {((b, 0, 0), w) for b in range(2) for w in range(2)}
    assert caught.value.data["cycle"] < 200_000


@machines
def test_sleeping_between_looks_changes_nothing(name):
    with pytest.raises(GuestFault, match="no warp can go on"):
        launch(name, SLEEPERS)


@pytest.mark.parametrize("text", [COMPARERS, EXCHANGERS], ids=["cas", "exch"])
@atomics
def test_atomics_that_change_no_value_change_nothing(name, text):
    with pytest.raises(GuestFault, match="no warp can go on"):
        launch(name, text)


@machines
def test_the_device_can_be_used_after_a_standstill(name):
    device = archdef.Device(name)
    words = device.zeros(16, "u4")
    with pytest.raises(GuestFault):
        device.compile(NO_PRODUCER).kernel[2, 64](words, 1)
    words.copy_from_host(np.ones(16, "u4"))
    assert device.compile(NO_PRODUCER).kernel[2, 64](words, 1).cycles > 0


@settings(max_examples=25, deadline=None)
@given(st.sampled_from(registry.names()), st.integers(1, 4), st.integers(1, 3), st.integers(1, 30_000), st.integers(1, 9),
       st.sampled_from([1, 7, 64]))
def test_what_ends_is_never_called_a_standstill(name, blocks, warps, rounds, longer, lookahead):
    """Loops within loops whose inner state comes back each time; only a counter tells the rounds apart."""
    body = "mov.u32 %r7, 0;\nOUTER:\n" + "mov.u32 %r4, 0;\nCOUNT: add.u32 %r4, %r4, 1; setp.lt.u32 %p3, %r4, 50; @%p3 bra COUNT;\n"
    body += "xor.b32 %r6, %r6, %r1;\n" * longer + "add.u32 %r7, %r7, 1; mul.lo.u32 %r5, %r7, 50; setp.lt.u32 %p2, %r5, %r8; @%p2 bra OUTER;\n"
    launch(name, f"{_HEAD}mov.u32 %r6, 0;\n{body}st.global.u32 [%d1], %r7; ret;\n}}", rounds=rounds, blocks=blocks, warps=warps)
    assert launch.words[0] == max(1, -(-rounds // 50))


@pytest.mark.skipif(nvrtc.toolchain() is None or "gf100" not in registry.names(), reason="needs NVRTC and the plugin of the page")
def test_the_page_shows_what_the_error_says(tmp_path, monkeypatch):
    page = (Path(__file__).parents[2] / "docs" / "explanation" / "deadlocks.md").read_text()
    source, message = (re.search(rf"```{kind}\n(.*?)\n```", page, re.DOTALL)[1] for kind in ("cuda", "text"))
    monkeypatch.chdir(tmp_path)
    Path("lock.cu").write_text("__device__ int word;\n" + source)
    with pytest.raises(GuestFault) as caught:
        device = archdef.Device("gf100")
        device.compile("lock.cu").increment[1, 32](device.zeros(1, "i4"))
    assert _without_registers(str(caught.value)) == _without_registers(message)


def _without_registers(text):
    """What another release of the compiler may number otherwise."""
    return re.sub(r"PTX line \d+|%\w+|\$L__BB\w+|lock.cu:\d+", "", text)
