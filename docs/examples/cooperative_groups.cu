// Cooperative groups: functions that take a group and do not care how large it is, from a few lanes to the whole grid.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Sum of one value a thread, for any group: halve the number of threads that add, in shared memory.
template <class Group>
__device__ int sum(Group group, int *room, int value)
{
    int rank = group.thread_rank();
    for (int half = group.size() / 2; half > 0; half /= 2) {
        room[rank] = value;
        group.sync();
        if (rank < half)
            value += room[rank + half];
        group.sync();
    }
    return value;
}

// One sum for each block.
__global__ void block_sum(int *out, const int *in)
{
    __shared__ int room[256];
    cg::thread_block block = cg::this_thread_block();
    int total = sum(block, room, in[blockIdx.x * blockDim.x + threadIdx.x]);
    if (block.thread_rank() == 0)
        out[blockIdx.x] = total;
}

// One sum for each 16 threads, by the same function: now it synchronises a part of a warp.
__global__ void tile_sum(int *out, const int *in)
{
    __shared__ int room[256];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, 16);
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = sum(tile, room + threadIdx.x / 16 * 16, in[i]);
    if (tile.thread_rank() == 0)
        out[i / 16] = total;
}

// The same sums by exchange of registers: the compiler knows the size of the tile, and neither memory nor a barrier is needed.
__global__ void tile_sum_shuffled(int *out, const int *in)
{
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = in[i];
    for (int half = tile.size() / 2; half > 0; half /= 2)
        total += tile.shfl_down(total, half);
    if (tile.thread_rank() == 0)
        out[i / 16] = total;
}

// Count the multiples of three: one atomic operation for every thread that has found one.
__global__ void count_each(int *count, const int *in, volatile int *places)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        places[i] = atomicAdd(count, 1) >= 0;
}

// The same count: the threads that come here together elect one, which adds for all and tells them where their places begin.
__device__ int take_place(int *count)
{
    cg::coalesced_group together = cg::coalesced_threads();
    int first = 0;
    if (together.thread_rank() == 0)
        first = atomicAdd(count, together.size());
    return together.shfl(first, 0) + together.thread_rank();
}

__global__ void count_aggregated(int *count, const int *in, volatile int *places)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] % 3 == 0)
        places[i] = take_place(count) >= 0;
}

// One sum of everything in one launch: every thread adds its share, the grid synchronises, the first block adds the blocks' sums.
__global__ void grid_sum(int *out, int *parts, const int *in, int n)
{
    __shared__ int room[256];
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    int total = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        total += in[i];
    total = sum(block, room, total);
    if (block.thread_rank() == 0)
        parts[blockIdx.x] = total;
    grid.sync();
    if (blockIdx.x == 0) {
        total = 0;
        for (int i = block.thread_rank(); i < gridDim.x; i += block.size())
            total += parts[i];
        total = sum(block, room, total);
        if (block.thread_rank() == 0)
            out[0] = total;
    }
}
