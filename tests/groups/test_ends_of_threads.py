"""Do threads that return early let the rest of their block go on, in every form of C++ that leads to it, by either compiler,
optimised or built to be debugged?"""
from pathlib import Path

import numpy as np
import pytest

import archdef
from archdef import registry
from archdef.errors import PtxError
from archdef.frontends import nvcc, nvrtc

SOURCE = Path(__file__).with_name("early_returns.cu")
N = 5
THREADS = range(64)
EXPECTED = {}
"""Kernel → what it leaves in the first 128 words, computed thread by thread from the C++."""


def expects(rule):
    """A rule fills a dictionary of words; words that it leaves out are zero."""
    words: dict[int, int] = {}
    rule(words)
    memory = np.zeros(128, int)
    memory[list(words)] = list(words.values())
    EXPECTED[rule.__name__] = memory
    return rule


@expects
def function_returns_early(o):
    for t in THREADS:
        o[t] = -t if t % 3 == 0 else 2 * t if t > N and t & 1 else 3 * t if t > N and t & 2 else 4 * t
    o.update({t + 64: o[t ^ 1] for t in THREADS})


@expects
def function_exits(o):
    o.update({t: 100 + t if t < N else t for t in THREADS})
    o.update({t + 64: o[63 - t] for t in THREADS if t >= N})


@expects
def endless_loop_returns(o):
    o.update({t: t // 3 + 1 for t in THREADS} | {t + 64: sum(range(t // 3 + 1)) for t in THREADS})


@expects
def loop_returns_one_by_one(o):
    o.update({t: t % 32 for t in THREADS} | {t + 64: t % 32 for t in THREADS})


@expects
def inner_loop_returns(o):
    o.update({t: t // 4 * 10 + t % 4 if t < 24 else 7 for t in THREADS})


@expects
def jumps_out(o):
    o.update({t: 99 if t == N else 4 for t in THREADS})


@expects
def switch_by_chain(o):
    kinds = {0: 1, 1: 2, 2: 3, 3: 9, 4: 5}
    o.update({t: kinds[t % 5] for t in THREADS if t % 5 != 3 or t <= N})
    o.update({t + 64: o.get((t + 1) % 64, 0) for t in THREADS if t % 5 in (1, 4) or t % 5 == 3 and t <= N})


@expects
def switch_by_table(o):
    values = [11, 13, 17, 19, 23, 29, 31, 37, 41] + [43] * 7
    o.update({t: values[t % 16] for t in THREADS})
    o.update({t + 64: o[(t + 1) % 64] for t in THREADS if t % 16 not in (0, 2, 4, 7)})


@expects
def nested(o):
    left = []
    for t in THREADS:
        goes_on = not (t & 3 == 3 and t & 4 or t & 3 == 1 and t & 8)
        if t & 1:
            if t & 2:
                o[t] = 1 if t & 4 else 2
            elif goes_on:
                o[t] = 3
        elif t & 16:
            o[t] = int(t ** 0.5) + 1
            goes_on = not t & 4
        else:
            o[t] = 4
        left += [t] * goes_on
    o.update({t + 64: o.get((t + 3) % 64, 0) for t in left})


@expects
def condition_of_three_tests(o):
    left = [t for t in THREADS if not (t == 3 or 30 < t < 35 or t & N == N)]
    o.update(dict.fromkeys(left, len(left)))


@expects
def one_is_left(o):
    o.update({t: 6 if t % 32 == 9 else 1 for t in THREADS} | {73: 2, 105: 2})


@expects
def a_warp_ends(o):
    o.update({t: 3 if t < 32 else 4 for t in THREADS if t != 40})


@expects
def stores_of_two_ways(o):
    o.update({t: 5 if t >= 40 else 1 for t in THREADS})


@expects
def sums_of_two_ways(o):
    o.update({t: 25 if t & 1 else 15 for t in THREADS} | {t + 64: 3 for t in THREADS if not t & 1})


@expects
def warp_of_two(o):
    o[0] = 6


@expects
def halves_of_a_warp(o):
    o[0] = sum(range(32))


@expects
def shuffles_of_those_that_are_left(o):
    o.update({t: 1 if t % 32 >= 24 else sum(range(t // 8 * 8, t // 8 * 8 + 8)) for t in THREADS})


@expects
def traps_beside(o):
    o.update({t: 1 for t in THREADS if t >= N})


@expects
def trap_on_a_condition_of_all(o):
    o.update({t: 2 for t in THREADS if t <= 50} | {N: 1})


@pytest.fixture(scope="module", params=[("nvrtc", False), ("nvrtc", True), ("nvcc", False), ("nvcc", True)],
                ids=["nvrtc", "nvrtc-debug", "nvcc", "nvcc-debug"])
def build(request):
    compiler, debug = request.param
    chain = {"nvrtc": nvrtc, "nvcc": nvcc}[compiler].toolchain()
    if chain is None:
        pytest.skip(f"{compiler} is not installed")
    return {"compiler": compiler, "debug": debug, "target": f"compute_{max(50, chain.targets[0])}"}


@pytest.fixture(scope="module", params=registry.names())
def module(request, build):
    return archdef.Device(request.param, max_cycles=2_000_000).compile(SOURCE, **build)


@pytest.mark.parametrize("kernel", EXPECTED)
def test_a_kernel_with_early_returns_ends_and_is_right(module, kernel):
    memory = module.device.zeros(256, "i4")
    try:
        run = module[kernel][1, 64](memory, N)
    except PtxError as error:       # the machine lacks an instruction, or has wider warps than a mask names
        pytest.skip(str(error))
    assert np.array_equal(memory.to_host()[:128], EXPECTED[kernel])
    assert run.warnings == ()


def test_every_kernel_of_the_file_is_asked_for():
    assert {line.split("(")[1].split(")")[0] for line in SOURCE.read_text().splitlines() if line.startswith("KERNEL(")} == set(EXPECTED)
