"""The page of an architecture says everything that the declaration says, and its diagram draws what is declared."""
import json
import re
from xml.etree import ElementTree

import attrs
import pytest
from click.testing import CliRunner
from small_machine import gizmo

from archdef import registry
from archdef.cli import main
from archdef.errors import DescriptionFileError
from archdef.page import diagram, html, markdown, save_page
from archdef.page.diagram import LANE, SM
from archdef.page.page import _peak
from archdef.report.described import fields
from archdef.spec import Cite, WeightedPriority, XorHash

pytest.importorskip("jinja2", reason="pages need archdef[kit]")
MACHINES = [gizmo(), *(registry.get(name) for name in registry.names())]
EACH = pytest.mark.parametrize("machine", MACHINES, ids=lambda m: m.name)
SVG = "{http://www.w3.org/2000/svg}"


def drawn(machine):
    return ElementTree.fromstring(diagram(machine))


def words(svg):
    return ["".join(span.text for span in text) for text in svg.iter(f"{SVG}text")]


@EACH
def test_every_multiprocessor_and_every_lane_is_drawn(machine):
    boxes = [(box.get("fill"), box.get("stroke")) for box in drawn(machine).iter(f"{SVG}rect")]
    assert boxes.count(SM) == machine.chip.multiprocessors - 1      # one is set apart: the one that is shown in full
    lanes = sum(u.lanes * u.copies * (machine.schedulers.count if u.scope == "scheduler" else 1) for u in machine.units)
    assert boxes.count(LANE) == lanes


@EACH
def test_nothing_is_drawn_outside_the_picture(machine):
    svg = drawn(machine)
    width, height = map(float, svg.get("viewBox").split()[2:])
    for box in svg.iter(f"{SVG}rect"):
        if box.get("width") != "100%":
            x, y, w, h = (float(box.get(key)) for key in ("x", "y", "width", "height"))
            assert 0 <= x and 0 <= y and x + w <= width and y + h <= height and w > 0 and h > 0
    for text in svg.iter(f"{SVG}text"):
        assert 0 < float(text.get("x")) < width and 0 < float(text.get("y")) < height


@EACH
def test_values_are_set_apart_exactly_where_they_are_assumed(machine):
    spans = [span for span in drawn(machine).iter(f"{SVG}tspan") if span.get("font-style")]
    assert len(spans) > 1 or not machine.assumed()
    measured = {path: Cite("a measurement", "table 1", "measured") for path in machine.sources()}
    assert [s.text for s in drawn(attrs.evolve(machine, evidence=measured)).iter(f"{SVG}tspan") if s.get("font-style")] == ["This colour: assumed"]


@pytest.mark.parametrize("changes", [
    {"chip.multiprocessors": 1}, {"chip.multiprocessors": 4096}, {"dram.partitions": 1}, {"dram.partitions": 1024}, {"schedulers.count": 8},
    {"schedulers.count": 1, "limits.warps_per_multiprocessor": 1}, {"warp.size": 64, "units.alu.lanes": 64}, {"units.lsu.lanes": 1},
    {"chip.multiprocessors": 100, "chip.multiprocessors_per_cluster": 33}, {"shared.banks": 1, "shared.conflict_lanes": 1},
    {"shared.banks": 256}, {"caches.l1": None, "caches.l2": None}, {"limits.register_file_partitions.count": 4}, {"dram.partition_map": XorHash()},
    {"caches.l2.scope": "chip"}, {"units.lsu.copies": 8}, {"chip.multiprocessors_per_cluster": 64}], ids=str)
def test_extreme_machines_are_drawn_too(changes):
    machine = gizmo().evolve(changes)
    test_nothing_is_drawn_outside_the_picture(machine)
    assert f"One SM: {machine.limits.warps_per_multiprocessor} warps" in " ".join(words(drawn(machine)))


def test_names_cannot_break_out_of_the_page():
    machine = gizmo(title="<script>alert('&')</script> | **x**")
    assert "<script>" not in html(machine) and "<script>" not in diagram(machine)
    assert all("<script>" not in line for line in markdown(machine).splitlines() if line.startswith("|"))


@EACH
def test_the_page_has_every_field_with_its_evidence(machine):
    for page in (html(machine), markdown(machine, "picture.svg")):
        for path, _value, _ in machine.leaves():
            if "." in path and not path.startswith("isa.operations."):
                assert path.partition(".")[2] in page, path
        assert all(name in page for name in machine.isa.operations) and all(name in page for name in machine.isa.features)
        numbers = set(map(int, re.findall(r"(?:#source-|(?:documented|measured|inferred|fitted|recalled|assumed) \[)(\d+)", page)))
        assert numbers == set(range(1, max(numbers) + 1))


def test_html_is_well_formed_and_needs_no_other_file():
    page = html(gizmo())
    assert not re.findall(r'(?:src|href)="(?!#)', page) and page.count("<table>") == page.count("</table>") > 10
    assert page.count("<code>") == page.count("</code>") and "``" not in page


def test_files_are_written_side_by_side(tmp_path):
    assert [p.name for p in save_page(gizmo(), tmp_path / "a.md")] == ["a.md", "a.svg"]
    assert "![Block diagram](a.svg)" in (tmp_path / "a.md").read_text() and (tmp_path / "a.svg").read_text() == diagram(gizmo())
    assert [p.name for p in save_page(gizmo(), tmp_path / "b.html")] == ["b.html"]
    with pytest.raises(DescriptionFileError, match="pages are .html or .md files"):
        save_page(gizmo(), tmp_path / "c.pdf")


@pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")
def test_the_command_writes_a_page(tmp_path):
    result = CliRunner().invoke(main, ["page", registry.names()[0], "-o", str(tmp_path / "x.svg"), "--json"])
    assert json.loads(result.output)["files"] == [str(tmp_path / "x.svg")]
    missing = CliRunner().invoke(main, ["page", registry.names()[0], "-o", str(tmp_path / "no" / "x.svg")])
    assert missing.exit_code == 1 and "cannot write" in missing.output and "Traceback" not in missing.output


@pytest.mark.skipif("gf100" not in registry.names(), reason="the Fermi plugin is not installed")
def test_the_peak_rate_is_the_published_one():
    assert _peak(registry.get("gf100"), "fp32_fma") == pytest.approx(1344.96, rel=1e-3)


@pytest.mark.parametrize("kind", ["documented", "assumed"])
def test_a_policy_that_is_known_does_not_vouch_for_its_numbers(kind):
    cites = {f"schedulers.policy.{a.name}": Cite("a paper", "scheduling") for a in attrs.fields(WeightedPriority)}
    cites |= {"schedulers.policy": Cite("a paper", "scheduling"), "schedulers.policy.memory_weight": Cite("nobody", "nowhere", kind)}
    machine = gizmo(schedulers=attrs.evolve(gizmo().schedulers, policy=WeightedPriority()))
    machine = attrs.evolve(machine, evidence={**machine.evidence, **cites})
    (row,) = (row for row in fields(machine) if row["path"] == "schedulers.policy")
    assert row["kind"] == "documented" and (row.get("numbers") == "assumed") == (kind == "assumed")
    assert any("numbers assumed" in each for each in words(drawn(machine))) == (kind == "assumed")
