"""Plots show the run's own figures, name their units, and leave matplotlib as it was."""
import itertools
import subprocess
import sys
from pathlib import Path

import attrs
import numpy as np
import pytest

pytest.importorskip("matplotlib", reason="plots need the extra plot")
sys.path += [str(Path(__file__).parents[1] / "unit"), str(Path(__file__).parents[1] / "html")]
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from reported import DIVERGENT, products, transposes
from small_machine import gizmo

from archdef import Device, LaneWindow, TimelineWindow, plot
from archdef.attribution.measure import Time
from archdef.attribution.result import Attribution, Factor
from archdef.attribution.shapley import Contribution
from archdef.errors import LaunchError
from archdef.html.charts import CAUSES, STATES
from archdef.html.occupied import curves
from archdef.metrics.stalls import WAITS_FOR
from archdef.plot import roof
from archdef.plot.axes import filling
from archdef.report.curves import Panel

WIDTHS = (3.3, 7.0)


def axes(width=7.0):
    return Figure(figsize=(width, 3), layout="constrained").subplots()


def divergent(machine=None, threads=32, blocks=1, **options):
    machine = machine or gizmo()
    device = Device(machine)
    return device.compile(DIVERGENT).k[blocks, threads].launch(device.zeros(2048, "u4"), **options)


RUNS = [row.run for row in (*transposes().rows, *products().rows)]
EACH = pytest.mark.parametrize("run", RUNS, ids=[f"{run.kernel}-{run.architecture.chip.multiprocessors}-{k}" for k, run in enumerate(RUNS)])
TRACED = divergent(blocks=3, timeline=True, lanes=LaneWindow(cycles=(0, 4000)))


def lengths(ax):
    """Label → widths of its bars."""
    return {bars.get_label(): [bar.get_width() for bar in bars] for bars in ax.containers}


@EACH
def test_a_cpi_stack_is_the_runs_own_and_has_its_whole_length(run):
    ax = run.plot.cpi(axes())
    shown = {cause.replace("_", " "): cycles for cause, cycles in run.cpi_stack.items() if cycles}
    assert {name: width for name, (width,) in lengths(ax).items()} == pytest.approx(shown)
    last = ax.containers[-1][0]
    assert last.get_x() + last.get_width() == pytest.approx(sum(run.cpi_stack.values())) == pytest.approx(ax.get_xlim()[1])
    assert ax.get_xlabel() == "cycles of a warp per instruction"


@EACH
def test_stalls_are_shares_of_all_warp_cycles(run):
    ax = run.plot.stalls(axes())
    whole = sum(run.counters.stalls.values())
    names = [label.get_text().replace(" ", "_") for label in ax.get_yticklabels()]
    assert names == sorted((c for c in WAITS_FOR if run.counters.stalls[c]), key=lambda c: run.counters.stalls[c]) and "%" in ax.get_xlabel()
    assert [bars[0].get_width() for bars in ax.containers] == pytest.approx([100 * run.counters.stalls[name] / whole for name in names])


@EACH
def test_bars_of_lines_are_as_long_as_the_lines_shares(run):
    ax = run.plot.lines(axes(), most=5)
    names = [label.get_text() for label in ax.get_yticklabels()]
    shown = [line for line in run.lines if line in sorted(run.lines, key=lambda line: -line.warp_cycles)[:5] and line.share >= 0.005]
    assert len(names) == len(shown) <= 5
    ends = [max(bars[k].get_x() + bars[k].get_width() for bars in ax.containers) for k in range(len(shown))]
    assert ends == pytest.approx([100 * line.share for line in shown])
    assert all(str(line.line) in name for name, line in zip(names, shown) if line.line)


