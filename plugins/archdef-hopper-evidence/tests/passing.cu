// How long accesses of one warp take while others of its multiprocessor store words to 32 lines each, for which there are no credits.
//   nvcc -arch=sm_90 -O2 -std=c++17 -o passing passing.cu          nvcc -arch=sm_90 -O2 -std=c++17 -ptx -DDEVICE_ONLY -o passing.ptx passing.cu
//   passing > passing.csv
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s, line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
typedef unsigned u32;
__device__ __forceinline__ u32 now() { u32 v; asm volatile("mov.u32 %0, %%clock;" : "=r"(v) :: "memory"); return v; }
// Warp 0 of each block: 32 accesses, each for the result of the one before: words of L1 (0), of shared memory (1), of the L2 (2). The others store.
extern "C" __global__ void passing(char *out, const u32 *words, u32 *cycles, int what, int trips) {
    __shared__ u32 shared[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    u32 at = 0, v;
    if (warp == 0) shared[lane] = 0;
    if (warp == 0) at = words[lane];
    __syncthreads();
    if (warp) {
        char *mine = out + ((size_t)(blockIdx.x * 32 + warp) * 32 + lane) * 128 * trips;
        for (int k = 0; k < trips; k++) *(volatile u32 *)(mine + 128 * k) = k;
        return;
    }
    for (int k = 0; k < 40; k++) { u32 t = now(); while (now() - t < 100); }        // until the others have no credits
    u32 begin = now();
    for (int k = 0; k < 32; k++) {
        if (what == 0) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(words + lane + at) : "memory");
        else if (what == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(v) : "r"((u32)__cvta_generic_to_shared(shared + lane) + at) : "memory");
        else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(words + lane + at) : "memory");
        at = v;
    }
    u32 end = now() + at;
    if (lane == 0) cycles[blockIdx.x] = end - begin;
}
#ifndef DEVICE_ONLY
int main() {
    char *out; u32 *words, *cycles;
    CHECK(cudaMalloc(&out, (size_t)132 * 32 * 32 * 128 * 64)); CHECK(cudaMalloc(&words, 4096)); CHECK(cudaMalloc(&cycles, 4096)); CHECK(cudaMemset(words, 0, 4096));
    printf("what,blocks,warps,cycles\n");
    for (int what = 0; what < 3; what++) for (int blocks : {1, 132}) for (int warps : {1, 2, 4, 8, 16}) {
        std::vector<u32> host(132);
        for (int k = 0; k < 3; k++) { passing<<<blocks, warps * 32>>>(out, words, cycles, what, 64); CHECK(cudaDeviceSynchronize()); }
        CHECK(cudaMemcpy(host.data(), cycles, blocks * 4, cudaMemcpyDeviceToHost));
        double sum = 0;
        for (int b = 0; b < blocks; b++) sum += host[b];
        printf("%s,%d,%d,%.1f\n", what == 0 ? "l1" : what == 1 ? "shared" : "l2", blocks, warps, sum / blocks / 32);
    }
}
#endif
