// Lanes that wait for each other, diverge, meet again. Each kernel is one warp; m: 2048 integers, zeros and from 512 on
// (i * 7 + 3) % 11; n is 40. What matters is that it ends, what it leaves in m, and which lanes are together at the end.
#define KERNEL(name) __global__ void name(int *m, unsigned *together, int n)
#define LANE int tid = threadIdx.x; volatile int *v = m;
#define END together[tid] = __activemask();

// ---- loops that wait for other threads: lanes leave them when they can
KERNEL(cas) { LANE int old = *m, as; do { as = old; old = atomicCAS(m, as, __float_as_int(1.0f + __int_as_float(as))); } while (as != old); END }
KERNEL(critical) { LANE bool done = false; while (!done) { if (atomicCAS(m, 0, 1) == 0) { v[1] += 1; __threadfence(); atomicExch(m, 0); done = true; } } END }
KERNEL(spin) { LANE while (atomicCAS(m, 0, 1) != 0) ; v[1] += 1; __threadfence(); atomicExch(m, 0); END }
KERNEL(flag1) { LANE if (tid & 1) { while (v[tid] == 0) ; } else v[tid + 1] = 7; END }
KERNEL(flag2) { LANE if (tid & 1) v[tid - 1] = 7; else { while (v[tid] == 0) ; } END }
KERNEL(after) { LANE while (tid != 0 && v[0] == 0) ; v[0] = 1; END }
KERNEL(queue) { LANE int i; while ((i = atomicAdd(m, 1)) < n) m[8 + i] = tid; END }
KERNEL(queue2) { LANE int i, c = 0; while ((i = atomicAdd(m, 1)) % 5 != tid % 5 && c++ < 50) m[8 + i % 64] = tid; END }
KERNEL(volexit) { LANE volatile int *f = m + 512; int i = tid; while (f[i] != 0) i++; m[300 + tid] = i; END }

// ---- loops that do not: lanes leave them together
KERNEL(vol) { LANE int s = 0; for (int i = 0; i < tid; i++) s += v[i]; m[300 + tid] = s; END }
KERNEL(plain) { LANE int x = tid; while (x % 7 != n % 7) x = x * 3 + 1; m[tid] = x; END }
KERNEL(trip) { LANE int s = 0; for (int i = 0; i < tid; i++) { if (m[512 + i] > 3) s += m[512 + i + 1]; else s -= m[512 + i * 2]; } m[tid] = s; END }
KERNEL(loopshfl) { LANE int x = tid, c = 0; for (int i = 0; i < (tid & 3) + 1; i++) { c += __popc(__activemask()); x = x * 5 + m[512 + (x & 63)]; } m[tid] = c; END }

// ---- branches, calls, ends
KERNEL(ifelse) { LANE if (tid < 16) { m[tid] = __sinf(tid); __nanosleep(1000); } else { m[tid] = tid * n; } END }
KERNEL(cases) { LANE switch (tid & 3) { case 0: m[tid] = m[512 + tid] * 3; break; case 1: m[tid] = __popc(tid) + m[600 + tid]; break; case 2: m[tid] = __clz(tid) * m[700]; break; default: m[tid] = 9 / (m[512 + tid] | 1); } END }
__device__ __noinline__ int down(int *m, int d) { if (d <= 0) return __popc(__activemask()); int r = down(m, d - 1 - (threadIdx.x & 1)); return r + m[512] * d; }
KERNEL(rec) { LANE m[tid] = down(m, 6 + (tid & 3)); END }
KERNEL(early) { LANE END if (tid & 1) return; m[tid] = __activemask(); if (tid & 2) { m[tid] += 1; } END }

// ---- instructions that name lanes
KERNEL(syncwarp) { LANE if (tid < 16) { m[tid] = 5; __syncwarp(); m[32 + tid] = m[tid + 16]; } else { m[tid] = 6; __syncwarp(); m[32 + tid] = m[tid - 16]; } END }
KERNEL(shfl) { LANE int x = tid * 3; if (tid < 16) x = __shfl_sync(~0u, x, (tid + 16)); else x = __shfl_sync(~0u, x + 100, tid - 16); m[tid] = x; END }
KERNEL(ballot) { LANE unsigned b; if (tid < 16) b = __ballot_sync(~0u, tid & 1); else { b = __ballot_sync(~0u, tid & 2); } m[tid] = b; END }
KERNEL(syncloop) { LANE int x = tid; for (int i = 0; i < 4; i++) { if ((tid >> i) & 1) x += m[512 + (x & 63)]; x += __shfl_xor_sync(~0u, x, 1); } m[tid] = x; END }
