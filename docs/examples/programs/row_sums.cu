/* Sums of a matrix's rows: by a thread for each row, and by a block for each row. */
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

#define CHECK(call)                                                            \
    do {                                                                       \
        cudaError_t status = (call);                                           \
        if (status != cudaSuccess) {                                           \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status)); \
            std::exit(1);                                                      \
        }                                                                      \
    } while (0)

const int THREADS = 128;

__global__ void thread_per_row(float *sums, const float *matrix, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    float sum = 0;
    for (int column = 0; column < columns; ++column)
        sum += matrix[row * columns + column];
    sums[row] = sum;
}

__global__ void block_per_row(float *sums, const float *matrix, int rows, int columns)
{
    __shared__ float parts[THREADS];
    float sum = 0;
    for (int column = threadIdx.x; column < columns; column += THREADS)
        sum += matrix[blockIdx.x * columns + column];
    parts[threadIdx.x] = sum;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            parts[threadIdx.x] += parts[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        sums[blockIdx.x] = parts[0];
}

int main(int count, char **arguments)
{
    int rows = count > 1 ? std::atoi(arguments[1]) : 1024, columns = 512;
    size_t bytes = sizeof(float) * rows * columns;
    float *matrix = (float *)std::malloc(bytes), *sums = (float *)std::malloc(sizeof(float) * rows), *on_device, *sums_on_device;
    for (int i = 0; i < rows * columns; ++i)
        matrix[i] = i % columns % 7;
    CHECK(cudaMalloc(&on_device, bytes));
    CHECK(cudaMalloc(&sums_on_device, sizeof(float) * rows));
    CHECK(cudaMemcpy(on_device, matrix, bytes, cudaMemcpyHostToDevice));

    thread_per_row<<<(rows + THREADS - 1) / THREADS, THREADS>>>(sums_on_device, on_device, rows, columns);
    CHECK(cudaGetLastError());
    block_per_row<<<rows, THREADS>>>(sums_on_device, on_device, rows, columns);
    CHECK(cudaGetLastError());

    CHECK(cudaMemcpy(sums, sums_on_device, sizeof(float) * rows, cudaMemcpyDeviceToHost));
    float expected = 0;
    for (int column = 0; column < columns; ++column)
        expected += matrix[column];                             /* every row is the same, and its sum exact */
    int wrong = 0;
    for (int row = 0; row < rows; ++row)
        wrong += sums[row] != expected;
    std::printf(wrong ? "FAILED: %d sums are wrong\n" : "PASSED\n", wrong);
    return wrong != 0;
}
