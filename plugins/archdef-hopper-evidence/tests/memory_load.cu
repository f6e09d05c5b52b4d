// Loads of device memory, beside streams and alone. `measure_memory_load.py` launches it; PTX by NVRTC, compute_90.
typedef unsigned u32;
typedef unsigned long long u64;

// a number of so many bits for another
__device__ __forceinline__ u32 mix(u32 x, u32 bits) {
  u32 m = (1u << bits) - 1, h = (bits + 1) / 2;
  x = (x * 0x9E3779B1u) & m; x ^= x >> h;
  x = (x * 0x85EBCA6Bu) & m; x ^= x >> h;
  x = (x * 0xC2B2AE35u) & m; x ^= x >> h;
  return x;
}
__device__ __forceinline__ u32 ld(const u32* p) { u32 v; asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p)); return v; }
// the clock once `v` is known, which is never 0x12345
__device__ __forceinline__ u32 now(u32 v) {
  u32 t = 0;
  asm volatile("{ .reg .pred p; setp.ne.u32 p,%1,0x12345; @p mov.u32 %0,%%clock; }" : "+r"(t) : "r"(v) : "memory");
  return t;
}

// Four lines of 128 bytes at a time, in order but for pieces of 2^shift lines, which are permuted if `random`; round and round in 2^bits
// lines. The last warp of each block, if `probes`, times so many loads of its own, behind the streams' memory.
extern "C" __global__ void loads(const u32* in, u32 bits, u32 shift, u32 random, int trips, u32* out, int probes, u32* samples, u32 probe_bits) {
  u32 warps = blockDim.x / 32 - (probes > 0), lane = threadIdx.x & 31, warp = threadIdx.x / 32, sum = 0;
  if (warp == warps) {
    const u32* behind = in + ((u64)1 << (bits + 5));
    for (int i = 0; i < probes; i++) {
      u32 k = blockIdx.x * probes + i;
      const u32* at = behind + mix(k, probe_bits) * 32ull + (lane & 7) + (sum & 1);
      u32 t0 = now((u32)(u64)at), v = ld(at), t1 = now(v);
      sum += v;
      if (lane == 0) samples[k] = t1 - t0;
    }
    if (sum == 0x1234567) out[1] = sum;
    return;
  }
  u32 step = gridDim.x * warps, at = blockIdx.x * warps + warp, mask = (1u << bits) - 1;
  for (int t = 0; t < trips; t++) {
    u32 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
      u32 line = at & mask, piece = line >> shift;
      at += step;
      if (random) piece = mix(piece, bits - shift);
      line = piece << shift | (line & ((1u << shift) - 1));
      v[k] = ld(in + (u64)line * 32 + lane);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) sum ^= v[k];
    asm volatile("" : "+r"(sum));
  }
  if (sum == 0x1234567) out[0] = sum;
}

// Lines once each: bits of their number above `low` are `skip` further up.
extern "C" __global__ void touch(const u32* in, u32 lines, u32 low, u32 skip, u32* out) {
  u32 sum = 0;
  for (u32 i = (blockIdx.x * blockDim.x + threadIdx.x) / 32; i < lines; i += gridDim.x * blockDim.x / 32) {
    u32 line = (i & ((1u << low) - 1)) | (i >> low) << (low + skip);
    sum ^= ld(in + (u64)line * 32 + (threadIdx.x & 31));
  }
  if (sum == 0x1234567) out[0] = sum;
}

// When each load of the first lane of each warp of one block began, and how long it took: lines at random in 2^bits.
extern "C" __global__ void times(const u32* in, u32 bits, int n, uint2* out) {
  if (threadIdx.x & 31) return;
  u32 v = 0;
  for (int i = 0; i < n; i++) {
    u32 k = i * (blockDim.x / 32) + threadIdx.x / 32;
    const u32* at = in + mix(k, bits) * 32ull + (v & 1);
    u32 t0 = now((u32)(u64)at);
    v = ld(at);
    u32 t1 = now(v);
    out[k] = make_uint2(t0, t1 - t0);
  }
}
