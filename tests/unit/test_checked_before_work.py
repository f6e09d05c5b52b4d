"""Does every command check its arguments, files and extras before it compiles or launches anything?"""
import os
import sys
from concurrent.futures import ThreadPoolExecutor

import archdef
import click
import numpy as np
import pytest
from archdef.cli import COMMANDS, main
from archdef.run.launch import Grid
from click.testing import CliRunner

RUN = ["run", "k.ptx", "k", "-a", "g80", "-g", "1", "-b", "32"]
PTX = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry k(.param .u64 p) { ret; }\n"
LATE = {  # command line → what it says; each would otherwise be found after minutes of work
    "microbench": [(["--against", "missing.json"], "cannot read missing.json"), (["--against", "notes.txt"], "notes.txt"),
                   (["latency", "-p", "operation=nonsense"], "operation of latency must be one of"), (["latency", "-p", "operatio=add"], "did you mean operation"),
                   (["global_latency", "-p", "order=up"], "order of global_latency must be one of random, linear, got 'up'"), (["-p", "operation=add"], "name the benchmark"),
                   (["--plot", "curves.txt"], "plots are"), (["--plot", "no/curves.svg"], "there is no folder no"),
                   (["-o", "no/out.json"], "there is no folder no"), (["-o", "."], "is a directory"), (["nonesuch"], "no architecture is called"),
                   (["--set", "warp.size=99"], "warp.size must be at most 64"), (["latency", "-p", "operation"], "PATH=VALUE"),
                   (["--against", "bad.npy"], "cannot read bad.npy"), (["--against", "other.json"], "other.json holds no results of"),
                   (["barrier", "-p", "warps=0"], "warps of barrier must be a whole number from 1"),
                   (["code", "-p", "instructions=99999999999"], "instructions of code must be"), (["coalescing", "-p", "offset_words=-9"], "at least 0")],
    "validate": [(["-k", "nonesuch"], "no case is called 'nonesuch'"), (["-o", "no/out.json"], "there is no folder no"), (["--html", "no/p.html"], "no folder"),
                 (["--plot", "p.txt"], "plots are"), (["--plot", "no/p.svg"], "no folder"), (["--set", "warp.sise=3"], "did you mean warp.size")],
    "check": [(["--badge", "no/b.svg"], "there is no folder no"), (["--badge", "b.png"], "badges are"), (["-k", "nonesuch"], "no check's name holds"),
              (["--set", "warp.size=99"], "at most 64"), (["--excuse", "nonesuch=why"], "no such check: nonesuch"),
              (["--excuse", "test_features[nonesuch]=why"], "no such check: test_features[nonesuch]"), (["--excuse", "nonesuch"], "PATH=VALUE")],
    "run": [(["--arg", "out:f4[4]", "--save", "out=no/out.npy"], "there is no folder no"), (["--arg", "out:f4[4]", "--save", "out=out.txt"], "NAME=FILE.npy"),
            (["--arg", "@bad.npy"], "bad.npy cannot be read"), (["--arg", "@missing.npy"], "no such file"), (["--arg", "f4[99999999999]"], "bytes"),
            (["--arg", "object[4]"], "unknown type"), (["--arg", "i4[4]=1.5"], "whole numbers"), (["--arg", "u1[4]=300"], "does not fit"),
            (["--arg", "i4[4]=inf"], "whole numbers"), (["--arg", "f2[4]=1e9"], "does not fit float16"),
            (["--arg", "f4[4]=" + "9" * 400], "does not fit any type"), (["--lane-cycles", "5:1"], "5:1"), (["--lane-cycles", "0:" + "9" * 30], "2^63"), (["--max-instructions", "0"], "0"), (["-a", "nonesuch"], "no architecture is called"),
            (["--lane-cycles", "9:2", "--lanes", "0"], "cycles to trace"), (["--set", "dram.banks=x"], "dram.banks"), (["--arg", "c8[4]=random"], "random")],
    "why": [(["-c", "5"], "Missing option '--warp'"), (["-w", "0"], "Missing option '--cycle'"), (["-w", "a:b", "-c", "5"], "a warp is WARP of block 0"),
            (["-w", "0", "-c", "-1"], "-1 is not in the range"), (["-w", "0", "-c", "5", "--arg", "@missing.npy"], "no such file"),
            (["-w", "0", "-c", "5", "--set", "warp.size=99"], "at most 64"), (["-w", "0", "-c", "5", "-a", "nonesuch"], "no architecture is called")],
    "compare": [(["transpose", "-n", "0"], "positive multiple"), (["transpose", "-n", "-32"], "positive multiple"), (["transpose", "-k", "nonesuch"], "nonesuch"),
                (["nonesuch"], "unknown workload"), (["k.ptx"], "no recipe"), (["transpose", "--baseline", "missing.json"], "cannot read the baseline missing.json"),
                (["transpose", "--baseline", "notes.txt"], "holds no JSON"), (["transpose", "--baseline", "other.json"], "other.json is no baseline"),
                (["transpose", "--fail-above", "5"], "needs a --baseline"), (["transpose", "--save", "no/b.json"], "there is no folder no"),
                (["transpose", "-n", str(1 << 31)], "cannot make its data for the size 2147483648"), (["transpose", "--set", "warp.size=99"], "at most 64"),
                (["transpose", "--ncu", "missing.csv"], "cannot read missing.csv"), (["transpose", "--ncu", "notes.txt"], "notes.txt holds no launch"),
                (["transpose", "--ncu", "bad.npy"], "bad.npy is no text"), (["transpose", "--data", "beside=x.csv"], "needs --ncu"),
                (["transpose", "--data", "no/x.csv"], "there is no folder no"), (["transpose", "--data", "x.xlsx"], "data are .csv")],
    "attribute": [(["nonesuch"], "unknown workload"), (["matmul"], "choose one: naive, tiled"), (["vector_add", "--groups", "cashes"], "did you mean caches"),
                  (["vector_add", "--orders", "1"], "1 is not in the range"), (["vector_add", "-n", "0"], "positive multiple"), (["vector_add", "-a", "g92"], "3 given"),
                  (["vector_add", "-j", "1", "--runs", "9"], "9 runs are too few")],
    "advise": [(["nonesuch"], "unknown workload"), (["transpose", "-k", "nonesuch"], "nonesuch"), (["transpose", "-r", "nonesuch"], "no rule is called"),
               (["transpose", "--least", "0.5"], "0.5 is not in the range"), (["transpose", "-n", "-32"], "positive multiple")],
    "report": [(["nonesuch", "-o", "x.html"], "unknown workload"), (["transpose", "-o", "x.pdf"], "reports are .html files"),
               (["transpose", "-o", "no/x.html"], "there is no folder no"), (["transpose", "nonesuch", "-o", "x.html"], "no architecture is called 'nonesuch'"),
               (["transpose", "-n", "0", "-o", "x.html"], "positive multiple")],
    "roofline": [(["--plot", "roof.txt"], "plots are"), (["--plot", "no/roof.svg"], "there is no folder no")],
    "page": [(["-o", "no/page.html"], "there is no folder no"), (["-o", "page.txt"], "pages are")],
    "build": [(["missing.cu", "-o", "p"], "does not exist"), (["k.ptx"], "a program is built of .cu"), (["k.ptx", "-o", "no/p"], "there is no folder no"),
              (["k.ptx", "-o", "p"], "a program is built of .cu, .maca"), (["k.ptx", "-o", "p", "--compiler", "guess"], "is not one of 'nvcc', 'clang', 'nvrtc'"),
              (["main.cu", "-o", "p", "-a", "nonesuch"], "no architecture is called"), (["main.cu", "-o", "p", "-std", "98"], "standard must be")],
    "exec": [(["true", "--report", "x.pdf"], "reports are .html files"), (["true", "--timeline", "no/t.json"], "there is no folder no"),
             (["true", "--devices", "0"], "0 is not in the range"), ([], "Missing argument"), (["true", "--set", "warp.size=99"], "at most 64")],
    "export": [(["-o", "no/a.toml"], "there is no folder no"), (["-o", "."], "directory")],
    "completion": [(["tcsh"], "is not one of 'bash', 'zsh', 'fish'")],
    "schema": [(["-o", "no/schema.json"], "there is no folder no")],
    "resources": [(["missing.cu"], "does not exist"), (["k.ptx", "--registers", "guess"], "guess"), (["k.ptx", "--set", "warp.size=99"], "at most 64")],
    "lower": [(["missing.cu"], "does not exist"), (["k.ptx", "--set", "warp.size=99"], "at most 64")],
    "occupancy": [(["-t", "0"], "0"), (["-t", "9" * 400], "less than 2^63")], "new-plugin": [(["g80"], "g80"), (["mine", "--in", "no"], "no")],
    "show": [(["--only", "warp.sise"], "did you mean")], "diff": [(["nonesuch"], "no architecture is called")], "metrics": [(["nonesuch"], "unknown metric")],
    "archs": [(["extra"], "extra")]}
