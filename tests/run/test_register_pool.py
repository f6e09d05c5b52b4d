"""setmaxnreg: warps give registers to their block's pool and wait for those that they take, on an H100."""
import functools

import numpy as np
import pytest

import archdef
from archdef.errors import GuestFault, PtxError

GROUPS = """
.version 8.3
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out) {directives} {{
.reg .pred %p<8>; .reg .b32 %r<20>; .reg .b64 %rd<8>;
ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 7; setp.eq.u32 %p1, %r2, 0; setp.eq.u32 %p2, %r2, 1; mov.u32 %r3, 0;
{body}
mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r2;
END: ret; }}
"""
THREE = ".maxntid 384 .minnctapersm 1"
"""ptxas gives such a kernel 168 registers a thread: 65,536 for 384 threads, in eights."""


@functools.cache
def device():
    return archdef.Device("h100")


def launched(body, threads=384, directives=THREE, blocks=1):
    """Run it; every group must have come to its end."""
    out = device().zeros(threads, "u4")
    run = device().compile(GROUPS.format(directives=directives, body=body)).k[blocks, threads](out)
    assert np.array_equal(out.to_host(), np.arange(threads) // 128)
    return run


def split(first, *others, first_before="", before=""):
    """Group 0 changes by `first`, group 1 and those behind by the others, or the one other."""
    others = [f"setmaxnreg.{o.split()[0]}.sync.aligned.u32 {o.split()[1]};" for o in others]
    return (f"@%p1 bra FIRST; {before} " + (others[0] if len(others) == 1 else f"@%p2 bra SECOND; {others[1]} bra NEXT; SECOND: {others[0]}")
            + f" bra NEXT; FIRST: {first_before} setmaxnreg.{first.split()[0]}.sync.aligned.u32 {first.split()[1]}; NEXT:")


LATER = "mov.u64 %rd4, %clock64; LOOK: mov.u64 %rd5, %clock64; sub.u64 %rd5, %rd5, %rd4; setp.lt.u64 %p3, %rd5, 3000; @%p3 bra LOOK;"
"""Three thousand cycles go by."""


def stalls(run, way):
    return sum(s.counters.stalls["registers"] for s in run.statements if s.text.startswith(f"setmaxnreg.{way}"))


def test_who_takes_waits_until_enough_were_given():
    """504 registers for three groups, as CUTLASS divides them: 24 for the one that loads, 240 for each of the two that compute."""
    early, late = launched(split("dec 24", "inc 240")), launched(split("dec 24", "inc 240", first_before=LATER))
    assert late.registers == early.registers == 168
    assert 8 * 2800 < stalls(late, "inc") < 8 * 3400 and stalls(early, "inc") < 8 * 200
    assert stalls(late, "dec") == 0 and late.cycles > early.cycles + 2500
    assert late.metrics["stall_registers"] > 50


def test_what_the_pool_has_is_had_at_once():
    run = launched(split("dec 24", "inc 240", before=LATER))
    assert stalls(run, "inc") == 0


def test_more_than_there_is_ends_in_a_deadlock_that_says_so():
    """80 and twice 224 are 528 of 504: the deadlock of forums.developer.nvidia.com/t/about-setmaxnreg/356190. On an H100
    the last group gets its 224 (tests/data/h100/setmaxnreg.txt, scarce), and 32 are left for each scheduler."""
    with pytest.raises(GuestFault, match=r"waits for registers that none of its warps gives back \(setmaxnreg\)"
                                         r"(?s:.)*waits for 224 registers a thread, having 168, while the pool has 32 for one warp") as caught:
        launched(split("dec 80", "inc 224") + "bar.sync 0;")
    assert caught.value.kind == "deadlock"
    assert sorted(w["warp"] for w in caught.value.data["waiting"] if "wanted" in w) == [4, 5, 6, 7]
    launched(split("dec 56", "inc 224") + "bar.sync 0;")       # 504


def test_a_scheduler_hands_out_what_its_own_warps_gave():
    """Warps 0 and 4 share a scheduler; what warps 1 to 3 give does not help warp 4."""
    one = "setp.lt.u32 %p1, %r1, 32; setp.ge.u32 %p2, %r1, 128; setp.lt.u32 %p3, %r1, 160; and.pred %p2, %p2, %p3; "
    body = "@%p1 bra GIVE; @%p2 bra TAKE; bra NEXT; GIVE: setmaxnreg.dec.sync.aligned.u32 24; bra NEXT; TAKE: setmaxnreg.inc.sync.aligned.u32 240; NEXT:"
    launched(one + body)
    with pytest.raises(GuestFault, match="waits for 240 registers a thread, having 168, while the pool has 0"):
        launched(one.replace("lt.u32 %p1, %r1, 32", "eq.u32 %p1, %r4, 1").replace("setp.ge", "shr.u32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 1; setp.ge", 1) + body)


def test_nobody_gets_the_registers_of_warps_that_have_ended():
    """An H100 hangs here (tests/data/h100/setmaxnreg.txt, ended): the texts do not say so."""
    with pytest.raises(GuestFault, match="waits for 248 registers a thread, having 168, while the pool has 0") as caught:
        launched("@%p1 bra END; setmaxnreg.inc.sync.aligned.u32 248; bar.sync 1, 256;")
    assert caught.value.kind == "deadlock"


def test_giving_what_one_has_not_and_taking_what_one_has_change_nothing():
    """As in ThunderKittens' loops, which ask anew in every round."""
    rounds = "mov.u32 %r9, 0; ROUND: {} add.u32 %r9, %r9, 1; setp.lt.u32 %p4, %r9, 4; bar.sync 0; @%p4 bra ROUND;"
    assert stalls(launched(rounds.format(split("dec 24", "inc 240"))), "inc") < 8 * 200


def test_every_block_has_a_pool_of_its_own():
    run = launched(split("dec 40", "inc 96", first_before=LATER), directives=".maxntid 384 .minnctapersm 2", blocks=2 * 132)
    assert run.registers == 80 and run.occupancy.active_blocks == 2
    assert 264 * 8 * 2800 < stalls(run, "inc") < 264 * 8 * 3400


def test_a_kernel_that_does_not_say_what_it_starts_with_issues_nothing():
    run = launched(split("dec 24", "inc 240", first_before=LATER), directives=".maxntid 384")
    assert stalls(run, "inc") == 0 and run.registers < 24
    assert all(s.counters.instructions == 0 for s in run.statements if s.text.startswith("setmaxnreg"))
    assert any("setmaxnreg has no effect" in warning for warning in run.warnings)


@pytest.mark.parametrize("threads", [96, 416])
def test_warps_take_part_as_they_were_launched(threads):
    """The instruction is of a warp; that all four of a group execute it is the program's duty."""
    launched("setmaxnreg.dec.sync.aligned.u32 24;", threads=threads, directives=f".maxntid {threads} .minnctapersm 1")


@pytest.mark.parametrize("body, message", [
    ("@%p5 setmaxnreg.dec.sync.aligned.u32 24;", "31 of its 32 lanes do not execute"),
    ("@!%p5 bra NEXT; setmaxnreg.dec.sync.aligned.u32 24; NEXT: bar.sync 0;", r"\(lanes 0x2\) waits, PTX line 8 `setmaxnreg")])
def test_part_of_a_warp_is_a_fault(body, message):
    with pytest.raises(GuestFault, match=message):
        launched("setp.eq.u32 %p5, %r1, 33; " + body)


TAKE, GIVE = "@%p1 bra A; setmaxnreg.inc.sync.aligned.u32 232; bra B; A: setmaxnreg.dec.sync.aligned.u32 40; B:", "setmaxnreg.dec.sync.aligned.u32 40;"


@pytest.mark.parametrize("directives, body, registers", [
    (THREE, TAKE, 168), (".reqntid 384 .minnctapersm 1", TAKE, 168), (".maxnreg 160", TAKE, 160), (".maxnreg 160 .maxntid 384", TAKE, 160),
    (".maxnreg 100", TAKE, 100), (".maxntid 384 .minnctapersm 2", TAKE, 80), (".maxntid 256 .minnctapersm 1", TAKE, 232),
    (".maxntid 128 .minnctapersm 1", TAKE, 232), (".maxntid 512 .minnctapersm 1", TAKE, 128), (THREE, GIVE, 168),
    (THREE, "setmaxnreg.inc.sync.aligned.u32 40;", 40)])
def test_kernels_start_with_as_many_as_ptxas_gives_them(directives, body, registers):
    """`ptxas -v -arch=sm_90a` of CUDA 13.0: "Used … registers"."""
    assert device().compile(GROUPS.format(directives=directives, body=body)).k.registers == registers


def test_giving_down_to_more_than_there_ever_is_is_refused():
    """ptxas 13.0, C7406: "larger than the largest temporal register count in the program"."""
    with pytest.raises(PtxError, match="setmaxnreg.dec to 200 registers, more than the 168 that the kernel has at any time"):
        device().compile(GROUPS.format(directives=THREE, body="setmaxnreg.dec.sync.aligned.u32 200;")).k.program
