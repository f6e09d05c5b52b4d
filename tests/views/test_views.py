"""Every view of every result is a table with the columns that are documented, and files of it give the same back."""
import csv
import json
import math
import os
import re
import sys

import numpy as np
import pytest

import archdef
from archdef import registry, views
from archdef._views import CHANGES, LANES, NCU, OF, RUN, TIMELINE
from archdef.data import DataError, Frame, Occupied, View
from archdef.data.counted import MULTIPROCESSOR, PARTITION, STATEMENT
from archdef.data.subjects import Compared, Described, find
from archdef.data.view import DTYPES, flag, real, text, view, whole
from archdef.errors import LaunchError, MissingExtra
from archdef.examples import comparison, load
from archdef.host.timeline import Span, Timeline
from archdef.microbench import as_machine
from archdef.microbench.results import run as microbench
from archdef.microbench.suite import find as benchmark
from archdef.ncu.beside import laid
from archdef.ncu.launch import Launch, Measured
from archdef.report.lowered import lowered
from archdef.testing import examine

pytestmark = pytest.mark.skipif(not {"gt200", "gf100"} <= set(registry.names()), reason="needs the plugins of this repository")
arrow = pytest.importorskip("pyarrow")
pandas = pytest.importorskip("pandas")
PTX = """.version 6.0
.target sm_20
.address_size 64
.visible .entry square(.param .u64 p) {
    .reg .u64 %d<3>; .reg .u32 %r<3>; .reg .f32 %f<3>;
    ld.param.u64 %d1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %d2, %r1, 4;
    add.u64 %d1, %d1, %d2;
    ld.global.f32 %f1, [%d1];
    mul.f32 %f1, %f1, %f1;
    st.global.f32 [%d1], %f1;
    ret;
}
"""


@pytest.fixture(scope="module")
def results():
    """A result of each kind."""
    gt200, gf100 = map(archdef.architecture, ("gt200", "gf100"))
    device = archdef.Device(gt200)
    module = device.compile(PTX)
    window = archdef.TimelineWindow("warps")
    array = device.to_device(np.arange(64, dtype="f4"))
    run = module.square[2, 32].launch(array, timeline=window, lanes=archdef.LaneWindow(0), progress=False)
    again = module.square[1, 32].launch(array, progress=False)
    (report,) = archdef.validate.validate([gt200], only=[next(c.id for c in archdef.validate.run.available("gt200").cases if not c.long)])
    launch = Launch("0", "square", (2, 1, 1), (32, 1, 1), "1.3", {"smsp__inst_executed.sum": Measured(20.0, "inst", "20"), "x": Measured(None, "", "word")})
    compared = comparison.compare(load("vector_add"), [gt200], 256)
    earlier = archdef.baseline.saved.Saved("", (archdef.baseline.saved.plain(compared.rows[0].run),))
    found = {
        "archdef.run.result.Run": run,
        "archdef.examples.comparison.Comparison": compared,
        "archdef.baseline.difference.Difference": again.compare(run),
        "archdef.baseline.difference.Differences": archdef.baseline.differences(earlier, [compared.rows[0].run]),
        "archdef.attribution.result.Attribution": archdef.attribute("vector_add", "gt200", "gf100", size=256, groups=("clocks",), jobs=1),
        "archdef.advice.finding.Advices": archdef.advice.advise("transpose", "gf100", ["naive"], size=128, rules=["uncoalesced-access"]),
        "archdef.exec.account.Account": archdef.exec.Account(("./program", "-n"), "gt200", 0, (archdef.exec.KernelTotal("square", "gt200", 2, 2, 1e-3, 500, run),),
                                                             (archdef.exec.CopyTotal("copy to host", 1, 64, 1e-6),), 2e-3, 1e-3, {"cudaGraphCreate": 1}, (), ()),
        "archdef.spec.arch.Architecture": gt200,
        "archdef.data.subjects.Described": Described(gf100, "dram", True),
        "archdef.data.subjects.Compared": Compared(gt200, gf100, "dram"),
        "archdef.data.subjects.Occupied": Occupied(gt200, archdef.occupancy(gt200, threads=64, registers=10)),
        "archdef.run.resources.Resources": module.square.resources,
        "archdef.report.lowered.Lowered": lowered(module)[0],
        "archdef.metrics.metric.Metric": archdef.metrics.BUILT_IN[0],
        "archdef.testing.conformance.Report": examine("gt200", only=lambda name: "names_lead_to_it" in name),
        "archdef.validate.run.Report": report,
        "archdef.microbench.results.Results": microbench(as_machine(gt200), [benchmark("barrier")], {"warps": 1}),
        "archdef.host.timeline.Timeline": Timeline([Span("gt200", "kernels", "square", "stream 1", 0, 10**9, kind="kernel"), Span("host", "host", "sleep", "", 0, 5, failed=True)]),
        "archdef.ncu.launch.Launch": launch,
        "archdef.ncu.beside.Beside": laid(launch, run)}
    assert set(found) == set(OF)
    return found


