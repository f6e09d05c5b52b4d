// What the first launch that a grid, a block, a warp or a thread makes costs, against later ones (CDP2), in ns of %globaltimer.
// nvcc -arch=sm_90 -rdc=true first_launches.cu -lcudadevrt; each line is a case, numbers are lengths of calls in order unless it says otherwise.
#ifndef __CUDACC_RTC__
#include <cstdio>
#include <cstring>
#else
#define cudaStreamTailLaunch ((cudaStream_t)3)
#define cudaStreamFireAndForget ((cudaStream_t)4)
#endif
typedef unsigned long long u64;
__device__ __forceinline__ u64 now() { u64 t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
__global__ void leaf(u64 *t) { if (t) *t = now(); }
__device__ __forceinline__ void call(u64 *t) { u64 a = now(); leaf<<<1, 1>>>(nullptr); t[0] = now() - a; }
__device__ __forceinline__ void fire(u64 *t) { u64 a = now(); leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(nullptr); t[0] = now() - a; }

__global__ void one_thread(u64 *t, int n, bool free) { for (int i = 0; i < n; i++) if (free) fire(t + i); else call(t + i); }
__global__ void each_block(u64 *t, int n) { for (int i = 0; i < n; i++) call(t + blockIdx.x * n + i); }
__global__ void blocks_in_turn(u64 *t, int n, volatile int *turn) {
    while (*turn != blockIdx.x) ;
    for (int i = 0; i < n; i++) call(t + blockIdx.x * n + i);
    __threadfence(); *turn = blockIdx.x + 1;
}
__global__ void warps_in_turn(u64 *t, int n) {
    for (int w = 0; w < blockDim.x / 32; w++) {
        if (threadIdx.x == 32 * w) for (int i = 0; i < n; i++) call(t + w * n + i);
        __syncthreads();
    }
}
__global__ void lanes_in_turn(u64 *t, int n) {
    for (int l = 0; l < 4; l++) { if (threadIdx.x == l) for (int i = 0; i < n; i++) call(t + l * n + i); __syncwarp(); }
}
__global__ void lanes_at_once(u64 *t) { u64 a = now(); if (threadIdx.x < 8) leaf<<<1, 1>>>(nullptr); t[threadIdx.x] = now() - a; }
__global__ void quiet_before(u64 *t, int n, u64 wait) { u64 a = now(); while (now() - a < wait) ; for (int i = 0; i < n; i++) call(t + i); }

// each generation: start, then calls; `at` says which of three launches makes the next generation
__global__ void chain(u64 *t, int d, int n, int at, int mode) {
    u64 *mine = t + 8 * d;
    mine[0] = now();
    for (int i = 0; i < 3; i++) {
        u64 a = now();
        if (i == at) {
            if (d + 1 < n) {
                if (mode == 0) chain<<<1, 1>>>(t, d + 1, n, at, mode);
                else if (mode == 1) chain<<<1, 1, 0, cudaStreamFireAndForget>>>(t, d + 1, n, at, mode);
                else chain<<<1, 1, 0, cudaStreamTailLaunch>>>(t, d + 1, n, at, mode);
            }
        } else leaf<<<1, 1>>>(nullptr);
        mine[1 + i] = now() - a;
    }
    mine[4] = now();
}
__global__ void only(u64 *t, int d, int n) { t[d] = now(); if (d + 1 < n) only<<<1, 1>>>(t, d + 1, n); }
template <int D> __global__ void other(u64 *t, int n) { t[D] = now(); if constexpr (D < 12) if (D + 1 < n) other<D + 1><<<1, 1>>>(t, n); }
__global__ void rare(u64 *t, int d, int n, u64 wait) { t[d] = now(); u64 a = now(); while (now() - a < wait) ; if (d + 1 < n) { u64 b = now(); rare<<<1, 1>>>(t, d + 1, n, wait); t[64 + d] = now() - b; } }
__global__ void wide(u64 *t, int d, int n) { if (blockIdx.x == 0) { t[d] = now(); if (d + 1 < n) wide<<<64, 1>>>(t, d + 1, n); } }

#ifndef __CUDACC_RTC__
static u64 *t;
static void show(const char *what, int n, int stride = 1) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s:", what); for (int i = 0; i < n; i++) printf(" %lld", (long long)t[i * stride]);
    if (e) printf(" [%s]", cudaGetErrorString(e)); puts("");
}
static void gaps(const char *what, int n, int stride = 1) {
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s:", what); for (int i = 1; i < n; i++) printf(" %lld", (long long)(t[i * stride] - t[(i - 1) * stride]));
    if (e) printf(" [%s]", cudaGetErrorString(e)); puts("");
}
int main() {
    u64 *device; cudaMalloc(&device, 8 * 8192);
    int *dturn; cudaMalloc(&dturn, 4);
    static u64 host[8192]; t = host;
    auto back = [&] { cudaDeviceSynchronize(); cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost); };
    for (int r = 0; r < 6; r++) {
        printf("round %d\n", r);
        one_thread<<<1, 1>>>(device, 8, false); back(); show("one thread", 8);
        one_thread<<<1, 1>>>(device, 8, true); back(); show("one thread, fire and forget", 8);
        each_block<<<4, 1>>>(device, 4); back(); show("four blocks at once, four each", 16);
        cudaMemset(dturn, 0, 4); blocks_in_turn<<<4, 1>>>(device, 4, dturn); back(); show("four blocks in turn, four each", 16);
        warps_in_turn<<<1, 128>>>(device, 4); back(); show("four warps in turn, four each", 16);
        lanes_in_turn<<<1, 32>>>(device, 4); back(); show("four lanes in turn, four each", 16);
        lanes_at_once<<<1, 32>>>(device); back(); show("eight lanes at once, by lane", 10);
        quiet_before<<<1, 1>>>(device, 4, 100000); back(); show("after 100 us, four", 4);
        quiet_before<<<1, 1>>>(device, 4, 1000000); back(); show("after 1000 us, four", 4);
        for (int at = 0; at < 3; at++) for (int mode = 0; mode < 2; mode++) {
            char name[64];
            chain<<<1, 1>>>(device, 0, 12, at, mode); back(); snprintf(name, 64, "chain by launch %d%s, starts", at, mode ? ", free" : ""); gaps(name, 12, 8);
            for (int i = 0; i < 3; i++) { u64 keep[12]; for (int d = 0; d < 12; d++) keep[d] = host[8 * d + 1 + i]; printf("  call %d of each:", i); for (int d = 0; d < 12; d++) printf(" %lld", (long long)keep[d]); puts(""); }
        }
        chain<<<1, 1>>>(device, 0, 12, 2, 2); back(); gaps("chain by tail, starts", 12, 8);
        { printf("  from the last call to the next start:"); for (int d = 0; d < 11; d++) printf(" %lld", (long long)(host[8 * d + 8] - host[8 * d + 4])); puts(""); }
        only<<<1, 1>>>(device, 0, 16); back(); gaps("one launch each, starts", 16);
        other<0><<<1, 1>>>(device, 12); back(); gaps("one launch each, different kernels, starts", 12);
        rare<<<1, 1>>>(device, 0, 12, 30000); back(); gaps("one launch each after 30 us, starts", 12); { printf("  calls:"); for (int d = 0; d < 11; d++) printf(" %lld", (long long)host[64 + d]); puts(""); }
        wide<<<64, 1>>>(device, 0, 12); back(); gaps("64 blocks, one launch each, starts", 12);
    }
    return 0;
}
#endif
