// What a compiler that knows CUDA translates, and NVRTC does not; prints PASSED if every part of it did right.
#include <cassert>
#include <cooperative_groups.h>
#include <cstdio>
#include <memory>

namespace cg = cooperative_groups;
#define EXPECT(what) do { if (!(what)) { printf("line %d: %s\n", __LINE__, #what); failed = true; } } while (0)
static bool failed = false;

#if CUDART_VERSION < 12000
texture<float, 1, cudaReadModeElementType> image;
__global__ void fetch(float *out) { out[threadIdx.x] = tex1Dfetch(image, threadIdx.x); }
#endif
__global__ void look_up(cudaTextureObject_t image, float *out) { out[threadIdx.x] = tex1Dfetch<float>(image, threadIdx.x); }
__constant__ float weights[4] = {1, 2, 3, 4};
static __device__ int hidden = 7;
namespace { __global__ void unnamed(int *out) { *out = hidden; } }
__global__ void weigh(float *data) { data[threadIdx.x] *= weights[threadIdx.x % 4]; }
template <typename F> __global__ void each(F function, int n) { if (threadIdx.x < n) function(threadIdx.x); }
template <typename T> __global__ void sum(const T *data, T *out, int n)
{
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    T mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += data[i];
    for (int step = tile.size() / 2; step; step /= 2)
        mine += tile.shfl_down(mine, step);
    if (tile.thread_rank() == 0)
        atomicAdd(out, mine);
}
__noinline__ __device__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__global__ void factorials(int *out) { out[threadIdx.x] = factorial(threadIdx.x); }
__global__ void says(int n) { assert(n); if (threadIdx.x == 0) printf("%d %s %g\n", n, "words", 1.5); }
struct Large { int values[40]; };
__global__ void large(Large given, int *out)
{
    extern __shared__ int room[];
    room[threadIdx.x] = given.values[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = room[31 - threadIdx.x];
}

template <typename T> static T at(const void *there, int k)
{
    T here;
    if (cudaMemcpy(&here, static_cast<const T *>(there) + k, sizeof here, cudaMemcpyDeviceToHost) != cudaSuccess)
        exit(1);
    return here;
}

int main()
{
    int *numbers;
    float *values, given[64], *total;
    for (int i = 0; i < 64; i++)
        given[i] = i;
    cudaMalloc(&numbers, 256), cudaMalloc(&values, sizeof given), cudaMalloc(&total, sizeof *total);
    cudaMemcpy(values, given, sizeof given, cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof *total);
    int factor = 5;
    each<<<1, 32>>>([=] __device__ (int i) { numbers[i] = i * factor; }, 32);
    EXPECT(at<int>(numbers, 31) == 155);
    each<<<1, 32>>>([=] __device__ (auto i) { numbers[i] = i + factor; }, 32);
    EXPECT(at<int>(numbers, 31) == 36);
    struct Local { int *numbers; __device__ void operator()(int i) const { numbers[i] = -i; } };
    each<<<1, 32>>>(Local{numbers}, 32);
    EXPECT(at<int>(numbers, 31) == -31);
    sum<<<1, 128>>>(values, total, 64);
    EXPECT(at<float>(total, 0) == 2016);

    unnamed<<<1, 1>>>(numbers);
    EXPECT(at<int>(numbers, 0) == 7);
    const int nine = 9;
    cudaMemcpyToSymbol(hidden, &nine, sizeof nine);
    unnamed<<<1, 1>>>(numbers);
    EXPECT(at<int>(numbers, 0) == 9);
    factorials<<<1, 10>>>(numbers);
    EXPECT(at<int>(numbers, 9) == 362880);
    Large all;
    for (int i = 0; i < 40; i++)
        all.values[i] = i;
    large<<<1, 32, 128>>>(all, numbers);
    EXPECT(at<int>(numbers, 0) == 31);

    cudaResourceDesc what = {};
    what.resType = cudaResourceTypeLinear;
    what.res.linear.devPtr = values;
    what.res.linear.desc = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = sizeof given;
    cudaTextureDesc how = {};
    how.readMode = cudaReadModeElementType;
    cudaTextureObject_t object;
    EXPECT(cudaCreateTextureObject(&object, &what, &how, nullptr) == cudaSuccess);
    float *out = reinterpret_cast<float *>(numbers);
    look_up<<<1, 32>>>(object, out);
    EXPECT(at<float>(out, 30) == 30);
    weigh<<<1, 64>>>(values);
    EXPECT(at<float>(values, 3) == 12);
#if CUDART_VERSION < 12000
    EXPECT(cudaBindTexture(nullptr, image, values, sizeof given) == cudaSuccess);
    fetch<<<1, 32>>>(out);
    EXPECT(at<float>(out, 31) == 124);
#endif
    says<<<1, 32>>>(min(3, 4u) + int(rsqrt(4.0) + rsqrtf(4.0f)));
    EXPECT(cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess && *std::make_shared<int>(2) == 2);
    puts(failed ? "FAILED" : "PASSED");
}
