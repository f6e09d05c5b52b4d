"""Files of reference cases: what they may say, what they are told when they are wrong, and that a zipped plugin will do."""
import subprocess
import sys
import zipfile

import pytest

from archdef.errors import ReferenceCaseError
from archdef.validate import read

GOOD = """
[sources.book]
title = "A book of measurements"
year = 2011

[groups.g]
about = "times"
tolerance = 0.1

[[set]]
group = "g"
arch = "gizmo"
experiment = "occupancy"
quantity = "blocks"
source = "book"
confidence = "seen"
parameters = { registers = 16 }
cases = [{ name = "a", parameters = { threads = 128 }, value = 8 }]
"""


def made(folder, text=GOOD, **files):
    (folder / "data").mkdir()
    (folder / "data" / "cases.toml").write_text(text)
    for name, content in files.items():
        path = folder / ("data" if "DEVIATIONS" not in name else "") / name.replace("_", ".")
        path.write_text(content)
    return folder


def test_what_a_set_says_holds_for_its_cases_unless_they_say_otherwise(tmp_path):
    (case,) = read(made(tmp_path)).cases
    assert case.id == "g/a" and case.parameters == {"registers": 16, "threads": 128} and case.tolerance == 0.1
    assert str(case.source) == "A book of measurements, 2011"


def test_a_table_gives_a_case_for_each_row_and_leaves_out_empty_values(tmp_path):
    text = GOOD.replace('parameters = { registers = 16 }', 'table = "t.csv"\nlong_above = { r = 20 }\nparameters = { registers = "{r}" }').replace(
        'name = "a"', 'name = "{r} registers"').replace("value = 8", 'value = "{blocks}"')
    cases = read(made(tmp_path, text, t_csv="# measured\nr,blocks\n16,8\n32,4\n64,\n")).cases
    assert [(c.id, c.parameters["registers"], c.value, c.long) for c in cases] == [("g/16 registers", 16, 8, False), ("g/32 registers", 32, 4, True)]


def test_a_ladder_is_a_case_of_each_of_its_points(tmp_path):
    text = GOOD.replace('name = "a", parameters = { threads = 128 }, value = 8', 'name = "by threads", along = "threads", points = [[64, 16], [128, 8]]'
                        ).replace("parameters = {", "long_above = { threads = 100 }\nfitted_to = []\nparameters = {")
    cases = read(made(tmp_path, text)).cases
    assert [(c.id, c.at, c.value, c.long, c.fitted) for c in cases] == [("g/by threads, threads 64", 64, 16, False, False),
                                                                       ("g/by threads, threads 128", 128, 8, True, False)]
    assert all(c.ladder == "g/by threads" and c.along == "threads" and c.parameters == {"registers": 16, "threads": c.at} for c in cases)


def test_rows_of_a_table_that_differ_in_one_parameter_alone_are_a_ladder(tmp_path):
    text = GOOD.replace('parameters = { registers = 16 }', 'table = "t.csv"\nalong = "threads"\nparameters = { registers = "{r}" }').replace(
        'name = "a", parameters = { threads = 128 }', 'name = "{r}, {t}", parameters = { threads = "{t}" }').replace("value = 8", 'value = "{blocks}"')
    cases = read(made(tmp_path, text, t_csv="r,t,blocks\n16,64,16\n16,128,8\n32,64,16\n")).cases
    assert [(c.id, c.ladder, c.at) for c in cases] == [("g/16, 64", "g/registers 16", 64), ("g/16, 128", "g/registers 16", 128), ("g/32, 64", "", None)]


def test_a_case_that_does_not_say_what_was_fitted_to_it_counts_as_fitted(tmp_path):
    (case,) = read(made(tmp_path)).cases
    assert case.fitted_to is None and case.fitted


def test_gaps_are_read_with_the_architecture_that_they_are_of(tmp_path):
    found = read(made(tmp_path, gaps_toml='[D1]\n"g/a" = [-0.2, 0.1]\n"gizmo :: g/*" = [0, 1]\n', DEVIATIONS_md="| D1 | the machine | here | so |\n"))
    assert [(gap.pattern, gap.deviation, gap.low, gap.high, gap.arch) for gap in found.gaps] == [
        ("g/a", "D1", -0.2, 0.1, ""), ("g/*", "D1", 0, 1, "gizmo")]
    assert found.deviations == {"D1": "the machine"}


