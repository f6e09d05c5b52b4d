// How many warps hide a latency? Each thread does `rounds` times 256 additions, in CHAINS independent chains.
// An addition waits for the one before it in its chain and for nothing else.
template <int CHAINS>
__device__ void chains(float *out, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value[CHAINS], step = threadIdx.x;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k)
        value[k] = k;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int k = 0; k < 256; ++k)
            value[k % CHAINS] += step;
    float sum = 0;
#pragma unroll
    for (int k = 0; k < CHAINS; ++k)
        sum += value[k];
    out[i] = sum;
}

__global__ void chains_1(float *out, int rounds) { chains<1>(out, rounds); }
__global__ void chains_2(float *out, int rounds) { chains<2>(out, rounds); }
__global__ void chains_4(float *out, int rounds) { chains<4>(out, rounds); }

// The same question of memory: each thread reads `count` words, `step` apart, CHAINS of them on their way at a time.
template <int CHAINS>
__device__ void loads(int *out, const int *in, int count, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, total = 0;
#pragma unroll 1
    for (int k = 0; k < count; k += CHAINS) {
        int value[CHAINS];
#pragma unroll
        for (int j = 0; j < CHAINS; ++j)
            value[j] = in[(k + j) * step + i];
#pragma unroll
        for (int j = 0; j < CHAINS; ++j)
            total += value[j];
    }
    out[i] = total;
}

__global__ void loads_1(int *out, const int *in, int count, int step) { loads<1>(out, in, count, step); }
__global__ void loads_4(int *out, const int *in, int count, int step) { loads<4>(out, in, count, step); }
