// What the sources measured on a C500: memory filled, scaled, added, copied, read; a broadcast product and sum; stores to shared memory.

__global__ void fill(float4 *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = make_float4(1.f, 1.f, 1.f, 1.f);
}

__global__ void scale(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = in[i];
        out[i] = make_float4(v.x * 2.f, v.y * 2.f, v.z * 2.f, v.w * 2.f);
    }
}

__global__ void add(float4 *out, const float4 *a, const float4 *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 v = a[i], w = b[i];
        out[i] = make_float4(v.x + w.x, v.y + w.y, v.z + w.z, v.w + w.w);
    }
}

__global__ void copy(float4 *out, const float4 *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

// As many blocks as are resident go over the rows, one row a block and turn; nothing is written unless the sum is a number that it never is.
__global__ void read(float *out, const float4 *in, int rows, int row)
{
    float sum = 0;
    for (int r = blockIdx.x; r < rows; r += gridDim.x)
        for (int i = threadIdx.x; i < row; i += 4 * blockDim.x) {
            float4 v[4];
#pragma unroll
            for (int k = 0; k < 4; ++k)
                v[k] = in[r * row + i + k * blockDim.x];
#pragma unroll
            for (int k = 0; k < 4; ++k)
                sum += v[k].x + v[k].y + v[k].z + v[k].w;
        }
    if (sum == -1.f)
        out[blockIdx.x] = sum;
}

// Vectors of floats, a fixed grid that goes over them.
__global__ void vecadd(float *c, const float *a, const float *b, int n)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        c[i] = a[i] + b[i];
}

// out[b][n][c] = residual[b][n][c] + post[b][n] * layer[b][c] in bfloat16; a thread takes four neighbouring c and every n.
__device__ float widen(unsigned bits) { return __uint_as_float(bits << 16); }

__device__ unsigned narrow(float value)
{
    unsigned bits = __float_as_uint(value);
    return bits + 0x7fffu + (bits >> 16 & 1u) >> 16;
}

__device__ unsigned fused(unsigned residual, float post, unsigned layer)
{
    float low = widen(residual & 0xffffu) + post * widen(layer & 0xffffu);
    float high = widen(residual >> 16) + post * widen(layer >> 16);
    return narrow(low) | narrow(high) << 16;
}

__global__ void mhc_post(uint2 *out, const uint2 *residual, const unsigned short *post, const uint2 *layer, int streams, int quads)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
    if (c >= quads)
        return;
    uint2 shared_by_all = layer[b * quads + c];
    for (int n = 0; n < streams; ++n) {
        int i = (b * streams + n) * quads + c;
        uint2 r = residual[i];
        float p = widen(post[b * streams + n]);
        out[i] = make_uint2(fused(r.x, p, shared_by_all.x), fused(r.y, p, shared_by_all.y));
    }
}

// Each thread stores `count` times to one word of shared memory, `stride` words from its neighbour's.
__global__ void shared_stores(int *out, int count, int stride)
{
    __shared__ volatile int words[4096];
    int at = threadIdx.x * stride % 4096;
#pragma unroll 8
    for (int k = 0; k < count; ++k)
        words[at] = k;
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = words[threadIdx.x];
}

// A block for each row of the result copies the row of its token; a row is `words` words of 16 bytes.
__global__ void expand(uint4 *out, const uint4 *tokens, const int *token_of_row, int words)
{
    long long from = (long long)token_of_row[blockIdx.x] * words, to = (long long)blockIdx.x * words;
    for (int i = threadIdx.x; i < words; i += blockDim.x)
        out[to + i] = tokens[from + i];
}

// One float a thread.
__global__ void elementwise(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] * 2.f + 1.f;
}

// So many barriers in each of `rounds` rounds of a loop with one addition.
template <int BARRIERS>
__device__ void meet(float *out, int rounds)
{
    float sum = threadIdx.x;
#pragma unroll 1
    for (int k = 0; k < rounds; ++k) {
        sum += k;
#pragma unroll
        for (int b = 0; b < BARRIERS; ++b)
            __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void meet_never(float *out, int rounds) { meet<0>(out, rounds); }
__global__ void meet_once(float *out, int rounds) { meet<1>(out, rounds); }
__global__ void meet_twice(float *out, int rounds) { meet<2>(out, rounds); }
__global__ void meet_4_times(float *out, int rounds) { meet<4>(out, rounds); }
