// The kernels of G. Ruetsch and P. Micikevicius, "Optimizing Matrix Transpose in CUDA" (NVIDIA CUDA SDK white paper, 2009), written
// anew after it, from memory: tiles of 32 x 32 floats, blocks of 32 x 8 threads, four elements a thread, `reps` passes over the matrix
// in one launch. The first column of the paper's table is reps = 1, one launch after the other; the second, many passes in one launch.
constexpr int TILE_DIM = 32;
constexpr int BLOCK_ROWS = 8;

// Reads and writes the same place: the yardstick.
__global__ void copy(float *out, const float *in, int width, int height, int reps)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = x + width * y;
#pragma unroll 1
    for (int r = 0; r < reps; r++)
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            out[index + i * width] = in[index + i * width];
}

// The same through shared memory, with the barrier that a transpose needs.
__global__ void copy_shared(float *out, const float *in, int width, int height, int reps)
{
    __shared__ float tile[TILE_DIM][TILE_DIM];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = x + width * y;
#pragma unroll 1
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            tile[threadIdx.y + i][threadIdx.x] = in[index + i * width];
        __syncthreads();
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            out[index + i * width] = tile[threadIdx.y + i][threadIdx.x];
    }
}

// Reads rows, writes columns.
__global__ void naive(float *out, const float *in, int width, int height, int reps)
{
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = x + width * y;
    int index_out = y + height * x;
#pragma unroll 1
    for (int r = 0; r < reps; r++)
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            out[index_out + i] = in[index_in + i * width];
}

// Turns each tile in shared memory, so that both sides go by rows; PAD = 0 leaves the bank conflicts in.
template <int PAD>
__device__ void through_shared(float *out, const float *in, int width, int height, int reps, int tile_x, int tile_y)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + PAD];
    int x = tile_x * TILE_DIM + threadIdx.x;
    int y = tile_y * TILE_DIM + threadIdx.y;
    int index_in = x + y * width;
    x = tile_y * TILE_DIM + threadIdx.x;
    y = tile_x * TILE_DIM + threadIdx.y;
    int index_out = x + y * height;
#pragma unroll 1
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            tile[threadIdx.y + i][threadIdx.x] = in[index_in + i * width];
        __syncthreads();
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            out[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
    }
}

__global__ void coalesced(float *out, const float *in, int width, int height, int reps)
{
    through_shared<0>(out, in, width, height, reps, blockIdx.x, blockIdx.y);
}

__global__ void conflict_free(float *out, const float *in, int width, int height, int reps)
{
    through_shared<1>(out, in, width, height, reps, blockIdx.x, blockIdx.y);
}

// Transposes inside each tile, and leaves the tiles where they are.
__global__ void fine_grained(float *out, const float *in, int width, int height, int reps)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index = x + y * width;
#pragma unroll 1
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            tile[threadIdx.y + i][threadIdx.x] = in[index + i * width];
        __syncthreads();
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            out[index + i * height] = tile[threadIdx.x][threadIdx.y + i];
    }
}

// Moves each tile to its transposed place, and leaves its inside as it is.
__global__ void coarse_grained(float *out, const float *in, int width, int height, int reps)
{
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int x = blockIdx.x * TILE_DIM + threadIdx.x;
    int y = blockIdx.y * TILE_DIM + threadIdx.y;
    int index_in = x + y * width;
    x = blockIdx.y * TILE_DIM + threadIdx.x;
    y = blockIdx.x * TILE_DIM + threadIdx.y;
    int index_out = x + y * height;
#pragma unroll 1
    for (int r = 0; r < reps; r++) {
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            tile[threadIdx.y + i][threadIdx.x] = in[index_in + i * width];
        __syncthreads();
        for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS)
            out[index_out + i * height] = tile[threadIdx.y + i][threadIdx.x];
    }
}

// Blocks that run together take tiles along a diagonal.
__global__ void diagonal(float *out, const float *in, int width, int height, int reps)
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
    through_shared<1>(out, in, width, height, reps, tile_x, tile_y);
}
