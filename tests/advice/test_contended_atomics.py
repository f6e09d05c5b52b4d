"""Are operations that meet on few words told, with the remedy that is worth it, and does that gain about what was promised?"""
import numpy as np
import pytest

from archdef import registry
from archdef.advice import advise
from archdef.attribution.measure import Launches
from archdef.examples import Case, Input, Output, Workload

pytest.importorskip("nvidia.cuda_nvrtc")
MACHINES = [name for name in ("gf100", "gtx680", "p2000", "h100", "c500") if name in registry.names()]
BINS, EACH = 8, 8
SOURCE = """
#define BINS 8
#define EACH 8
extern "C" __global__ void in_global(unsigned *out, const unsigned *in)
{
    for (int k = 0; k < EACH; ++k)
        atomicAdd(&out[in[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x]], 1u);
}
extern "C" __global__ void by_warp(unsigned *out, const unsigned *in)
{
    int lane = threadIdx.x % 32;
    for (int k = 0; k < EACH; ++k) {
        unsigned value = in[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x], mine = 0;
        for (int bin = 0; bin < BINS; ++bin) {
            unsigned votes = __ballot_sync(~0u, value == bin);
            if (lane == bin)
                mine = __popc(votes);
        }
        if (lane < BINS)
            atomicAdd(&out[lane], mine);
    }
}
extern "C" __global__ void in_shared(unsigned *out, const unsigned *in)
{
    __shared__ unsigned bins[BINS];
    if (threadIdx.x < BINS)
        bins[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < EACH; ++k)
        atomicAdd(&bins[in[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x]], 1u);
    __syncthreads();
    if (threadIdx.x < BINS)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
extern "C" __global__ void in_copies(unsigned *out, const unsigned *in)
{
    __shared__ unsigned bins[BINS * 256];
    for (int bin = 0; bin < BINS; ++bin)
        bins[bin * 256 + threadIdx.x] = 0;
    for (int k = 0; k < EACH; ++k)
        bins[in[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x] * 256 + threadIdx.x] += 1u;
    __syncthreads();
    int bin = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned sum = 0;
    for (int k = lane; k < 256; k += 32)
        sum += bins[bin * 256 + k];
    __syncthreads();
    bins[bin * 256 + lane] = sum;
    __syncthreads();
    if (lane == 0) {
        for (int k = 1; k < 32; ++k)
            sum += bins[bin * 256 + k];
        atomicAdd(&out[bin], sum);
    }
}
extern "C" __global__ void apart(unsigned *out, const unsigned *in)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[i], in[i]);
}"""


def histogram(tmp_path, equal=False):
    """Counters of few values, or of one value alone."""
    (tmp_path / "histogram.cu").write_text(SOURCE)

    def cases(size, random, architecture):
        values = random.integers(0, BINS, size, dtype="u4") if not equal else np.full(size, 3, dtype="u4")
        counts = np.bincount(values, minlength=BINS).astype("u4")
        for kernel in ("in_global", "by_warp", "in_shared", "in_copies"):
            yield Case(kernel, (size // 256 // EACH,), (256,), (Output(counts), Input(values)), values.nbytes)
        yield Case("apart", (size // 256,), (256,), (Output(values), Input(values)), 3 * values.nbytes)
    return Workload("histogram", "a histogram of few bins", tmp_path / "histogram.cu", cases, size=1 << 16, multiple=256 * EACH)


def cycles(recipe, kernel, machine):
    (run,) = Launches(recipe, kernel, recipe.size)(registry.get(machine))
    return run.cycles


def advised(recipe, machine, kernel):
    return {advice.supposed.split()[0]: advice for advice in advise(recipe, machine, [kernel], rules=["contended-atomics"])}


@pytest.mark.parametrize("machine", MACHINES)
def test_operations_of_lanes_on_few_words_are_told_and_the_remedies_gain(tmp_path, machine):
    recipe = histogram(tmp_path)
    advice = advised(recipe, machine, "in_global")["each"]
    assert advice.text.startswith("atomicAdd(&out[in[") and "let one lane operate" in advice.remedy and advice.evidence["sectors_per_request"] == 1
    assert advice.evidence["operations_per_request"] == registry.get(machine).warp.size
    gained = advice.cycles / min(cycles(recipe, kernel, machine) for kernel in ("by_warp", "in_shared") if kernel != "by_warp" or machine != "c500")
    assert advice.gain > 2 and gained > 0.9 * advice.gain
    assert not advised(recipe, machine, "apart")


@pytest.mark.parametrize("machine", [name for name in MACHINES if name != "c500"])      # whose waves have 64 lanes
def test_one_operation_of_a_warp_is_as_fast_as_promised_but_for_its_votes(tmp_path, machine):
    recipe = histogram(tmp_path)
    promised, remedied = advised(recipe, machine, "in_global")["each"], advised(recipe, machine, "by_warp")
    gained = promised.cycles / cycles(recipe, "by_warp", machine)
    assert 0.65 * promised.gain < gained < 1.05 * promised.gain and "each" not in remedied


@pytest.mark.skipif("gf100" not in MACHINES, reason="needs the plugins of this repository")
def test_warps_that_meet_are_told_where_combining_lanes_is_not_enough(tmp_path):
    recipe = histogram(tmp_path)
    advice = advised(recipe, "gf100", "by_warp")["the"]
    assert "keep a copy of the counters in shared memory" in advice.remedy and advice.text == "atomicAdd(&out[lane], mine);"
    assert advice.gain > 2 and advice.cycles / cycles(recipe, "in_shared", "gf100") > 0.9 * advice.gain
    assert advice.evidence["more_at_busiest_percent"] > 80


@pytest.mark.parametrize("machine", [name for name in ("gf100", "gtx680", "p2000") if name in MACHINES])
def test_counters_in_shared_memory_that_all_lanes_want_are_told(tmp_path, machine):
    recipe = histogram(tmp_path, equal=True)
    advice = advised(recipe, machine, "in_shared")["no"]
    assert advice.text.startswith("atomicAdd(&bins[in[") and "a copy of the counters" in advice.remedy and advice.evidence["passes_per_request"] > 16
    gained = advice.cycles / cycles(recipe, "in_copies", machine)
    assert advice.gain > 1.2 and gained > 0.65 * advice.gain
