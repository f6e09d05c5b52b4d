"""What notebooks show of results: tables with the same cells as printed ones, escaped, small, and in the colours around them."""
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from rich.console import Group
from rich.text import Text

sys.path += [str(Path(__file__).parents[1] / "unit"), str(Path(__file__).parents[1] / "html")]
from reported import HOSTILE, divergent, products, transposes
from small_machine import gizmo

from archdef import occupancy, registry
from archdef.baseline import difference
from archdef.report.differing import differences, render
from archdef.tables import Column, Footnotes, Kind, Pairs, Table, to_html

MOST_BYTES = 50_000
RUN = transposes().rows[0].run
SHOWN = {"architecture": gizmo(), "run": RUN, "divergent run": divergent(), "product": products().rows[0].run, "comparison": transposes(),
         "occupancy": occupancy(gizmo(), threads=64, registers=8), "differences": differences(gizmo(), gizmo().evolve({"chip.multiprocessors": 2})),
         "difference": difference(RUN, transposes().rows[2].run)}


class Tags(HTMLParser):
    """Tags that are open, and those that were."""

    def __init__(self, html):
        super().__init__()
        self.open, self.seen, self.texts = [], set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", SHOWN)
def test_what_is_shown_is_well_formed_small_and_self_contained(name):
    html = SHOWN[name]._repr_html_()
    tags = Tags(html)
    assert not tags.open and tags.seen <= {"div", "table", "caption", "tr", "th", "td", "b", "br"} and "table" in tags.seen
    assert len(html.encode()) < MOST_BYTES and "url(" not in html


@pytest.mark.parametrize("name", SHOWN)
def test_colours_are_those_of_the_page_around(name):
    html = SHOWN[name]._repr_html_()
    assert set(re.findall(r"(?<![-\w])(?:color|background):([^;\"]*)", html)) <= {"inherit", "none"}
    assert set(re.findall(r"rgba?\([^)]*\)", html)) <= {"rgba(128,128,128,.45)"}


@pytest.mark.parametrize("name", registry.names())
def test_every_installed_architecture_is_shown_with_its_own_words(name):
    machine = registry.get(name)
    text = " ".join(Tags(machine._repr_html_()).texts)
    assert machine.label in text and f"{machine.words.warp}s per {machine.words.multiprocessor}" in text and f"{machine.chip.multiprocessors:,}" in text


def test_cells_are_those_of_the_printed_table_whatever_they_hold():
    table = Table(Column("a <b>"), Column("n", Kind.NUMBER), Column("code", Kind.SOURCE), title=HOSTILE)
    table.heading(Text("part", style="bold"))
    table.add(HOSTILE, "12", "x < y && z")
    html = to_html(Group(table, Pairs([("<i>", "1")]), Footnotes([table], "n", ["<s>"]), "plain & simple", ""))
    texts = "".join(Tags(html).texts)
    assert "x < y && z" in texts and "<i>" in texts and "<s>" in texts and "plain & simple" in texts and "a <b>" in texts
    assert "<script" not in html and "<img" not in html and "\f" not in html and "\u2028" not in html
    assert "<b>part</b>" in html and 'text-align:right' in html


def test_long_tables_are_cut_and_say_so():
    table = Table(Column("n"))
    for n in range(1000):
        table.add(str(n))
    html = to_html(table)
    assert "and 800 more rows" in html and ">199<" in html and ">200<" not in html


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="int"):
        to_html(3)


def test_a_comparison_has_a_row_for_each_launch():
    html = transposes()._repr_html_()
    for row in transposes().rows:
        assert row.case.kernel in html and f"{row.run.cycles:,}" in html


def test_differences_print_as_the_command_prints_them_and_are_a_list():
    one, other = gizmo(), gizmo().evolve({"chip.multiprocessors": 2})
    found = differences(one, other)
    assert [row["path"] for row in found] == ["chip.multiprocessors"] and "chip" in str(found) and isinstance(found, list)
    assert to_html(render(one, other, found)) == found._repr_html_()
