"""Do kernels end whose lanes return, leave loops or go elsewhere while others of their warp are at a barrier, with what an H200 leaves in memory?"""
import json
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import GuestFault, PtxError
from archdef.frontends import nvrtc

pytestmark = pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]")

SOURCE = Path(__file__).with_name("barriers.cu")
MEASURED = json.loads((Path(__file__).parents[1] / "data/h200/barriers.json").read_text())
MEASURED.pop("source")
MIXED = {"loop_continue", "two_and_one", "first_and_second", "both_sides", "switch_sides", "counts_apart"}
"""Threads of one warp are at different barrier instructions: an H200 ends or hangs as its assembler had it."""
THREADS_MISSING = {"spin_beside"}
"""A thread waits, before the barrier, for what another does behind it."""


@pytest.fixture(scope="module", params=registry.names())
def device(request):
    return archdef.Device(request.param, max_cycles=1_000_000)


def launch(device, kernel):
    """Launch a kernel and give its run and the first 128 words, or skip: the machine lacks an instruction."""
    memory = device.zeros(256, "i4")
    try:
        run = device.compile(SOURCE, target="compute_50")[kernel][1, 64](memory, 5)
    except PtxError as error:
        pytest.skip(str(error))
    return run, memory.to_host()[:128]


@pytest.mark.parametrize("kernel", sorted(MEASURED.keys() - MIXED - THREADS_MISSING))
def test_a_correct_kernel_ends_with_the_memory_that_it_leaves_on_an_h200(device, kernel):
    run, memory = launch(device, kernel)
    for place, value in enumerate(MEASURED[kernel]["memory"]):
        assert value is None or memory[place] == value, place
    assert MEASURED[kernel]["ends"] and not any("barrier" in w for w in run.warnings)


@pytest.mark.parametrize("kernel", sorted(MIXED))
def test_threads_of_a_warp_at_different_barriers_end_with_a_warning_that_names_the_line(device, kernel):
    run, _ = launch(device, kernel)
    line = next(n for n, text in enumerate(SOURCE.read_text().splitlines(), 1) if f"KERNEL({kernel})" in text)
    assert any("barrier" in w and f"barriers.cu:{line}" in w and "undefined" in w for w in run.warnings)


def test_a_thread_that_waits_for_what_comes_behind_the_barrier_is_a_deadlock_where_each_thread_counts(device):
    assert not MEASURED["spin_beside"]["ends"]
    if not device.architecture.warp.reconvergence.independent:
        launch(device, "spin_beside")       # the others of its warp arrive for it, and it runs when they have ended
        return
    with pytest.raises(GuestFault, match="no warp can go on") as caught:
        launch(device, "spin_beside")
    assert caught.value.data["barrier"] == 0 or caught.value.data["waiting"]


def test_the_page_on_deadlocks_counts_what_was_measured():
    page = " ".join((Path(__file__).parents[2] / "docs/explanation/deadlocks.md").read_text().split())
    words = ("none", "one", "two", "three", "four", "five", "six", "seven")
    differ, hang = (words[sum(len(MEASURED[kernel]["ends"]) == builds for kernel in MIXED)] for builds in (1, 0))
    assert f"of {words[len(MIXED)]} kernels that do this, optimised and debug builds of {differ} differ, and {hang} hangs in both" in page
    assert f"All {len(MEASURED.keys() - MIXED - THREADS_MISSING)} measured kernels that keep the rule end here" in page


LOOPS = """
// Loops whose only way out is the kernel's end, and whose last code is one side of a branch: threads meet before the next round, not in it.
__global__ void sums(int *o, int n)
{
    __shared__ int s[64];
    int t = threadIdx.x, v = t;
    for (int i = 0;; i++) {
        s[t] = v;
        __syncthreads();
        int w = s[(t + 1) & 63];
        if (i == n)
            break;
        if (t >= 16)
            w += s[t - 1];
        __syncthreads();
        v += w;
        o[t] = v;
    }
}
__global__ void rounds(int *o, int n)
{
    __shared__ int done;
    int t = threadIdx.x;
    if (t == 0)
        done = 0;
    for (;;) {
        __syncthreads();
        if (done >= n)
            break;
        __syncthreads();
        if (t >= 16) {
            o[t] += t;
            if (t == 16)
                done++;
        }
    }
}
"""


@pytest.mark.parametrize("kernel", ["sums", "rounds"])
def test_threads_meet_before_the_next_round_of_a_loop_that_ends_with_the_kernel(device, kernel):
    t, rounds = np.arange(64, dtype="i4"), 5
    expected = np.where(t >= 16, rounds * t, 0) if kernel == "rounds" else t
    for _ in range(rounds if kernel == "sums" else 0):
        expected = expected + np.roll(expected, -1) + np.where(t >= 16, np.roll(expected, 1), 0)
    out = device.zeros(64, "i4")
    run = device.compile(LOOPS)[kernel][1, 64](out, rounds)
    assert np.array_equal(out.to_host(), expected) and run.warnings == ()
