"""Do kernels of public suites end on three machines? The table of one launch of each is committed; the harness that made it is tried on kernels of ours."""
import csv
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parent))

import suite_launches
import suite_ptx
from suite_arguments import LEAD, SMALL, Arguments, cells

import archdef
from archdef import registry
from archdef.frontends import Options, compile, nvcc, nvrtc
from archdef.ptx import parse

TABLE = Path(__file__).with_name("suite_launches.csv")
EXPLAINED = Path(__file__).with_name("suite_launches_explained.csv")
"""Kernels that did not end, or not on every machine, and why: read by hand."""
LEAST = 200
"""Kernels that differ in their code."""


def rows(path=TABLE):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("machine", suite_launches.MACHINES)
def test_two_hundred_kernels_of_public_suites_end(machine):
    assert len({row["code"] for row in rows() if row["machine"] == machine and row["outcome"] == "ended"}) >= LEAST


def test_no_launch_ends_in_what_is_no_error_of_archdef():
    assert not [row for row in rows() if row["outcome"].startswith(("raw exception", "crash", "time limit"))]


def test_whatever_did_not_end_was_read_and_is_explained():
    """That it was the arguments, the machine or a known gap, and not a false deadlock or fault."""
    explained = {(row["suite"], row["file"], row["kernel"]): row["why"] for row in rows(EXPLAINED)}
    not_ended = {(row["suite"], row["file"], row["kernel"]) for row in rows() if row["outcome"] != "ended"}
    assert not_ended == set(explained) and all(explained.values())


def test_a_kernel_fares_the_same_on_every_machine_that_has_what_it_needs():
    outcomes = defaultdict(set)
    for row in rows():
        if row["outcome"] != "machine lacks it" and not row["detail"].startswith("cannot launch"):
            outcomes[row["suite"], row["file"], row["kernel"]].add(row["outcome"])
    assert {key: found for key, found in outcomes.items() if len(found) > 1} == {}


def test_the_page_on_deadlocks_quotes_the_table():
    page = " ".join((Path(__file__).parents[2] / "docs/explanation/deadlocks.md").read_text().split())
    kernels = {(row["suite"], row["file"], row["kernel"]): row["code"] for row in rows()}
    assert f"{len(kernels)} kernels, {len(set(kernels.values()))} of which differ in their code" in page
    ended = [len({row["code"] for row in rows() if row["machine"] == machine and row["outcome"] == "ended"}) for machine in suite_launches.MACHINES]
    assert "{}, {} and {} of them end".format(*ended) in page
    assert f"{len(rows(EXPLAINED))} kernels do not end everywhere" in page
    memories = defaultdict(set)
    for row in rows():
        if row["outcome"] == "ended":
            memories[row["suite"], row["file"], row["kernel"]].add(row["memory"])
    assert f"{sum(len(found) > 1 for found in memories.values())} leave other memory on one machine than on another" in page
    assert {row["suite"] for row in rows()} <= set(suite_launches.COMMITS)


KERNELS = """
struct Work { float *to; int n; float factor; const int *rows; };
extern "C" __global__ void gather(const int *rows, const float *x, float *y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    for (int k = rows[t]; k < rows[t + 1]; k++) y[t] += x[k];
    y[t] += x[rows[t]] + 1;
}
extern "C" __global__ void scale(Work work) { int t = threadIdx.x; if (t < work.n) work.to[t] = work.factor * work.rows[t] - 2; }
extern "C" __global__ void follow(float **lists, double *sums, long long n)
{
    if (threadIdx.x < n) sums[(int)threadIdx.x - 1] = lists[threadIdx.x][threadIdx.x] + 3;
}
extern "C" __global__ void sample(cudaTextureObject_t image, float *o, int w) { int x = threadIdx.x; if (x < w) o[x] = tex2D<float>(image, x, 1) + 5; }
extern "C" __global__ void flat(float *o, int n)
{
    __shared__ float s[16][16]; s[threadIdx.y][threadIdx.x] = n; __syncthreads(); o[blockIdx.y] = s[threadIdx.x][threadIdx.y];
}
extern "C" __global__ void too_long(volatile int *o, int n) { for (int k = 0; k < 2000000000; k++) o[threadIdx.x] += n * k; }
extern "C" __global__ void apart(int *o, int n)
{
    if (threadIdx.x / 32 % 2) asm volatile("bar.sync 1, 1024;"); else asm volatile("bar.sync 2, 1024;");
    o[0] = n;
}
extern "C" __global__ void picky(int *o, int n) { o[n > 8 ? 1 << 28 : 0] = n + 1; }
"""
OUTCOMES = {"gather": "ended", "scale": "ended", "follow": "ended", "sample": "ended", "flat": "ended", "too_long": "budget", "apart": "deadlock",
            "picky": "ended"}
