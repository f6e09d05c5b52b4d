// Kernels with a defect each, and the same without it.
#ifdef BARRIERS
// Only the first barrier orders anything: what all threads have stored is read from then on.
extern "C" __global__ void defect(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = in[i];
    __syncthreads();
    float y = 0.0f;
    for (int k = 0; k < 64; ++k) {
        y += part[(t + k) & 255] * (t & k ? 2.0f : 1.0f);
        __syncthreads();    // nobody stores
    }
    out[i] = y;
}

extern "C" __global__ void remedied(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    part[t] = in[i];
    __syncthreads();
    float y = 0.0f;
    for (int k = 0; k < 64; ++k)
        y += part[(t + k) & 255] * (t & k ? 2.0f : 1.0f);
    out[i] = y;
}

// Here the second one does: the next step stores what others have yet to read.
extern "C" __global__ void needed(float *out, const float *in)
{
    __shared__ float part[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float y = in[i];
    for (int k = 0; k < 8; ++k) {
        part[t] = y;
        __syncthreads();
        y += part[(t + 32) & 255];
        __syncthreads();
    }
    out[i] = y;
}
#endif

#ifdef PARALLELISM
__device__ void doubled(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = 2.0f * in[i];
}
extern "C" __global__ void defect(float *out, const float *in, int n) { doubled(out, in, n); }
extern "C" __global__ void remedied(float *out, const float *in, int n) { doubled(out, in, n); }

// One load leads to the next: no thread could have begun with the second.
extern "C" __global__ void chased(int *out, const int *next, int n)
{
    int at = threadIdx.x;
    for (int k = 0; k < n; ++k)
        at = next[at];
    out[threadIdx.x] = at;
}
#endif

#ifdef CACHED
// Each datum is loaded several times, from where a cache has it.
__device__ void gathered(float *out, const float *in, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float y = 0.0f;
#pragma unroll 1
        for (int k = 0; k < 16; ++k)
            y += in[(i + 32 * k) & (n - 1)];
        out[i] = y;
    }
}
extern "C" __global__ void defect(float *out, const float *in, int n) { gathered(out, in, n); }
extern "C" __global__ void remedied(float *out, const float *in, int n) { gathered(out, in, n); }
#endif

#ifdef OCCUPANCY
template <int WORDS> __device__ void recurrence(float *out, const float *in)
{
    __shared__ float part[WORDS];
    int t = threadIdx.x, i = blockIdx.x * 64 + t;
    part[t] = in[i];
    float y = 0.0f;
    for (int k = 0; k < 200; ++k)
        y = y * 0.5f + part[t];
    out[i] = y;
}
extern "C" __global__ void defect(float *out, const float *in) { recurrence<WORDS_OF_DEFECT>(out, in); }
extern "C" __global__ void remedied(float *out, const float *in) { recurrence<WORDS_REMEDIED>(out, in); }
#endif

#ifdef REGISTERS
// Values that are loaded first and added last take registers while the thread follows a list.
__device__ void held(int *out, const int *next, int n)
{
    int i = blockIdx.x * 256 + threadIdx.x, at = i, v[28];
#pragma unroll
    for (int j = 0; j < 28; ++j)
        v[j] = next[(i + j) % n];
    for (int k = 0; k < 64; ++k)
        at = next[at];
#pragma unroll
    for (int j = 0; j < 28; ++j)
        at ^= v[j];
    out[i] = at;
}
extern "C" __global__ void defect(int *out, const int *next, int n) { held(out, next, n); }
extern "C" __global__ void __launch_bounds__(256, FITTING) remedied(int *out, const int *next, int n) { held(out, next, n); }
#endif

#ifdef ARGUMENTS
// With 1024 words, four blocks would fit if it were not for their arguments.
extern "C" __global__ void followed(int *out, const int *next)
{
    __shared__ int part[WORDS];
    int t = threadIdx.x, at = blockIdx.x * 64 + t;
    part[t] = at;
    for (int k = 0; k < 64; ++k)
        at = next[at];
    out[blockIdx.x * 64 + t] = at ^ part[t];
}
#endif

#ifdef TAIL
__device__ void units_of_work(float *out, const float *in, int units)
{
    for (int u = blockIdx.x; u < units; u += gridDim.x) {
        float x = in[u * 256 + threadIdx.x], y = 0.0f;
        for (int k = 0; k < 32; ++k)
            y = y * 0.5f + x;
        out[u * 256 + threadIdx.x] = y;
    }
}
extern "C" __global__ void defect(float *out, const float *in, int units) { units_of_work(out, in, units); }
extern "C" __global__ void remedied(float *out, const float *in, int units) { units_of_work(out, in, units); }
#endif

#ifdef SPILLS
__device__ void sums(float *out, const float *in)
{
    float y[32], x = in[blockIdx.x * 256 + threadIdx.x];
    for (int j = 0; j < 32; ++j)
        y[j] = x + j;
    for (int k = 0; k < 16; ++k)
#pragma unroll
        for (int j = 0; j < 32; ++j)
            y[j] = y[j] * 0.5f + y[(j + 1) & 31];
    float sum = 0.0f;
    for (int j = 0; j < 32; ++j)
        sum += y[j];
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}
extern "C" __global__ void __launch_bounds__(256, 6) defect(float *out, const float *in) { sums(out, in); }
extern "C" __global__ void __launch_bounds__(256, 2) remedied(float *out, const float *in) { sums(out, in); }
#endif

#ifdef SIDES
// Two sides, for SIZE threads each in turn.
template <int SIZE> __device__ void sides(unsigned *out, const unsigned *in)
{
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    unsigned x = in[i];
    if (t / SIZE % 2) {
        for (int k = 0; k < 100; ++k)
            x = (x ^ x << 13) + (x >> 7);
    } else {
        for (int k = 0; k < 100; ++k)
            x = (x ^ x << 11) + (x >> 9);
    }
    out[i] = x;
}
extern "C" __global__ void defect(unsigned *out, const unsigned *in) { sides<OF_DEFECT>(out, in); }
extern "C" __global__ void remedied(unsigned *out, const unsigned *in) { sides<REMEDIED>(out, in); }
#endif

#ifdef CHANCE
// The datum decides: no order of the threads would help.
extern "C" __global__ void by_datum(unsigned *out, const unsigned *in)
{
    int i = blockIdx.x * 256 + threadIdx.x;
    unsigned x = in[i];
    if (x & 1) {
        for (int k = 0; k < 100; ++k)
            x = (x ^ x << 13) + (x >> 7);
    } else {
        for (int k = 0; k < 100; ++k)
            x = (x ^ x << 11) + (x >> 9);
    }
    out[i] = x;
}
#endif