EACH = [(kind, name) for kind, names in OF.items() for name in names if not (kind.endswith("Comparison") and name in (*TIMELINE, *LANES))]
EMPTY = {("archdef.attribution.result.Attribution", "joined_groups"), ("archdef.validate.run.Report", "ladders"),
         ("archdef.microbench.results.Results", "point_parameters"), ("archdef.baseline.difference.Differences", "metric_changes")}
"""Views of these results that may have no rows."""


@pytest.mark.parametrize("kind, name", EACH)
def test_a_view_has_rows_of_its_types_and_files_give_them_back(results, tmp_path, kind, name):
    frame = views(results[kind])[name]
    assert len(frame) or (kind, name) in EMPTY
    made = frame.to_arrow()
    assert made.num_rows == len(frame) and made.schema.names == [column.name for column in frame.columns]
    for column in frame.columns:
        field = made.schema.field(column.name)
        assert str(field.type) == column.dtype.replace("float64", "double")
        assert field.metadata == {b"unit": column.unit.encode(), b"description": column.meaning.encode()}
    whole = frame.to_pandas()
    for file in ("t.parquet", "t.arrow", "t.csv", "t.json"):
        assert frame.save(tmp_path / file) == tmp_path / file
    pandas.testing.assert_frame_equal(pandas.read_parquet(tmp_path / "t.parquet", dtype_backend="numpy_nullable"), whole, check_dtype=True)
    with arrow.ipc.open_file(tmp_path / "t.arrow") as file:
        assert file.read_all().equals(made, check_metadata=True)
    assert arrow.parquet.read_table(tmp_path / "t.parquet").schema.metadata[b"archdef.view"] == name.encode()
    written = json.loads((tmp_path / "t.json").read_text())
    assert written["about"] == frame.about and [column["name"] for column in written["columns"]] == made.schema.names
    assert written["rows"] == [[None if isinstance(value, float) and math.isinf(value) else value for value in row] for row in frame.rows()]
    with (tmp_path / "t.csv").open(newline="") as file:
        names, *rows = csv.reader(file)
    assert names == made.schema.names and [_parsed(row, frame) for row in rows] == [list(row) for row in frame.rows()]


def _parsed(row, frame):
    """A row of CSV as the types say."""
    read = {"int64": int, "float64": float, "string": str, "bool": {"true": True, "false": False}.__getitem__}
    return [None if cell == "" else read[column.dtype](cell) for cell, column in zip(row, frame.columns, strict=True)]


def test_metadata_says_what_a_table_is_of(results):
    about = views(results["archdef.run.result.Run"])["metrics"].about
    assert about["archdef.version"] == archdef.__version__ and json.loads(about["archdef.architecture"]) == ["gt200"] and json.loads(about["archdef.kernel"]) == ["square"]
    assert json.loads(about["archdef.launch"]) == [{"grid": [2, 1, 1], "block": [32, 1, 1], "shared_bytes": 0}]
    assert json.loads(views(results["archdef.spec.arch.Architecture"])["fields"].about["archdef.architecture"]) == ["gt200"]


