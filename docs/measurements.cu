// Kernels behind the figures of docs/explanation; docs/measurements.py launches them.

// Lane k of a warp reads word k * stride.
__global__ void strided(float *out, const float *in, int stride)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i * stride];
}

// Each lane reads its row's first word of a tile in shared memory whose rows are `width` words long, 64 times, each address made of what was read:
// a warp reads a column.
__global__ void columns(int *out, int width)
{
    extern __shared__ int tile[];
    for (int i = threadIdx.x; i < 64 * width; i += blockDim.x)
        tile[i] = 0;
    __syncthreads();
    int place = (threadIdx.x % 64) * width;
    for (int round = 0; round < 64; round++)
        place += tile[place];
    out[blockIdx.x * blockDim.x + threadIdx.x] = place;
}

// The lanes of a warp go `ways` ways, each of them as long as the others.
__global__ void paths(float *x, int ways)
{
    float a = x[threadIdx.x];
    int mine = threadIdx.x % ways;
    for (int way = 0; way < ways; way++)
        if (way == mine)
            for (int i = 0; i < 64; i++)
                a = a * 0.5f + way;
    x[blockIdx.x * blockDim.x + threadIdx.x] = a;
}

// Block b writes 64 words of each of 16 rows, 16 at a time: all blocks that run together write into one column of tiles.
__global__ void column_of_tiles(float *matrix, int row_length)
{
    for (int column = 0; column < 4; column++)
        matrix[(blockIdx.x * 16 + threadIdx.y) * row_length + column * 16 + threadIdx.x] = 1;
}

// Each thread reads `count` words, `step` apart, LOADS of them before it adds the first.
template <int LOADS>
__device__ void sum(int *out, const int *in, int count, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, total = 0;
#pragma unroll 1
    for (int k = 0; k < count; k += LOADS) {
        int value[LOADS];
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            value[j] = in[(k + j) * step + i];
#pragma unroll
        for (int j = 0; j < LOADS; ++j)
            total += value[j];
    }
    out[i] = total;
}

__global__ void sum_1(int *out, const int *in, int count, int step) { sum<1>(out, in, count, step); }
__global__ void sum_2(int *out, const int *in, int count, int step) { sum<2>(out, in, count, step); }
__global__ void sum_4(int *out, const int *in, int count, int step) { sum<4>(out, in, count, step); }
__global__ void sum_8(int *out, const int *in, int count, int step) { sum<8>(out, in, count, step); }

// 256 additions in CHAINS chains: an addition waits for the one before it in its chain.
template <int CHAINS>
__device__ void chains(float *out, int rounds)
{
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
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void chains_1(float *out, int rounds) { chains<1>(out, rounds); }
__global__ void chains_4(float *out, int rounds) { chains<4>(out, rounds); }
