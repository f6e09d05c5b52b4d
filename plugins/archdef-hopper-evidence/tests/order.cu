// Warps that all want the same thing, over and over; each notes when it began and when it was done. `measure_order.py` launches them; PTX by
// NVRTC, compute_90.
typedef unsigned u32;
typedef unsigned long long u64;

__device__ __forceinline__ u32 now() { u32 t; asm volatile("mov.u32 %0,%%clock;" : "=r"(t) :: "memory"); return t; }
__device__ __forceinline__ u32 place() { u32 t; asm volatile("mov.u32 %0,%%smid;" : "=r"(t)); return t; }
__device__ __forceinline__ u32 slot() { u32 t; asm volatile("mov.u32 %0,%%warpid;" : "=r"(t)); return t; }
__device__ __forceinline__ u32 lds(u32 a) { u32 v; asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(a)); return v; }

// log: multiprocessor, slot, begin, end of each warp
#define KERNEL(name, ...) extern "C" __global__ void name(uint4* log, float* out, int trips) { \
  __shared__ float words[2048]; \
  int lane = threadIdx.x & 31; \
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = 0; \
  __syncthreads(); \
  u32 base = (u32)__cvta_generic_to_shared(words) + lane * 4, at[8]; \
  float x = 1.f + lane, r[8] = {0, 0, 0, 0, 0, 0, 0, 0}; \
  for (int k = 0; k < 8; k++) at[k] = base + 128 * k; \
  u32 begin = now(); \
  _Pragma("unroll 1") for (int t = 0; t < trips; t++) { __VA_ARGS__ } \
  if (lane == 0) log[blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32] = make_uint4(place(), slot(), begin, now()); \
  for (int k = 0; k < 8; k++) x += at[k] + r[k]; \
  if (x == 1.2345f) *out = x; }

#define CHAINS(n) _Pragma("unroll") for (int k = 0; k < 32 / n; k++) { u32 v[n]; \
  _Pragma("unroll") for (int j = 0; j < n; j++) v[j] = lds(at[j]); \
  _Pragma("unroll") for (int j = 0; j < n; j++) at[j] += v[j]; }
#define FMA(k) asm volatile("fma.rn.f32 %0,%0,%1,%0;" : "+f"(r[k]) : "f"(x));
#define EACH(what) what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7)
#define EX2(k) asm volatile("ex2.approx.ftz.f32 %0,%0;" : "+f"(r[k]));
#define STS(k) asm volatile("st.shared.f32 [%0],%1;" :: "r"(base + 128 * k), "f"(x));

KERNEL(loads_1, CHAINS(1))      // chains of loads from shared memory, one, two …
KERNEL(loads_2, CHAINS(2))
KERNEL(loads_4, CHAINS(4))
KERNEL(loads_8, CHAINS(8))
KERNEL(stores, EACH(STS) EACH(STS))
KERNEL(exponentials, EACH(EX2) EACH(EX2))
KERNEL(chain, FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0) FMA(0))
KERNEL(side_by_side, EACH(FMA))
