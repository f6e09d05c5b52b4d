// Kernels whose times the samples of the CUDA toolkit print, as their documents describe them, written anew.
extern "C" {

// Accelerations between all pairs and a step in time, as nbody: a thread for each body, which goes through `sources` others by tiles of a block's
// size in shared memory.
__global__ void all_pairs(const float4 *position, float4 *moved, float4 *velocity, int sources, float softening, float step)
{
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 own = position[i];
    float ax = 0, ay = 0, az = 0;
    for (int from = 0; from < sources; from += blockDim.x) {
        tile[threadIdx.x] = position[from + threadIdx.x];
        __syncthreads();
#pragma unroll 128
        for (int k = 0; k < blockDim.x; ++k) {
            float4 other = tile[k];
            float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            float square = dx * dx + dy * dy + dz * dz + softening;
            float inverse = rsqrtf(square);
            float scale = other.w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        __syncthreads();
    }
    float4 speed = velocity[i];
    speed.x += ax * step;
    speed.y += ay * step;
    speed.z += az * step;
    velocity[i] = speed;
    moved[i] = make_float4(own.x + speed.x * step, own.y + speed.y * step, own.z + speed.z * step, own.w);
}

__global__ void all_pairs_double(const double4 *position, double4 *moved, double4 *velocity, int sources, double softening, double step)
{
    extern __shared__ double4 doubles[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    double4 own = position[i];
    double ax = 0, ay = 0, az = 0;
    for (int from = 0; from < sources; from += blockDim.x) {
        doubles[threadIdx.x] = position[from + threadIdx.x];
        __syncthreads();
#pragma unroll 128
        for (int k = 0; k < blockDim.x; ++k) {
            double4 other = doubles[k];
            double dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
            double square = dx * dx + dy * dy + dz * dz + softening;
            double inverse = rsqrt(square);
            double scale = other.w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        __syncthreads();
    }
    double4 speed = velocity[i];
    speed.x += ax * step;
    speed.y += ay * step;
    speed.z += az * step;
    velocity[i] = speed;
    moved[i] = make_double4(own.x + speed.x * step, own.y + speed.y * step, own.z + speed.z * step, own.w);
}

// A product of matrices by tiles of 32 x 32 in shared memory, as matrixMul: blocks of 32 x 32, no edges.
__global__ void multiply(const float *a, const float *b, float *out, int inner, int columns)
{
    __shared__ float as[32][32], bs[32][32];
    int x = threadIdx.x, y = threadIdx.y;
    int row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
    float sum = 0;
    for (int from = 0; from < inner; from += 32) {
        as[y][x] = a[row * inner + from + x];
        bs[y][x] = b[(from + y) * columns + column];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 32; ++k)
            sum += as[y][k] * bs[k][x];
        __syncthreads();
    }
    out[row * columns + column] = sum;
}

}