FIRST = {"check": ["g80"], "page": ["g80"], "export": ["g80"], "microbench": ["g80"], "validate": ["g80"], "show": ["g80"], "diff": ["g80"], "run": RUN[1:], "why": RUN[1:]}
ARCHITECTURES = {"advise": ["-a", "g80"], "exec": ["-a", "g80"], "attribute": ["-a", "g80", "-a", "gt200"], "report": ["-a", "g80", "-a", "gt200"], "compare": ["-a", "g80", "-a", "gt200"], "occupancy": ["-a", "g80"], "roofline": ["-a", "g80"], "resources": ["-a", "g80"], "lower": ["-a", "g80"]}


@pytest.fixture
def idle(monkeypatch, tmp_path):
    """Fail at the first launch, or at the first call of a compiler."""
    def work(*arguments, **options):
        raise AssertionError("work began before the arguments were checked")

    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ptx").write_text(PTX)
    (tmp_path / "main.cu").write_text("int main() { }\n")
    (tmp_path / "notes.txt").write_text("no results")
    (tmp_path / "bad.npy").write_bytes(b"no array \xff")
    (tmp_path / "other.json").write_text('{"format": 1, "label": "x", "about": {}, "rows": [{"benchmark": "of nobody", "parameters": {}, "values": {}}]}')
    monkeypatch.setattr(Grid, "session", work)
    monkeypatch.setattr(archdef.Device, "compile", work)


