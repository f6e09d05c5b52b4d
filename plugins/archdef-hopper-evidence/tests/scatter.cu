typedef unsigned long long u64; typedef unsigned int u32;
__device__ __forceinline__ u64 clk() { u64 t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return t; }
#define KERNEL(NAME, INS) \
extern "C" __global__ void __launch_bounds__(1024) NAME(u64* cyc, char* buf, const u32* lanes, u32 step, u32 mask, int iters) { \
  u32 gw = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, off = lanes[lane], x = gw, y = 0; \
  __syncthreads(); u64 t0 = clk(); \
  _Pragma("unroll 1") for (int i = 0; i < iters; i += 4) { \
    char* p0 = buf + (((u64)(gw * iters + i) * step) & mask) + off; char* p1 = buf + (((u64)(gw * iters + i + 1) * step) & mask) + off; \
    char* p2 = buf + (((u64)(gw * iters + i + 2) * step) & mask) + off; char* p3 = buf + (((u64)(gw * iters + i + 3) * step) & mask) + off; \
    INS } \
  if (y == 0x12345678) cyc[0] = y; \
  u64 t1 = clk(); if (threadIdx.x % 32 == 0) { cyc[2 * gw] = t0; cyc[2 * gw + 1] = t1; } }
#define ST4(p) asm volatile("st.global.u32 [%0], %1;" :: "l"(p), "r"(0) : "memory");
#define ST16(p) asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(p), "r"(x) : "memory");
#define RED(p) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(p), "r"(x) : "memory");
#define LD(p, v) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
#define LA(p, v) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
KERNEL(st4, ST4(p0) ST4(p1) ST4(p2) ST4(p3))
KERNEL(st16, ST16(p0) ST16(p1) ST16(p2) ST16(p3))
KERNEL(red, RED(p0) RED(p1) RED(p2) RED(p3))
KERNEL(ld, u32 a; u32 b; u32 c; u32 d; LD(p0, a) LD(p1, b) LD(p2, c) LD(p3, d) y ^= a ^ b ^ c ^ d;)
KERNEL(la, u32 a; u32 b; u32 c; u32 d; LA(p0, a) LA(p1, b) LA(p2, c) LA(p3, d) y ^= a ^ b ^ c ^ d;)
__device__ __forceinline__ u32 h32(u32 x) { x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; x *= 0xc2b2ae35u; return x ^ x >> 16; }
// random pieces of `piece` bytes (4 bytes a lane read of them) in 2^bits bytes
extern "C" __global__ void rnd(const char* buf, u32 piece_shift, u32 bits, int iters, u32* out, u32 write) {
  u32 t = blockIdx.x * blockDim.x + threadIdx.x, lanes = 1u << (piece_shift - 2), y = 0;   // lanes per piece, 4 bytes each
  for (int i = 0; i < iters; i += 4) {
    u32 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) { u64 piece = h32((t / lanes) * iters + i + k) & ((1u << (bits - piece_shift)) - 1); const char* p = buf + (piece << piece_shift) + (t % lanes) * 4; if (write) { ST4(p) v[k] = 0; } else { LD(p, v[k]) } }
    y ^= v[0] ^ v[1] ^ v[2] ^ v[3];
  }
  if (y == 0x12345678) out[0] = y;
}
#undef ST4
