// Cosine transform of an image by squares of 8 x 8, with the work divided as by the second kernel of the toolkit's sample dct8x8 (NVIDIA, 2008), written
// anew: blocks of 8 x 4 x 2 threads take 32 x 16 numbers to shared memory, rows of which are 33 apart; each thread transforms a row, then a column.
constexpr int WIDTH = 32, HEIGHT = 16, APART = WIDTH + 1;

// Sums and differences of mirrored numbers give the even and the odd cosines; cosines are those of pi / 16, over two.
__device__ __forceinline__ void transform(float *first, int apart)
{
    const float c1 = 0.49039264f, c2 = 0.46193977f, c3 = 0.41573481f, c4 = 0.35355339f, c5 = 0.27778512f, c6 = 0.19134172f, c7 = 0.09754516f;
    float a = first[0] + first[7 * apart], b = first[apart] + first[6 * apart];
    float c = first[2 * apart] + first[5 * apart], d = first[3 * apart] + first[4 * apart];
    float p = first[0] - first[7 * apart], q = first[apart] - first[6 * apart];
    float r = first[2 * apart] - first[5 * apart], s = first[3 * apart] - first[4 * apart];
    float even = a + d, odd = b + c, left = a - d, right = b - c;
    first[0] = c4 * (even + odd);
    first[4 * apart] = c4 * (even - odd);
    first[2 * apart] = c2 * left + c6 * right;
    first[6 * apart] = c6 * left - c2 * right;
    first[apart] = c1 * p + c3 * q + c5 * r + c7 * s;
    first[3 * apart] = c3 * p - c7 * q - c1 * r - c5 * s;
    first[5 * apart] = c5 * p - c1 * q + c7 * r + c3 * s;
    first[7 * apart] = c7 * p - c5 * q + c3 * r - c1 * s;
}

extern "C" __global__ void dct(float *out, const float *in, int stride)
{
    __shared__ float block[HEIGHT * APART];
    int column = 8 * threadIdx.y + threadIdx.x, row = 8 * threadIdx.z;
    int place = (blockIdx.y * HEIGHT + row) * stride + blockIdx.x * WIDTH + column;
    float *mine = block + row * APART + column;
#pragma unroll
    for (int k = 0; k < 8; ++k)
        mine[k * APART] = in[place + k * stride];
    __syncthreads();
    transform(block + (row + threadIdx.x) * APART + 8 * threadIdx.y, 1);
    __syncthreads();
    transform(mine, APART);
#pragma unroll
    for (int k = 0; k < 8; ++k)
        out[place + k * stride] = mine[k * APART];
}
