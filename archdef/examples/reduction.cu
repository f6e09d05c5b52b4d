// Sum of integers: every block leaves the sum of its BLOCK elements in out[blockIdx.x].
constexpr int BLOCK = 256;

// Neighbours pair up: the working threads thin out inside every warp, which diverges at each step.
__global__ void neighbored(int *out, const int *in)
{
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        if (t % (2 * stride) == 0)
            part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// The same pairs given to the first threads of the block: whole warps fall idle, but the stride makes bank conflicts.
__global__ void neighbored_compact(int *out, const int *in)
{
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int stride = 1; stride < BLOCK; stride *= 2) {
        int i = 2 * stride * t;
        if (i < BLOCK)
            part[i] += part[i + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}

// Partners half a block apart: whole warps fall idle and neighbouring threads use neighbouring banks.
__global__ void interleaved(int *out, const int *in)
{
    __shared__ int part[BLOCK];
    int t = threadIdx.x;
    part[t] = in[blockIdx.x * BLOCK + t];
    __syncthreads();
    for (int stride = BLOCK / 2; stride > 0; stride /= 2) {
        if (t < stride)
            part[t] += part[t + stride];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = part[0];
}
