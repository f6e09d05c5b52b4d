"""Do programs that start nvcc for machine code get PTX, and all else from the toolkit as it is?

The nvcc here is a script that writes down what it is asked for.
"""
import os
import subprocess

import pytest

from archdef import exec as programs
from archdef import registry
from archdef.exec import toolkit

_NVCC = """#!/bin/sh
for argument do printf '%s\\n' "$argument"; done
exit 7
"""


@pytest.fixture
def installed(tmp_path):
    """A folder with a toolkit, as `bin` of an installation."""
    folder = tmp_path / "cuda 1" / "bin"
    folder.mkdir(parents=True)
    (folder / "nvcc").write_text(_NVCC)
    (folder / "nvcc").chmod(0o755)
    (folder / "nvcc.profile").touch()
    (folder / "ptxas").touch()
    (folder.parent / "include").mkdir()
    return folder


def _placed(tmp_path, **variables):
    return toolkit.placed(tmp_path / "placed", {"PATH": "/nowhere", "CUDA_PATH": "/nowhere"} | variables)


def _asked(nvcc, *arguments):
    done = subprocess.run([nvcc, *arguments], capture_output=True, text=True)
    return done.stdout.splitlines(), done.returncode


@pytest.mark.parametrize("asked, given", [
    (["--cubin", "-arch", "sm_70", "kernel.cu"], ["--cubin", "-arch", "sm_70", "kernel.cu", "-o", "kernel.cubin", "-ptx"]),
    (["-cubin", "/some where/a.b.cu"], ["-cubin", "/some where/a.b.cu", "-o", "a.b.cubin", "-ptx"]),
    (["-cubin", "a.cu", "-o", "x y"], ["-cubin", "a.cu", "-o", "x y", "-ptx"]),
    (["-cubin", "a.cu", "--output-file=x"], ["-cubin", "a.cu", "--output-file=x", "-ptx"]),
    (["-cubin", "a.cu", "-o=x"], ["-cubin", "a.cu", "-o=x", "-ptx"]),
    (["-cubin", "b/a.cu", "-odir", "x y"], ["-cubin", "b/a.cu", "-odir", "x y", "-o", "x y/a.cubin", "-ptx"]),
    (["-cubin", "a.cu", "--output-directory=x"], ["-cubin", "a.cu", "--output-directory=x", "-o", "x/a.cubin", "-ptx"]),
    (["-cubin", "a.cu", "-optf", "x"], ["-cubin", "a.cu", "-optf", "x", "-o", "a.cubin", "-ptx"]),
    (["-cubin", "a.ptx"], ["-cubin", "a.ptx"]),
    (["-ptx", "a.cu"], ["-ptx", "a.cu"]),
    (["a.cu", "-DNAME='a b'", "-o", "a"], ["a.cu", "-DNAME='a b'", "-o", "a"])])
def test_what_nvcc_is_asked_for(installed, tmp_path, asked, given):
    found = _placed(tmp_path, PATH=f"{installed}:{os.environ['PATH']}")
    assert _asked(found["NVCC"], *asked) == (given, 7)


def test_its_version_says_that_it_is_another_one_and_keeps_its_exit_code(installed, tmp_path):
    found = _placed(tmp_path, PATH=str(installed))
    assert _asked(found["NVCC"], "--version") == (["--version"], 7)
    (installed / "nvcc").write_text("#!/bin/sh\necho 13.0\n")
    assert _asked(found["NVCC"], "--version") == (["13.0", "PTX in place of machine code, by archdef exec"], 0)


def test_the_rest_of_the_toolkit_is_found_beside_it(installed, tmp_path):
    first = _placed(tmp_path, PATH=str(installed))["PATH"].split(":")[0]
    assert os.path.realpath(f"{first}/ptxas") == str(installed / "ptxas") and os.path.realpath(f"{first}/../include") == str(installed.parent / "include")
    assert sorted(os.listdir(first)) == ["nvcc", "nvcc.profile", "ptxas"] and sorted(os.listdir(f"{first}/..")) == ["bin", "include"]


def test_a_folder_of_all_kinds_of_programs_is_no_toolkit(installed, tmp_path):
    (installed / "nvcc.profile").unlink()
    first = _placed(tmp_path, PATH=str(installed))["PATH"].split(":")[0]
    assert os.listdir(first) == ["nvcc"] and os.listdir(f"{first}/..") == ["bin"]


@pytest.mark.parametrize("variables, given", [
    ({"NVCC": "{nvcc}"}, ["-cubin", "a.cu", "-o", "a.cubin", "-ptx"]),
    ({"NVCC": "sh {nvcc} -lineinfo"}, ["-lineinfo", "-cubin", "a.cu", "-o", "a.cubin", "-ptx"]),
    ({"CUDA_PATH": "{root}"}, ["-cubin", "a.cu", "-o", "a.cubin", "-ptx"])])
def test_an_nvcc_that_the_environment_names(installed, tmp_path, variables, given):
    quoted = {name: text.format(nvcc=f"'{installed / 'nvcc'}'", root=installed.parent) for name, text in variables.items()}
    found = _placed(tmp_path, **{"PATH": os.environ["PATH"]} | quoted)
    assert _asked(found["NVCC"], "-cubin", "a.cu") == (given, 7)


@pytest.mark.parametrize("variables", [{}, {"NVCC": "/nowhere/nvcc"}, {"NVCC": "'"}, {"NVCC": " "}, {"CUDA_HOME": "/nowhere"}])
def test_nothing_is_changed_where_there_is_no_nvcc(tmp_path, variables):
    assert _placed(tmp_path, **variables) == {} and not (tmp_path / "placed").exists()


@pytest.mark.skipif("v100" not in registry.names(), reason="needs the plugins of this repository")
def test_a_program_finds_it(installed, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{installed}:{os.environ['PATH']}")
    with open(tmp_path / "output", "w+") as output:
        found = programs.run(["/bin/sh", "-c", "nvcc -cubin a.cu; $NVCC -c a.cu"], "v100", output=output)
        output.seek(0)
        assert output.read().split() == ["-cubin", "a.cu", "-o", "a.cubin", "-ptx", "-c", "a.cu"]
    assert found.exit_code == 7
