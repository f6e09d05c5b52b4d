// Cooperative groups for waves of any width up to 64 lanes. Tiles and coalesced groups are sets of lanes of one wave, in masks of 64 bits.
#pragma once
#include <maca/wave.h>

namespace cooperative_groups {

typedef __mx_mask lane_mask;

namespace details {
    __MX_INLINE unsigned block_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    __MX_INLINE unsigned thread_in_block() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
    __MX_INLINE lane_mask below(unsigned lanes) { return lanes >= 64 ? __MX_EVERYONE : (1ull << lanes) - 1; }

    // The lane of the member with a rank: the place of the n-th bit that is set.
    __MX_INLINE unsigned nth(lane_mask mask, unsigned n)
    {
        unsigned lane = 0;
        for (unsigned step = 32; step > 0; step /= 2) {
            unsigned lower = __popcll(mask & ((1ull << step) - 1));
            if (n >= lower) {
                n -= lower;
                mask >>= step;
                lane += step;
            }
        }
        return lane;
    }
    enum kind { wave_kind, block_kind, grid_kind };
}

// ------------------------------------------------------------------------------------------------------------------ any group
class thread_group {
protected:
    details::kind kind_;
    unsigned size_, rank_;
    lane_mask mask_;
    __MX_INLINE thread_group(details::kind kind, unsigned size, unsigned rank, lane_mask mask)
        : kind_(kind), size_(size), rank_(rank), mask_(mask) {}
    friend __MX_INLINE thread_group tiled_partition(const thread_group &parent, unsigned size);
public:
    __MX_INLINE unsigned long long size() const { return size_; }
    __MX_INLINE unsigned long long num_threads() const { return size_; }
    __MX_INLINE unsigned long long thread_rank() const { return rank_; }
    __MX_INLINE bool is_valid() const { return size_ > 0; }
    __MX_INLINE void sync() const
    {
        if (kind_ == details::block_kind)
            __syncthreads();
        else
            __syncwave(mask_);
    }
};

class thread_block : public thread_group {
    __MX_INLINE thread_block() : thread_group(details::block_kind, details::block_threads(), details::thread_in_block(), 0) {}
    friend __MX_INLINE thread_block this_thread_block();
public:
    static __MX_INLINE void sync() { __syncthreads(); }
    static __MX_INLINE unsigned size() { return details::block_threads(); }
    static __MX_INLINE unsigned num_threads() { return details::block_threads(); }
    static __MX_INLINE unsigned thread_rank() { return details::thread_in_block(); }
    static __MX_INLINE dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __MX_INLINE dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __MX_INLINE dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __MX_INLINE dim3 dim_threads() { return group_dim(); }
};
__MX_INLINE thread_block this_thread_block() { return thread_block(); }

// ----------------------------------------------------------------------------------------------------------------------- grids
// The words by which a cooperative launch synchronises its grid lie at the address in %envreg1 and %envreg2; 0 after other launches.
class grid_group {
    unsigned *words;
    __MX_INLINE grid_group()
    {
        unsigned high, low;
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        words = (unsigned *)((unsigned long long)high << 32 | low);
    }
    friend __MX_INLINE grid_group this_grid();
public:
    __MX_INLINE bool is_valid() const { return words != 0; }
    __MX_INLINE void sync() const
    {
        if (!is_valid())
            __trap();
        __syncthreads();
        if (details::thread_in_block() == 0) {
            volatile unsigned *arrived = words + 1;
            bool first = blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0;
            __threadfence();
            // The top bit flips when all blocks have come: theirs and the first one's share add up to 2^31.
            unsigned before = atomicAdd((unsigned *)arrived, first ? 0x80000001u - (unsigned)num_blocks() : 1u);
            while (((before ^ *arrived) & 0x80000000u) == 0)
                ;
            __threadfence();
        }
        __syncthreads();
    }
    static __MX_INLINE unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static __MX_INLINE unsigned long long block_rank()
    { return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x; }
    static __MX_INLINE unsigned long long size() { return num_blocks() * details::block_threads(); }
    static __MX_INLINE unsigned long long num_threads() { return size(); }
    static __MX_INLINE unsigned long long thread_rank() { return block_rank() * details::block_threads() + details::thread_in_block(); }
    static __MX_INLINE dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __MX_INLINE dim3 dim_blocks() { return group_dim(); }
    static __MX_INLINE dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
__MX_INLINE grid_group this_grid() { return grid_group(); }

// Grids of several devices that were launched together. The device runtime knows them by a handle, 0 after other launches.
class multi_grid_group {
    unsigned long long handle;
    __MX_INLINE multi_grid_group() : handle(cudaCGGetIntrinsicHandle(cudaCGScopeMultiGrid)) {}
    friend __MX_INLINE multi_grid_group this_multi_grid();
    __MX_INLINE void check() const
    {
        if (!is_valid())
            __trap();
    }
public:
    __MX_INLINE bool is_valid() const { return handle != 0; }
    __MX_INLINE void sync() const
    {
        check();
        cudaCGSynchronize(handle, 0);
    }
    __MX_INLINE unsigned num_grids() const
    {
        unsigned threads, grids;
        check();
        cudaCGGetSize(&threads, &grids, handle);
        return grids;
    }
    __MX_INLINE unsigned grid_rank() const
    {
        unsigned thread, grid;
        check();
        cudaCGGetRank(&thread, &grid, handle);
        return grid;
    }
    __MX_INLINE unsigned long long size() const { return num_grids() * grid_group::size(); }
    __MX_INLINE unsigned long long num_threads() const { return size(); }
    __MX_INLINE unsigned long long thread_rank() const { return grid_rank() * grid_group::size() + grid_group::thread_rank(); }
};
__MX_INLINE multi_grid_group this_multi_grid() { return multi_grid_group(); }

// ------------------------------------------------------------------------------------------------- some of the lanes of a wave
class coalesced_group : public thread_group {
public:
    __MX_INLINE explicit coalesced_group(lane_mask mask)
        : thread_group(details::wave_kind, __popcll(mask), __popcll(mask & __lanemask64_lt()), mask) {}
    __MX_INLINE lane_mask members() const { return mask_; }
    __MX_INLINE unsigned long long meta_group_size() const { return 1; }
    __MX_INLINE unsigned long long meta_group_rank() const { return 0; }
    __MX_INLINE void sync() const { __syncwave(mask_); }
    template <class T> __MX_INLINE T shfl(T value, unsigned rank) const { return moved(value, rank % size_); }
    template <class T> __MX_INLINE T shfl_up(T value, unsigned delta) const { return moved(value, rank_ >= delta ? rank_ - delta : rank_); }
    template <class T> __MX_INLINE T shfl_down(T value, unsigned delta) const
    { return moved(value, rank_ + delta < size_ ? rank_ + delta : rank_); }
    __MX_INLINE int any(int holds) const { return __any_sync(mask_, holds); }
    __MX_INLINE int all(int holds) const { return __all_sync(mask_, holds); }
    __MX_INLINE lane_mask ballot(int holds) const { return packed(__ballot_sync(mask_, holds)); }
    template <class T> __MX_INLINE lane_mask match_any(T value) const { return packed(__match_any_sync(mask_, value)); }
    template <class T> __MX_INLINE lane_mask match_all(T value, int &all) const { return packed(__match_all_sync(mask_, value, &all)); }
private:
    template <class T> __MX_INLINE T moved(T value, unsigned rank) const { return __shfl_sync(mask_, value, (int)details::nth(mask_, rank)); }

