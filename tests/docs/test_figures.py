"""Do the figures of the explanation pages show what launches give, and their sliders what the engine does?"""
import json
import re
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from archdef import occupancy, registry
from archdef.errors import LaunchError
from archdef.frontends import nvrtc

DOCS = Path(__file__).parents[2] / "docs"
sys.path.append(str(DOCS))
import figures  # noqa: E402
import interactive  # noqa: E402
import measurements  # noqa: E402

needs_plugins = pytest.mark.skipif(not set(measurements.SHOWN) <= set(registry.names()), reason="needs the plugins of this repository")
made_by_nvrtc_11_8 = pytest.mark.skipif(str(nvrtc.toolchain()) != "NVRTC 11.8", reason="the figures show what the NVRTC wheel of archdef[cuda] makes of the kernels")
KEPT = json.loads(measurements.FILE.read_text(encoding="utf-8"))
PAGES = "".join(page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))


def of(figure, key):
    """The values of each machine."""
    return {name: values[key] for name, values in KEPT[figure].items()}


@needs_plugins
@made_by_nvrtc_11_8
@pytest.mark.parametrize("figure", measurements.MEASURED, ids=lambda figure: figure.__name__)
def test_launches_give_what_is_drawn(figure):
    made = {name: values for kept, name, values in measurements.measured((figure,))}
    assert made == KEPT[figure.__name__], "refresh it with: python docs/measurements.py"


def test_each_figure_is_on_a_page():
    shown = set(re.findall(r"_generated/static/(\w+)\.svg", PAGES))
    assert shown == {figure.__name__ for figure in figures.FIGURES} == set(KEPT)
    assert set(re.findall(r"_generated/(\w+)\.html", PAGES)) == set(interactive.INTERACTIVE)


def test_each_line_has_a_style_and_as_many_values_along_both_axes():
    for figure in figures.FIGURES:
        for panel in figure():
            assert panel.lines and all(name in figures.STYLES and len(x) == len(y) > 3 for name, (x, y) in panel.lines.items()), figure.__name__


def test_reads_move_what_the_page_says():
    moved = {name: dict(zip(measurements.STRIDES, values, strict=True)) for name, values in of("coalescing", "moved").items()}
    assert moved["g80"][1] == 1 and moved["g80"][2] == 8
    assert moved["gf100"][32] == moved["c500"][32] == 32 and moved["v100"][32] == moved["h100"][32] == 8 == moved["gt200"][32] < moved["gt200"][16]


def test_odd_rows_are_free_and_rows_of_all_banks_are_not():
    for name, passes in of("bank_conflicts", "passes").items():
        by_width = dict(zip(measurements.WIDTHS, passes, strict=True))
        assert all(by_width[width] == 1 for width in (33, 35, 37, 39)) and by_width[34] == 2 and by_width[32] == (16 if name in ("g80", "gt200") else 32)
    time = of("bank_conflicts", "time")
    assert 13 < time["gf100"][0] < 15 and 7.5 < time["v100"][0] < 8.5


def test_one_length_of_rows_camps_and_the_hash_spreads_it():
    values = KEPT["partition_camping"]["gt200"]
    here = measurements.ROW_LENGTHS.index(512)
    assert values["in use, in turn"][here] == 1 and values["time, in turn"][here] > 6 * values["time, in turn"][here - 2]
    assert values["in use, hashed"][here] > 7 and max(values["time, hashed"]) == values["time, hashed"][measurements.ROW_LENGTHS.index(576)]


def test_time_is_a_straight_line_in_the_number_of_ways():
    for name, time in of("divergence", "time").items():
        slopes = np.diff(time) / np.diff(measurements.WAYS)
        assert 0 < slopes.min() and slopes.max() < 1.2 * slopes.min() and slopes.max() < 1, name


def test_what_hides_latency():
    one, four = of("latency_hiding", "rate, 1"), of("latency_hiding", "rate, 4")
    for name, latency, rate in (("g80", 24, 0.25), ("gf100", 18, 1), ("h100", 4, 4), ("v100", 4, 2)):
        assert 0.9 / latency < one[name][0] <= 1 / latency and 0.9 * rate < max(one[name]) <= rate
        assert max(four[name]) > 0.9 * rate and four[name][0] > 1.8 * one[name][0]
    assert four["c500"] == pytest.approx(one["c500"], rel=0.02)


def test_contention_is_serial():
    for space in ("global", "shared"):
        for name, cycles in of("atomics", space).items():
            assert all(after < before for before, after in pairwise(cycles[:4])), name
    words = dict(zip(measurements.WORDS, KEPT["atomics"]["gf100"]["global"], strict=True))
    assert all(words[count] == pytest.approx(words[1] / count, rel=0.2) for count in (2, 4, 8, 16, 32))


def test_unrolling_gains_more_than_instructions():
    for name, speed_up in of("unrolling", "speed-up").items():
        instructions = KEPT["unrolling"][name]["instructions"]
        assert instructions == sorted(instructions, reverse=True) and 0.4 < instructions[-1] / instructions[0] < 0.7
        assert speed_up[-1] > instructions[0] / instructions[-1] or name == "gt200", name


@needs_plugins
def test_transactions_of_the_slider_are_those_of_launches():
    machines = interactive.strides()["machines"]
    for name, moved in of("coalescing", "moved").items():
        for stride, ratio in zip(measurements.STRIDES, moved, strict=True):
            pieces = machines[name]["pieces"][0][stride]
            assert sum(size * count for _, size, _, count in pieces) / 4 / machines[name]["lanes"] == pytest.approx(ratio), (name, stride)


def test_repeated_pieces_are_shortened_without_loss():
    pieces = [(0, 32), (64, 32), (128, 32), (128, 64), (0, 64), (7, 64), (9, 64), (9, 64)]
    assert [(start + k * step, size) for start, size, step, count in interactive.repeated(pieces) for k in range(count)] == pieces


@needs_plugins
def test_passes_of_the_slider_are_those_of_launches():
    machines = interactive.padding()["machines"]
    for name, passes in of("bank_conflicts", "passes").items():
        of_32 = machines[name]["columns"][interactive.ROW_WORDS.index(32)]
        for width, ratio in zip(measurements.WIDTHS, passes, strict=True):
            shown = of_32[interactive.PADDINGS.index(width - 32)]
            assert shown["passes"] / of_32[1]["passes"] == ratio, (name, width)


@needs_plugins
def test_the_least_of_what_resources_allow_is_what_is_resident():
    for name, shown in interactive.resources()["machines"].items():
        for k, threads in enumerate(interactive.THREADS):
            for j, registers in list(enumerate(interactive.REGISTERS))[::3]:
                for i, size in list(enumerate(interactive.SHARED))[::5]:
                    try:
                        blocks = occupancy(name, threads=threads, registers=registers, shared_bytes=size).active_blocks
                    except LaunchError:
                        blocks = 0
                    assert min(shown["blocks"], shown["warps"][k], shown["registers"][k][j], shown["shared"][i]) == blocks, (name, threads, registers, size)


@needs_plugins
def test_an_interactive_figure_is_small_and_loads_nothing():
    for name in interactive.INTERACTIVE:
        text = interactive.html(name)
        assert len(text) < 300_000 and "http" not in text and "<noscript>" in text
    script = (DOCS / "_static" / "interactive.js").read_text(encoding="utf-8")
    assert len(script) < 300_000 and not re.search(r"fetch|import|XMLHttp|http", script)
