// Counts of equal values, in device memory at once, or in a table of each block that is added up at the end.

__global__ void count(const unsigned *values, unsigned *bins, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(bins + values[i], 1u);
}

__global__ void count_by_block(const unsigned *values, unsigned *bins, unsigned n, unsigned size)
{
    extern __shared__ unsigned own[];
    for (unsigned bin = threadIdx.x; bin < size; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(own + values[i], 1u);
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < size; bin += blockDim.x)
        atomicAdd(bins + bin, own[bin]);
}
