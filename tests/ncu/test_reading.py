"""Exports of Nsight Compute are read in all their forms, and what is none is refused with a reason."""
import csv
import io
import sys
import types
from pathlib import Path

import pytest
from measured_launches import DATA

from archdef import ncu
from archdef.ncu.launch import plain_name
from archdef.ncu.quantities import scaled
from archdef.ncu.reading import of_text

ABOUT = ["ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size", "Device", "CC"]


def table(*rows, quoted=True, delimiter=","):
    made = io.StringIO()
    csv.writer(made, quoting=csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return made.getvalue()


def about(number="0", kernel="k(int *)", block="(32, 1, 1)", grid="(4, 1, 1)"):
    return [number, "7", "prog", "127.0.0.1", kernel, "1", "7", block, grid, "0", "9.0"]


def raw(*metrics, launches=1, **options):
    """A table of the raw page: name, unit and value of each metric."""
    return table([*ABOUT, *(name for name, _, _ in metrics)], [*[""] * len(ABOUT), *(unit for _, unit, _ in metrics)],
                 *([*about(str(number)), *(value for _, _, value in metrics)] for number in range(launches)), **options)


def long(*metrics, names=(*ABOUT, "Section Name", "Metric Name", "Metric Unit", "Metric Value")):
    """A table of the details page."""
    return table(names, *([*about(), "Section", *metric] for metric in metrics))


def only(text):
    (launch,) = of_text(text, "export.csv")
    return {name: (one.value, one.unit) for name, one in launch.metrics.items()}


@pytest.mark.parametrize("name, launches, metrics", [("raw", 43, 80), ("metrics", 43, 8), ("details", 3, 80)])
def test_what_was_measured_is_read(name, launches, metrics):
    found = ncu.read(DATA / f"ncu_{name}.csv")
    assert len(found) == launches and all(len(one.metrics) >= metrics for one in found)
    first = found[0]
    assert (first.id, first.name, first.grid, first.block, first.capability) == ("0", "copy", (16, 16, 1), (32, 8, 1), "9.0")
    assert first.metrics["gpu__time_duration.sum"].unit == "s" and 1e-6 < first.metrics["gpu__time_duration.sum"].value < 1e-3


def test_labels_of_the_details_page_stand_for_metrics_of_the_raw_one():
    details, whole = (ncu.read(DATA / f"ncu_{name}.csv") for name in ("details", "raw"))
    both = 0
    for launch in details:
        other = next(one for one in whole if one.id == launch.id)
        assert (launch.kernel, launch.grid, launch.block) == (other.kernel, other.grid, other.block)
        for name, measured in launch.metrics.items():
            if name in other.metrics and measured.value is not None:
                both += 1
                assert measured.unit == other.metrics[name].unit and measured.value == pytest.approx(other.metrics[name].value, rel=0.02, abs=0.005), name
    assert both >= 3 * 20


@pytest.mark.parametrize("unit, times, base", [
    ("Kbyte", 1e3, "byte"), ("Mbyte/s", 1e6, "byte/s"), ("Tbyte/second", 1e12, "byte/s"), ("usecond", 1e-6, "s"), ("us", 1e-6, "s"), ("nsecond", 1e-9, "s"),
    ("ns", 1e-9, "s"), ("msecond", 1e-3, "s"), ("s", 1, "s"), ("second", 1, "s"), ("Ghz", 1e9, "hz"), ("hz", 1, "hz"), ("cycle/nsecond", 1e9, "hz"),
    ("cycle/second", 1, "hz"), ("inst/cycle", 1, "inst/cycle"), ("sector/us", 1e6, "sector/s"), ("Kbyte/block", 1e3, "byte/block"), ("%", 1, "%"), ("", 1, ""),
    ("register/thread", 1, "register/thread"), ("sectors", 1, "sector"), ("Kibyte", 1024, "byte"), ("GB/s", 1e9, "byte/s"), ("SM", 1, "SM"), ("pass", 1, "pass")])
def test_units_lose_their_prefixes(unit, times, base):
    scale, found = scaled(unit)
    assert found == base and scale == pytest.approx(times)


@pytest.mark.parametrize("text, value", [("1,234,567", 1234567), ("1,234.5", 1234.5), ("0.25", 0.25), ("12", 12), ("-3", -3), ("1e3", 1000), ("98.5%", 98.5), ("1,234", 1234)])
def test_numbers_of_an_english_locale(text, value):
    assert only(raw(("m", "", text), ("n", "", "0.5"))) == {"m": (value, ""), "n": (0.5, "")}


@pytest.mark.parametrize("text, value", [("1.234.567", 1234567), ("1.234,5", 1234.5), ("0,25", 0.25), ("9,00", 9), ("1.234", 1234), ("1\u202f234,5", 1234.5), ("1 234,50", 1234.5),
                                         ("1'234,5", 1234.5)])
def test_numbers_of_a_locale_with_a_decimal_comma(text, value):
    assert only(raw(("m", "", text), ("n", "", "0,5"))) == {"m": (value, ""), "n": (0.5, "")}


def test_two_locales_in_one_export_are_refused():
    with pytest.raises(ncu.NcuError, match="'0,25' has a decimal comma, '1.5' a decimal point"):
        only(raw(("m", "", "0,25"), ("n", "", "1.5")))


def test_words_are_no_numbers_and_nothing_is_nothing():
    found = of_text(raw(("a", "", "PolicySpread"), ("b", "", "n/a"), ("c", "", ""), ("d", "", "5")), "export.csv")[0].metrics
    assert found["a"].value is None and found["a"].text == "PolicySpread" and found["b"].value is None and "c" not in found and found["d"].value == 5


@pytest.mark.parametrize("made", [raw(("gpu__time_duration.sum", "us", "7.5")), long(("Duration", "usecond", "7.5")), long(("gpu__time_duration.sum", "us", "7.5")),
                                  raw(("gpu__time_duration.sum", "us", "7.5"), quoted=False), raw(("gpu__time_duration.sum", "us", "7.5"), delimiter=";"),
                                  "==PROF== Connected to process 1\nsaid, \"by\" the program\n" + raw(("gpu__time_duration.sum", "us", "7.5")) + "==PROF== Disconnected\n",
                                  raw(("gpu__time_duration.sum", "us", "7.5")).replace("\n", "\r\n")])
def test_every_form_gives_the_same(made):
    assert only(made) == {"gpu__time_duration.sum": (pytest.approx(7.5e-6), "s")}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_of_shells(tmp_path, encoding):
    (tmp_path / "e.csv").write_bytes(raw(("m", "", "5")).encode(encoding))
    assert ncu.read(tmp_path / "e.csv")[0].metrics["m"].value == 5


def test_a_label_with_two_units_is_two_metrics():
    found = only(long(("Memory Throughput", "%", "50"), ("Memory Throughput", "Gbyte/s", "2")))
    assert found == {"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed": (50, "%"), "dram__bytes.sum.per_second": (pytest.approx(2e9), "byte/s")}


def test_a_label_with_the_name_of_its_metric_is_that_metric():
    assert only(long(("Registers Per Thread launch__registers_per_thread", "register/thread", "16"), ("Duration (gpu__time_duration.sum)", "us", "5"))) == {
        "launch__registers_per_thread": (16, "register/thread"), "gpu__time_duration.sum": (pytest.approx(5e-6), "s")}


def test_values_with_those_of_their_instances_are_read():
    assert only(raw(("m", "", "1,234 (617; 617)"), ("n", "", "0.5 (0.25; 0.25)"))) == {"m": (1234, ""), "n": (0.5, "")}


def test_launches_of_several_processes_with_one_number_stay_apart():
    one = raw(("m", "", "5"))
    found = of_text(one + one.replace('"7","prog"', '"8","prog"'), "export.csv")
    assert [(launch.id, launch.metrics["m"].value) for launch in found] == [("0", 5), ("0", 5)]


def test_an_old_export_without_shapes_takes_them_from_metrics_or_has_none():
    names = ["ID", "Process ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"]
    rows = [["0", "1", "k", "launch__grid_dim_x", "", "4"], *[["0", "1", "k", f"launch__{side}_dim_{axis}", "", "2"] for side in ("grid", "block") for axis in "yz"],
            ["0", "1", "k", "launch__block_dim_x", "", "64"]]
    assert of_text(table(names, *rows), "old.csv")[0].grid == (4, 2, 2)
    bare = of_text(table(names, rows[0]), "old.csv")[0]
    assert bare.grid is None and bare.block is None and bare.capability == ""


@pytest.mark.parametrize("kernel, name, arguments", [
    ("copy(float *, const float *, int)", "copy", None), ("_Z4copyPfPKfii", "copy", None), ("copy", "copy", None), ("void reduce<(unsigned int)512, float>(int *)", "reduce", "512,float"),
    ("reduce<512u,float>", "reduce", "512,float"), ("void <unnamed>::k<(bool)1>(T1 *)", "k", "1"), ("(anonymous namespace)::k(x<int> *)", "k", None), ("a::b(int (*)(int))", "a::b", None),
    ("void k<a<int>, true>(b)", "k", "a<int>,1")])
def test_names_of_kernels(kernel, name, arguments):
    assert plain_name(kernel) == (name, arguments)


GOOD = raw(("m", "", "5"), ("n", "", "6"), launches=3)


@pytest.mark.parametrize("text, said", [
    ("", "holds no launch"), ("no table\nat all\n", "holds no launch"), ("a,b,c\n1,2,3\n", "holds no launch"), (table(ABOUT, about()), "has no metrics"),
    (table(["Process ID", "Kernel Name", "Invocations", "Metric Name", "Metric Unit", "Minimum", "Maximum", "Average"], ["1", "k", "2", "m", "", "1", "3", "2"]), "is a summary of launches"),
    (GOOD[:-12], "of 13 cells: the file is cut off, or was changed"), (long(("Duration", "us", "7.5")).replace('"7.5"\n', "").rstrip('",us'), "cut off"),
    (long(("m", "", "5")).replace("Metric Value", "Value"), "none 'Metric Value'"), (raw(("m", "", "5"), ("m", "", "6")), "two columns have one name: 'm'"),
    (raw(("m", "", "5")).replace("(4, 1, 1)", "(4, 1)"), "must be three numbers"), ("\0" + GOOD, "holds NUL characters"),
    (raw(("m", "", "x" * 200_000)), "field larger than field limit")])
def test_what_is_no_export_is_refused_with_a_reason(tmp_path, text, said):
    (tmp_path / "e.csv").write_text(text)
    with pytest.raises(ncu.NcuError, match=said) as refused:
        ncu.read(tmp_path / "e.csv")
    assert "e.csv" in str(refused.value)


def test_bytes_that_are_no_text_and_files_that_are_not_there(tmp_path):
    (tmp_path / "e.csv").write_bytes(b"\xff\xd8\xff\xe0 picture")
    with pytest.raises(ncu.NcuError, match="is no text"):
        ncu.read(tmp_path / "e.csv")
    for missing in ("missing.csv", "missing.ncu-rep"):
        with pytest.raises(ncu.NcuError, match=f"cannot read .*{missing}"):
            ncu.read(tmp_path / missing)


def test_more_bytes_than_anybody_exports_are_refused_unread(tmp_path):
    with (tmp_path / "huge.csv").open("wb") as file:
        file.truncate((1 << 30) + 1)
    with pytest.raises(ncu.NcuError, match="more than 1 GiB"):
        ncu.read(tmp_path / "huge.csv")


def test_a_thousand_launches_are_read_whole():
    assert len(of_text(raw(*((f"m{k}", "byte", "1,234") for k in range(50)), launches=1000), "many.csv")) == 1000


# ---------------------------------------------------------------------------------------------------------------- reports
class Metric:
    def __init__(self, value, unit):
        self._value, self._unit = value, unit

    def value(self):
        return self._value

    def unit(self):
        return self._unit


class Action:
    metrics = {"gpu__time_duration.sum": Metric(7500.0, "nsecond"), "launch__func_cache_config": Metric("CachePreferNone", ""), "device__attribute_compute_capability_major": Metric(9, ""),
               "device__attribute_compute_capability_minor": Metric(0, ""), **{f"launch__{side}_dim_{axis}": Metric(2, "") for side in ("grid", "block") for axis in "xyz"}}

    def name(self):
        return "k"

    def metric_names(self):
        return list(self.metrics)

    def metric_by_name(self, name):
        return self.metrics[name]


def module_of(actions):
    """What looks like NVIDIA's module, as its documentation describes it."""
    scope = types.SimpleNamespace(num_actions=lambda: len(actions), action_by_idx=actions.__getitem__)
    module = types.ModuleType("ncu_report")
    module.load_report = lambda path: types.SimpleNamespace(num_ranges=lambda: 1, range_by_idx=lambda i: scope)
    return module


def test_a_report_is_read_by_the_module_of_nvidia(tmp_path, monkeypatch):
    (tmp_path / "r.ncu-rep").write_bytes(b"NVR\0")
    monkeypatch.setitem(sys.modules, "ncu_report", module_of([Action(), Action()]))
    first, second = ncu.read(tmp_path / "r.ncu-rep")
    assert first.metrics["gpu__time_duration.sum"].value == pytest.approx(7.5e-6) and first.metrics["launch__func_cache_config"].text == "CachePreferNone"
    assert (first.id, second.id, first.kernel, first.grid, first.block, first.capability) == ("0", "1", "k", (2, 2, 2), (2, 2, 2), "9.0")


def test_a_report_that_the_module_cannot_read_says_what_it_said(tmp_path, monkeypatch):
    (tmp_path / "r.ncu-rep").write_bytes(b"NVR\0")
    monkeypatch.setitem(sys.modules, "ncu_report", types.ModuleType("ncu_report"))
    with pytest.raises(ncu.NcuError, match=r"ncu_report says AttributeError.*ncu --import"):
        ncu.read(tmp_path / "r.ncu-rep")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program called ncu, alone on the search path."""
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    (tmp_path / "r.ncu-rep").write_bytes(b"NVR\0")
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def made(script):
        file = tmp_path / "bin" / "ncu"
        file.write_text(f"#!{sys.executable}\nimport sys\n{script}")
        file.chmod(0o755)
        return tmp_path / "r.ncu-rep"
    return made


def test_a_report_is_exported_by_ncu(program):
    report = program(f"assert sys.argv[1] == '--import' and '--csv' in sys.argv\nprint({raw(('m', 'Kbyte', '5'))!r})")
    assert ncu.read(report)[0].metrics["m"].value == 5000


def test_what_ncu_says_of_a_report_is_said(program):
    with pytest.raises(ncu.NcuError, match="ended with 3: the file is of a newer version"):
        ncu.read(program("print('the file is of a newer version', file=sys.stderr)\nsys.exit(3)"))


def test_without_both_it_is_said_how_to_export(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ncu_report", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "r.ncu-rep").write_bytes(b"NVR\0")
    with pytest.raises(ncu.NcuError, match=r"ncu_report .*PYTHONPATH.* ncu --import FILE.ncu-rep --page raw --csv > FILE.csv"):
        ncu.read(Path(tmp_path / "r.ncu-rep"))
