// The kernels of M. Harris, "Optimizing Parallel Reduction in CUDA" (NVIDIA CUDA SDK, 2007), written anew after it, from memory: sums of
// integers in shared memory, blocks of 128 threads. Only the first of the launches that come to one number.
constexpr unsigned BLOCK = 128;

// Neighbours first; which threads work is a question of a remainder.
__global__ void interleaved_divergent(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// Neighbours first, by the first threads; strides of powers of two meet in banks.
__global__ void interleaved_conflicts(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned index = 2 * s * t;
        if (index < blockDim.x)
            sums[index] += sums[index + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// Halves: no conflicts.
__global__ void sequential(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x;
    sums[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// The first sum is made of what is loaded.
__global__ void first_add(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;
    sums[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// Threads of one warp need no barrier.
__device__ void last_warp(volatile int *sums, unsigned t)
{
    sums[t] += sums[t + 32];
    sums[t] += sums[t + 16];
    sums[t] += sums[t + 8];
    sums[t] += sums[t + 4];
    sums[t] += sums[t + 2];
    sums[t] += sums[t + 1];
}

__global__ void unrolled_warp(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * (blockDim.x * 2) + t;
    sums[t] = in[i] + in[i + blockDim.x];
    __syncthreads();
#pragma unroll 1
    for (unsigned s = blockDim.x / 2; s > 32; s >>= 1) {
        if (t < s)
            sums[t] += sums[t + s];
        __syncthreads();
    }
    if (t < 32)
        last_warp(sums, t);
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// The size of the block is known.
__global__ void unrolled(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * (BLOCK * 2) + t;
    sums[t] = in[i] + in[i + BLOCK];
    __syncthreads();
    if (t < 64)
        sums[t] += sums[t + 64];
    __syncthreads();
    if (t < 32)
        last_warp(sums, t);
    if (t == 0)
        out[blockIdx.x] = sums[0];
}

// Each thread sums many elements first.
__global__ void many_elements(const int *in, int *out, unsigned n)
{
    __shared__ int sums[BLOCK];
    unsigned t = threadIdx.x, i = blockIdx.x * (BLOCK * 2) + t;
    unsigned step = BLOCK * 2 * gridDim.x;
    int sum = 0;
#pragma unroll 1
    while (i < n) {
        sum += in[i] + in[i + BLOCK];
        i += step;
    }
    sums[t] = sum;
    __syncthreads();
    if (t < 64)
        sums[t] += sums[t + 64];
    __syncthreads();
    if (t < 32)
        last_warp(sums, t);
    if (t == 0)
        out[blockIdx.x] = sums[0];
}
