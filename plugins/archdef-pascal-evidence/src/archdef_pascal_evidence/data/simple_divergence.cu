// The kernels of simpleDivergence in Professional CUDA C Programming, section 3.2, as docs/examples/simple_divergence.cu has them: optimised, for the
// registers that they take.
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

// As the book prints it, C reads the condition as i & (1 == 0).
__global__ void always_false(float *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, warp = i >> 5;
    float a = 0, b = 0;
    if (warp & 1 == 0)
        a = 100;
    else
        b = 200;
    out[i] = a + b;
}
