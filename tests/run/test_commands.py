"""The command line runs kernels."""
import json

import numpy as np
import pytest
from click.testing import CliRunner

from archdef import registry
from archdef.cli import main
from archdef.frontends import nvrtc

pytestmark = [pytest.mark.skipif(nvrtc.toolchain() is None, reason="no NVRTC wheel: pip install archdef[cuda]"),
              pytest.mark.skipif(not registry.names(), reason="no architecture plugin is installed")]

SAXPY = """__global__ void saxpy(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}
"""


def archdef(*arguments):
    """Call the command line."""
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def saxpy(tmp_path):
    """A source file, and the arguments that launch it."""
    (tmp_path / "saxpy.cu").write_text(SAXPY)
    return ["run", tmp_path / "saxpy.cu", "saxpy", "--grid", 4, "--block", 64, "--arg", "y:f4[256]=ones", "--arg",
            "x:f4[256]=range",
            "--arg", 2, "--arg", 256]


@pytest.fixture
def name():
    return registry.names()[0]


def test_run_prints_cost_and_arrays_and_saves_them(saxpy, name, tmp_path):
    result = archdef(*saxpy, "-a", name, "--save", f"y={tmp_path}/y.npy")
    assert result.exit_code == 0, result.output
    assert "saxpy" in result.output and "y: float32[256] = 1, 3, 5" in result.output
    assert max(map(len, result.output.splitlines())) <= 120
    np.testing.assert_array_equal(np.load(tmp_path / "y.npy"), 2 * np.arange(256, dtype="f4") + 1)


def test_run_is_json_for_several_architectures(saxpy):
    result = archdef(*saxpy, "--json", *(text for name in registry.names() for text in ("-a", name)))
    answers = json.loads(result.output)
    assert [answer["architecture"] for answer in answers] == list(registry.names())
    assert all(answer["arrays"]["y"]["first"][:3] == [1, 3, 5] and answer["cycles"] > 0 for answer in answers)


def test_fields_can_be_changed_for_a_run(saxpy, name):
    (answer,) = json.loads(archdef(*saxpy, "-a", name, "--set", "warp.size=8", "--json").output)
    assert answer["warps"] == 256 // 8 and "warp.size=8" in answer["architecture"]


@pytest.mark.parametrize("change, message", [
    (("--arg", 7), "saxpy takes 4 arguments (u64, u64, f32, u32), got 5"),
    (("--block", "1,1,9999"), "limits.block_dimensions.z is"),
    (("--max-instructions", 5), "saxpy")])
def test_what_is_wrong_with_a_launch_is_one_message(saxpy, name, change, message):
    result = archdef(*saxpy, "-a", name, *change)
    assert result.exit_code == 2 and message in result.output and "Traceback" not in result.output


def test_a_kernel_that_does_not_exist_gets_the_nearest_name(saxpy, name):
    saxpy[2] = "saxpi"
    result = archdef(*saxpy, "-a", name)
    assert result.exit_code == 2 and "has no kernel 'saxpi' (did you mean saxpy?)" in result.output


def test_malformed_ptx_is_shown_with_a_caret(tmp_path, name):
    (tmp_path / "bad.ptx").write_text(
        ".version 7.8\n.target sm_35\n.address_size 64\n.visible .entry f()\n{\n    mov.u32 %r1 5;\n}\n")
    result = archdef("run", tmp_path / "bad.ptx", "f", "-a", name, "-g", 1, "-b", 1)
    assert result.exit_code == 2 and "bad.ptx:6:" in result.output and "^" in result.output


def test_compare_prints_one_table_with_a_row_per_kernel():
    result = archdef("compare", "transpose", "--size", 64)
    assert result.exit_code == 0, result.output
    assert result.output.count(" correct") == 5 * len(registry.names())
    assert "transpose.cu:" in result.output and "assumed" in result.output
    assert max(map(len, result.output.splitlines())) <= 120


def test_compare_is_json_too(name):
    answer = json.loads(archdef("compare", "transpose", "-a", name, "--size", 64, "-k", "naive", "--json").output)
    (row,) = answer["rows"]
    assert answer["correct"] and row["kernel"] == "naive" and row["cycles"] > 0 and row["why"]["line"]


def test_compare_goes_on_when_one_architecture_cannot_launch(name):
    result = archdef("compare", "vector_add", "-a", name, "--set", "limits.threads_per_block=64", "--set",
                     "limits.block_dimensions=64,64,64")
    assert result.exit_code == 1 and "failed" in result.output
    assert "limits.block_dimensions.x is 64, got block (256, 1, 1)" in result.output
