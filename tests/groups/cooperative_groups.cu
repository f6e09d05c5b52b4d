// Cooperative groups as CUDA's own header gives them. Kernels whose groups need a newer target are left out of older ones.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__device__ unsigned thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void block(unsigned *out)
{
    cg::thread_block b = cg::this_thread_block();
    unsigned *o = out + 4 * thread();
    o[0] = b.size();
    o[1] = b.thread_rank();
    o[2] = b.group_index().x;
    o[3] = b.thread_index().x;
}

// One function for every kind of group: what matters is how many threads there are, and who one is.
template <class Group>
__device__ int sum(Group group, int *room, int value)
{
    int rank = group.thread_rank();
    for (int i = group.size() / 2; i > 0; i /= 2) {
        room[rank] = value;
        group.sync();
        if (rank < i)
            value += room[rank + i];
        group.sync();
    }
    return value;
}

__global__ void block_sum(int *out, const int *in)
{
    __shared__ int room[256];
    cg::thread_block b = cg::this_thread_block();
    int total = sum(b, room, in[thread()]);
    if (b.thread_rank() == 0)
        out[blockIdx.x] = total;
}

__global__ void tile_sum(int *out, const int *in)
{
    __shared__ int room[256];
    cg::thread_block b = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(b, 16);
    int total = sum(tile, room + b.thread_rank() / 16 * 16, in[thread()]);
    if (tile.thread_rank() == 0)
        out[thread() / 16] = total;
}

__global__ void static_tile_sum(int *out, const int *in)
{
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(cg::this_thread_block());
    int value = in[thread()];
    for (int i = tile.size() / 2; i > 0; i /= 2)
        value += tile.shfl_down(value, i);
    if (tile.thread_rank() == 0)
        out[thread() / 8] = value;
}

__global__ void exchange(int *out, const int *in)
{
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int value = in[thread()], *o = out + 6 * thread();
    o[0] = tile.any(value > 90);
    o[1] = tile.all(value > 5);
    o[2] = tile.ballot(value & 1);
    o[3] = tile.shfl(value, 5);
    o[4] = tile.shfl_up(value, 2);
    o[5] = tile.shfl_xor(value, 3);
}

__global__ void scans(int *out, const int *in)
{
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    int value = in[thread()], *o = out + 3 * thread();
    o[0] = cg::reduce(tile, value, cg::plus<int>());
    o[1] = cg::inclusive_scan(tile, value);
    o[2] = cg::exclusive_scan(tile, value);
}

// The lanes that come here together take one place each, for one atomic operation.
__device__ int take_place(int *count)
{
    cg::coalesced_group here = cg::coalesced_threads();
    int first;
    if (here.thread_rank() == 0)
        first = atomicAdd(count, here.size());
    return here.shfl(first, 0) + here.thread_rank();
}

__global__ void aggregated(int *count, int *out, const int *in)
{
    int value = in[thread()];
    if (value % 2)
        out[take_place(count)] = value;
}

__global__ void fetch(int *out, const int *in)
{
    __shared__ int room[256];
    cg::thread_block b = cg::this_thread_block();
    cg::memcpy_async(b, room, in + blockIdx.x * blockDim.x, sizeof(int) * blockDim.x);
    cg::wait(b);
    out[thread()] = room[blockDim.x - 1 - threadIdx.x];
}

#if __CUDA_ARCH__ >= 600
__global__ void grid_sum(int *out, int *part, const int *in, int n)
{
    cg::grid_group grid = cg::this_grid();
    int total = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size())
        total += in[i];
    part[grid.thread_rank()] = total;
    grid.sync();
    for (int step = grid.size() / 2; step > 0; step /= 2) {
        if (grid.thread_rank() < step)
            part[grid.thread_rank()] += part[grid.thread_rank() + step];
        grid.sync();
    }
    if (grid.thread_rank() == 0) {
        out[0] = part[0];
        out[1] = grid.is_valid();
    }
}
#endif

#if __CUDA_ARCH__ >= 700
__global__ void matches(int *out, const int *in)
{
    cg::thread_block_tile<16> tile = cg::tiled_partition<16>(cg::this_thread_block());
    int value = in[thread()] % 4, same, *o = out + 3 * thread();
    o[0] = tile.match_any(value);
    o[1] = tile.match_all(value / 4, same);
    o[2] = same;
}

__global__ void labels(int *out, const int *in)
{
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(cg::this_thread_block());
    int value = in[thread()];
    out[2 * thread()] = cg::reduce(cg::labeled_partition(tile, value % 3), value, cg::plus<int>());
    out[2 * thread() + 1] = cg::reduce(cg::binary_partition(tile, value > 50), value, cg::greater<int>());
}
#endif
