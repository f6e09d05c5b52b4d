// Atomic additions for the figure of docs/explanation/atomics.md; a file of their own, since compute capability 1.0 has none.
// Each thread adds 8 times to one of `words` counters; neighbours add to different ones as long as there are enough.
__global__ void global_words(unsigned *counters, unsigned words)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < 8; k++)
        atomicAdd(&counters[i % words], i);
}

__global__ void shared_words(unsigned *counters, unsigned words)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    unsigned i = threadIdx.x;
    for (int k = 0; k < 8; k++)
        atomicAdd(&mine[i % words], i);
    __syncthreads();
    counters[blockIdx.x * blockDim.x + threadIdx.x] = mine[threadIdx.x];
}
