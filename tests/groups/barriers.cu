// Lanes that end, wait or go elsewhere while others of their warp are at a barrier. Each kernel is one block of two warps (64 threads); o: 256
// zeros, n is 5. What matters is whether it ends and what it leaves in o.
#define KERNEL(name) __global__ void name(int *o, int n)
#define T int t = threadIdx.x;
#define SHARED __shared__ int s[128];

// ---- lanes that end early, others of the warp go to a barrier
KERNEL(early_return) { T if (t == n) { o[t] = 7; return; } __syncthreads(); o[t] = o[(t + 1) & 63] + 1; }
KERNEL(merged_stores) { T if (t >= 40) { o[t] = 5; return; } __syncthreads(); o[t] = 1; }
KERNEL(merged_tail) { T int x; if (t >= 40) x = o[t + 64] + 5; else { __syncthreads(); x = o[t + 128] + 1; } o[t] = x * n; o[t + 64] = x + n; }
KERNEL(nested_returns) { T if (t & 1) { if (t & 2) { o[t] = 1; return; } o[t] = 2; } else { if (t & 4) { o[t] = 3; return; } o[t] = 4; } __syncthreads(); o[t + 64] = o[(t + 1) & 63]; }
KERNEL(switch_returns) { T switch (t & 3) { case 0: o[t] = 1; return; case 1: o[t] = 2; break; case 2: return; default: o[t] = 3; } __syncthreads(); o[t + 64] = o[(t + 2) & 63]; }
KERNEL(loop_return) { T for (int i = 0; i < 4; i++) { if (t % 8 == n && i == 2) { o[t] = 9; return; } __syncthreads(); o[t] += o[(t + 1) & 63] + 1; __syncthreads(); } o[t + 64] = t; }
KERNEL(all_but_one) { T if (t & 31) return; __syncthreads(); o[t] = 1; __syncthreads(); o[t + 1] = o[(t + 32) & 63]; }
KERNEL(tail_reduction) { T SHARED s[t] = t; __syncthreads(); if (t >= 32) return; for (int k = 32; k; k >>= 1) { if (t < k) s[t] += s[t + k]; if (t >= k) return; __syncthreads(); } if (t == 0) o[0] = s[0]; }
__device__ __noinline__ int half_way(int *o, int t, int n) { if (t == n) return 7; __syncthreads(); return o[(t + 1) & 63] + 1; }
KERNEL(call_returns_early) { T o[t] = t; int x = half_way(o, t, n); o[t + 64] = x; }
__device__ __noinline__ void leave(int *o, int t) { o[t] = 7; asm volatile("exit;"); }
KERNEL(call_exits) { T if (t % 8 == n) leave(o, t); __syncthreads(); o[t] += o[(t + 1) & 63] + 1; }
__device__ __noinline__ int deep(int *o, int t, int d) { if (d == 0) return t; if ((t & 7) == d) { o[t] = d; asm volatile("exit;"); } int r = deep(o, t, d - 1); __syncthreads(); return r + o[(t + d) & 63]; }
KERNEL(deep_exits) { T int x = deep(o, t, n); o[t + 64] = x; }

