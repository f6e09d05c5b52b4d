"""Is a cause that lies at several lines told once, with what all of them gain together, and without those that gain nothing?"""
import numpy as np
import pytest

from archdef import registry
from archdef.advice import advise
from archdef.attribution.measure import Launches
from archdef.examples import Case, Input, Output, Workload

pytest.importorskip("nvidia.cuda_nvrtc")
MACHINES = [name for name in ("gf100", "p2000") if name in registry.names()]
FIELDS = 8
STRUCTURES = "struct Point { float " + ", ".join(f"f{n}" for n in range(FIELDS)) + "; };\n" + """
extern "C" __global__ void structures(Point *to, const Point *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
""" + "".join(f"    to[i].f{n} = 2 * from[i].f{n};\n" for n in range(FIELDS)) + "}\n" + """
extern "C" __global__ void arrays(float *to, const float *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
""" + "".join(f"    to[{n} * n + i] = 2 * from[{n} * n + i];\n" for n in range(FIELDS)) + "}\n"
ROWS = """
extern "C" __global__ void rows(float *to, const float *from, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < columns; ++k)
        sum += from[row * columns + k];
    for (int k = 0; k < columns; ++k)
        to[row * columns + k] = from[row * columns + k] - sum;
}
extern "C" __global__ void columns(float *to, const float *from, int count, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int k = 0; k < count; ++k)
        sum += from[k * rows + row];
    for (int k = 0; k < count; ++k)
        to[k * rows + row] = from[k * rows + row] - sum;
}"""


def workload(tmp_path, name, source, cases, size):
    (tmp_path / f"{name}.cu").write_text(source)
    return Workload(name, name, tmp_path / f"{name}.cu", cases, size=size, multiple=256)


def of_fields(tmp_path):
    def cases(size, random, architecture):
        x = random.random((size, FIELDS), dtype="f4")
        yield Case("structures", (size // 256,), (256,), (Output(2 * x), Input(x), size), 2 * x.nbytes)
        y = np.ascontiguousarray(x.T)
        yield Case("arrays", (size // 256,), (256,), (Output(2 * y), Input(y), size), 2 * x.nbytes)
    return workload(tmp_path, "fields", STRUCTURES, cases, 1 << 14)


def of_rows(tmp_path):
    def cases(size, random, architecture):
        x = random.random((size, 64), dtype="f4")
        y = x - x.sum(1, keepdims=True)
        yield Case("rows", (size // 256,), (256,), (Output(y, tolerance=1e-5), Input(x), 64), 2 * x.nbytes)
        yield Case("columns", (size // 256,), (256,), (Output(np.ascontiguousarray(y.T), tolerance=1e-5), Input(np.ascontiguousarray(x.T)), 64, size), 2 * x.nbytes)
    return workload(tmp_path, "rows", ROWS, cases, 1 << 12)


def cycles(recipe, kernel, machine):
    (run,) = Launches(recipe, kernel, recipe.size)(registry.get(machine))
    return run.cycles


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("make, poor, better", [(of_fields, "structures", "arrays"), (of_rows, "rows", "columns")])
def test_lines_with_one_cause_are_told_once_with_what_they_gain_together(tmp_path, machine, make, poor, better):
    recipe = make(tmp_path)
    (advice,) = advise(recipe, machine, [poor], rules=["uncoalesced-access"])
    lines = {advice.line, *(line for line, _ in advice.also)}
    wanted = [number for number, line in enumerate(recipe.source.read_text().splitlines(), start=1) if "from[i].f" in line or "from[row * columns" in line]
    assert lines <= {*wanted} and len(lines) >= len(wanted) - 1 and advice.supposed.startswith("this access were coalesced, and those of line")
    assert all(gain < advice.gain for _, gain in advice.also)
    promised, gained = advice.gain, advice.cycles / cycles(recipe, better, machine)
    assert gained > 1.2 and promised == pytest.approx(gained, rel=0.25)
    assert "alone" in str(advise(recipe, machine, [poor], rules=["uncoalesced-access"]))
    assert len(advise(recipe, machine, [better], rules=["uncoalesced-access"])) == 0
