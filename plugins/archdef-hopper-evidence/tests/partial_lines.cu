// What the L2 reads from memory for stores that write sectors in part, and which scheduler's stores come first.
//   nvcc -arch=sm_90 -O2 -std=c++17 -o partial_lines partial_lines.cu
//   ncu --cache-control all --metrics gpc__cycles_elapsed.max,dram__sectors_read.sum,dram__sectors_write.sum partial_lines     partial_lines.csv
//   partial_lines FOLDER    clocks of the stores of a transpose, FOLDER/clocks_N.bin: store_turns.csv
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s, line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)

// Word 0 of sector i, `stride` bytes from one to the next. Then for all of them: nothing (0), word 0 once more (1), word 1 read (2), word 0 read (3),
// words 1 to 7 stored (4).
extern "C" __global__ void again(char *p, long n, long stride, int then, int *out) {
    cg::grid_group grid = cg::this_grid();
    long first = blockIdx.x * (long)blockDim.x + threadIdx.x, step = gridDim.x * (long)blockDim.x;
    for (long i = first; i < n; i += step) *(volatile int *)(p + i * stride) = (int)i;
    grid.sync();
    int sum = 0;
    if (then == 1) for (long i = first; i < n; i += step) *(volatile int *)(p + i * stride) = (int)i;
    if (then == 2 || then == 3) for (long i = first; i < n; i += step) sum += __ldcg((int *)(p + i * stride + (then == 2 ? 4 : 0)));
    if (then == 4) for (long j = first; j < n * 7; j += step) *(volatile int *)(p + j / 7 * stride + 4 * (1 + j % 7)) = 1;
    if (sum == 12345) *out = sum;
}

// Step s stores word w of the lines from (s - w) * batch on, w = 0 … 7: seven batches of lines are written in part at a time.
extern "C" __global__ void window(char *p, long lines, long batch, long stride) {
    cg::grid_group grid = cg::this_grid();
    long first = blockIdx.x * (long)blockDim.x + threadIdx.x, step = gridDim.x * (long)blockDim.x;
    for (long s = 0; s < lines / batch + 7; s++) {
        for (long j = first; j < 8 * batch; j += step) {
            long w = j / batch, i = (s - w) * batch + j % batch;
            if (s >= w && i < lines) *(volatile int *)(p + i * stride + 4 * w) = (int)i;
        }
        grid.sync();
    }
}

__device__ __forceinline__ unsigned now() { unsigned v; asm volatile("mov.u32 %0, %clock;" : "=r"(v) :: "memory"); return v; }

// Stores by columns. By warp: the clock at its start, when its four loads have come, after each of its four stores; %smid, %warpid.
extern "C" __global__ void transpose(const float *in, float *out, int n, unsigned *clocks) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    unsigned at[8];
    float v[4];
    at[0] = now();
#pragma unroll
    for (int j = 0; j < 4; j++) v[j] = in[(y + 8 * j) * n + x];
    at[1] = now() + (v[0] + v[1] + v[2] + v[3] == 1.2345f);
#pragma unroll
    for (int j = 0; j < 4; j++) { *(volatile float *)(out + x * n + y + 8 * j) = v[j]; at[2 + j] = now(); }
    asm volatile("mov.u32 %0, %smid;" : "=r"(at[6]));
    asm volatile("mov.u32 %0, %warpid;" : "=r"(at[7]));
    if (threadIdx.x >= 8) return;
    unsigned mine = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) if (threadIdx.x == k) mine = at[k];
    clocks[((blockIdx.y * gridDim.x + blockIdx.x) * 8 + threadIdx.y) * 8 + threadIdx.x] = mine;
}

int main(int argc, char **argv) {
    char *p, *q;
    unsigned *clocks;
    size_t room = (size_t)2 << 30;
    CHECK(cudaMalloc(&p, room)); CHECK(cudaMalloc(&q, room)); CHECK(cudaMalloc(&clocks, 64 << 20)); CHECK(cudaMemset(p, 0, room)); CHECK(cudaMemset(q, 0, room));
    auto together = [&](const void *kernel, void **arguments) {
        CHECK(cudaLaunchCooperativeKernel(kernel, dim3(132), dim3(1024), arguments, 0, 0));
        CHECK(cudaDeviceSynchronize());
    };
    auto transposes = [&](int n, int shared) { transpose<<<dim3(n / 32, n / 32), dim3(32, 8), shared>>>((float *)q, (float *)p, n, clocks); CHECK(cudaDeviceSynchronize()); };
    CHECK(cudaFuncSetAttribute(transpose, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int n : {2048, 4096}) if (argc > 1) {
        for (int twice = 0; twice < 2; twice++) transposes(n, 0);
        std::vector<unsigned> host((n / 32) * (n / 32) * 64);
        CHECK(cudaMemcpy(host.data(), clocks, host.size() * 4, cudaMemcpyDeviceToHost));
        char name[300];
        snprintf(name, sizeof name, "%s/clocks_%d.bin", argv[1], n);
        FILE *file = fopen(name, "wb");
        fwrite(host.data(), 4, host.size(), file);
        fclose(file);
    }
    if (argc > 1) return 0;
    int *out = (int *)clocks;
    for (long stride : {32, 128, 256, 4096}) for (long n : {16384, 32768, 49152, 65536, 98304, 131072, 262144}) for (int then : {0, 1, 2, 3, 4}) {
        if (then && (stride % 4096 && stride != 128)) continue;
        void *arguments[] = {&p, &n, &stride, &then, &out};
        printf("again %ld %ld %d\n", n, stride, then);
        together((void *)again, arguments);
    }
    for (long stride : {128, 4096, 8192, 16384}) for (long batch : {1024, 2048, 3072, 4096, 6144}) {
        long lines = batch * (131072 / batch);
        void *arguments[] = {&p, &lines, &batch, &stride};
        printf("window %ld %ld %ld\n", lines, stride, batch);
        together((void *)window, arguments);
    }
    for (int n : {1024, 1536, 2048, 3072, 4096}) for (int blocks : {2, 3, 4, 5, 6, 7, 8}) {
        printf("transpose %d %d\n", n, blocks);
        transposes(n, blocks == 8 ? 0 : (227 * 1024 / blocks - 1024) / 1024 * 1024);
    }
}
