"""Reads exports of Nsight Compute: CSV of the raw and of the details page, and reports."""
from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from archdef.ncu.labels import metric_of
from archdef.ncu.launch import Launch, Measured, NcuError
from archdef.ncu.quantities import decimal_comma, is_number, number, scaled
from archdef.values import printable

MOST_BYTES = 1 << 30
"""Of an export; one of a thousand launches with all metrics has some 20 MB."""
_KERNEL, _NAME, _UNIT, _VALUE = "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"
_ABOUT = {"ID", "Process ID", "Process Name", "Host Name", _KERNEL, "Kernel Time", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"}
_MARKS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"\xef\xbb\xbf": "utf-8-sig"}
HOW = "ncu --import FILE.ncu-rep --page raw --csv > FILE.csv"


@attrs.frozen
class _Cell:
    """A value of a table, not yet read."""

    launch: tuple[str, str]
    metric: str
    unit: str
    text: str

    @property
    def value(self) -> str:
        """The value without those of its instances, which ``--print-metric-instances`` puts behind it in brackets."""
        return self.text.partition(" (")[0]


def read(path: str | os.PathLike[str]) -> tuple[Launch, ...]:
    """Read the launches of an export, in their order.

    path : a CSV file, as ``ncu --csv`` prints it with any ``--page``, also with what ncu and the program print before it; or a report,
           ``.ncu-rep``, which takes NVIDIA's Python module ``ncu_report``, or ``ncu`` on the search path.

    Raises NcuError for a file that cannot be read, is cut off, or holds no launch.
    """
    file, shown = Path(path), printable(str(path))
    if file.suffix == ".ncu-rep":
        return _of_report(file, shown)
    try:
        if file.stat().st_size > MOST_BYTES:
            raise NcuError(f"{shown} has more than {MOST_BYTES >> 30} GiB: export fewer launches, or fewer metrics (--metrics)")
        data = file.read_bytes()
    except (OSError, ValueError) as error:
        raise NcuError(f"cannot read {shown}: {getattr(error, 'strerror', None) or error}") from None
    return of_text(_decoded(data, shown), shown)


def _decoded(data: bytes, source: str) -> str:
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "utf-8")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise NcuError(f"{source} is no text: it is neither UTF-8 nor UTF-16; a report has to be called .ncu-rep") from None
    if "\0" in text:
        raise NcuError(f"{source} is no text: it holds NUL characters; a report has to be called .ncu-rep")
    return text


def of_text(text: str, source: str) -> tuple[Launch, ...]:
    """Read the text of a CSV export; `source` is what messages call it. Raises NcuError."""
    abouts: dict[tuple[str, str], dict[str, str]] = {}
    cells: list[_Cell] = []
    for table in _tables(text, source):
        _take(table, source, abouts, cells)
    if not abouts and "Invocations" in text and "Metric Name" in text:
        raise NcuError(f"{source} is a summary of launches (--print-summary): export each, by: {HOW}")
    if not abouts:
        raise NcuError(f"{source} holds no launch: the table of an export begins with a line of names, \"ID\", …, \"{_KERNEL}\", …; made by: {HOW}")
    comma = decimal_comma((cell.value for cell in cells if is_number(cell.value)), source)
    metrics: dict[tuple[str, str], dict[str, Measured]] = {key: {} for key in abouts}
    for cell in cells:
        scale, unit = scaled(cell.unit)
        value = number(cell.value, comma) if is_number(cell.value) else None
        name = metric_of(cell.metric, unit)
        metrics[cell.launch].setdefault(name, Measured(None if value is None else value * scale, unit, cell.text))
    return tuple(_launch(key[1], about, metrics[key], source) for key, about in abouts.items())


@attrs.frozen
class _Table:
    """Rows under one line of names; ncu prints one for each process."""

    names: list[str]
    rows: list[tuple[int, list[str]]]
    """Number of the line, and its cells."""


def _tables(text: str, source: str) -> Iterator[_Table]:
    table: _Table | None = None
    lines = text.splitlines(keepends=True)
    first = next((line for line in lines if _is_head(line)), "")
    delimiter = max(",;\t", key=first.count)
    reader = csv.reader(lines, delimiter=delimiter, strict=False)
    try:
        for cells in reader:
            if _KERNEL in cells and "ID" in cells:
                if table is not None:
                    yield table
                if len(set(cells)) != len(cells):
                    raise NcuError(f"{source}, line {reader.line_num}: two columns have one name: {next(c for c in cells if cells.count(c) > 1)!r}")
                table = _Table(cells, [])
            elif table is not None and cells:
                table.rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise NcuError(f"{source}, line {reader.line_num}: {error}") from None
    if table is not None:
        yield table


def _is_head(line: str) -> bool:
    return _KERNEL in line and re.search(r'"?\bID\b"?\s*[,;\t]', line) is not None