def test_the_roofline_has_a_point_for_each_level_under_its_roof():
    (run, *_) = (row.run for row in products().rows)
    ax = run.plot.roofline(axes())
    points = [(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines if line.get_marker() not in ("None", None)]
    assert points == [(point.intensity, run.roofline.gflop_s) for point in run.roofline.points]
    assert "FLOP per byte" in ax.get_xlabel() and "GFLOP/s" in ax.get_ylabel()
    lines = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    for point in run.roofline.points:
        x, y = lines[point.level].get_data()
        assert np.exp(np.interp(np.log(point.intensity), np.log(x), np.log(y))) == pytest.approx(point.attainable)


@pytest.mark.parametrize("inches", [(7, 4.2), (3.3, 2.4)])
@pytest.mark.parametrize("ladder", [
    [2141061, 1070530, 535265, 130171, 66908, 65085, 33454, 16727], [100, 99], [100, 99, 98], [100, 90, 80, 70, 60, 50, 40, 30, 20, 10], [1000, 999, 10, 9.9, 9.8, 9.7],
    [100000, 99000, 1]])
def test_names_of_rates_that_lie_close_keep_apart(ladder, inches):
    figure = Figure(figsize=inches, layout="constrained")
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    ax.set_xscale("log")
    ax.set_yscale("log")
    roof._units(ax, {float(rate): [f"unit {number}"] for number, rate in enumerate(ladder)}, min(ladder) / 1e3)
    figure.canvas.draw()
    places = [text.get_window_extent() for text in ax.texts]
    assert sorted(name for text in ax.texts for name in text.get_text().split(", ")) == sorted(f"unit {number}" for number in range(len(ladder)))
    assert not [(a, b) for a, b in itertools.combinations(places, 2) if a.overlaps(b)]
    assert ladder != [100, 99] or [text.get_va() for text in ax.texts] == ["bottom", "top"]


@EACH
def test_bounds_are_bars_and_the_launch_a_line(run):
    ax = run.plot.bounds(axes())
    assert [bar.get_width() for bar in ax.containers[0]] == [bound.cycles for bound in run.bounds.lower]
    assert ax.lines[0].get_xdata()[0] == run.cycles and ax.get_xlabel() == "cycles"


def test_a_launch_without_arithmetic_has_no_roofline_and_the_error_says_what_else_there_is():
    run = transposes().rows[0].run
    with pytest.raises(LaunchError, match=r"no floating-point arithmetic.*run\.plot\.bounds"):
        run.plot.roofline()


@pytest.mark.parametrize("blocks", [1, 3, 40])
def test_each_block_is_a_bar_from_its_first_cycle_to_its_last_in_the_row_of_its_multiprocessor(blocks):
    run = divergent(blocks=blocks, timeline=True)
    ax = run.plot.timeline(axes())
    boxes = [path.get_extents() for collection in ax.collections for path in collection.get_paths()]
    assert sorted((box.x0, box.x1, round(box.y0 + box.height / 2)) for box in boxes) == \
        sorted((block["begin"], block["end"], block["multiprocessor"]) for block in run.timeline().blocks) and len(boxes) == blocks
    assert all(not (a.y0 < b.y1 - 1e-9 and b.y0 < a.y1 - 1e-9 and a.x0 < b.x1 and b.x0 < a.x1) for a, b in itertools.combinations(boxes, 2))
    assert "cycles" in ax.get_xlabel() and ax.get_ylabel() == run.architecture.words.multiprocessor


def test_a_timeline_that_is_missing_or_has_no_blocks_says_what_the_launch_needs():
    with pytest.raises(LaunchError, match="timeline=True"):
        divergent().plot.timeline()
    with pytest.raises(LaunchError, match=r"detail 'kernels'; launch it with timeline=True"):
        divergent(timeline=TimelineWindow("kernels")).plot.timeline()


def test_blocks_that_were_lost_are_said():
    run = divergent(blocks=5, timeline=TimelineWindow("blocks", records=2))
    assert f"{run.timeline().record.blocks_lost} blocks not recorded" in run.plot.timeline(axes()).get_xlabel()


@pytest.mark.parametrize("size", [8, 32, 64])
def test_lanes_cover_as_many_cycles_of_each_state_as_the_trace_counts(size):
    run = divergent(gizmo().evolve({"warp.size": size}) if size != 32 else None, threads=size, lanes=LaneWindow(cycles=(0, 4000)))
    ax = run.plot.lanes(axes())
    drawn = {bars.get_label().replace(" ", "_"): sum(bar.get_width() * bar.get_height() for bar in bars) for bars in ax.containers}
    told = {state: cycles for state, cycles in run.lane_trace.lane_cycles(0, 0).items() if cycles and state in STATES}
    assert drawn == told and ax.get_ylim() == (size - 0.5, -0.5)


def test_lanes_that_were_not_traced_are_an_error():
    with pytest.raises(LaunchError, match="lanes=archdef.LaneWindow"):
        divergent().plot.lanes()
    with pytest.raises(LaunchError, match="warp 7 of block 0 .* was not traced"):
        TRACED.plot.lanes(warp=7)


@pytest.mark.parametrize("over", ["threads", "registers", "shared_bytes"])
def test_the_curve_of_occupancy_is_the_reports_with_the_kernel_on_it(over):
    run, scale = RUNS[0], 1024 if over == "shared_bytes" else 1
    ax = run.plot.occupancy(axes(), over)
    found = curves(run)
    assert [[x * scale, y] for x, y in zip(*ax.lines[0].get_data())] == found["curves"][over]
    assert (ax.lines[1].get_xdata()[0] * scale, ax.lines[1].get_ydata()[0]) == (found["own"][over], run.occupancy.active_warps)
    other = plot.occupancy(gizmo(), threads=run.occupancy.threads, registers=run.registers, shared_bytes=run.shared_bytes, over=over, ax=axes())
    assert [line.get_ydata().__repr__() for line in other.lines] == [line.get_ydata().__repr__() for line in ax.lines]


def test_what_cannot_be_drawn_over_is_refused_with_what_can():
    with pytest.raises(LaunchError, match="threads.*registers.*shared_bytes"):
        RUNS[0].plot.occupancy(over="blocks")


def test_launches_beside_each_other_are_as_long_as_they_took():
    ax = plot.compare(RUNS, axes())
    ends = [max(bars[k].get_x() + bars[k].get_width() for bars in ax.containers) for k in range(len(RUNS))]
    assert ends == pytest.approx([run.elapsed_s * 1e6 for run in RUNS]) and "µs" in ax.get_xlabel()
    with pytest.raises(LaunchError, match="no runs"):
        plot.compare([])


def attribution():
    factors = tuple(Factor((name,), (), Contribution(np.log(x), 0.0, np.log(x), np.log(x), np.log(x / 1.1), np.log(x * 1.1))) for name, x in (("clocks", 2.0), ("dram", 0.5)))
    return Attribution("p", "a", "b", (Time(1.0, 10), Time(1.0, 10)), factors, None, 0, 4, ())


def test_factors_of_an_attribution_begin_at_one():
    ax = plot.attribution(attribution(), axes())
    assert [bars[0].get_x() + bars[0].get_width() for bars in ax.containers] == pytest.approx([2.0, 0.5])
    assert ax.lines[0].get_xdata() == pytest.approx((2 / 1.1, 2.2)) and [label.get_text() for label in ax.get_yticklabels()] == ["clocks", "dram"]


PANEL = Panel("latency", "stride", "cycles", {f"machine {k}": ((1.0, k), (2.0, 3.0 * k)) for k in range(1, 7)})


def test_lines_of_a_sweep_differ_in_colour_or_in_dashes():
    ax = plot.microbench(PANEL, axes())
    assert [tuple(zip(*line.get_data())) for line in ax.lines] == list(PANEL.lines.values()) and "cycles" in ax.get_ylabel()
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == len(ax.lines)


DRAWN = {"cpi": RUNS[0].plot.cpi, "stalls": RUNS[0].plot.stalls, "lines": RUNS[0].plot.lines, "bounds": RUNS[0].plot.bounds,
         "roofline": products().rows[0].run.plot.roofline, "timeline": TRACED.plot.timeline, "lanes": TRACED.plot.lanes, "occupancy": TRACED.plot.occupancy,
         "compare": lambda ax=None: plot.compare(RUNS, ax), "attribution": lambda ax=None: plot.attribution(attribution(), ax),
         "microbench": lambda ax=None: plot.microbench(PANEL, ax)}


@pytest.mark.parametrize("name", DRAWN)
def test_settings_stay_and_the_axes_given_are_those_drawn_in(name):
    before, ax = dict(matplotlib.rcParams), axes()
    assert DRAWN[name](ax=ax) is ax
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", DRAWN)
def test_without_axes_a_figure_is_made_that_nobody_is_shown(name, monkeypatch):
    from matplotlib import pyplot
    monkeypatch.setattr(pyplot, "show", lambda *a, **k: pytest.fail("shown"))
    pyplot.switch_backend("agg")
    ax = DRAWN[name]()
    assert ax.figure in map(pyplot.figure, pyplot.get_fignums())
    pyplot.close(ax.figure)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", DRAWN)
def test_the_legend_lies_above_the_data_and_within_the_figure(name, width):
    ax = DRAWN[name](ax=axes(width))
    figure = ax.figure
    figure.canvas.draw()
    legend = ax.get_legend()
    if legend is not None:
        box, inside = legend.get_window_extent(), ax.get_window_extent()
        assert box.y0 >= inside.y1 - 1 and figure.bbox.x0 - 1 <= box.x0 and box.x1 <= figure.bbox.x1 + 1
    sizes = {label.get_fontsize() for label in (ax.xaxis.label, *ax.get_xticklabels())}
    assert sizes == {7.0 if width < 4 else 9.0}


# Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision deficiency", 2009: severity 1.0.
PROTANOPIA = ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998))
DEUTERANOPIA = ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881))


