"""Pictures of published curves beside the model's: every point is in the frame, at its place, and the legend says what it is."""
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from archdef.page.curves import BOTTOM, LEFT, RIGHT, TOP, curves
from archdef.validate import Ladder, Source
import itertools

SOURCE = Source("A measurement of something", year=2020, where="table 1")
SVG = "{http://www.w3.org/2000/svg}"


def ladder(points, name="g/one", along="stride_words", **more):
    return Ladder(**{"name": name, "along": along, "quantity": "cycles", "unit": "cycles", "fitted": False, "usable": True, "source": SOURCE,
                     "points": tuple(points), "error": 0.125, **more})


def lines(svg):
    """Give the corners of the lines that have a colour: hardware's dashed ones, and the model's."""
    found = {True: [], False: []}
    for path in ElementTree.fromstring(svg).iter(f"{SVG}path"):
        if path.get("stroke") not in ("#e2e8f0", "#64748b", "#1e293b"):
            found["stroke-dasharray" in path.attrib].append([tuple(map(float, pair.split())) for pair in re.split(r" ?[ML]", path.get("d"))[1:]])
    return found[True], found[False]


VALUES = st.lists(st.tuples(st.integers(0, 1 << 26), st.floats(1e-3, 1e6), st.floats(1e-3, 1e6)), min_size=2, max_size=9, unique_by=lambda point: point[0])


@given(VALUES.map(sorted), st.sampled_from(["stride_words", "footprint_bytes"]))
def test_every_point_is_in_the_frame_and_in_order(points, along):
    (one,) = curves([ladder(points, along=along)])
    (hardware,), (model,) = lines(one.svg)
    assert len(hardware) == len(model) == len(points)
    for (x, y), (x2, y2) in zip(hardware, model, strict=True):
        assert LEFT - 0.1 <= x <= RIGHT + 0.1 and TOP - 0.1 <= y <= BOTTOM + 0.1 and TOP - 0.1 <= y2 <= BOTTOM + 0.1 and x == x2
    assert [x for x, _ in hardware] == sorted(x for x, _ in hardware)


@given(VALUES.map(sorted))
def test_a_larger_value_is_no_lower(points):
    (hardware,), (model,) = lines(curves([ladder(points)])[0].svg)
    placed = sorted([*zip((p[1] for p in points), hardware, strict=True), *zip((p[2] for p in points), model, strict=True)])
    heights = [y for _, (_, y) in placed]
    assert all(later <= earlier + 0.02 for earlier, later in itertools.pairwise(heights))


def test_ladders_of_a_group_along_one_parameter_share_a_picture():
    points = [(1, 10, 11), (2, 20, 21)]
    pictures = curves([ladder(points), ladder(points, name="g/two", fitted=True), ladder(points, name="g/three", along="threads"),
                       ladder(points, name="h/four", usable=False)])
    assert [one.title for one in pictures] == ["g, by stride words", "g, by threads", "h, by stride words"]
    said = "".join(ElementTree.fromstring(pictures[0].svg).itertext())
    assert "one: 12.5%, unfitted" in said and "two: 12.5%, fitted" in said and "in doubt" in "".join(ElementTree.fromstring(pictures[2].svg).itertext())
    assert pictures[0].sources == ("A measurement of something, 2020; table 1",)


def test_a_page_shows_the_pictures_and_where_the_curves_are_from(tmp_path):
    pytest.importorskip("jinja2")
    from archdef import registry
    from archdef.page import save_page

    if "gt200" not in registry.names():
        pytest.skip("needs a plugin of this repository")
    drawn = curves([ladder([(1, 10, 11), (2, 20, 21)])])
    (page,) = save_page(registry.get("gt200"), tmp_path / "a.html", drawn)
    text = page.read_text(encoding="utf-8")
    assert text.count("<svg") == 2 and "g, by stride words" in text and "table 1" in text
    files = save_page(registry.get("gt200"), tmp_path / "b.md", drawn)
    assert [file.name for file in files] == ["b.md", "b.svg", "b-curves-1.svg"] and "](b-curves-1.svg)" in files[0].read_text(encoding="utf-8")
    assert files[2].read_text(encoding="utf-8") == drawn[0].svg


def test_the_command_runs_the_ladders_of_a_machine_or_says_that_there_are_none(tmp_path):
    pytest.importorskip("jinja2")
    from click.testing import CliRunner

    from archdef import registry
    from archdef.cli import main

    if not {"titan_x", "g92"} <= set(registry.names()):
        pytest.skip("needs the plugins of this repository")
    made = CliRunner().invoke(main, ["page", "titan_x", "-o", str(tmp_path / "a.html"), "--ladders"])
    assert made.exit_code == 0 and "conflicts, by stride words" in (tmp_path / "a.html").read_text(encoding="utf-8")
    refused = CliRunner().invoke(main, ["page", "g92", "-o", str(tmp_path / "b.html"), "--ladders"])
    assert refused.exit_code == 1 and "no published curve of g92" in refused.output and not (tmp_path / "b.html").exists()
