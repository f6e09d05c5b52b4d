// What a translation without nvcc has to get right; prints PASSED if every part of it did.
#include <cfloat>
#include <cstdio>
#include <string>
#include <vector>
#include <cooperative_groups.h>
#include "kernels.cuh"

namespace cg = cooperative_groups;
#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) { \
    printf("line %d: %s\n", __LINE__, cudaGetErrorString(status)); exit(1); } } while (0)
#define EXPECT(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); failed = true; } } while (0)
#define KERNEL(name, sign) __global__ void name(int *data) { data[threadIdx.x] = data[threadIdx.x] sign 2; }
#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)
#ifdef __CUDA_ARCH__
#define SIDE 1
#else
#define SIDE 2
#endif

KERNEL(add_two, +)
KERNEL(times_two, *)

static bool failed = false;
static const int LENGTH = 32;
enum Mode { PLAIN, NEGATIVE = 7 };

__constant__ float weights[4];
template <typename T> __constant__ T factors[2];
__device__ int counter = 40, other_counter;
static __device__ unsigned table[] = {1, 2, 3};
namespace deep { namespace down { __device__ double sum; } }
namespace { __device__ int hidden; __global__ void unnamed(int *out, int = 0) { if (threadIdx.x == 0) { *out = 11; hidden = 12; } } }

struct Log { std::string text; std::vector<int> lines; };
static Log log_of_the_host;

struct Scale {
    float by;
    Scale(float by) : by(by) {}
    std::string name() const { return "scale"; }
    __device__ float operator()(float x) const { return __fmul_rn(by, x); }
};

__host__ __device__ inline int side() {
#ifdef __CUDA_ARCH__
    return static_cast<int>(__popc(7)) + SIDE;
#else
    return SIDE;
#endif
}

__device__ __forceinline__ unsigned lane() { unsigned found; asm("mov.u32 %0, %%laneid;" : "=r"(found)); return found; }
__device__ float identity(float x) { return x; }
typedef float (*Function)(float);
__device__ Function chosen = identity;

static __global__ void uses_variables(float *out) {
    out[threadIdx.x] = weights[threadIdx.x & 3] + (threadIdx.x == 0 ? (float)table[2] : 0.0f);
    if (threadIdx.x == 0) { other_counter = 5; deep::down::sum = 1.5; }
    atomicAdd(&counter, 1);
}

template <typename T, int N = 2, typename F> __global__ void __launch_bounds__(64) apply(T *data, const int n, F function) {
    if (threadIdx.x < n) data[threadIdx.x] = function(data[threadIdx.x]) + N;
}

template <typename... T> __global__ void count(int *out, T... values) { if (threadIdx.x == 0) *out = sizeof...(values); }

template <Mode M> __global__ void by_mode(int *out) { out[threadIdx.x] = M == NEGATIVE ? -LENGTH : LENGTH; }

template <typename T> __global__ void special(T *out) { *out = 1; }
template <typename T> __global__ void by_factors(T *out) { *out = factors<T>[0] + factors<T>[1]; }
template <> __global__ void special<double>(double *out) { *out = 2; }

extern "C" __global__ void __launch_bounds__(32, 1) plain_name(int *out) {
    extern __shared__ int room[];
    room[threadIdx.x] = lane();
    cg::thread_block block = cg::this_thread_block();
    block.sync();
    out[threadIdx.x] = room[31 - threadIdx.x] + side();
}

__global__ void after(int *out);
template <typename T> struct Runner {
    static void run(T *data, cudaStream_t stream) { apply<T><<<dim3(1, 1), LENGTH, 0, stream>>>(data, LENGTH, Scale(3)); }
};

int main(int argc, char **argv) {
    int *numbers, found[LENGTH];
    float *values, seen[LENGTH];
    CHECK(cudaMalloc(&numbers, sizeof found));
    CHECK(cudaMalloc((void **)&values, sizeof seen));
    CHECK(cudaMemset(numbers, 0, sizeof found));
    LAUNCH(add_two, numbers);
    if (argc < 100) LAUNCH(times_two, numbers); else LAUNCH(add_two, numbers);
    CHECK(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[0] == 4 && found[31] == 4);

    const float given[4] = {1, 2, 3, 4};
    CHECK(cudaMemcpyToSymbol(weights, given, sizeof given));
    uses_variables<<<1, LENGTH>>>(values);
    CHECK(cudaMemcpy(seen, values, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen[0] == 4 && seen[7] == 4);
    int number;
    double sum;
    CHECK(cudaMemcpyFromSymbol(&number, counter, sizeof number));
    CHECK(cudaMemcpyFromSymbol(&sum, deep::down::sum, sizeof sum));
    EXPECT(number == 40 + LENGTH && sum == 1.5);
    CHECK(cudaMemcpyFromSymbol(&number, other_counter, sizeof number));
    EXPECT(number == 5);
    unnamed<<<1, 1>>>(numbers);
    CHECK(cudaMemcpyFromSymbol(&number, hidden, sizeof number));
    EXPECT(number == 12);

    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    Runner<float>::run(values, stream);
    CHECK(cudaMemcpyAsync(seen, values, sizeof seen, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(seen[0] == 14 && seen[7] == 14);
    apply<float, 5><<<1, LENGTH>>>(values, LENGTH, Scale(2));
    CHECK(cudaMemcpy(seen, values, sizeof seen, cudaMemcpyDeviceToHost));
    EXPECT(seen[0] == 33);

    count<<<1, 1>>>(numbers, 1, 2.0f, 'c');
    CHECK(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[0] == 3);
    by_mode<NEGATIVE><<<1, LENGTH>>>(numbers);
    CHECK(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[9] == -32);
    special<<<1, 1>>>((double *)values);
    CHECK(cudaMemcpy(&sum, values, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum == 2);

    const double pair[2] = {3, 4};
    CHECK(cudaMemcpyToSymbol(factors<double>, pair, sizeof pair));
    by_factors<<<1, 1>>>((double *)values);
    CHECK(cudaMemcpy(&sum, values, sizeof sum, cudaMemcpyDeviceToHost));
    EXPECT(sum == 7);

    void (*kernel)(int *) = plain_name;
    kernel<<<1, LENGTH, LENGTH * sizeof(int)>>>(numbers);
    CHECK(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[0] == 31 + 4 && found[31] == 4 && side() == 2);
    void *arguments[] = {&numbers};
    CHECK(cudaLaunchKernel((const void *)after, dim3(1), dim3(LENGTH), arguments, 0, 0));
    CHECK(cudaMemcpy(found, numbers, sizeof found, cudaMemcpyDeviceToHost));
    EXPECT(found[3] == twice(3) + min(LENGTH, 2));
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, by_mode<NEGATIVE>));
    EXPECT(attributes.maxThreadsPerBlock >= 64);
    EXPECT(cudaGetLastError() == cudaSuccess && FLT_MAX > 1);
    if (!failed) puts("PASSED");
    return failed;
}

__global__ void after(int *out) { out[threadIdx.x] = twice(threadIdx.x) + min(LENGTH, 2); }
