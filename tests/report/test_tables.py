"""Which columns does a table show, how are cells broken, and what becomes of rows that have no room?"""
from itertools import pairwise

import pytest
from archdef.console import text
from archdef.tables import Column, Footnotes, Kind, Pairs, Table
from archdef.tables.breaking import shorten, shorten_place, wrap
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text


def table(**options):
    made = Table(Column("kernel"), Column("cycles", Kind.NUMBER), Column("cause", priority=2), Column("rate", Kind.NUMBER, 1),
                 Column("source", Kind.SOURCE, priority=2, least=10), rule=False, **options)
    made.add("transpose", "123,456", "memory dependency", "1.25", "out[x] = in[y * 1024];")
    return made


@pytest.mark.parametrize("width, columns", [
    (80, ["kernel", "cycles", "cause", "rate", "source"]), (58, ["kernel", "cycles", "cause", "rate", "source"]), (40, ["kernel", "cycles", "rate"]),
    (20, ["kernel", "cycles"])])
def test_columns_of_the_least_priority_go_first_and_together(width, columns):
    assert text(table(), width).splitlines()[0].split() == columns


def test_a_row_becomes_a_record_where_not_even_the_essential_columns_fit():
    assert text(table(), 15).splitlines()[:3] == ["transpose", "    123,456", "    memory"]
    wide = Table(Column("name"), Column("figure", Kind.NUMBER), Column("what it is", Kind.PROSE), rule=False)
    wide.add("a" * 25, "1,234", "cycles of the launch as a whole")
    assert text(wide, 32).splitlines() == ["a" * 25, "  figure      1,234", "  what it is  cycles of the", "              launch as a whole"]


def test_columns_that_stand_for_equals_go_on_below():
    made = Table(Column(""), *(Column(f"machine{k}", Kind.NUMBER, part=k) for k in range(4)), rule=False)
    made.add("latency", "1", "2", "3", "4")
    assert text(made, 28).split() == ["machine0", "machine1", "latency", "1", "2", "machine2", "machine3", "latency", "3", "4"]


def test_pairs_stand_beside_each_other_where_they_fit():
    pairs = Pairs([("first", "1"), ("second", "2"), ("third", "3")])
    assert [len(text(pairs, width).split("\n")) for width in (80, 15)] == [3, 4]


def test_footnotes_go_with_their_column():
    made = Table(Column("a"), Column("b", priority=1), rule=False)
    made.add("x" * 10, "y" * 10 + "[1]")
    assert [("a book" in text(Footnotes([made], "b", ["[1] a book"]), width)) for width in (40, 20)] == [True, False]


def test_headings_go_across_all_columns():
    made = Table(Column("a"), Column("b"), rule=False)
    made.heading("a heading of many words")
    made.add("1", "2")
    assert text(made, 40).splitlines() == ["a  b", "a heading of many words", "1  2"]


@pytest.mark.parametrize("width, lines", [(12, ["FirstReady(", "window=80,", "page_policy=", "'close_", "adaptive')"]), (40, [
    "FirstReady(window=80,", "page_policy='close_adaptive')"])])
def test_words_are_broken_behind_punctuation_if_at_all(width, lines):
    assert [line.plain for line in wrap(Text("FirstReady(window=80, page_policy='close_adaptive')"), width)] == lines


def test_lines_that_are_indented_go_on_indented():
    assert [line.plain for line in wrap(Text("    one two three"), 12)] == ["    one two", "    three"]


@given(st.lists(st.one_of(st.integers(0, 10**8).map("{:,}".format), st.floats(0, 1000).map("{:.3f}".format), st.sampled_from(
    ["word", "name_1024", "a.b.c_17(3, 4)", "file.cu:123", "x" * 30])), min_size=1, max_size=8), st.integers(14, 40))
def test_no_number_is_broken_and_nothing_is_lost(words, width):
    lines = [line.plain for line in wrap(Text(" ".join(words)), width)]
    assert max(map(len, lines)) <= width and "".join("".join(lines).split()) == "".join("".join(words).split())
    assert not [(one, two) for one, two in pairwise(lines) if one[-1:].isdigit() and two[:1].isdigit() and (one.split()[-1] + two.split()[0]) in words]


@pytest.mark.parametrize("width, kept", [(20, "out[index * 1024]"), (16, "out[index *…"), (8, "out[ind…")])
def test_what_is_shortened_says_so_and_cuts_no_number(width, kept):
    assert shorten(Text("out[index * 1024]"), width).plain == kept


@pytest.mark.parametrize("width, kept", [(30, "a_kernel_of_many_names.cu:1234"), (14, "a_kernel…:1234"), (5, "…:1234")])
def test_of_a_place_only_the_file_is_shortened(width, kept):
    assert shorten_place(Text("a_kernel_of_many_names.cu:1234"), width).plain == kept


def test_what_would_control_a_terminal_takes_the_room_of_its_escape():
    made = Table(Column("name"), Column("figure", Kind.NUMBER), rule=False)
    made.add("a\x1b[2J", "17")
    assert text(made, 40).splitlines() == ["name      figure", r"a\x1b[2J      17"]