    // Bit n of a group's mask is the member with rank n.
    __MX_INLINE lane_mask packed(lane_mask lanes) const
    {
        if (mask_ == details::below(size_))
            return lanes;
        lane_mask ranks = 0;
        unsigned rank = 0;
        for (lane_mask left = mask_; left; left &= left - 1, ++rank)
            ranks |= (lane_mask)((lanes & left & (0 - left)) != 0) << rank;
        return ranks;
    }
};
__MX_INLINE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// A number of lanes known when the source is compiled. mxlanes makes machines with narrower waves refuse it.
template <unsigned Size, class Parent = void> class thread_block_tile;
template <unsigned Size> class thread_block_tile<Size, void> : public thread_group {
    static_assert(Size >= 1 && Size <= 64 && (Size & (Size - 1)) == 0, "a tile is a power of two of lanes, up to 64");
    static __MX_INLINE unsigned first() { return __lane_id() & ~(Size - 1); }
public:
    __MX_INLINE thread_block_tile() : thread_group(details::wave_kind, Size, __lane_id() & (Size - 1), details::below(Size) << first())
    { asm volatile("mxlanes.u32 %0;" :: "n"(Size)); }
    static constexpr __device__ unsigned long long size() { return Size; }
    static constexpr __device__ unsigned long long num_threads() { return Size; }
    __MX_INLINE unsigned long long thread_rank() const { return rank_; }
    __MX_INLINE unsigned long long meta_group_size() const { return (details::block_threads() + Size - 1) / Size; }
    __MX_INLINE unsigned long long meta_group_rank() const { return details::thread_in_block() / Size; }
    __MX_INLINE lane_mask members() const { return mask_; }
    __MX_INLINE void sync() const { __syncwave(mask_); }
    template <class T> __MX_INLINE T shfl(T value, int rank) const { return __shfl_sync(mask_, value, rank, Size); }
    template <class T> __MX_INLINE T shfl_up(T value, unsigned delta) const { return __shfl_up_sync(mask_, value, delta, Size); }
    template <class T> __MX_INLINE T shfl_down(T value, unsigned delta) const { return __shfl_down_sync(mask_, value, delta, Size); }
    template <class T> __MX_INLINE T shfl_xor(T value, unsigned lanes) const { return __shfl_xor_sync(mask_, value, lanes, Size); }
    __MX_INLINE int any(int holds) const { return __any_sync(mask_, holds); }
    __MX_INLINE int all(int holds) const { return __all_sync(mask_, holds); }
    __MX_INLINE lane_mask ballot(int holds) const { return own(__ballot_sync(mask_, holds)); }
    template <class T> __MX_INLINE lane_mask match_any(T value) const { return own(__match_any_sync(mask_, value)); }
    template <class T> __MX_INLINE lane_mask match_all(T value, int &all) const { return own(__match_all_sync(mask_, value, &all)); }
private:
    static __MX_INLINE lane_mask own(lane_mask lanes) { return lanes >> first() & details::below(Size); }
};
template <unsigned Size, class Parent> class thread_block_tile : public thread_block_tile<Size, void> {};

// ------------------------------------------------------------------------------------------------------------------ partitions
template <unsigned Size, class Parent> __MX_INLINE thread_block_tile<Size, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<Size, Parent>();
}

// A size that is known only when the kernel runs: a power of two, at most a wave.
__MX_INLINE thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (size == 0 || (size & (size - 1)) || size > (unsigned)waveSize)
        __trap();
    if (parent.kind_ == details::block_kind) {
        unsigned first = __lane_id() & ~(size - 1), threads = details::block_threads();
        unsigned before = details::thread_in_block() & ~(size - 1), there = threads - before < size ? threads - before : size;
        return thread_group(details::wave_kind, there, __lane_id() - first, details::below(there) << first);
    }
    unsigned start = parent.rank_ & ~(size - 1), there = parent.size_ - start < size ? parent.size_ - start : size;
    lane_mask mask = parent.mask_;
    for (unsigned n = 0; n < start; ++n)
        mask &= mask - 1;
    lane_mask rest = mask;
    for (unsigned n = 0; n < there; ++n)
        rest &= rest - 1;
    return thread_group(details::wave_kind, there, parent.rank_ - start, mask & ~rest);
}