def test_several_results_of_one_kind_are_in_one_table(results):
    run = results["archdef.run.result.Run"]
    both = views(run, run)["lines"].to_pandas()
    assert sorted(set(both["launch"])) == [0, 1] and len(both) == 2 * len(run.lines)


def test_values_are_those_of_the_result(results):
    run = results["archdef.run.result.Run"]
    given = views(run)
    assert dict(given["counters"].to_pandas().set_index("counter")["value"]) == run.counters.totals()
    assert dict(given["metrics"].to_pandas().set_index("metric")["value"]) == {name: value for name, value in run.metrics.items() if value is not None}
    assert dict(given["stalls"].to_pandas().set_index("cause")["warp_cycles"]) == run.counters.stalls
    assert given["line_stalls"].to_pandas()["warp_cycles"].sum() == given["stalls"].to_pandas()["warp_cycles"].sum() == given["lines"].to_pandas()["warp_cycles"].sum()
    assert given["timeline_waits"].to_pandas()["warp_cycles"].sum() <= sum(run.counters.stalls.values())
    assert len(given["timeline_blocks"]) == 2 and given["runs"].values["finished"] == [True]
    assert given["lane_steps"].values["lanes"][0].strip() and len(given["timeline_issues"]) == len(run.timeline().issues)


def test_what_was_not_recorded_is_an_error_that_says_how(results):
    run = results["archdef.examples.comparison.Comparison"].rows[0].run
    for name in TIMELINE:
        with pytest.raises(LaunchError, match="timeline=True"):
            views(run)[name]
    with pytest.raises(LaunchError, match="lanes=archdef.LaneWindow"):
        views(run)["lane_steps"]


@pytest.mark.parametrize("results, said", [((), "got nothing"), ((5,), "got int"), (("gt200", None), "got NoneType and str")])
def test_what_has_no_views_is_refused(results, said):
    with pytest.raises(DataError, match=said):
        views(*results)


def test_results_of_two_kinds_are_refused_and_so_are_views_that_there_are_not(results):
    with pytest.raises(DataError, match="one kind"):
        views(results["archdef.run.result.Run"], results["archdef.spec.arch.Architecture"])
    with pytest.raises(DataError, match="no view is called 'linse' \\(did you mean lines"):
        views(results["archdef.run.result.Run"])["linse"]
    assert "lines" in views(results["archdef.run.result.Run"]) and "linse" not in views(results["archdef.run.result.Run"])


# -------------------------------------------------------------------------------------------------------------------- columns
EVERY = {name: find(module, name) for names in OF.values() for name, module in names.items()}
SPELLED = {"%": "percent", "GB/s": "gb_s", "GFLOP/s": "gflop_s", "FLOP/B": "flop_per_byte", "MHz": "mhz"}


def test_names_of_columns_are_plain_and_tell_the_unit():
    for name, each in EVERY.items():
        assert isinstance(each, View) and each.name == name and re.fullmatch(r"[a-z][a-z0-9_]*", name)
        names = [column.name for column in each.columns]
        assert len(set(names)) == len(names)
        for column in each.columns:
            assert re.fullmatch(r"[a-z][a-z0-9_]*", column.name) and column.dtype in DTYPES and column.meaning.endswith(".") and "\n" not in column.meaning
            spelled = SPELLED.get(column.unit, column.unit)
            assert not spelled or re.search(rf"(^|_){spelled.removesuffix('s')}s?(_|$)", column.name), f"{name}.{column.name} is in {column.unit}"


def test_counters_are_the_engines(results):
    run = results["archdef.run.result.Run"]
    assert [column.name for column in STATEMENT] == list(run.counters.totals())
    assert [column.name for column in PARTITION] == list(run.partition.dtype.names) and [column.name for column in MULTIPROCESSOR] == list(run.counters.multiprocessor.dtype.names)


def test_timelines_have_the_engines_sums(results):
    timeline = results["archdef.run.result.Run"].timeline()
    for name, table in (("timeline_multiprocessors", timeline.multiprocessors), ("timeline_partitions", timeline.partitions)):
        assert [column.name for column in EVERY[name].columns][6:] == list(table.dtype.names)


