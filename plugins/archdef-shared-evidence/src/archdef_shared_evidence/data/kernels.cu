// Kernels as Debdeep23/test1 describes and times them on several GPUs (gpu-perf/kernels, gpu-perf/runner/main.cu), written anew.
extern "C" {

__global__ void vector_add(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[i] + b[i];
}

__global__ void saxpy(float alpha, const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = alpha * a[i] + b[i];
}

// Even lanes have a sum of 128 terms to make first.
__global__ void vector_add_divergent(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    if (i % 2 == 0) {
        float sum = 0;
#pragma unroll 16
        for (int term = 0; term < 128; ++term)
            sum += 0.0001f * term;
        out[i] = a[i] + b[i] + sum;
    } else {
        out[i] = a[i] + b[i];
    }
}

// Every eighth word.
__global__ void strided_copy(const float *__restrict__ a, float *__restrict__ out, int n)
{
    int i = 8 * (blockIdx.x * blockDim.x + threadIdx.x);
    if (i < n)
        out[i] = a[i];
}

__global__ void gather(const float *__restrict__ a, const int *__restrict__ index, float *__restrict__ out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = a[index[i]];
}

__global__ void transpose_naive(const float *__restrict__ in, float *__restrict__ out, int rows, int columns)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows && column < columns)
        out[column * rows + row] = in[row * columns + column];
}

__global__ void transpose_tiled(const float *__restrict__ in, float *__restrict__ out, int rows, int columns)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    if (x < columns && y < rows)
        tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    if (x < rows && y < columns)
        out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
}

// Two words a thread, then a tree in shared memory.
__global__ void reduce(const float *__restrict__ in, float *__restrict__ out, int n)
{
    extern __shared__ float sums[];
    int lane = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + lane;
    float sum = 0;
    if (i < n)
        sum += in[i];
    if (i + blockDim.x < n)
        sum += in[i + blockDim.x];
    sums[lane] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (lane < half)
            sums[lane] += sums[lane + half];
        __syncthreads();
    }
    if (lane == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void dot(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    extern __shared__ float sums[];
    int lane = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + lane;
    float sum = 0;
    if (i < n)
        sum += a[i] * b[i];
    if (i + blockDim.x < n)
        sum += a[i + blockDim.x] * b[i + blockDim.x];
    sums[lane] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        if (lane < half)
            sums[lane] += sums[lane + half];
        __syncthreads();
    }
    if (lane == 0)
        out[blockIdx.x] = sums[0];
}

__global__ void histogram(const unsigned *__restrict__ data, int n, unsigned *__restrict__ bins)
{
    extern __shared__ unsigned own[];
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        own[bin] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&own[data[i] & 255], 1);
    __syncthreads();
    for (int bin = threadIdx.x; bin < 256; bin += blockDim.x)
        atomicAdd(&bins[bin], own[bin]);
}

__global__ void hot_spot(unsigned *__restrict__ counter, int repeats)
{
    for (int k = 0; k < repeats; ++k)
        atomicAdd(counter, 1u);
}

__global__ void convolve_3x3(const float *__restrict__ image, const float *__restrict__ weights, float *__restrict__ out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width - 2 || y >= height - 2)
        return;
    float sum = 0;
#pragma unroll
    for (int dy = 0; dy < 3; ++dy)
#pragma unroll
        for (int dx = 0; dx < 3; ++dx)
            sum += image[(y + dy) * width + x + dx] * weights[dy * 3 + dx];
    out[y * width + x] = sum;
}

__global__ void convolve_7x7(const float *__restrict__ image, const float *__restrict__ weights, float *__restrict__ out, int height, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width - 6 || y >= height - 6)
        return;
    float sum = 0;
    for (int dy = 0; dy < 7; ++dy)
        for (int dx = 0; dx < 7; ++dx)
            sum += image[(y + dy) * width + x + dx] * weights[dy * 7 + dx];
    out[y * width + x] = sum;
}

__global__ void multiply_naive(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || column >= n)
        return;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[row * n + k] * b[k * n + column];
    out[row * n + column] = sum;
}

__global__ void multiply_tiled(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n)
{
    __shared__ float as[32][32], bs[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int from = 0; from < n; from += 32) {
        as[threadIdx.y][threadIdx.x] = row < n && from + threadIdx.x < n ? a[row * n + from + threadIdx.x] : 0;
        bs[threadIdx.y][threadIdx.x] = from + threadIdx.y < n && column < n ? b[(from + threadIdx.y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += as[threadIdx.y][k] * bs[k][threadIdx.x];
        __syncthreads();
    }
    if (row < n && column < n)
        out[row * n + column] = sum;
}

}
