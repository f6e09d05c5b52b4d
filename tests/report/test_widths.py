"""Does what commands print read right in a terminal of any width, and in a pipe?"""
import fcntl
import io
import os
import re
import struct
import termios
from functools import cache

import pytest
from archdef.cli import main
from archdef.console import UNLIMITED, text, width
from click.testing import CliRunner
from every_table import MACHINES, every_table

NAMES = ("archs", "compare", "compare all machines", "lanes", "memory", "timeline", "beside", "lower", "lower --passes", "resources", "metrics", "microbench",
         "microbench --against", "microbench --list", "check", "roofline", "example", "validate", "validate --list", "occupancy refused",
         *(f"{command} {name}" for command in ("run", "occupancy", "show") for name in ("h100", "c500", "g80")), "diff c500", "diff g80")
WIDTHS = (40, 60, 80, 100, 120, 200)
_LEFT_OUT = re.compile(r"left out at \d+ columns: .*?shows\s+them", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_PLACE = re.compile(r"[\w…]:(\d+) ")


pytestmark = pytest.mark.skipif(len(MACHINES) < 3, reason="needs the plugins of Hopper, Xiyun and Tesla")


@pytest.fixture(scope="module")
def printed():
    """Name of what a command prints → the renderable."""
    return every_table()


@pytest.fixture(scope="module")
def shown(printed):
    """Give what a command prints at a width; each is laid out once."""
    return cache(lambda name, columns: text(printed[name], columns))


@pytest.fixture(params=NAMES)
def name(request, printed):
    if request.param not in printed:
        pytest.skip("needs archdef-tesla-evidence")
    return request.param


def test_everything_made_is_asked_about(printed):
    assert set(printed) <= set(NAMES) and {f"run {name}" for name in MACHINES} <= set(printed)


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_is_longer_than_the_terminal_is_wide(shown, name, columns):
    assert max(map(len, shown(name, columns).splitlines())) <= columns


@pytest.mark.parametrize("columns", [*WIDTHS, UNLIMITED])
def test_no_line_ends_in_blanks(shown, name, columns):
    assert not [line for line in shown(name, columns).splitlines() if line != line.rstrip()]


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_number_is_cut(shown, name, columns):
    whole = set(_NUMBER.findall(shown(name, UNLIMITED)))
    cut = set(_NUMBER.findall(_LEFT_OUT.sub("", shown(name, columns)))) - whole
    assert not cut


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_number_is_cut_or_missing(shown, columns):
    for name in (f"run {machine}" for machine in MACHINES):
        assert _PLACE.findall(shown(name, columns)) == _PLACE.findall(shown(name, UNLIMITED)) != []


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_column_prints_letter_by_letter(shown, name, columns):
    def single(printed):
        return {line for line in printed.splitlines() if line.split() and all(len(word) == 1 and word.isalpha() for word in line.split())}
    assert single(shown(name, columns)) <= single(shown(name, UNLIMITED))


@pytest.mark.parametrize("columns", WIDTHS)
def test_figures_that_matter_most_are_there_at_any_width(shown, printed, columns):
    for name, words in (("archs", ("SMs", "132", "mx.c500")), ("compare", ("cycles", "time", "naive", "correct")), ("diff g80", ("t_refi_ns", "3,900", "963")),
                        ("run h100", ("warp_execution_efficiency", "dram_read_throughput")), ("check", ("3/3", "0/3"))):
        assert all(word in shown(name, columns) for word in words), name
    if "validate" in printed:
        assert all(word in shown("validate", columns) for word in ("model", "hardware", "error", "1,024"))


def test_what_is_left_out_is_named(shown):
    narrow, wide = shown("compare", 80), shown("compare", 200)
    note = " ".join(_LEFT_OUT.search(narrow)[0].split())
    assert "bank conflicts" in note and "--json" in note
    assert "bank" not in narrow.partition("left out")[0] and not _LEFT_OUT.search(wide)


def test_machines_beside_each_other_go_on_below(shown):
    """None of many machines is left out, and the points stand before each part."""
    found = shown("microbench", 80)
    assert not _LEFT_OUT.search(found) and all(name in found.split() for name in MACHINES)
    assert found.count("footprint 64 KiB") == found.count("footprint 1 MiB") > 1


def test_sources_are_listed_only_where_something_refers_to_them(shown):
    for columns in WIDTHS:
        found = shown("diff g80", columns)
        assert ("evidence" in _LEFT_OUT.sub("", found)) == ("\n[1] " in found)


def test_a_pipe_gets_everything_on_lines_of_their_own(shown, name):
    found = shown(name, UNLIMITED)
    assert "left out at" not in found and max(map(len, found.splitlines())) < 4000
    if name.startswith("run"):
        assert "65536] * 3.14159f;" in found


# ------------------------------------------------------------------------------------------------------ how wide is it?
@pytest.mark.parametrize("arguments", [["archs"], ["diff", "h100", "g80", "--only", "dram"], ["metrics"], ["show", "g80", "--only", "dram"]])
def test_commands_ask_the_variable_columns_and_else_give_a_pipe_all(arguments, printed, monkeypatch):
    narrow = CliRunner(env={"COLUMNS": "70"}).invoke(main, arguments)
    assert narrow.exit_code == 0 and 60 < max(map(len, narrow.output.splitlines())) <= 70
    monkeypatch.delenv("COLUMNS", raising=False)
    wide = CliRunner().invoke(main, arguments).output
    assert "left out" not in wide and max(map(len, wide.splitlines())) > 100
    assert all(line == line.rstrip() for line in wide.splitlines())


@pytest.mark.parametrize("asked, columns", [("72", 72), ("0", UNLIMITED), ("wide", UNLIMITED), ("", UNLIMITED), ("-5", UNLIMITED)])
def test_only_a_number_in_columns_counts(monkeypatch, asked, columns):
    monkeypatch.setenv("COLUMNS", asked)
    assert width(io.StringIO()) == columns


@pytest.mark.parametrize("columns, found", [(93, 93), (0, 80)])
def test_a_terminal_is_as_wide_as_it_says(monkeypatch, columns, found):
    monkeypatch.delenv("COLUMNS", raising=False)
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with os.fdopen(ours, "wb"), os.fdopen(theirs, "w") as terminal:
        assert width(terminal) == found
