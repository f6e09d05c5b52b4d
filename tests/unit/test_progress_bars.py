"""Bars show how far work is, on terminals and in notebooks alone, and never one over another."""
import io
import sys
import warnings

import pytest
from rich.console import Console

from archdef import progress
from archdef.console import console
from archdef.progress import DISPLAY, Launches, Task, Work, clock, short


class Terminal(io.StringIO):
    """An error stream that is a terminal."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(progress, "console", lambda **options: console(file=stream, force_terminal=True, force_jupyter=False, width=100, legacy_windows=False))
    monkeypatch.setenv("TERM", "xterm")
    yield stream
    assert not DISPLAY.busy


class Session:
    """An engine that has issued so many instructions."""

    issued = 1000


class Grid:
    """A launch of the engine."""

    blocks, blocks_started, blocks_done = 4096, 64, 0


def test_a_bar_moves_before_the_first_block_ends(terminal):
    session, grid = Session(), Grid()
    with Launches("gt200 k", session, [grid]) as bar:
        session.issued += 5_000_000
        bar.update()
        first = DISPLAY._bars.tasks[0].fields["detail"]
        session.issued += 5_000_000
        bar.update()
        second = DISPLAY._bars.tasks[0].fields["detail"]
    assert first.startswith("0 of 4,096 blocks, 5.00 M instructions, ") and second.startswith("0 of 4,096 blocks, 10.0 M instructions, ")
    assert "/s, " in first and "left" not in second


def test_what_is_left_is_said_once_a_block_has_ended(terminal):
    session, grid = Session(), Grid()
    with Launches("gt200 k", session, [grid]) as bar:
        session.issued, grid.blocks_started, grid.blocks_done = 64 * 100 + 1000, 65, 1
        bar.update()
        task = DISPLAY._bars.tasks[0]
        assert task.fields["detail"].endswith("left") and task.total == 1.0 and 0.01 < task.completed < 0.02      # 64 of 4096 blocks nearly done


def test_the_share_of_work_never_goes_back_and_nears_the_whole():
    work, shares = Work(), []
    for ended in range(1, 4097):        # 64 at a time, half-way through on the average
        started = min(ended + 64, 4096)
        shares.append(work.fraction(4096, started, ended, 100 * ended + 50 * (started - ended)))
    assert shares == sorted(shares) and 0.9 < shares[-1] < 1 and abs(shares[2047] - 0.5) < 0.02


def test_several_bars_are_lines_of_one_display(terminal):
    with Task("outer") as outer, Task("inner") as inner:
        outer.counted(1, 10, "first")
        inner.update(0.5, "half")
        assert [task.description for task in DISPLAY._bars.tasks] == ["outer", "inner"] and DISPLAY.console() is DISPLAY._bars.console
        inner.end()
        assert [task.description for task in DISPLAY._bars.tasks] == ["outer"]
    assert not DISPLAY.busy and "outer" in terminal.getvalue()


def test_what_is_printed_meanwhile_stands_above_the_bars(terminal):
    with Task("bar") as task:
        task.counted(1, 10, "first")
        DISPLAY.console().print("a line")
    assert "a line\n" in terminal.getvalue()


def test_what_is_short_gets_no_bar(terminal, monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 1000.0)
    with Task("bar") as task:
        task.counted(1, 10, "first")
        assert not DISPLAY.busy and not task.due


def test_nothing_is_drawn_in_a_pipe(capfd):
    with Task("bar") as task:
        task.began -= 10
        task.counted(1, 10, "first")
        assert not task.shown
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("widgets, shown", [(object(), True), (None, False)])
def test_a_notebook_has_bars_if_it_has_widgets(monkeypatch, widgets, shown):
    monkeypatch.setattr(progress, "console", lambda **options: Console(force_jupyter=True))
    monkeypatch.setattr(progress.importlib.util, "find_spec", lambda name: widgets)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert Task("bar").shown == shown


@pytest.mark.parametrize("reason", ["asked", "quiet", "a process of a pool", "a terminal that cannot move its cursor"])
def test_nothing_is_drawn_where_nobody_wants_it(terminal, monkeypatch, reason):
    if reason == "quiet":
        monkeypatch.setattr(DISPLAY, "quiet", True)
    if reason == "a process of a pool":
        monkeypatch.setattr(progress.multiprocessing, "parent_process", lambda: object())
    if reason.startswith("a terminal"):
        monkeypatch.setenv("TERM", "dumb")
    assert Task("bar", False if reason == "asked" else None).shown is False and Task("bar", True).shown == (reason == "asked")


def test_standard_output_that_is_no_terminal_stays_what_it_is(terminal, monkeypatch):
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stdout", plain)
    with Task("bar") as task:
        task.counted(1, 10, "first")
        print("data")
    assert plain.getvalue() == "data\n" and "data" not in terminal.getvalue()


def test_times_and_numbers_are_short():
    assert [clock(s) for s in (3.4, 80, 7380)] == ["3 s", "1:20", "2:03:00"]
    assert [short(n) for n in (17, 1234, 12_345_678, 2e9)] == ["17", "1.23 k", "12.3 M", "2.00 G"]
