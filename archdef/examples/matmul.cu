// Square matrix product out = a * b; n is a multiple of TILE, a block of 16 x 16 threads makes one tile of the product.
constexpr int TILE = 16;

// Every operand of every multiplication comes from global memory.
__global__ void naive(float *out, const float *a, const float *b, int n)
{
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k)
        sum += a[y * n + k] * b[k * n + x];
    out[y * n + x] = sum;
}

// Both operands pass through shared memory, where each is used TILE times.
__global__ void tiled(float *out, const float *a, const float *b, int n)
{
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    float sum = 0;
    for (int base = 0; base < n; base += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[y * n + base + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(base + threadIdx.y) * n + x];
        __syncthreads();
        for (int k = 0; k < TILE; ++k)
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        __syncthreads();
    }
    out[y * n + x] = sum;
}