def test_every_command_is_tried():
    assert set(LATE) == set(COMMANDS)


@pytest.mark.parametrize("command, arguments, message", [(command, *case) for command, cases in LATE.items() for case in cases])
def test_a_mistake_is_said_before_any_work(idle, command, arguments, message):
    result = CliRunner().invoke(main, [command, *FIRST.get(command, ()), *arguments, *ARCHITECTURES.get(command, ())])
    assert result.exit_code in (1, 2) and isinstance(result.exception, SystemExit), result.exception
    assert message in " ".join(click.unstyle(result.output).split())


@pytest.mark.parametrize("name", ["k.ptx\0", "k\ud800.ptx"])
def test_an_argument_that_can_be_no_file_name_is_refused(idle, name):
    result = CliRunner().invoke(main, ["resources", name, "-a", "g80"])
    assert result.exit_code == 2 and isinstance(result.exception, SystemExit) and "holds a NUL character or half a surrogate pair" in result.output


def test_what_is_no_file_is_written_to_and_a_link_stays_one(tmp_path):
    kept, link, pipe = tmp_path / "kept.toml", tmp_path / "link.toml", tmp_path / "full"
    link.symlink_to(kept)
    assert CliRunner().invoke(main, ["export", "g80", "-o", str(link)]).exit_code == 0
    assert link.is_symlink() and "name" in kept.read_text()
    os.mkfifo(pipe)
    pipe = pipe.rename(tmp_path / "full.md")
    with ThreadPoolExecutor() as pool:      # a page is more than a pipe holds
        read = pool.submit(pipe.read_bytes)
        assert CliRunner().invoke(main, ["page", "g80", "-o", str(pipe)]).exit_code == 0
        assert pipe.is_fifo() and len(read.result()) > 1000


@pytest.mark.parametrize("command", [["microbench", "g80", "--plot", "c.svg"], ["validate", "g80", "--plot", "c.svg"], ["roofline", "-a", "g80", "--plot", "c.svg"]])
def test_a_missing_extra_is_said_before_any_work(idle, monkeypatch, command):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 2 and "pip install 'archdef[plot]'" in result.output


def test_no_machine_is_launched_before_all_have_taken_the_kernel(monkeypatch, tmp_path):
    """The second machine refuses the block: the first one has not run, and nothing was written."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ptx").write_text(PTX)
    launched = []
    monkeypatch.setattr(Grid, "session", lambda *a, **k: launched.append(a) or pytest.fail("launched"))
    result = CliRunner().invoke(main, ["run", "k.ptx", "k", "-a", "gf100", "-a", "g80", "-g", "1", "-b", "1024", "--arg", "out:f4[4]", "--save", "out=o.npy"])
    assert result.exit_code == 2 and "g80" in result.output and not launched and not list(tmp_path.glob("*.npy"))


def test_what_is_right_still_runs(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "k.ptx").write_text(PTX)
    np.save(tmp_path / "in.npy", np.arange(4.0))
    result = CliRunner().invoke(main, [*RUN, "-a", "gt200", "--arg", "out:@in.npy", "--save", "out=o.npy"])
    assert result.exit_code == 0, result.output
    assert [np.load(tmp_path / f"o.{name}.npy").tolist() for name in ("g80", "gt200")] == [[0, 1, 2, 3]] * 2
