// How warps of an H100 start: build with nvcc -O3 -arch=sm_90 -o starts starts.cu, then `starts > starts.csv`; under
// `ncu --kernel-name regex:"start_.*" --cache-control all --metrics gpc__cycles_elapsed.max --log-file LOG starts flushed`, the flushed rows.
// `starts.ptx` is its PTX: nvcc -O3 -arch=compute_90 -ptx starts.cu.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 now() { u32 t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ float ld(const float* p) { float v; asm volatile("ld.global.f32 %0,[%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
// the clock once v is known, which is never 0x12345
__device__ __forceinline__ u32 after(u32 v) {
  u32 t = 0;
  asm volatile("{ .reg .pred p; setp.ne.u32 p,%1,0x12345; @p mov.u32 %0,%%clock; }" : "+r"(t) : "r"(v) : "memory");
  return t;
}
__device__ __forceinline__ u32 whole(const float* p) { return (u32)((u64)p >> 32) ^ (u32)(u64)p; }
#define NOTE(t0, t1, t2) if ((threadIdx.x & 31) == 0) log[i / 32] = make_uint4(t0, t1, t2, 0)

// Cycles from a warp's first instruction until it has its number, that compared with a parameter, and the addresses of one or three arrays.
extern "C" __global__ void start_number(uint4* log) { u32 c = now(), i = blockIdx.x * blockDim.x + threadIdx.x, t = after(i) - c; NOTE(t, t, t); }
extern "C" __global__ void start_one(uint4* log, const float* a, int n) {
  u32 c = now(), i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 t = after(whole(a + (int)i)) - c;
  NOTE(t, t, t);
}
extern "C" __global__ void start_three(uint4* log, const float* a, const float* b, const float* d, int n) {
  u32 c = now(), i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 p = (u64)(a + (int)i) ^ (u64)(b + (int)i) ^ (u64)(d + (int)i);
  u32 t = after((u32)(p >> 32) ^ (u32)p) - c;
  NOTE(t, t, t);
}

// Loads of all warps at once from memory that no cache has, L in each: cycles until they are issued, until the first and until the last has come.
template <int L> __device__ void loads(const float* a, uint4* log) {
  u32 c = now(), i = blockIdx.x * blockDim.x + threadIdx.x, T = gridDim.x * blockDim.x, t[L];
  float v[L];
#pragma unroll
  for (int k = 0; k < L; k++) v[k] = ld(a + i + (size_t)k * T);
  u32 issued = now();
#pragma unroll
  for (int k = 0; k < L; k++) t[k] = after(__float_as_uint(v[k]));
  u32 last = 0;
#pragma unroll
  for (int k = 0; k < L; k++) last = max(last, t[k] - issued);
  NOTE(issued - c, t[0] - issued, last);
}
extern "C" __global__ void start_loads_1(const float* a, uint4* log) { loads<1>(a, log); }
extern "C" __global__ void start_loads_2(const float* a, uint4* log) { loads<2>(a, log); }
extern "C" __global__ void start_loads_4(const float* a, uint4* log) { loads<4>(a, log); }

#include <algorithm>
#include <cstdio>
#include <vector>
static float *A, *Other;
static uint4* L;
__global__ void sweep(const float4* a, float* b, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) { float4 v = a[i]; s += v.x + v.y + v.z + v.w; }
  if (s == 12345.f) b[0] = s;
}
template <class F> void times(const char* name, bool flushed, bool sweeps, int blocks, int threads, int columns, F launch) {
  static const char* what[] = {"issued", "first", "last"};
  u32 warps = blocks * threads / 32;
  std::vector<u32> v[3];
  for (int r = 0; r < 5; r++) {
    if (sweeps) sweep<<<1056, 256>>>((float4*)Other, Other, (512 << 20) / 16);
    cudaDeviceSynchronize();
    launch();
    cudaDeviceSynchronize();
    std::vector<uint4> h(warps);
    cudaMemcpy(h.data(), L, warps * 16, cudaMemcpyDeviceToHost);
    if (r) for (auto& x : h) { v[0].push_back(x.x); v[1].push_back(x.y); v[2].push_back(x.z); }
  }
  for (int k = 0; k < columns; k++) {
    std::sort(v[k].begin(), v[k].end());
    double sum = 0;
    for (u32 x : v[k]) sum += x;
    printf("%s,%s,%d,%d,%d,%.1f", name, columns == 1 ? "ready" : what[k], flushed, blocks, threads, sum / v[k].size());
    for (double f : {0., .1, .5, .9, .99, 1.}) printf(",%u", v[k][(size_t)(f * (v[k].size() - 1))]);
    printf("\n");
  }
}
int main(int argc, char**) {
  bool flushed = argc > 1;
  cudaMalloc(&A, 64 << 20); cudaMalloc(&Other, 512 << 20); cudaMalloc(&L, 16 << 20);
  cudaMemset(A, 0, 64 << 20); cudaMemset(Other, 0, 512 << 20);
  if (!flushed) printf("what,until,flushed,blocks,threads,mean_cycles,cycles_0,cycles_10,cycles_50,cycles_90,cycles_99,cycles_100\n");
  int shapes[][2] = {{1, 32}, {132, 32}, {132, 256}, {528, 256}, {1056, 256}, {264, 1024}, {10560, 256}}, n = 1 << 30;
  for (auto& s : shapes) {
    int b = s[0], t = s[1];
    times("number", flushed, false, b, t, 1, [&] { start_number<<<b, t>>>(L); });
    times("one", flushed, false, b, t, 1, [&] { start_one<<<b, t>>>(L, A, n); });
    times("three", flushed, false, b, t, 1, [&] { start_three<<<b, t>>>(L, A, A + 1024, A + 2048, n); });
  }
  for (int b : {132, 528, 1056, 4224}) {
    times("loads_1", flushed, true, b, 256, 3, [&] { start_loads_1<<<b, 256>>>(A, L); });
    times("loads_2", flushed, true, b, 256, 3, [&] { start_loads_2<<<b, 256>>>(A, L); });
    times("loads_4", flushed, true, b, 256, 3, [&] { start_loads_4<<<b, 256>>>(A, L); });
  }
}
