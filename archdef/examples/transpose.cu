// Matrix transpose, after the study of G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA" (NVIDIA, 2009).
// Width and height are multiples of TILE. A block of 32 x 8 threads moves one tile, four elements per thread.
constexpr int TILE = 32;
constexpr int ROWS = 8;

// The yardstick: the same traffic, nothing transposed.
__global__ void copy(float *out, const float *in, int width, int height)
{
    int index = (blockIdx.y * TILE + threadIdx.y) * width + blockIdx.x * TILE + threadIdx.x;
    for (int row = 0; row < TILE; row += ROWS)
        out[index + row * width] = in[index + row * width];
}

// Reads along rows, writes along columns: neighbouring threads write addresses that are `height` floats apart.
__global__ void naive(float *out, const float *in, int width, int height)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int row = 0; row < TILE; row += ROWS)
        out[x * height + y + row] = in[(y + row) * width + x];
}

// Turns the tile in shared memory, so that reads and writes both run along rows. PAD shifts each row of the tile by a bank.
template <int PAD>
__device__ void through_shared(float *out, const float *in, int width, int height, int tile_x, int tile_y)
{
    __shared__ float tile[TILE][TILE + PAD];
    int from = (tile_y * TILE + threadIdx.y) * width + tile_x * TILE + threadIdx.x;
    int to = (tile_x * TILE + threadIdx.y) * height + tile_y * TILE + threadIdx.x;
    for (int row = 0; row < TILE; row += ROWS)
        tile[threadIdx.y + row][threadIdx.x] = in[from + row * width];
    __syncthreads();
    for (int row = 0; row < TILE; row += ROWS)
        out[to + row * height] = tile[threadIdx.x][threadIdx.y + row];
}

// A column of the tile lies in one bank: its reads conflict.
__global__ void tiled(float *out, const float *in, int width, int height)
{
    through_shared<0>(out, in, width, height, blockIdx.x, blockIdx.y);
}

// One float of padding per row spreads a column over all banks.
__global__ void padded(float *out, const float *in, int width, int height)
{
    through_shared<1>(out, in, width, height, blockIdx.x, blockIdx.y);
}

// Blocks that run together take tiles along a diagonal, so that neither their reads nor their writes queue at one memory partition.
__global__ void diagonal(float *out, const float *in, int width, int height)
{
    int tile_x, tile_y;
    if (width == height) {
        tile_y = blockIdx.x;
        tile_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    } else {
        int block = blockIdx.x + gridDim.x * blockIdx.y;
        tile_y = block % gridDim.y;
        tile_x = (block / gridDim.y + tile_y) % gridDim.x;
    }
    through_shared<1>(out, in, width, height, tile_x, tile_y);
}
