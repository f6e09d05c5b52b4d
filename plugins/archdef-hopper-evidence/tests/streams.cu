// Blocks that live for a time, streams, and loops of loads and stores. `measure_streams.py` launches them; PTX by NVRTC, compute_90.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u64 now_ns() { u64 t; asm volatile("mov.u64 %0,%%globaltimer;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ u32 now() { u32 t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ float ld(const float* p) { float v; asm volatile("ld.global.f32 %0,[%1];" : "=f"(v) : "l"(p) : "memory"); return v; }
__device__ __forceinline__ void st(float* p, float v) { asm volatile("st.global.f32 [%0],%1;" :: "l"(p), "f"(v) : "memory"); }

// When the block began and ended, in ns, and for how many cycles it was there.
__device__ __forceinline__ void note(uint4* log, u64 t0, u32 c0) {
  __syncthreads();
  if (threadIdx.x == 0) { u64 t1 = now_ns(); log[blockIdx.x] = make_uint4((u32)t0, (u32)t1, now() - c0, 0); }
}

extern "C" __global__ void live(uint4* log, u32 cycles) {
  u64 t0 = now_ns();
  u32 c0 = now();
  if (cycles) while (now() - c0 < cycles);
  if (threadIdx.x == 0) { u64 t1 = now_ns(); log[blockIdx.x] = make_uint4((u32)t0, (u32)t1, now() - c0, 0); }
}

#define STREAM(name) extern "C" __global__ void name(const float* __restrict__ a, float* b, float* c, uint4* log, int n, float s)
#define EACH u64 t0 = now_ns(); u32 c0 = now(); int first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
#define ALL _Pragma("unroll 4") for (int i = first; i < n; i += step)

STREAM(read_one) { EACH float v = 0; ALL v += a[i]; if (v == 1.2345f) c[first] = v; note(log, t0, c0); }
STREAM(read_two) { EACH float v = 0; ALL v += a[i] * b[i]; if (v == 1.2345f) c[first] = v; note(log, t0, c0); }
STREAM(update) { EACH ALL b[i] = s * a[i] + b[i]; note(log, t0, c0); }
STREAM(combine) { EACH ALL c[i] = s * a[i] + b[i]; note(log, t0, c0); }
STREAM(scale) { EACH ALL b[i] = s * b[i]; note(log, t0, c0); }
STREAM(copy) { EACH ALL c[i] = s * a[i]; note(log, t0, c0); }

// A load, a load and a store to the same place, a load and a store elsewhere, or a store, trip after trip; cycles of each block.
extern "C" __global__ void trips(float* a, float* b, u32* out, int count, int what) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  float v = 0;
  __syncthreads();
  u32 c0 = now();
  for (int t = 0; t < count; t++, i += step) {
    if (what != 3) v = ld(a + i) * 2.f + 1.f;
    if (what == 0) { if (v == 12345.f) st(b + i, v); }
    else st(what == 1 ? a + i : b + i, v);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = now() - c0;
}
