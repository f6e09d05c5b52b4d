// Grids of several devices that were launched together.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__device__ int rank_in_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

// what[0 … 4] of each thread
__global__ void ranks(unsigned *what)
{
    cg::multi_grid_group group = cg::this_multi_grid();
    unsigned *mine = what + 5 * rank_in_grid();
    mine[0] = group.is_valid();
    mine[1] = group.grid_rank();
    mine[2] = group.num_grids();
    mine[3] = group.thread_rank();
    mine[4] = group.size();
}

// In each turn work[turn] steps, then wait for all; when[turn] is the clock behind the barrier.
__global__ void turns(volatile int *x, const int *work, int turns, unsigned long long *when)
{
    cg::multi_grid_group group = cg::this_multi_grid();
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < work[turn]; i++)
            x[rank_in_grid()] += 1;
        group.sync();
        if (rank_in_grid() == 0)
            when[turn] = clock64();
    }
}

__global__ void without(volatile int *x, int steps)
{
    for (int i = 0; i < steps; i++)
        x[rank_in_grid()] += 1;
}

__global__ void only_grid_0(int *x) { auto group = cg::this_multi_grid(); if (group.grid_rank() == 0) group.sync(); x[rank_in_grid()] = 1; }
__global__ void only_block_0(int *x) { auto group = cg::this_multi_grid(); if (blockIdx.x == 0) group.sync(); x[rank_in_grid()] = 1; }
__global__ void one_more_turn(int *x) { auto group = cg::this_multi_grid(); group.sync(); if (group.grid_rank() == 1) group.sync(); x[rank_in_grid()] = 1; }
__global__ void grid_1_fails(int *x) { auto group = cg::this_multi_grid(); if (group.grid_rank() == 1) x[1 << 28] = 1; group.sync(); }
__global__ void some_leave(int *x) { auto group = cg::this_multi_grid(); if (threadIdx.x % 3 == 1 || threadIdx.x >= 64) return; group.sync(); x[rank_in_grid()] = 1; }
__global__ void two_places(int *x)
{
    auto group = cg::this_multi_grid();
    if (threadIdx.x % 2) { x[rank_in_grid()] = 1; group.sync(); } else { x[rank_in_grid()] = 2; group.sync(); }
}
__global__ void nobody_else(int *x) { auto group = cg::this_multi_grid(); x[rank_in_grid()] = 1; group.sync(); }

// The same below cooperative_groups.h: the barrier of one grid, as the first headers asked for it.
__global__ void whole_grid(int *x, int turns, unsigned *what)
{
    unsigned long long handle = cudaCGGetIntrinsicHandle(cudaCGScopeGrid);
    unsigned threads = 0, rank = 0;
    cudaCGGetSize(&threads, NULL, handle);
    cudaCGGetRank(&rank, NULL, handle);
    for (int turn = 0; turn < turns; turn++) {
        x[rank] += turn;
        what[rank] = cudaCGSynchronizeGrid(handle, 0);
        if (threads) x[rank] += x[(rank + blockDim.x) % threads] == 0;
        what[rank] += cudaCGSynchronize(handle, 0);
    }
}
