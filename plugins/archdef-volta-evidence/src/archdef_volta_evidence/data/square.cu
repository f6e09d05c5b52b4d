// A square of 32 x 32 integers in shared memory, written and read by rows or by columns, after checkSmemSquare of Professional CUDA C
// Programming, chapter 5.
constexpr int SIDE = 32;

__global__ void set_row_read_row(int *out)
{
    __shared__ int tile[SIDE][SIDE];
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = i;
    __syncthreads();
    out[i] = tile[threadIdx.y][threadIdx.x];
}

__global__ void set_column_read_column(int *out)
{
    __shared__ int tile[SIDE][SIDE];
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    tile[threadIdx.x][threadIdx.y] = i;
    __syncthreads();
    out[i] = tile[threadIdx.x][threadIdx.y];
}

__global__ void set_row_read_column(int *out)
{
    __shared__ int tile[SIDE][SIDE];
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = i;
    __syncthreads();
    out[i] = tile[threadIdx.x][threadIdx.y];
}

__global__ void set_row_read_column_padded(int *out)
{
    __shared__ int tile[SIDE][SIDE + 1];
    unsigned i = threadIdx.y * blockDim.x + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = i;
    __syncthreads();
    out[i] = tile[threadIdx.x][threadIdx.y];
}
