// How large a block, how many blocks? Two kernels that do one thing for each of n elements: one waits for memory, one computes.
__global__ void stream(float *out, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void compute(unsigned *out, const unsigned *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = in[i];
        for (int k = 0; k < 64; ++k)
            x = (x << 5 ^ x) + k;
        out[i] = x;
    }
}
