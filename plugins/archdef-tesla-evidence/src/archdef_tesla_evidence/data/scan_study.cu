// The sum scan of M. Harris, "Parallel Prefix Sum (Scan) with CUDA" (NVIDIA CUDA SDK, 2007), without bank conflicts and for large arrays, written anew
// after its text: blocks of 256 threads scan 512 numbers each, the sums of blocks are scanned in their turn and added.
__device__ int padded(int i)
{
    return i + (i >> 4);
}

// Scan the numbers of each block, exclusively; `sums` gets the total of each, if there is one.
__global__ void scan_blocks(float *out, const float *in, float *sums, int n)
{
    extern __shared__ float tree[];
    int t = threadIdx.x, first = blockIdx.x * n, half = n / 2, offset = 1;
    tree[padded(t)] = in[first + t];
    tree[padded(t + half)] = in[first + t + half];
#pragma unroll 1
    for (int d = half; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d)
            tree[padded(offset * (2 * t + 2) - 1)] += tree[padded(offset * (2 * t + 1) - 1)];
        offset *= 2;
    }
    if (t == 0) {
        int last = padded(n - 1);
        if (sums)
            sums[blockIdx.x] = tree[last];
        tree[last] = 0;
    }
#pragma unroll 1
    for (int d = 1; d <= half; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = padded(offset * (2 * t + 1) - 1), b = padded(offset * (2 * t + 2) - 1);
            float left = tree[a];
            tree[a] = tree[b];
            tree[b] += left;
        }
    }
    __syncthreads();
    out[first + t] = tree[padded(t)];
    out[first + t + half] = tree[padded(t + half)];
}

// Add to the numbers of each block what comes before it.
__global__ void add_sums(float *out, const float *sums)
{
    __shared__ float before;
    int i = blockIdx.x * 2 * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        before = sums[blockIdx.x];
    __syncthreads();
    out[i] += before;
    out[i + blockDim.x] += before;
}
