// Streams of reads and stores of an H100, some of each: build with nvcc -O3 -arch=sm_90 -o mixes mixes.cu, then `mixes > mixes.csv`.
// `mixes.ptx` is its PTX: nvcc -O3 -arch=compute_90 -ptx mixes.cu.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 now_ns() { u64 t; asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ float4 ld(const float4* p) {
  float4 v; asm volatile("ld.global.v4.f32 {%0,%1,%2,%3},[%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(p)); return v; }
__device__ __forceinline__ void st(float4* p, float4 v) {
  asm volatile("st.global.v4.f32 [%0],{%1,%2,%3,%4};" :: "l"(p), "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)); }
// When the block began and ended, in ns.
__device__ __forceinline__ void note(uint2* log, u64 t0) {
  __syncthreads();
  if (threadIdx.x == 0) { u64 t1 = now_ns(); log[blockIdx.x] = make_uint2((u32)t0, (u32)t1); }
}

// Each trip reads so many arrays and then stores to so many.
#define MIX(R, W) extern "C" __global__ void mix_##R##_##W(const float4* a, float4* b, uint2* log, int trips) { \
  u64 t0 = now_ns(); int T = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x; float4 s = make_float4(1, 2, 3, 4); \
  _Pragma("unroll 1") for (int t = 0; t < trips; t++) { float4 v[R + 1]; \
    _Pragma("unroll") for (int k = 0; k < R; k++) v[k] = ld(a + (size_t)(t * R + k) * T + i); \
    _Pragma("unroll") for (int k = 0; k < R; k++) { s.x += v[k].x; s.y += v[k].y; s.z += v[k].z; s.w += v[k].w; } \
    _Pragma("unroll") for (int k = 0; k < W; k++) st(b + (size_t)(t * W + k) * T + i, s); } \
  if (s.x == 12345.f) b[i] = s; note(log, t0); }
MIX(1,0) MIX(4,0) MIX(4,1) MIX(2,1) MIX(1,1) MIX(1,2) MIX(1,4) MIX(0,1)

#include <algorithm>
#include <cstdio>
#include <vector>
__global__ void sweep(const float4* a, float4* b, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = a[i]; s += v.x + v.y + v.z + v.w; }
  if (s == 12345.f) b[0] = make_float4(s, s, s, s);
}
static float4 *A, *B, *O;
static uint2* L;
static void time(const char* name, const void* kernel, int blocks, int trips) {
  std::vector<u32> half, all;
  std::vector<uint2> log(blocks);
  for (int r = 0; r < 9; r++) {
    sweep<<<1056, 256>>>(O, B, (256 << 20) / 16);       // other data, written long before, take the places in the caches
    void* arguments[] = {&A, &B, &L, &trips};
    cudaLaunchKernel(kernel, blocks, 256, arguments, 0, 0);
    cudaMemcpy(log.data(), L, blocks * sizeof(uint2), cudaMemcpyDeviceToHost);
    u32 first = ~0u;
    for (uint2 x : log) first = std::min(first, x.x);
    std::vector<u32> ends;
    for (uint2 x : log) ends.push_back(x.y - first);
    std::sort(ends.begin(), ends.end());
    half.push_back(ends[blocks / 2]);
    all.push_back(ends.back());
  }
  std::sort(half.begin(), half.end());
  std::sort(all.begin(), all.end());
  printf("%s,%d,%d,%u,%u\n", name, blocks, trips, half[4], all[4]);
}
int main() {
  cudaMalloc(&A, 512 << 20); cudaMalloc(&B, 256 << 20); cudaMalloc(&O, 256 << 20); cudaMalloc(&L, 1 << 20);
  cudaMemset(A, 0, 512 << 20); cudaMemset(B, 0, 256 << 20); cudaMemset(O, 0, 256 << 20);
  puts("kernel,blocks,trips,half_ns,all_ns");
#define TIME(R, W, blocks, trips) time("mix_" #R "_" #W, (const void*)mix_##R##_##W, blocks, trips);
  for (int t = 1; t <= 4; t++) {
    TIME(1,0,1056,t) TIME(4,0,1056,t) TIME(4,1,1056,t) TIME(2,1,1056,t) TIME(1,1,1056,t) TIME(0,1,1056,t)
    if (t <= 2) TIME(1,2,1056,t)
    if (t == 1) TIME(1,4,1056,t)
  }
  for (int b : {132, 264, 528}) { TIME(1,0,b,16) TIME(1,1,b,16) TIME(0,1,b,16) }
}
