// The reductions of chapter 3 of Cheng, Grossman, McKercher, "Professional CUDA C Programming" (2014), written anew after it, from
// memory: sums of integers in place in global memory. The loops count in int, blocks ask whether they are inside the array, and
// shifts are by hand where the book's are: instruction counts hang on such things.

__global__ void neighbored(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x;
    if (idx >= n)
        return;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        if ((tid % (2 * stride)) == 0)
            data[tid] += data[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void neighbored_less(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x;
    if (idx >= n)
        return;
    for (int stride = 1; stride < blockDim.x; stride *= 2) {
        int index = 2 * stride * tid;
        if (index < blockDim.x)
            data[index] += data[index + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void interleaved(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x;
    if (idx >= n)
        return;
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            data[tid] += data[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void unrolled_2(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x * 2 + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x * 2;
    if (idx + blockDim.x < n)
        in[idx] += in[idx + blockDim.x];
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            data[tid] += data[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void unrolled_4(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x * 4;
    if (idx + 3 * blockDim.x < n) {
        int a1 = in[idx];
        int a2 = in[idx + blockDim.x];
        int a3 = in[idx + 2 * blockDim.x];
        int a4 = in[idx + 3 * blockDim.x];
        in[idx] = a1 + a2 + a3 + a4;
    }
    __syncthreads();
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            data[tid] += data[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__device__ void eight(int *in, unsigned idx, unsigned n)
{
    if (idx + 7 * blockDim.x < n) {
        int a1 = in[idx];
        int a2 = in[idx + blockDim.x];
        int a3 = in[idx + 2 * blockDim.x];
        int a4 = in[idx + 3 * blockDim.x];
        int b1 = in[idx + 4 * blockDim.x];
        int b2 = in[idx + 5 * blockDim.x];
        int b3 = in[idx + 6 * blockDim.x];
        int b4 = in[idx + 7 * blockDim.x];
        in[idx] = a1 + a2 + a3 + a4 + b1 + b2 + b3 + b4;
    }
    __syncthreads();
}

__device__ void last_warp(int *data, unsigned tid)
{
    if (tid < 32) {
        volatile int *v = data;
        v[tid] += v[tid + 32];
        v[tid] += v[tid + 16];
        v[tid] += v[tid + 8];
        v[tid] += v[tid + 4];
        v[tid] += v[tid + 2];
        v[tid] += v[tid + 1];
    }
}

__global__ void unrolled_8(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x * 8;
    eight(in, idx, n);
    for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
        if (tid < stride)
            data[tid] += data[tid + stride];
        __syncthreads();
    }
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void unrolled_warps_8(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x * 8;
    eight(in, idx, n);
    for (int stride = blockDim.x / 2; stride > 32; stride >>= 1) {
        if (tid < stride)
            data[tid] += data[tid + stride];
        __syncthreads();
    }
    last_warp(data, tid);
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void complete_unrolled_warps_8(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x * 8;
    eight(in, idx, n);
    if (blockDim.x >= 1024 && tid < 512)
        data[tid] += data[tid + 512];
    __syncthreads();
    if (blockDim.x >= 512 && tid < 256)
        data[tid] += data[tid + 256];
    __syncthreads();
    if (blockDim.x >= 256 && tid < 128)
        data[tid] += data[tid + 128];
    __syncthreads();
    if (blockDim.x >= 128 && tid < 64)
        data[tid] += data[tid + 64];
    __syncthreads();
    last_warp(data, tid);
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

template <unsigned BLOCK>
__device__ void complete(int *in, int *out, unsigned n)
{
    unsigned tid = threadIdx.x;
    unsigned idx = blockIdx.x * blockDim.x * 8 + threadIdx.x;
    int *data = in + blockIdx.x * blockDim.x * 8;
    eight(in, idx, n);
    if (BLOCK >= 1024 && tid < 512)
        data[tid] += data[tid + 512];
    __syncthreads();
    if (BLOCK >= 512 && tid < 256)
        data[tid] += data[tid + 256];
    __syncthreads();
    if (BLOCK >= 256 && tid < 128)
        data[tid] += data[tid + 128];
    __syncthreads();
    if (BLOCK >= 128 && tid < 64)
        data[tid] += data[tid + 64];
    __syncthreads();
    last_warp(data, tid);
    if (tid == 0)
        out[blockIdx.x] = data[0];
}

__global__ void complete_unrolled_512(int *in, int *out, unsigned n) { complete<512>(in, out, n); }