def seen(colour, matrix):
    value = np.array(to_rgb(colour))
    return np.clip(np.array(matrix) @ np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4), 0, 1)


@pytest.mark.parametrize("matrix", [PROTANOPIA, DEUTERANOPIA], ids=["protanopia", "deuteranopia"])
@pytest.mark.parametrize("colours", [CAUSES, STATES], ids=["causes", "states"])
def test_areas_that_look_alike_to_the_colour_blind_are_hatched_differently(colours, matrix):
    for a, b in itertools.combinations(colours, 2):
        if filling(a, colours)["hatch"] == filling(b, colours)["hatch"]:
            assert np.abs(seen(colours[a], matrix) - seen(colours[b], matrix)).max() > 0.08, (a, b)


def test_without_matplotlib_the_error_names_the_extra():
    code = ("import sys; sys.modules['matplotlib'] = None\nfrom archdef import plot\nfrom small_machine import gizmo\n"
            "try: plot.occupancy(gizmo(), threads=32, registers=8)\nexcept Exception as error: print(type(error).__name__, error)")
    done = subprocess.run([sys.executable, "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"], capture_output=True, text=True, check=True)
    assert done.stdout == "MissingExtra a plot needs matplotlib: pip install 'archdef[plot]'\n"


def test_a_dollar_sign_of_the_source_is_no_formula():
    run = divergent()
    line = run.statements[0]
    odd = attrs.evolve(run, sources={run.program.file: tuple(["$x_{$ \\frac"] * 60)})
    ax = odd.plot.lines(axes())
    ax.figure.canvas.draw()
    assert line.line and any("$x_{$" in label.get_text() for label in ax.get_yticklabels())
