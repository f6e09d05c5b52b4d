"""Is it one command from a source to where its time goes on several machines; which lines are shown?"""
import json
import os
import subprocess
import sys

import pytest
from running import building
from click.testing import CliRunner

from archdef import exec as programs
from archdef.cli import main
from archdef.programs import build

pytest.importorskip("tree_sitter_cuda", reason="the extra 'build' brings it")
pytestmark = building("gt200", "k40", "v100", "c500")
SOURCE = """#include <cstdio>
#include <cstdlib>
#include "twice.cuh"
__global__ void fill(float *p, float a)
{
    p[threadIdx.x] = p[threadIdx.x] * a + 1;
}
int main(int count, char **words)
{
    float *p, first;
    cudaMalloc(&p, 4096);
    cudaMemset(p, 0, 4096);
    fill<<<1, 256>>>(p, TWICE(1));
    cudaMemcpy(&first, p, 4, cudaMemcpyDeviceToHost);
    printf("%d %g\\n", count, first);
    return count > 1 ? atoi(words[1]) : 0;
}
"""


@pytest.fixture
def source(tmp_path):
    """A source in a folder, and a header in another."""
    (tmp_path / "code").mkdir()
    (tmp_path / "headers").mkdir()
    (tmp_path / "headers" / "twice.cuh").write_text("#define TWICE(x) (2 * (x))\n")
    (tmp_path / "code" / "main.cu").write_text(SOURCE)
    return tmp_path / "code" / "main.cu"


def archdef(*words, at, **environment):
    """What the command prints, as from a shell; NVRTC even where there is nvcc."""
    return subprocess.run([sys.executable, "-m", "archdef", *words], cwd=at, capture_output=True, text=True, check=False,
                          env=os.environ | {"COLUMNS": "120"} | environment)


def test_one_command_leads_from_a_source_to_its_time_on_several_machines(source, tmp_path):
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = archdef("exec", "-a", "gt200", "-a", "c500", "-a", "v100", "--build", "-I headers --compiler nvrtc", "--", "code/main.cu", "0", at=tmp_path)
    assert done.returncode == 0, done.stderr
    assert [line for line in done.stdout.splitlines() if line == "2 1"] == ["2 1"] * 3
    assert "main.cu on gt200: exit code 0" in done.stdout and "fill: main.cu:6  p[threadIdx.x] = p[threadIdx.x] * a + 1;" in done.stdout
    table = done.stdout.rpartition("first to last work")[0].splitlines()
    assert any(line.split() == ["time", "gt200", "c500", "v100"] for line in table)
    assert any(line.startswith("fill ") and len(line.split()) == 7 for line in table)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


def test_nothing_is_written_but_the_cache_and_what_was_asked_for(source, tmp_path):
    places = {name: tmp_path / name.lower() for name in ("HOME", "TMPDIR", "ARCHDEF_CACHE", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    for place in places.values():
        place.mkdir()
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    done = archdef("exec", "-a", "gt200", "-a", "v100", "--build", "-I headers --compiler nvrtc", "--timeline", "asked.json", "code/main.cu", at=tmp_path,
                   **{name: str(place) for name, place in places.items()})
    assert done.returncode == 0, done.stderr
    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*") if path.is_file()}
    new = {path for path in after if after[path] != before.get(path)}
    assert {path for path in new if places["ARCHDEF_CACHE"] not in path.parents} == {tmp_path / f"asked.{name}.json" for name in ("gt200", "v100")}


def test_the_document_names_the_source_and_the_exit_code_is_the_programs(source, tmp_path):
    done = archdef("exec", "-a", "v100", "-a", "k40", "--json", "--build", "-I headers --compiler nvrtc", "--", "code/main.cu", "7", at=tmp_path)
    assert done.returncode == 7
    assert [(each["command"], each["exit_code"], each["launches"]) for each in json.loads(done.stdout)] == [(["code/main.cu", "7"], 7, 1)] * 2


@pytest.mark.parametrize("words, said", [
    (("--build", "--compiler nowhere", "code/main.cu"), "'nowhere' is not one of"), (("--build", "-c", "code/main.cu"), "-c, -shared, -lib, -dlink"), (("--build", "'", "code/main.cu"), "No closing quotation"),
    (("--build", "-O2", "ls"), "--build is for a program that is a .cu, .maca, .cpp, .cc, .cxx or .c file"), (("code/nowhere.cu",), "there is no file code/nowhere.cu"),
    (("--build", "--compiler nvrtc", "code/main.cu"), "twice.cuh: No such file")])
def test_what_cannot_be_built_is_refused_before_anything_runs(source, tmp_path, words, said):
    done = archdef("exec", "-a", "v100", *words, at=tmp_path)
    assert done.returncode == 2 and said in done.stderr and done.stdout == ""
    assert ("archdef build" in done.stderr) == ("nowhere' is" in said), "the command that was called is the one that is named"


def test_lines_are_shown_of_sources_that_the_program_was_made_of(source, tmp_path, monkeypatch):
    build([source], source.parent / "program", "v100", "nvrtc", include=[str(tmp_path / "headers")])
    shown = "p[threadIdx.x] = p[threadIdx.x] * a + 1;"
    assert shown in str(programs.run([str(source.parent / "program")], "v100"))
    later = (source.parent / "program").stat().st_mtime + 10
    os.utime(source, (later, later))
    assert shown not in str(programs.run([str(source.parent / "program")], "v100"))


def test_machines_beside_each_other_have_a_dash_where_nothing_ran_and_say_how_they_ended(source, tmp_path):
    build([source], tmp_path / "program", "k40", "nvrtc", include=[str(tmp_path / "headers")])
    table = str(programs.Beside([programs.run([str(tmp_path / "program"), code], machine) for machine, code in (("gt200", "0"), ("k40", "3"))]))
    rows = {line[:18].strip(): line[18:].split() for line in table.splitlines()}
    assert rows["fill"][0] == "-" and len(rows["fill"]) == 3 and rows["exit code"] == ["0", "3"]


@pytest.mark.parametrize("option, said", [
    (["-Wall"], "-Wall is an option of nvcc's; options of the host's compiler follow -Xcompiler"), (["-Xnvlink", "-use-host-info"], "not known here"),
    (["-E"], "nvcc -E"), (["-cubin"], "cuModuleLoad takes either"), (["-fopenmp"], "follow -Xcompiler")])
def test_options_of_nvcc_are_answered_by_what_stands_for_them(source, option, said):
    done = CliRunner().invoke(main, ["build", *option, "-o", "program", str(source)])
    assert done.exit_code == 2 and said in done.output


def test_what_is_passed_to_the_hosts_compiler_and_what_both_have_is_no_option_of_nvccs(source):
    done = CliRunner().invoke(main, ["build", "-Xcompiler", "-Wall", "-fmad=false", "-O3", "-std=c++14", "-lm", "-o", "nowhere/program", str(source)])
    assert done.exit_code and "nvcc" not in done.output and "nowhere" in done.output