def test_names_of_views_are_those_of_the_lists():
    assert set(TIMELINE) | set(LANES) < set(RUN) and set(CHANGES) | set(NCU) < set(EVERY)


# ---------------------------------------------------------------------------------------------------------------------- frames
ODD = view("odd", "A row.", text("text", "A text."), whole("number", "A number."), real("rate", "A rate."), flag("yes", "Yes or no."))(lambda results: results)
ROWS = [("a,b\n\"c\" é", 2**62, math.inf, True), ("", None, math.nan, None), ("\ud800", np.int64(-1), np.float32(0.5), np.bool_(False)), (None, 0, 1, False)]


def test_odd_values_go_through_every_kind_of_file(tmp_path):
    frame = Frame.of(ODD, ROWS, {})
    assert frame.values == {"text": ["a,b\n\"c\" é", None, "?", None], "number": [2**62, None, -1, 0], "rate": [math.inf, None, 0.5, 1.0], "yes": [True, None, False, False]}
    frame.to_parquet(tmp_path / "o.parquet")
    assert arrow.parquet.read_table(tmp_path / "o.parquet").to_pydict() == frame.values
    whole = frame.to_pandas()
    assert list(map(str, whole.dtypes)) == ["string", "Int64", "Float64", "boolean"] and whole["number"][0] == 2**62 and whole["number"].isna().tolist() == [False, True, False, False]
    read = pandas.read_csv(frame.to_csv(tmp_path / "o.csv"), dtype=dict(whole.dtypes))
    pandas.testing.assert_frame_equal(read, whole)
    assert json.loads(frame.to_json(tmp_path / "o.json").read_text())["rows"][0] == ["a,b\n\"c\" é", 2**62, None, True]


def test_a_value_of_another_type_is_a_mistake_of_the_view():
    with pytest.raises(AssertionError, match="number is int64, got 0.5"):
        Frame.of(ODD, [("", 0.5, 0, True)], {})
    with pytest.raises(AssertionError, match="has 4 columns"):
        Frame.of(ODD, [("", 1)], {})


def test_a_table_without_rows_keeps_its_types(tmp_path):
    frame = Frame.of(ODD, [], {})
    frame.to_parquet(tmp_path / "e.parquet")
    assert [str(field.type) for field in arrow.parquet.read_schema(tmp_path / "e.parquet")] == ["string", "int64", "double", "bool"]
    assert len(frame) == 0 and list(map(str, frame.to_pandas().dtypes)) == ["string", "Int64", "Float64", "boolean"]


def test_files_are_written_as_a_whole_or_not_at_all(tmp_path, monkeypatch):
    frame, kept = Frame.of(ODD, ROWS, {}), tmp_path / "t.csv"
    kept.write_text("kept")
    monkeypatch.setattr(os, "replace", lambda *a: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        frame.save(kept)
    assert kept.read_text() == "kept" and os.listdir(tmp_path) == ["t.csv"]


def test_another_kind_of_file_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"t.xlsx: data are .csv, .json, .arrow or .parquet files"):
        Frame.of(ODD, ROWS, {}).save(tmp_path / "t.xlsx")


def test_what_a_missing_package_is_needed_for_is_said(tmp_path, monkeypatch):
    frame = Frame.of(ODD, ROWS, {})
    for module in ("pyarrow", "pyarrow.parquet", "pyarrow.ipc", "pandas"):
        monkeypatch.setitem(sys.modules, module, None)
    for make in (frame.to_arrow, lambda: frame.save(tmp_path / "t.parquet")):
        with pytest.raises(MissingExtra, match=r"pip install 'archdef\[arrow\]'"):
            make()
    with pytest.raises(MissingExtra, match=r"pip install 'archdef\[pandas\]'"):
        frame.to_pandas()
    frame.save(tmp_path / "t.csv")
    frame.save(tmp_path / "t.json")
    assert not (tmp_path / "t.parquet").exists()
