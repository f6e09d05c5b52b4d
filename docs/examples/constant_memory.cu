// A stencil of 17 taps, three ways to keep the taps. The host fills `taps` before the launch, as cudaMemcpyToSymbol does.
#define RADIUS 8
#define TAPS (2 * RADIUS + 1)
#define BLOCK 256

__constant__ float taps[TAPS];

__device__ const float *tile_of(float *tile, const float *in)
{
    int i = blockIdx.x * BLOCK + threadIdx.x;
    tile[threadIdx.x] = in[i];
    if (threadIdx.x < 2 * RADIUS)
        tile[threadIdx.x + BLOCK] = in[i + BLOCK];
    __syncthreads();
    return tile + threadIdx.x;
}

// All lanes of a warp ask for the same tap: constant memory gives one word to all of them at once.
__global__ void constant_same(float *out, const float *in, const float *)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const float *mine = tile_of(tile, in);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; ++k)
        sum += taps[k] * mine[k];
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// Each lane begins with another tap: constant memory serves one word after the other.
__global__ void constant_apart(float *out, const float *in, const float *)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const float *mine = tile_of(tile, in);
    float sum = 0;
    int k = threadIdx.x % TAPS;
    for (int n = 0; n < TAPS; ++n) {
        sum += taps[k] * mine[k];
        k = k == TAPS - 1 ? 0 : k + 1;
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// The same taps in global memory: a load for each, like any other.
__global__ void global_same(float *out, const float *in, const float *weights)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const float *mine = tile_of(tile, in);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < TAPS; ++k)
        sum += weights[k] * mine[k];
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}

// As constant_apart, from global memory.
__global__ void global_apart(float *out, const float *in, const float *weights)
{
    __shared__ float tile[BLOCK + 2 * RADIUS];
    const float *mine = tile_of(tile, in);
    float sum = 0;
    int k = threadIdx.x % TAPS;
    for (int n = 0; n < TAPS; ++n) {
        sum += weights[k] * mine[k];
        k = k == TAPS - 1 ? 0 : k + 1;
    }
    out[blockIdx.x * BLOCK + threadIdx.x] = sum;
}
