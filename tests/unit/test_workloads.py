"""Workloads say how to launch their kernels and what to expect."""
import numpy as np
import pytest

from archdef.examples import Output, load, workloads
from archdef.examples.workload import WorkloadError


class Wide:
    """As much of an architecture as recipes look at."""

    class warp:
        size = 32


@pytest.mark.parametrize("workload", workloads(), ids=lambda w: w.name)
def test_every_example_declares_launches_with_an_expected_output(workload):
    cases = workload.launches(Wide, workload.multiple * 2)
    assert cases and workload.source.is_file()
    for case in cases:
        assert any(isinstance(a, Output) for a in case.arguments) and case.bytes_moved > 0
        assert f" {case.kernel}(" in workload.source.read_text()


def test_the_data_is_the_same_every_time():
    first, second = (load("transpose").launches(Wide, 32)[0].arguments[1].array for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_kernels_can_be_chosen():
    assert [case.kernel for case in load("transpose").launches(Wide, 32, ("tiled", "naive"))] == ["naive", "tiled"]


@pytest.mark.parametrize("size", [0, -32, 33])
def test_a_size_that_does_not_fit_is_refused(size):
    with pytest.raises(WorkloadError, match="size of transpose must be a positive multiple of 32"):
        load("transpose").launches(Wide, size)


@pytest.mark.parametrize("name, message", [
    ("transpos", r"unknown workload 'transpos' \(did you mean transpose\?\)"), ("absent.cu", "no such file")])
def test_an_unknown_workload_gets_the_nearest_name(name, message):
    with pytest.raises(WorkloadError, match=message):
        load(name)


def test_an_unknown_kernel_gets_the_nearest_name():
    with pytest.raises(WorkloadError, match=r"workload transpose has no kernel 'diagonl' \(did you mean"):
        load("transpose").launches(Wide, 32, ("diagonl",))


def test_a_recipe_of_ones_own_is_loaded_by_its_cuda_file(tmp_path):
    (tmp_path / "mine.cu").write_text("__global__ void f(int *p) { *p = 1; }\n")
    (tmp_path / "mine.py").write_text(
        "from pathlib import Path\nimport numpy as np\nfrom archdef.examples import Case, Output, Workload\n"
        "def cases(size, random, architecture):\n    yield Case('f', (1,), (1,), (Output(np.ones(1, 'i4')),), 4)\n"
        "WORKLOAD = Workload('mine', 'one store', Path(__file__).with_suffix('.cu'), cases, size=1)\n")
    assert load(str(tmp_path / "mine.cu")).name == load(str(tmp_path / "mine.py")).name == "mine"


@pytest.mark.parametrize("body, message", [("1/0\n", "does not load: ZeroDivisionError"),
                                           ("\n", "must define WORKLOAD")])
def test_a_broken_recipe_says_why(tmp_path, body, message):
    (tmp_path / "mine.py").write_text(body)
    with pytest.raises(WorkloadError, match=message):
        load(str(tmp_path / "mine.py"))


def test_a_cuda_file_without_a_recipe_points_to_run(tmp_path):
    (tmp_path / "mine.cu").write_text("")
    with pytest.raises(WorkloadError, match="no recipe mine.py beside it.*archdef run"):
        load(str(tmp_path / "mine.cu"))


@pytest.mark.parametrize("actual, accepted", [([1.0, 2.0], True), ([1.0, 2.00001], True), ([1.0, 2.1], False),
                                              ([1.0, np.nan], False)])
def test_an_output_accepts_what_lies_within_its_tolerance(actual, accepted):
    assert Output(np.array([1.0, 2.0]), tolerance=1e-4).accepts(np.array(actual)) == accepted