needs_compiler = pytest.mark.skipif(nvrtc.toolchain() is None or not set(suite_launches.MACHINES) <= set(registry.names()),
                                    reason="no NVRTC, or a plugin is missing")


@needs_compiler
def test_the_harness_makes_up_arguments_and_tells_what_came_of_each_kernel(tmp_path, monkeypatch):
    monkeypatch.setattr(suite_launches, "MOST_INSTRUCTIONS", 20_000)
    folder = tmp_path / "ours"
    folder.mkdir()
    (folder / "a@b.cu.ptx").write_text(compile(KERNELS, Options(target="compute_50")).ptx)
    suite_launches.main(folder, tmp_path / "table.csv")
    made = rows(tmp_path / "table.csv")
    assert {(row["kernel"], row["machine"]): row["outcome"] for row in made} == {
        (kernel, machine): outcome for kernel, outcome in OUTCOMES.items() for machine in suite_launches.MACHINES}
    assert {row["file"] for row in made} == {"a/b.cu"} and {row["suite"] for row in made} == {"ours"}
    assert all(int(row["instructions"]) > 0 for row in made if row["outcome"] == "ended")
    assert all(row["first"].startswith("fault: bounds") and row["size"] == "4" for row in made if row["kernel"] == "picky")
    assert all(not row["first"] for row in made if row["kernel"] not in ("picky", "too_long"))
    for kernel in OUTCOMES:
        assert len({row["memory"] for row in made if row["kernel"] == kernel}) == 1
    suite_launches.main(folder, tmp_path / "table.csv")
    assert rows(tmp_path / "table.csv") == made, "rows that are there are not made again"


@needs_compiler
def test_arguments_are_what_the_code_does_with_them():
    module = parse(compile(KERNELS, Options(target="compute_50")).ptx, defer=True)

    def roles(kernel):
        return [(cell.role, cell.is_float) for parts in cells(module.functions[kernel]).values() for _, cell in sorted(parts.items())]

    assert roles("gather") == [("pointer", False)] * 3 + [("number", False)] or set(roles("gather")) == {("pointer", False), ("number", False)}
    assert [role for role, _ in roles("scale")] == ["pointer", "number", "number", "pointer"] and roles("scale")[2][1]
    assert [role for role, _ in roles("sample")] == ["texture", "pointer", "number"]
    device = archdef.Device("v100")
    arguments = Arguments(device, 64)
    rows_of, values, result, count = arguments.of(module.functions["gather"])
    held = {array.address + LEAD: array.to_host() for array in arguments.arrays}
    assert set(np.unique(held[rows_of])) == set(range(SMALL)) and (np.diff(held[rows_of][LEAD // 4:].astype(int)) >= 0).all()
    assert 0.5 <= held[values].min() < held[values].max() <= 1.5 and held[result].dtype == np.float32 and count == 64


@pytest.mark.skipif(nvcc.toolchain() is None, reason="needs nvcc")
def test_whole_programs_of_a_suite_become_ptx_with_the_headers_that_they_mean(tmp_path, capsys):
    suite, out = tmp_path / "suite", tmp_path / "ptx"
    for path, text in {"a/main.cu": '#include "size.h"\n__global__ void k(int *o) { o[0] = SIZE + __ballot(1); }\n'
                                    "int main() { k<<<1, 1>>>(0); cudaThreadExit(); }\n",
                       "a/inc/size.h": "#define SIZE 5\n", "b/size.h": "#error another program's\n", "b/main.cu": "int main() {}\n",
                       "b/broken.cu": "#include <nowhere.h>\n__global__ void k() {}\n"}.items():
        (suite / path).parent.mkdir(parents=True, exist_ok=True)
        (suite / path).write_text(text)
    suite_ptx.main(suite, out, [])
    assert {path.name: bool(path.read_text()) for path in out.iterdir()} == {"a@main.cu.ptx": True, "b@broken.cu.ptx": False}
    assert "vote" in (out / "a@main.cu.ptx").read_text() and str(tmp_path) not in (out / "a@main.cu.ptx").read_text()
    assert "nowhere.h" in capsys.readouterr().out
