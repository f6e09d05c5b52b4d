"""Figures of the explanation pages, drawn from ``measurements.json``: each function says what is plotted, `draw` plots it."""
from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import measurements

STYLES = {"g80": ("#6b6b6b", ":"), "gt200": ("#b8860b", "-."), "gf100": ("#c0392b", "-"), "v100": ("#2471a3", "--"), "h100": ("#1e8449", "-"),
          "c500": ("#8e44ad", (0, (4, 1, 1, 1))), "in turn": ("#b8860b", "-"), "hashed": ("#2471a3", "--")}
"""Colour and dash of each line, so that a machine looks the same in all figures."""


class Panel(NamedTuple):
    """Lines over one axis."""

    x_label: str
    y_label: str
    lines: dict[str, tuple[list, list]]
    """Values along x and y, by name."""
    log: str = ""
    """Axes with a logarithmic scale: "x", "y" or "xy"."""


def _read() -> dict[str, dict[str, dict[str, list]]]:
    return json.loads(measurements.FILE.read_text(encoding="utf-8"))


def _panel(figure: str, x_label: str, y_label: str, x: list | str, y: str, log: str = "") -> Panel:
    """Give a panel with one line a machine; x: what all share, or the name of the machine's own."""
    machines = _read()[figure]
    lines = {name: (values[x] if isinstance(x, str) else x[:len(values[y])], values[y]) for name, values in machines.items()}
    return Panel(x_label, y_label, lines, log)


def coalescing() -> list[Panel]:
    """Bytes moved, and what it costs."""
    return [_panel("coalescing", "stride, words", "bytes moved per byte asked for", measurements.STRIDES, "moved"),
            _panel("coalescing", "stride, words", "time over that of stride 1", measurements.STRIDES, "time")]


def bank_conflicts() -> list[Panel]:
    """Passes over the banks, and what they cost."""
    return [_panel("bank_conflicts", "row length, words", "passes over those of 33 words", measurements.WIDTHS, "passes", "y"),
            _panel("bank_conflicts", "row length, words", "time over that of 33 words", measurements.WIDTHS, "time", "y")]


def divergence() -> list[Panel]:
    """What ways cost, and the lanes at work."""
    return [_panel("divergence", "ways that the lanes of a warp go", "time over that of one way", measurements.WAYS, "time"),
            _panel("divergence", "ways that the lanes of a warp go", "lanes at work, %", measurements.WAYS, "lanes")]


def partition_camping() -> list[Panel]:
    """One machine with two maps."""
    values = _read()["partition_camping"]["gt200"]
    return [Panel("row length, floats", label, {name: (measurements.ROW_LENGTHS, values[f"{key}, {name}"]) for name in ("in turn", "hashed")})
            for key, label in (("time", "time, us"), ("in use", "partitions with work at a time"))]


def occupancy() -> list[Panel]:
    """What more residents bring, with one load and with four under way in each thread."""
    return [_panel("occupancy", "occupancy, %", f"words per cycle, {text}", f"percent, {loads}", f"rate, {loads}")
            for loads, text in ((1, "one load at a time"), (4, "four loads at a time"))]


def latency_hiding() -> list[Panel]:
    """Warps until the units are busy, with one chain and with four."""
    return [_panel("latency_hiding", "resident warps", f"additions per cycle, {text}", measurements.WARPS, f"rate, {chains}")
            for chains, text in ((1, "one chain"), (4, "four chains"))]


def atomics() -> list[Panel]:
    """Contention in both spaces."""
    return [_panel("atomics", "words that 256 threads add to", f"cycles per warp's addition, {space}", measurements.WORDS, space, "xy")
            for space in ("global", "shared")]


def unrolling() -> list[Panel]:
    """What it gains, and the instructions that it saves."""
    return [_panel("unrolling", "loads per turn of the loop", "speed-up", measurements.UNROLLED, "speed-up", "x"),
            _panel("unrolling", "loads per turn of the loop", "instructions per warp", measurements.UNROLLED, "instructions", "x")]


FIGURES = (coalescing, bank_conflicts, partition_camping, divergence, occupancy, latency_hiding, atomics, unrolling)


def _scaled(axes, panel: Panel) -> None:
    from matplotlib.ticker import FuncFormatter

    for axis in panel.log:
        getattr(axes, f"set_{axis}scale")("log", base=2)
        getattr(axes, f"{axis}axis").set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    if "y" not in panel.log:
        axes.set_ylim(bottom=0)


def draw(panels: list[Panel], path: Path) -> None:
    """Plot panels side by side into an SVG file. Its ground is transparent: the site inverts figures on dark pages."""
    import matplotlib
    matplotlib.use("svg")
    matplotlib.rcParams["font.size"] = 9
    from matplotlib import pyplot

    made, all_axes = pyplot.subplots(1, len(panels), figsize=(3.3 * len(panels), 3), layout="constrained", squeeze=False)
    for axes, panel in zip(all_axes[0], panels):
        for name, (x, y) in panel.lines.items():
            colour, dash = STYLES[name]
            axes.plot(x, y, color=colour, linestyle=dash, label=name, linewidth=1.6, marker=".", markersize=5)
        _scaled(axes, panel)
        axes.set_xlabel(panel.x_label)
        axes.set_ylabel(panel.y_label)
        axes.grid(alpha=0.3)
    handles, names = all_axes[0][0].get_legend_handles_labels()
    made.legend(handles, names, loc="outside upper center", ncols=6, frameon=False)
    made.savefig(path, metadata={"Date": None}, transparent=True)
    pyplot.close(made)