def _take(table: _Table, source: str, abouts: dict[tuple[str, str], dict[str, str]], cells: list[_Cell]) -> None:
    """Take the values of a table; a line that is none of it, such as what the program prints, is passed over."""
    names, long = table.names, _NAME in table.names
    if long and _VALUE not in names:
        raise NcuError(f"{source} has a column {_NAME!r}, but none {_VALUE!r}")
    if not long and set(names) <= _ABOUT:
        raise NcuError(f"{source} has no metrics: its columns are {', '.join(names)}; made by: {HOW}")
    units = dict.fromkeys(names, "")
    where = {name: place for place, name in enumerate(names)}
    needed = 1 + (max(where[name] for name in (_NAME, _UNIT, _VALUE) if name in where) if long else len(names) - 1)
    for line, row in table.rows:
        number_of_launch = row[where["ID"]] if where["ID"] < len(row) else ""
        if not long and not number_of_launch and len(row) == len(names):
            units = dict(zip(names, row, strict=True))
        elif number_of_launch.isdecimal():
            if len(row) < needed or not long and len(row) != needed:
                raise NcuError(f"{source}, line {line}: {len(row)} of {len(names)} cells: the file is cut off, or was changed")
            key = (row[where["Process ID"]] if "Process ID" in where else "", number_of_launch)
            abouts.setdefault(key, {name: row[where[name]] for name in names if name in _ABOUT and where[name] < len(row)})
            if not long:
                cells += [_Cell(key, name, units[name], row[place]) for name, place in where.items() if name not in _ABOUT and row[place] != ""]
            elif row[where[_NAME]]:
                cells.append(_Cell(key, row[where[_NAME]], row[where[_UNIT]] if _UNIT in where else "", row[where[_VALUE]]))


def _launch(number_of_launch: str, about: dict[str, str], metrics: dict[str, Measured], source: str) -> Launch:
    what = f"{source}, launch {number_of_launch}"
    grid, block = (_shape(about.get(f"{side} Size"), f"{what}: {side.lower()}") or _of_metrics(metrics, side.lower()) for side in ("Grid", "Block"))
    return Launch(number_of_launch, about[_KERNEL], grid, block, about.get("CC", ""), metrics)


def _shape(text: str | None, what: str) -> tuple[int, int, int] | None:
    if not text:
        return None
    numbers = re.findall(r"\d+", text)
    if len(numbers) != 3:
        raise NcuError(f"{what} must be three numbers, such as (16, 16, 1), got {text!r}")
    x, y, z = map(int, numbers)
    return x, y, z


def _of_metrics(metrics: dict[str, Measured], side: str) -> tuple[int, int, int] | None:
    found = [metrics[name].value if (name := f"launch__{side}_dim_{axis}") in metrics else None for axis in "xyz"]
    x, y, z = (None if value is None else int(value) for value in found)
    return None if x is None or y is None or z is None else (x, y, z)


# ---------------------------------------------------------------------------------------------------------------- reports
def _of_report(file: Path, shown: str) -> tuple[Launch, ...]:
    if not file.is_file():
        raise NcuError(f"cannot read {shown}: there is no such file")
    try:
        import ncu_report
    except ImportError:
        return _imported(file, shown)
    return of_module(ncu_report, file, shown)


def of_module(module: ModuleType, file: Path, shown: str) -> tuple[Launch, ...]:
    """Read a report by NVIDIA's module."""
    try:
        report = module.load_report(str(file))
        actions = [each.action_by_idx(i) for each in map(report.range_by_idx, range(report.num_ranges())) for i in range(each.num_actions())]
        found = tuple(_of_action(str(number_of_launch), action) for number_of_launch, action in enumerate(actions))
    except Exception as error:  # noqa: BLE001  the module's own errors have no type of their own
        raise NcuError(f"cannot read {shown}: ncu_report says {type(error).__name__}: {error}; another version of it may; or export it: {HOW}") from None
    if not found:
        raise NcuError(f"{shown} holds no launch")
    return found


def _of_action(number_of_launch: str, action: Any) -> Launch:
    metrics: dict[str, Measured] = {}
    for name in action.metric_names():
        metric = action.metric_by_name(name)
        value = metric.value()
        scale, unit = scaled(metric.unit() or "")
        known = isinstance(value, (int, float)) and not isinstance(value, bool)
        metrics[name] = Measured(float(value) * scale if known else None, unit, str(value))
    numbers = {side: _of_metrics(metrics, side) for side in ("grid", "block")}
    capability = ".".join(f"{metrics[name].value:.0f}" for part in ("major", "minor")
                          if (name := f"device__attribute_compute_capability_{part}") in metrics and metrics[name].value is not None)
    return Launch(number_of_launch, action.name(), numbers["grid"], numbers["block"], capability, metrics)


def _imported(file: Path, shown: str) -> tuple[Launch, ...]:
    """Have ncu export a report."""
    program = shutil.which("ncu") or shutil.which("nv-nsight-cu-cli")
    if program is None:
        raise NcuError(f"{shown} is a report: reading it takes NVIDIA's module ncu_report (extras/python of Nsight Compute, on PYTHONPATH) or ncu on PATH; "
                       f"without them export it where it was made: {HOW}")
    arguments: Sequence[str] = (program, "--import", str(file), "--page", "raw", "--csv", "--print-units", "base")
    done = subprocess.run(arguments, capture_output=True, check=False, env={**os.environ, "LC_ALL": "C"})
    if done.returncode:
        said = _last(done.stderr.decode(errors="replace").splitlines()) or _last(done.stdout.decode(errors="replace").splitlines())
        raise NcuError(f"cannot read {shown}: ncu --import ended with {done.returncode}: {printable(said)}")
    return of_text(_decoded(done.stdout, shown), shown)


def _last(lines: Iterable[str]) -> str:
    return next((line.strip() for line in reversed(list(lines)) if line.strip()), "")
