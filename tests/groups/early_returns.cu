// Relatives of the early return before a barrier. Each kernel is one block of two warps (64 threads) and keeps CUDA's rules; o: 256 zeros, n is 5.
#define KERNEL(name) extern "C" __global__ void name(int *o, int n)
#define T int t = threadIdx.x;

// ---- device functions that are not inlined
__device__ __noinline__ int early(int *o, int t, int n)
{
    if (t % 3 == 0) return -t;
    if (t > n) { if (t & 1) return 2 * t; __threadfence(); if (t & 2) return 3 * t; }
    return 4 * t;
}
KERNEL(function_returns_early) { T int x = early(o, t, n); __syncthreads(); o[t] = x; __syncthreads(); o[t + 64] = o[t ^ 1]; }
__device__ __noinline__ void maybe_leave(int *o, int t, int n) { if (t < n) { o[t] = 100 + t; asm volatile("exit;"); } o[t] = t; }
KERNEL(function_exits) { T maybe_leave(o, t, n); __syncthreads(); o[t + 64] = o[63 - t]; }

// ---- loops that are left by return
KERNEL(endless_loop_returns) { T for (int i = 0; ; i++) { if (i * 3 > t) { o[t] = i; return; } __syncthreads(); o[t + 64] += i; __syncthreads(); } }
KERNEL(loop_returns_one_by_one) { T for (int i = 0; i < 40; i++) { if ((t & 31) == i) { o[t] = i; return; } o[t + 64] += __any_sync(~0u, t >= i); __syncthreads(); } o[t] = -1; }
KERNEL(inner_loop_returns)
{
    T
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < 4; j++) { if (i * 4 + j == t) { o[t] = i * 10 + j; return; } if (j > 2) break; }
        __syncthreads();
        if (i == 4) continue;
        __syncthreads();
    }
    o[t] = 7;
}
KERNEL(jumps_out) { T int i = 0; again: if (i == 4 + (t & 1)) goto done; __syncthreads(); if (t == n && ++i) goto out; if (++i < 4) goto again; done: o[t] = i; return; out: o[t] = 99; }

// ---- switches
KERNEL(switch_by_chain)
{
    T
    switch (t % 5) {
    case 0: o[t] = 1; asm volatile("exit;");
    case 1: o[t] = 2; break;
    case 2: o[t] = 3; return;
    case 3: if (t > n) return; o[t] = 4;
    default: o[t] += 5;
    }
    __syncthreads();
    o[t + 64] = o[(t + 1) & 63];
}
KERNEL(switch_by_table)
{
    T
    switch (t & 15) {
    case 0: o[t] = 11; return;
    case 1: o[t] = 13; break;
    case 2: o[t] = 17; return;
    case 3: o[t] = 19; break;
    case 4: o[t] = 23; asm volatile("exit;");
    case 5: o[t] = 29; break;
    case 6: o[t] = 31; break;
    case 7: o[t] = 37; return;
    case 8: o[t] = 41; break;
    default: o[t] = 43;
    }
    __syncthreads();
    o[t + 64] = o[(t + 1) & 63];
}

// ---- branches in branches
KERNEL(nested)
{
    T
    if (t & 1) {
        if (t & 2) { if (t & 4) { o[t] = 1; return; } o[t] = 2; }
        else { if (t & 8) return; o[t] = 3; }
    } else if (t & 16) {
        for (int i = 0; i < t; i++) if (i * i > t) { o[t] = i; if (t & 4) return; break; }
    } else o[t] = 4;
    __syncthreads();
    o[t + 64] = o[(t + 3) & 63];
}
KERNEL(condition_of_three_tests) { T if (t == 3 || (t > 30 && t < 35) || (t & n) == n) return; o[t] = __syncthreads_count(1); }

// ---- warps of which few are left, or none
KERNEL(one_is_left) { T if (t % 32 != 9) { o[t] = 1; return; } for (int i = 0; i < 3; i++) { __syncthreads(); o[t] += 2; __syncthreads(); } o[t + 64] = 2; }
KERNEL(a_warp_ends) { T if (t < 32) { o[t] = 3; return; } __syncthreads(); if (t == 40) return; __syncthreads(); o[t] = 4; }

// ---- what the compiler merges behind the barrier
KERNEL(stores_of_two_ways) { T if (t >= 40) { o[t] = 5; return; } __syncthreads(); o[t] = 1; }
KERNEL(sums_of_two_ways) { T int x = o[t + 192]; if (t & 1) x += 5; else for (int i = 0; i < 3; i++) { __syncthreads(); x += o[t + 128] + i; } if (t & 1) { o[t] = x * n; return; } o[t] = x * n; __syncthreads(); o[t + 64] = x; }

// ---- instructions of a warp
KERNEL(warp_of_two) { T __shared__ int s[64]; s[t] = t; __syncthreads(); if (t < 2) { s[t] += s[t + 2]; __syncwarp(); } if (t == 0) o[0] = s[0] + s[1]; }
KERNEL(halves_of_a_warp) { T __shared__ int s[64]; s[t] = t; __syncthreads(); for (int k = 16; k; k >>= 1) if (t < k) { s[t] += s[t + k]; __syncwarp(); } if (t == 0) o[0] = s[0]; }
KERNEL(shuffles_of_those_that_are_left) { T if ((t & 31) >= 24) { o[t] = 1; return; } int v = t; for (int k = 1; k < 8; k <<= 1) v += __shfl_xor_sync(0xffffff, v, k); __syncthreads(); o[t] = v; }

// ---- traps that nobody meets
KERNEL(traps_beside) { T if (t == 1000 + n) asm volatile("trap;"); if (t == 1001 + n) asm volatile("brkpt;"); if (t < n) return; __syncthreads(); o[t] = 1; }
KERNEL(trap_on_a_condition_of_all) { T if (t == n) { o[t] = 1; return; } if (o[200] != 0) asm volatile("trap;"); __syncthreads(); if (t > 50) return; __syncthreads(); o[t] = 2; }
