// Two arms of a branch, and who takes which. Integer arithmetic, so that the result is exact.
__device__ unsigned scramble(unsigned x, int rounds)
{
    for (int i = 0; i < rounds; ++i)
        x = x * 1664525u + 1013904223u;
    return x;
}

__device__ unsigned mix(unsigned x, int rounds)
{
    for (int i = 0; i < rounds; ++i)
        x = (x ^ x << 13) + (x >> 7);
    return x;
}

// Even and odd threads part: every warp runs both arms, one after the other, with half of its lanes.
__global__ void even_odd(unsigned *out, const unsigned *in, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i % 2 == 0)
        out[i] = scramble(in[i], rounds);
    else
        out[i] = mix(in[i], rounds);
}

// The same work shared out by warps: no warp has to run both arms.
__global__ void by_warp(unsigned *out, const unsigned *in, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i / warpSize % 2 == 0)
        out[i] = scramble(in[i], rounds);
    else
        out[i] = mix(in[i], rounds);
}

// Arms of one instruction each: the compiler selects instead of branching.
__global__ void selected(unsigned *out, const unsigned *in, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = in[i];
    for (int k = 0; k < rounds; ++k)
        x = i % 2 == 0 ? x + 1013904223u : x ^ 1664525u;
    out[i] = x;
}