// ---- lanes that leave a loop or a branch while others are at a barrier within it
KERNEL(skipped) { T if (t % 32 < 16) { __syncthreads(); o[t] = 1; } o[t + 64] = 2; }
KERNEL(loop_break) { T for (int i = 0; i < 4; i++) { if (t % 8 == n && i == 2) break; __syncthreads(); o[t] += 1; } o[t + 64] = o[(t + 1) & 63]; }
KERNEL(trips_differ) { T for (int i = 0; i < (t & 3); i++) { o[t] += 1; __syncthreads(); } o[t + 64] = o[(t + 1) & 63]; }
KERNEL(loop_continue) { T for (int i = 0; i < 4; i++) { if ((t + i) & 1) continue; __syncthreads(); o[t] += 1; } o[t + 64] = 1; }
KERNEL(two_and_one) { T if (t % 32 < 16) { __syncthreads(); o[t] = 1; __syncthreads(); o[t] += 1; } else { __syncthreads(); o[t] = 3; } }
KERNEL(first_and_second) { T if (t % 32 < 16) { __syncthreads(); o[t] = o[t + 16] + 1; } else o[t] = 4; __syncthreads(); o[t + 64] = o[(t + 16) & 63]; }
KERNEL(both_sides) { T SHARED if (t % 32 < 16) { s[t] = t; __syncthreads(); o[t] = s[t + 16]; } else { s[t] = 100 + t; __syncthreads(); o[t] = s[t - 16]; } }
KERNEL(switch_sides) { T SHARED s[t] = t; switch (t & 3) { case 0: __syncthreads(); o[t] = s[t ^ 1]; break; case 1: s[t] = 5 * t; __syncthreads(); o[t] = s[t ^ 3] * 3; break; case 2: __syncthreads(); break; default: s[t] = 9; __syncthreads(); o[t] = s[t ^ 2] - 1; } o[t + 64] = s[t]; }
KERNEL(one_warp_skips) { T if (t < 16) { __syncthreads(); o[t] = 1; } o[t + 64] = 2; }
KERNEL(spin_beside) { T volatile int *v = o; if (t == 0) { while (v[100] == 0) ; o[1] = 5; } else { __syncthreads(); if (t == 40) v[100] = 1; } }
KERNEL(flag_before) { T volatile int *v = o; if (t == 0) { while (v[100] == 0) ; o[1] = 5; } else if (t == 40) v[100] = 1; __syncthreads(); o[64 + t] = v[1]; }

// ---- barriers that count or reduce
KERNEL(counts) { T if (t % 3 == 0) return; o[t] = __syncthreads_count(t & 1); }
KERNEL(counts_apart) { T if (t % 32 < 16) o[t] = __syncthreads_count(t & 1); else o[t] = 100 + __syncthreads_count(t % 3 == 0); }
KERNEL(anding) { T if (t == n) return; o[t] = __syncthreads_and(t != n) * 2 + __syncthreads_or(t == n); }
KERNEL(named_half) { T if (t % 32 < 16) { asm volatile("bar.sync 1, 64;"); o[t] = 1; } o[t + 64] = 2; }
KERNEL(named_of_one) { T if (t < 32) { if (t == n) { o[t] = 3; return; } asm volatile("bar.sync 1, 32;"); o[t] = 1; } }
KERNEL(unaligned_32) { T if (t % 32 < 16) { asm volatile("barrier.sync 1, 32;"); o[t] = 1; } o[t + 64] = 2; }
KERNEL(arrive_and_sync) { T if (t % 32 < 16) { o[t] = 4; __threadfence_block(); asm volatile("barrier.arrive 1, 64;"); } else { asm volatile("barrier.sync 1, 64;"); o[t] = o[t - 16]; } }
KERNEL(arrive_then_return) { T if (t < 32) { o[t] = 4; __threadfence_block(); if (t & 1) return; asm volatile("bar.arrive 1, 64;"); } else { asm volatile("bar.sync 1, 64;"); o[t] = o[t - 32]; } }

// ---- instructions that name lanes of which some have ended or gone elsewhere
KERNEL(warp_of_two) { T SHARED s[t] = t; __syncwarp(); if (t < 2) { s[t] += s[t + 2]; __syncwarp(); } if (t == 0) o[0] = s[0] + s[1]; }
KERNEL(warp_after_return) { T SHARED s[t] = t; if (t % 32 >= 20) return; __syncwarp(); o[t] = s[(t + 1) & 63]; }
KERNEL(ballot_after_return) { T if (t % 32 == n) return; o[t] = __ballot_sync(~0u, t & 1); }
KERNEL(shfl_after_return) { T if (t % 32 == n) return; o[t] = __shfl_down_sync(~0u, t, 2); }
KERNEL(vote_in_loop) { T for (int i = 0; i < 4; i++) { if (t % 8 == i) { o[t] = 50 + i; return; } if (__any_sync(~0u, t == n)) o[t] += 1; } o[t + 64] = __popc(__activemask()); }
KERNEL(vote_then_barrier) { T if (t % 32 < 8) { o[t] = 1; return; } unsigned b = __ballot_sync(~0xffu, t & 1); if (b & 1u << (t & 31)) o[t] = 2; __syncthreads(); o[t + 64] = o[(t + 1) & 63]; }