template <class Group, class Label> __MX_INLINE coalesced_group labeled_partition(const Group &group, Label label)
{
    return coalesced_group(__match_any_sync(group.members(), label));
}

template <class Group> __MX_INLINE coalesced_group binary_partition(const Group &group, bool holds)
{
    lane_mask yes = __ballot_sync(group.members(), holds);
    return coalesced_group(holds ? yes : group.members() & ~yes);
}

// ------------------------------------------------------------------------------------------------- reductions and running totals
template <class T> struct plus { __MX_INLINE T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __MX_INLINE T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __MX_INLINE T operator()(T a, T b) const { return a < b ? b : a; } };
template <class T> struct bit_and { __MX_INLINE T operator()(T a, T b) const { return a & b; } };
template <class T> struct bit_or { __MX_INLINE T operator()(T a, T b) const { return a | b; } };
template <class T> struct bit_xor { __MX_INLINE T operator()(T a, T b) const { return a ^ b; } };

template <class T, class Op, unsigned Size>
__MX_INLINE T reduce(const thread_block_tile<Size, void> &group, T value, Op op)
{
#pragma unroll
    for (unsigned step = Size / 2; step > 0; step /= 2)
        value = op(value, group.shfl_xor(value, step));
    return value;
}

template <class T, class Op> __MX_INLINE T reduce(const coalesced_group &group, T value, Op op)
{
    for (unsigned step = 1; step < group.size(); step *= 2) {
        T other = group.shfl_down(value, step);
        if (group.thread_rank() + step < group.size())
            value = op(value, other);
    }
    return group.shfl(value, 0);
}

template <class Group, class T, class Op> __MX_INLINE T inclusive_scan(const Group &group, T value, Op op)
{
    for (unsigned step = 1; step < group.size(); step *= 2) {
        T other = group.shfl_up(value, step);
        if (group.thread_rank() >= step)
            value = op(other, value);
    }
    return value;
}
template <class Group, class T> __MX_INLINE T inclusive_scan(const Group &group, T value) { return inclusive_scan(group, value, plus<T>()); }

template <class Group, class T, class Op> __MX_INLINE T exclusive_scan(const Group &group, T value, Op op)
{
    T before = group.shfl_up(inclusive_scan(group, value, op), 1);
    return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T> __MX_INLINE T exclusive_scan(const Group &group, T value) { return exclusive_scan(group, value, plus<T>()); }

// ------------------------------------------------------------------------------------------------------------------------ copies
// A C500 has no asynchronous copy that PTX could name: the members copy together, and wait() is the barrier.
template <class Group, class T> __MX_INLINE void memcpy_async(const Group &group, T *to, const T *from, size_t bytes)
{
    for (unsigned i = group.thread_rank(); i < bytes / sizeof(T); i += group.size())
        to[i] = from[i];
}
template <class Group> __MX_INLINE void wait(const Group &group) { group.sync(); }

template <class Group> __MX_INLINE void sync(const Group &group) { group.sync(); }
template <class Group> __MX_INLINE unsigned long long thread_rank(const Group &group) { return group.thread_rank(); }
template <class Group> __MX_INLINE unsigned long long group_size(const Group &group) { return group.size(); }

}  // namespace cooperative_groups