@pytest.mark.parametrize("old, new, message", [
    ('group = "g"', 'group = "h"', r"there is no \[groups.h\]"),
    ('source = "book"', 'source = "film"', "source 'film' is none of book"),
    ('"seen"', '"certain"', "g/a: confidence must be one of"),
    ('value = 8', 'valeu = 8', "unknown valeu"),
    ('value = 8', 'value = 8, fitted_to = [1]', "fitted_to must be a list of paths"),
    ('value = 8', 'value = 8, fitted_to = true', "fitted_to must be a list of paths"),
    ('value = 8', 'along = "threads", points = [[1, 2]]', r"a ladder \(a\) is a parameter"),
    ('value = 8', 'value = 8, along = "threads"', "needs along and points"),
    ('value = 8', 'value = 8, ladder = "by threads", at = 128', "needs along and points"),
    ('value = 8', 'points = [[1, 2], [2, 3]]', r"a ladder \(a\) is a parameter"),
    ('value = 8', 'along = "threads", points = [[1, 2], [2]]', r"a ladder \(a\) is a parameter"),
    ('value = 8', 'along = "threads", points = [[1, 2], [2, "x"]]', "value must be a number"),
    ('value = 8', 'value = "eight"', "g/a: value must be a number"),
    ('about = "times"', 'about = "times"\nleeway = 1', "groups.g: unknown leeway"),
    ('cases = [', 'table = "no.csv"\ncases = [', "there is no table no.csv"),
    ('cases = [', 'benchmark = "latency"\ncases = [', "benchmark = 'latency' chooses rows of a table, and there is none"),
    ('[groups.g]', '[groups.g', "cases.toml"),
    ('cases = [{', 'cases = [{ name = "a", value = 1 }, {', "two cases of gizmo are called g/a")])
def test_what_is_wrong_is_said_with_the_file_and_the_place(tmp_path, old, new, message):
    assert old in GOOD
    with pytest.raises(ReferenceCaseError, match=message) as error:
        read(made(tmp_path, GOOD.replace(old, new, 1)))
    assert str(tmp_path) in str(error.value)


def test_a_band_has_two_ends_in_order(tmp_path):
    with pytest.raises(ReferenceCaseError, match="give the band"):
        read(made(tmp_path, gaps_toml='[D1]\n"g/a" = [0.3, 0.1]\n'))


PLUGIN = """
from archdef import hookimpl, registry
@hookimpl
def archdef_architectures():
    import attrs
    base = registry.get("gt200")
    return [attrs.evolve(base, name="gizmo", aliases=())]
@hookimpl
def archdef_experiments():
    return [doubled]
def doubled(device, *, number):
    return {"twice": 2 * number}
"""
CASES = GOOD + """
[[set]]
group = "g"
arch = "gizmo"
source = "book"
confidence = "seen"
cases = [
    { name = "own experiment", experiment = "doubled", parameters = { number = 4 }, quantity = "twice", value = 8.0 },
    { name = "own workload", experiment = "workload", parameters = { workload = "rows", kernel = "vector_add" }, quantity = "warps_launched", value = 8 },
    { name = "unknown", experiment = "doubeld", quantity = "twice", value = 8.0, usable = false },
]
"""
RECIPE = """
import attrs
from archdef.examples import load
WORKLOAD = attrs.evolve(load("vector_add"), size=256)
"""


@pytest.mark.skipif("gt200" not in __import__("archdef.registry").registry.names(), reason="needs a plugin of this repository")
def test_a_zipped_plugin_brings_cases_recipes_and_experiments(tmp_path):
    archive = tmp_path / "plugin.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("gizmo_plugin/__init__.py", PLUGIN)
        file.writestr("gizmo_plugin/data/cases.toml", CASES)
        file.writestr("gizmo_plugin/data/rows.py", RECIPE)
    code = f"""
import sys; sys.path.insert(0, {str(archive)!r})
import gizmo_plugin; from archdef import registry; from archdef.validate import validate
registry.register(gizmo_plugin)
(report,) = validate([registry.get("gizmo")])
for outcome in report.outcomes: print(outcome.case.id, outcome.model, outcome.message, sep="|")
"""
    printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path).stdout.splitlines()
    assert printed[0].startswith("g/a|8.0") and printed[1:3] == ["g/own experiment|8.0|", "g/own workload|8.0|"]
    assert "did you mean doubled" in printed[3]


RESULTS = """{"format": 1, "label": "a card", "rows": [
    {"benchmark": "latency", "parameters": {"operation": "add_s32"}, "values": {"cycles": 4.5}},
    {"benchmark": "barrier", "parameters": {"warps": 2}, "values": {"cycles": 16}},
    {"benchmark": "barrier", "parameters": {"warps": 8}, "values": {"cycles": 28}}]}"""


def test_results_of_microbenchmarks_are_a_table(tmp_path):
    text = GOOD.replace('experiment = "occupancy"\nquantity = "blocks"', 'experiment = "microbench.{benchmark}"\nquantity = "{quantity}"\n'
                        'table = "results.json"\nbenchmark = "barrier"\nlong_above = { warps = 4 }')
    text = text.replace("{ registers = 16 }", '"{parameters}"').replace('{ name = "a", parameters = { threads = 128 }, value = 8 }',
                                                                      '{ name = "{name}", value = "{value}" }')
    cases = read(made(tmp_path, text, results_json=RESULTS)).cases
    assert [(c.id, c.experiment, c.parameters, c.quantity, c.value, c.long) for c in cases] == [
        ("g/warps 2", "microbench.barrier", {"warps": 2}, "cycles", 16, False), ("g/warps 8", "microbench.barrier", {"warps": 8}, "cycles", 28, True)]
