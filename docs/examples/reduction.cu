// Sum of integers in place: every block leaves the sum of its share of `data` in out[blockIdx.x], and spoils its share.
// `data` holds as many elements as blocks times threads times the blocks' worth that a kernel adds up first (1, 2, 4, 8).

// Neighbours pair up. Who works thins out inside every warp, and every warp goes on to the end.
__global__ void neighbored(int *out, int *data)
{
    unsigned t = threadIdx.x;
    int *part = data + blockIdx.x * blockDim.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        if (t % (2 * stride) == 0)
            part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// The same pairs, given to the first threads of the block: warps that have no pair left do nothing.
__global__ void neighbored_less(int *out, int *data)
{
    unsigned t = threadIdx.x;
    int *part = data + blockIdx.x * blockDim.x;
    for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
        unsigned first = 2 * stride * t;
        if (first < blockDim.x)
            part[first] += part[first + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Partners half a block apart: the threads that work are neighbours, and so are the elements that they read.
__device__ void halve(int *part, unsigned t, unsigned from, unsigned to)
{
    for (unsigned stride = from; stride > to; stride /= 2) {
        if (t < stride)
            part[t] += part[t + stride];
        __syncthreads();
    }
}

__global__ void interleaved(int *out, int *data)
{
    int *part = data + blockIdx.x * blockDim.x;
    halve(part, threadIdx.x, blockDim.x / 2, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

// Each block first adds BLOCKS blocks' worth of elements, all loads independent of each other. Gives where its share begins.
template <int BLOCKS>
__device__ int *gather(int *data)
{
    int *part = data + BLOCKS * blockIdx.x * blockDim.x;
    unsigned t = threadIdx.x;
    int value[BLOCKS];
#pragma unroll
    for (int k = 0; k < BLOCKS; ++k)
        value[k] = part[t + k * blockDim.x];
    int sum = value[0];
#pragma unroll
    for (int k = 1; k < BLOCKS; ++k)
        sum += value[k];
    part[t] = sum;
    __syncthreads();
    return part;
}

template <int BLOCKS>
__device__ void unrolled(int *out, int *data)
{
    int *part = gather<BLOCKS>(data);
    halve(part, threadIdx.x, blockDim.x / 2, 0);
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void unrolled_2(int *out, int *data) { unrolled<2>(out, data); }
__global__ void unrolled_4(int *out, int *data) { unrolled<4>(out, data); }
__global__ void unrolled_8(int *out, int *data) { unrolled<8>(out, data); }

// The last 64 elements by one warp, without a barrier and without asking who works. That its 32 threads keep step is what older code
// takes for granted; `volatile` makes each sum go to memory before the next one reads it.
__device__ void last_warp(volatile int *part, unsigned t)
{
    part[t] += part[t + 32];
    part[t] += part[t + 16];
    part[t] += part[t + 8];
    part[t] += part[t + 4];
    part[t] += part[t + 2];
    part[t] += part[t + 1];
}

__global__ void unrolled_warp_8(int *out, int *data)
{
    unsigned t = threadIdx.x;
    int *part = gather<8>(data);
    halve(part, t, blockDim.x / 2, 32);
    if (t < 32)
        last_warp(part, t);
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// No loop at all: every step asks whether the block is large enough for it.
__device__ void steps(int *part, unsigned t, unsigned threads)
{
    if (threads >= 1024 && t < 512)
        part[t] += part[t + 512];
    __syncthreads();
    if (threads >= 512 && t < 256)
        part[t] += part[t + 256];
    __syncthreads();
    if (threads >= 256 && t < 128)
        part[t] += part[t + 128];
    __syncthreads();
    if (threads >= 128 && t < 64)
        part[t] += part[t + 64];
    __syncthreads();
    if (t < 32)
        last_warp(part, t);
}

__global__ void unrolled_completely_8(int *out, int *data)
{
    int *part = gather<8>(data);
    steps(part, threadIdx.x, blockDim.x);
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

// The size of the block is known to the compiler: it answers the questions, and leaves out the steps that are not taken.
template <unsigned THREADS>
__device__ void unrolled_for(int *out, int *data)
{
    int *part = gather<8>(data);
    steps(part, threadIdx.x, THREADS);
    if (threadIdx.x == 0)
        out[blockIdx.x] = part[0];
}

__global__ void unrolled_for_512(int *out, int *data) { unrolled_for<512>(out, data); }
