"""What `archdef diff` lists is what two descriptions differ in, no more and no less."""
import json

import pytest
from click.testing import CliRunner
from small_machine import gizmo

from archdef import registry
from archdef.cli import main
from archdef.console import text
from archdef.errors import UnknownField
from archdef.report.differing import differences, render
from archdef.spec import GreedyThenOldest, TwoLevel


def test_equal_machines_have_no_differences():
    assert differences(gizmo(), gizmo()) == [] and "no differences" in text(render(gizmo(), gizmo(), []))


@pytest.mark.parametrize("changes, paths", [
    ({"chip.multiprocessors": 8}, ["chip.multiprocessors"]), ({"schedulers.policy": GreedyThenOldest()}, ["schedulers.policy"]),
    ({"schedulers.policy": TwoLevel()}, ["schedulers.policy", "schedulers.policy.active_warps"]),
    ({"isa.operations.int_add.issues": 2, "dram.banks": 16}, ["isa.operations.int_add.issues", "dram.banks"])])
def test_exactly_what_was_changed_is_listed(changes, paths):
    assert [row["path"] for row in differences(gizmo(), gizmo().evolve(changes))] == paths


def test_both_sides_have_value_evidence_and_ratio():
    (row,) = differences(gizmo(), gizmo().evolve({"dram.row_bytes": "4 KiB"}))
    assert (row["a"]["value"], row["b"]["value"], row["ratio"], row["unit"]) == (2048, 4096, 2, "B")
    assert row["a"]["source"].startswith("assumed: this test") and row["b"]["source"].startswith("assumed: evolve")
    shown = text(render(gizmo(), gizmo(), [row]))
    assert "2 KiB" in shown and "4 KiB" in shown and "2x" in shown and "1 field differs" in shown


def test_a_part_that_one_machine_has_not_stands_beside_a_dash():
    rows = differences(gizmo(), gizmo().evolve({"caches.l1": None}), "caches.l1")
    sides = {row["path"]: (row["a"], row["b"]) for row in rows}
    assert sides["caches.l1.ways"][0]["value"] == 4 and sides["caches.l1.ways"][1] is None
    assert "caches.l1.ways" not in {row["path"] for row in differences(gizmo(), gizmo().evolve({"caches.l1": None}), "dram")}


def test_features_that_both_have_are_not_repeated():
    shown = text(render(gizmo(), gizmo(), differences(gizmo(), gizmo().evolve({"isa.features": "vote clock64 clock"}))))
    assert "+clock64" in shown and "+vote" not in shown and "+clock " not in shown


def test_a_path_that_neither_has_is_an_error_with_the_nearest():
    with pytest.raises(UnknownField, match="did you mean dram"):
        differences(gizmo(), gizmo(), "drm")


@pytest.mark.parametrize("a", registry.names())
@pytest.mark.parametrize("b", registry.names()[:1])
def test_installed_machines_differ_where_their_leaves_do(a, b, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    one, other = registry.get(a), registry.get(b)
    left, right = ({path: value for path, value, _ in machine.leaves()} for machine in (one, other))
    expected = {path for path in {*left, *right} if path not in left or path not in right or left[path] != right[path]}
    assert {row["path"] for row in differences(one, other)} == expected
    assert max(map(len, text(render(one, other, differences(one, other))).splitlines())) <= 120


@pytest.mark.skipif(len(registry.names()) < 2, reason="needs two installed architectures")
def test_the_exit_code_says_whether_there_are_differences_if_asked():
    a, b = registry.names()[:2]
    codes = [CliRunner().invoke(main, ["diff", a, other, *flag]).exit_code for other in (a, b) for flag in ([], ["--exit-code"])]
    assert codes == [0, 0, 0, 1]
    assert json.loads(CliRunner().invoke(main, ["diff", a, b, "--json"]).output)["differences"]
