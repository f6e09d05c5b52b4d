// Four ways to give half of the threads one value and the other half another: what decides who takes which arm.
// out[i] is 100 or 200. Arms as short as these are what compilers turn into a selection or into predicated code.

// Neighbouring threads part: every warp goes through both arms.
__global__ void even_odd(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    if (i % 2 == 0)
        a = 100;
    else
        b = 200;
    out[i] = a + b;
}

// Whole warps part: each goes through one arm.
__global__ void by_warp(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    if (i / warpSize % 2 == 0)
        a = 100;
    else
        b = 200;
    out[i] = a + b;
}

// Two conditions, each computed and asked on its own: two branches that may split the warp.
__global__ void two_ifs(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    if (i % 2 == 0)
        a = 100;
    if (i % 2 == 1)
        b = 200;
    out[i] = a + b;
}

// One condition, kept in a variable and asked twice: a predicate, for a compiler that uses it.
__global__ void predicated(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    bool even = i % 2 == 0;
    if (even)
        a = 100;
    if (!even)
        b = 200;
    out[i] = a + b;
}
