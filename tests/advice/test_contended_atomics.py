"""Are atomic operations that wait for each other told, with a gain that copies of the words reach, and those that do not wait left alone?"""
import numpy as np
import pytest

from archdef import registry
from archdef.advice import advise
from archdef.attribution.measure import Launches
from archdef.examples import Case, Input, Output, Workload

pytest.importorskip("nvidia.cuda_nvrtc")
PARTITIONS = [name for name in ("gf100", "p2000") if name in registry.names()]
LOOPS = [name for name in ("gf100", "k40") if name in registry.names()]     # whose operations on shared memory are loops of tries
BLOCKS, THREADS, EACH = 64, 256, 16
SOURCE = """
extern "C" __global__ void in_global(unsigned *bins, const unsigned *data)
{
    for (int k = 0; k < EACH; ++k)
        atomicAdd(&bins[data[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x]], 1u);
}
extern "C" __global__ void in_shared(unsigned *bins, const unsigned *data)
{
    __shared__ unsigned count[256];
    count[threadIdx.x] = 0;
    __syncthreads();
    for (int k = 0; k < EACH; ++k)
        atomicAdd(&count[data[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x]], 1u);
    __syncthreads();
    if (count[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], count[threadIdx.x]);
}
extern "C" __global__ void copied(unsigned *bins, const unsigned *data)
{
    __shared__ unsigned count[4 * 33];
    for (int k = threadIdx.x; k < 4 * 33; k += blockDim.x)
        count[k] = 0;
    __syncthreads();
    for (int k = 0; k < EACH; ++k)
        atomicAdd(&count[data[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x] * 33 + threadIdx.x % 32], 1u);
    __syncthreads();
    if (threadIdx.x < 4) {
        unsigned sum = 0;
        for (int k = 0; k < 32; ++k)
            sum += count[threadIdx.x * 33 + k];
        atomicAdd(&bins[threadIdx.x], sum);
    }
}
extern "C" __global__ void apart(unsigned *bins, const unsigned *data)
{
    for (int k = 0; k < EACH; ++k)
        atomicAdd(&bins[(blockIdx.x * EACH + k) * blockDim.x + threadIdx.x], data[threadIdx.x]);
}
"""


def recipe(tmp_path):
    def cases(size, random, architecture):
        data = random.integers(0, 4, BLOCKS * EACH * THREADS).astype("u4")
        bins = np.bincount(data, minlength=256).astype("u4")
        for kernel in ("in_global", "in_shared", "copied"):
            yield Case(kernel, (BLOCKS,), (THREADS,), (Output(bins), Input(data)), data.nbytes)
        yield Case("apart", (BLOCKS,), (THREADS,), (Output(np.resize(data[:THREADS], data.size)), Input(data)), data.nbytes)
    (tmp_path / "bins.cu").write_text(SOURCE.replace("EACH", str(EACH)))
    return Workload("bins", "a histogram of four bins", tmp_path / "bins.cu", cases, size=THREADS, multiple=THREADS)


def cycles(workload, kernel, machine):
    (run,) = Launches(workload, kernel, workload.size)(registry.get(machine))
    return run.cycles


@pytest.mark.parametrize("machine", PARTITIONS)
def test_operations_on_few_words_of_global_memory_are_told_to_go_to_shared_memory(tmp_path, machine):
    workload = recipe(tmp_path)
    (advice,) = advise(workload, machine, ["in_global"], rules=["contended-atomics"])
    assert advice.text.startswith("atomicAdd(&bins[data[") and "shared memory" in advice.remedy and advice.evidence["operations_per_transaction"] > 16
    gained = advice.cycles / cycles(workload, "copied", machine)
    assert gained > 1.5 and advice.gain > 1.5


@pytest.mark.parametrize("machine", LOOPS)
def test_operations_on_few_words_of_shared_memory_are_told_to_have_copies(tmp_path, machine):
    workload = recipe(tmp_path)
    (advice,) = advise(workload, machine, ["in_shared"], rules=["contended-atomics"])
    assert advice.text.startswith("atomicAdd(&count[data[") and "copies" in advice.remedy and advice.evidence["passes_per_instruction"] > 8
    gained = advice.cycles / cycles(workload, "copied", machine)
    assert gained > 1.1 and advice.gain > 1.1


@pytest.mark.parametrize("machine", [*PARTITIONS, "h100"])
def test_operations_on_words_of_their_own_get_no_advice(tmp_path, machine):
    assert len(advise(recipe(tmp_path), machine, ["apart", "copied"], rules=["contended-atomics"])) == 0
