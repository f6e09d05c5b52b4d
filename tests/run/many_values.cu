// Kernels with more values alive than small register budgets hold.
extern "C" __global__ void polynomial(float *out, const float *in, int n)   // 24 accumulators alive through a loop
{
    float a[24];
    #pragma unroll
    for (int k = 0; k < 24; ++k) a[k] = in[threadIdx.x + 32 * k];
    for (int i = 0; i < n; ++i) {
        #pragma unroll
        for (int k = 0; k < 24; ++k) a[k] = a[k] * a[(k + 1) % 24] + i;
    }
    float total = 0;
    #pragma unroll
    for (int k = 0; k < 24; ++k) total += a[k];
    out[threadIdx.x] = total;
}
extern "C" __global__ void stencil(float *out, const float *in, int n)      // straight line: loaded, then all used
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float v[32];
    #pragma unroll
    for (int k = 0; k < 32; ++k) v[k] = in[t + k * n];
    float s = 0, p = 1;
    #pragma unroll
    for (int k = 0; k < 32; ++k) { s += v[k]; p *= v[31 - k]; }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 32; ++k) out[t + k * n] = v[k] * s + p;
}
extern "C" __global__ void rows(double *out, const double *in)              // 64-bit values
{
    double v[12];
    #pragma unroll
    for (int k = 0; k < 12; ++k) v[k] = in[threadIdx.x * 12 + k];
    #pragma unroll
    for (int r = 0; r < 3; ++r)
        #pragma unroll
        for (int k = 0; k < 12; ++k) v[k] = fma(v[k], v[(k + 5) % 12], v[(k + 7) % 12]);
    #pragma unroll
    for (int k = 0; k < 12; ++k) out[threadIdx.x * 12 + k] = v[k];
}
extern "C" __global__ void fits(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
