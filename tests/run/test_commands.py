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
    """Call the command line, on a terminal of 120 columns."""
    return CliRunner(env={"COLUMNS": "120"}).invoke(main, [str(a) for a in arguments])


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


@pytest.fixture
def stencil(tmp_path):
    """A source file whose kernel reads variables, and the arguments that launch it."""
    (tmp_path / "stencil.cu").write_text("""namespace s { __constant__ float taps[3] = {1, 1, 1}; } __device__ int launches; __constant__ float bias;
__global__ void stencil(float *out, const float *in)
{
    int i = threadIdx.x;
    out[i] = s::taps[0] * in[i] + s::taps[1] * in[i + 1] + s::taps[2] * in[i + 2] + bias;
    if (i == 0)
        launches++;
}""")
    return ["run", tmp_path / "stencil.cu", "stencil", "-g", 1, "-b", 4, "--arg", "out:f4[4]", "--arg", "in:f4[6]=range"]


def test_variables_are_set_for_a_run_and_shown_and_saved(stencil, tmp_path):
    machines = [text for name in registry.names()[:2] for text in ("-a", name)]
    plain = json.loads(archdef(*stencil, *machines, "--json").output)
    assert [list(answer["arrays"]) for answer in plain] == [["out", "in"]] * len(plain)
    assert plain[0]["arrays"]["out"]["first"] == [3, 6, 9, 12]
    chosen = ["--symbol", "taps=f4[3]=1,0,-1", "--symbol", "launches=40", "--symbol", "bias=0.5"]
    answers = json.loads(archdef(*stencil, *machines, *chosen, "--json").output)
    assert all(answer["arrays"]["out"]["first"] == [-1.5] * 4 and answer["arrays"]["launches"]["first"] == [41] for answer in answers)
    assert [set(answer) for answer in answers] == [set(answer) for answer in plain]
    np.save(tmp_path / "taps.npy", np.array([0, 2, 0], "f4"))
    result = archdef(*stencil, *machines[:2], "--symbol", f"s::taps=@{tmp_path}/taps.npy", "--save", f"s::taps={tmp_path}/seen.npy")
    assert "out: float32[4] = 2, 4, 6, 8" in result.output and "s::taps: float32[3] = 0, 2, 0" in result.output
    assert np.load(tmp_path / "seen.npy").tolist() == [0, 2, 0]


@pytest.mark.parametrize("given, message", [
    (["taps"], "'taps' is not of the form NAME=VALUE"), (["taps=x:f4[3]"], "'x:f4[3]' has a name of its own"),
    (["bias=1", "bias=2"], "the variable 'bias' is set twice"), (["taps=f4[3]=1,2"], "has 3 elements and 2 numbers"),
    (["taps=f4[4]"], "cannot copy float32[4]"), (["launches=1.5"], "launches holds integers of 32 bits, got 1.5"),
    (["taips=f4[3]"], "has no variable 'taips' (did you mean s::taps?)"), (["in=1"], "'in' names an argument and a variable")])
def test_what_is_wrong_with_a_variable_is_one_message(stencil, name, given, message):
    result = archdef(*stencil, "-a", name, *(text for value in given for text in ("--symbol", value)))
    assert result.exit_code == 2 and message in " ".join(result.output.split()) and "Traceback" not in result.output


def test_fields_can_be_changed_for_a_run(saxpy, name):
    (answer,) = json.loads(archdef(*saxpy, "-a", name, "--set", "warp.size=8", "--json").output)
    assert answer["warps"] == 256 // 8 and "warp.size=8" in answer["architecture"]


@pytest.mark.parametrize("change, message", [
    (("--arg", 7), "saxpy takes 4 arguments (float *y, const float *x, float a, int n), got 5"),
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
