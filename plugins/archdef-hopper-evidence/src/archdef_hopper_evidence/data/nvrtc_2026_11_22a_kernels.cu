// Kernels written when the rules that nvrtc-2026-11-21b led to stood. `measure_sets.py` cuts this file where a kernel is named.
//: reduce_grid
extern "C" __global__ void reduce_grid(const int *in, int *out, unsigned n) {
    __shared__ int data[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 512 + t, step = 512 * gridDim.x;
    int sum = 0;
    while (i < n) {
        sum += in[i];
        if (i + 256 < n) sum += in[i + 256];
        i += step;
    }
    data[t] = sum;
    __syncthreads();
    if (t < 128) data[t] = sum = sum + data[t + 128];
    __syncthreads();
    if (t < 64) data[t] = sum = sum + data[t + 64];
    __syncthreads();
    if (t < 32) {
        sum += data[t + 32];
        for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    }
    if (t == 0) out[blockIdx.x] = sum;
}
//: dot_tree
extern "C" __global__ void dot_tree(const float *a, const float *b, float *c, int n) {
    __shared__ float cache[256];
    int tid = threadIdx.x + blockIdx.x * blockDim.x, at = threadIdx.x;
    float temp = 0;
    while (tid < n) {
        temp += a[tid] * b[tid];
        tid += blockDim.x * gridDim.x;
    }
    cache[at] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0) {
        if (at < i) cache[at] += cache[at + i];
        __syncthreads();
        i /= 2;
    }
    if (at == 0) atomicAdd(c, cache[0]);
}
//: scalar_products
extern "C" __global__ void scalar_products(float *c, const float *a, const float *b, int vectors, int n) {
    __shared__ float sums[1024];
    for (int v = blockIdx.x; v < vectors; v += gridDim.x) {
        int base = n * v, end = base + n;
        for (int k = threadIdx.x; k < 1024; k += blockDim.x) {
            float sum = 0;
            for (int at = base + k; at < end; at += 1024) sum += a[at] * b[at];
            sums[k] = sum;
        }
        for (int stride = 512; stride > 0; stride >>= 1) {
            __syncthreads();
            for (int k = threadIdx.x; k < stride; k += blockDim.x) sums[k] += sums[stride + k];
        }
        __syncthreads();
        if (threadIdx.x == 0) c[v] = sums[0];
    }
}
//: scan_brent_kung
extern "C" __global__ void scan_brent_kung(const float *x, float *y, unsigned n) {
    __shared__ float xy[512];
    unsigned i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) xy[threadIdx.x] = x[i];
    if (i + blockDim.x < n) xy[threadIdx.x + blockDim.x] = x[i + blockDim.x];
    for (unsigned stride = 1; stride <= blockDim.x; stride *= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * 2 * stride - 1;
        if (index < 512) xy[index] += xy[index - stride];
    }
    for (int stride = 512 / 4; stride > 0; stride /= 2) {
        __syncthreads();
        unsigned index = (threadIdx.x + 1) * stride * 2 - 1;
        if (index + stride < 512) xy[index + stride] += xy[index];
    }
    __syncthreads();
    if (i < n) y[i] = xy[threadIdx.x];
    if (i + blockDim.x < n) y[i + blockDim.x] = xy[threadIdx.x + blockDim.x];
}
//: scan_shuffle
extern "C" __global__ void scan_shuffle(int *data, int *partial) {
    extern __shared__ int sums[];
    int id = blockIdx.x * blockDim.x + threadIdx.x, lane = id % warpSize, warp = threadIdx.x / warpSize, value = data[id];
#pragma unroll
    for (int i = 1; i <= 32; i *= 2) {
        int n = __shfl_up_sync(0xffffffffu, value, i, 32);
        if (lane >= i) value += n;
    }
    if (threadIdx.x % warpSize == warpSize - 1) sums[warp] = value;
    __syncthreads();
    if (warp == 0 && lane < blockDim.x / warpSize) {
        int sum = sums[lane], mask = (1 << (blockDim.x / warpSize)) - 1;
        for (int i = 1; i <= blockDim.x / warpSize; i *= 2) {
            int n = __shfl_up_sync(mask, sum, i, blockDim.x / warpSize);
            if (lane >= i) sum += n;
        }
        sums[lane] = sum;
    }
    __syncthreads();
    int before = warp > 0 ? sums[warp - 1] : 0;
    value += before;
    data[id] = value;
    if (partial != 0 && threadIdx.x == blockDim.x - 1) partial[blockIdx.x] = value;
}
//: histogram_global
extern "C" __global__ void histogram_global(const unsigned char *data, unsigned n, unsigned *bins) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int position = data[i] - 'a';
        if (position >= 0 && position < 26) atomicAdd(&bins[position / 4], 1);
    }
}
//: histogram_coarse
extern "C" __global__ void histogram_coarse(const char *data, unsigned n, unsigned *bins) {
    __shared__ unsigned part[7];
    for (unsigned b = threadIdx.x; b < 7; b += blockDim.x) part[b] = 0u;
    __syncthreads();
    unsigned run = 0, t = blockIdx.x * blockDim.x + threadIdx.x;
    int last = -1;
    for (unsigned i = t; i < n; i += blockDim.x * gridDim.x) {
        int position = data[i] - 'a';
        if (position >= 0 && position < 26) {
            int bin = position / 4;
            if (bin == last) ++run;
            else {
                if (run > 0) atomicAdd(&part[last], run);
                run = 1;
                last = bin;
            }
        }
    }
    if (run > 0) atomicAdd(&part[last], run);
    __syncthreads();
    for (unsigned b = threadIdx.x; b < 7; b += blockDim.x)
        if (part[b] > 0) atomicAdd(&bins[b], part[b]);
}
//: odd_even_merge
extern "C" __global__ void odd_even_merge(unsigned *keys, unsigned *values, unsigned length, unsigned up) {
    __shared__ unsigned k[512], v[512];
    keys += blockIdx.x * 512 + threadIdx.x;
    values += blockIdx.x * 512 + threadIdx.x;
    k[threadIdx.x] = keys[0];
    v[threadIdx.x] = values[0];
    k[threadIdx.x + 256] = keys[256];
    v[threadIdx.x + 256] = values[256];
    for (unsigned size = 2; size <= length; size <<= 1) {
        unsigned stride = size / 2, offset = threadIdx.x & (stride - 1);
        __syncthreads();
        unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
        if ((k[at] > k[at + stride]) == up) {
            unsigned t = k[at]; k[at] = k[at + stride]; k[at + stride] = t;
            t = v[at]; v[at] = v[at + stride]; v[at + stride] = t;
        }
        stride >>= 1;
        for (; stride > 0; stride >>= 1) {
            __syncthreads();
            unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
            if (offset >= stride && (k[at - stride] > k[at]) == up) {
                unsigned t = k[at - stride]; k[at - stride] = k[at]; k[at] = t;
                t = v[at - stride]; v[at - stride] = v[at]; v[at] = t;
            }
        }
    }
    __syncthreads();
    keys[0] = k[threadIdx.x];
    values[0] = v[threadIdx.x];
    keys[256] = k[threadIdx.x + 256];
    values[256] = v[threadIdx.x + 256];
}
//: merge_ranks
__device__ int rank_of(int k, const int *a, int m, const int *b, int n) {
    int i = k < m ? k : m, j = k - i, least_i = 0 > k - n ? 0 : k - n, least_j = 0 > k - m ? 0 : k - m;
    for (;;) {
        if (i > 0 && j < n && a[i - 1] > b[j]) {
            int delta = (i - least_i + 1) >> 1;
            least_j = j;
            j += delta;
            i -= delta;
        } else if (j > 0 && i < m && b[j - 1] >= a[i]) {
            int delta = (j - least_j + 1) >> 1;
            least_i = i;
            i += delta;
            j -= delta;
        } else return i;
    }
}
extern "C" __global__ void merge_ranks(const int *a, int m, const int *b, int n, int *c) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, each = (m + n + blockDim.x * gridDim.x - 1) / (blockDim.x * gridDim.x);
    int k = min(t * each, m + n), next = min((t + 1) * each, m + n);
    int i = rank_of(k, a, m, b, n), i_next = rank_of(next, a, m, b, n), j = k - i, j_next = next - i_next;
    while (i < i_next && j < j_next) {
        if (a[i] <= b[j]) c[k++] = a[i++];
        else c[k++] = b[j++];
    }
    while (i < i_next) c[k++] = a[i++];
    while (j < j_next) c[k++] = b[j++];
}
//: bitonic_lanes
extern "C" __global__ void bitonic_lanes(const float *in, float *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    float x = in[i];
#pragma unroll
    for (int k = 2; k <= 32; k *= 2)
#pragma unroll
        for (int j = k / 2; j > 0; j /= 2) {
            float y = __shfl_xor_sync(0xffffffffu, x, j);
            bool up = (lane & k) == 0, low = (lane & j) == 0;
            x = up == low ? fminf(x, y) : fmaxf(x, y);
        }
    out[i] = x;
}
//: stencil1d
#define RADIUS 3
extern "C" __global__ void stencil1d(const int *in, int *out) {
    __shared__ int temp[256 + 2 * RADIUS];
    int g = threadIdx.x + blockIdx.x * blockDim.x + RADIUS, l = threadIdx.x + RADIUS;
    temp[l] = in[g];
    if (threadIdx.x < RADIUS) {
        temp[l - RADIUS] = in[g - RADIUS];
        temp[l + 256] = in[g + 256];
    }
    __syncthreads();
    int result = 0;
    for (int offset = -RADIUS; offset <= RADIUS; offset++) result += temp[l + offset];
    out[g - RADIUS] = result;
}
//: stencil7_slices
#define OUT 30
extern "C" __global__ void stencil7_slices(const float *in, float *out, int n, float c0, float c1) {
    int z0 = blockIdx.z * 16, y = blockIdx.y * OUT + threadIdx.y - 1, x = blockIdx.x * OUT + threadIdx.x - 1;
    __shared__ float slice[32][32];
    float before = 0, now = 0, after;
    bool inside = y >= 0 && y < n && x >= 0 && x < n;
    if (z0 - 1 >= 0 && z0 - 1 < n && inside) before = in[((z0 - 1) * n + y) * n + x];
    if (z0 < n && inside) {
        now = in[(z0 * n + y) * n + x];
        slice[threadIdx.y][threadIdx.x] = now;
    }
    for (int z = z0; z < z0 + 16; ++z) {
        after = 0;
        if (z + 1 < n && inside) after = in[((z + 1) * n + y) * n + x];
        __syncthreads();
        if (z >= 1 && z < n - 1 && y >= 1 && y < n - 1 && x >= 1 && x < n - 1)
            if (threadIdx.y >= 1 && threadIdx.y < 31 && threadIdx.x >= 1 && threadIdx.x < 31)
                out[(z * n + y) * n + x] = c0 * now + c1 * (slice[threadIdx.y][threadIdx.x - 1] + slice[threadIdx.y][threadIdx.x + 1] +
                                           slice[threadIdx.y - 1][threadIdx.x] + slice[threadIdx.y + 1][threadIdx.x] + before + after);
        __syncthreads();
        before = now;
        now = after;
        slice[threadIdx.y][threadIdx.x] = after;
    }
}
//: convolve_tile
__constant__ float filter[5][5] = {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};
extern "C" __global__ void convolve_tile(const float *in, float *out, int width, int height) {
    int column = blockIdx.x * 28 + threadIdx.x - 2, row = blockIdx.y * 28 + threadIdx.y - 2;
    __shared__ float tile[32][32];
    if (row >= 0 && row < height && column >= 0 && column < width) tile[threadIdx.y][threadIdx.x] = in[row * width + column];
    else tile[threadIdx.y][threadIdx.x] = 0.0f;
    __syncthreads();
    int tx = threadIdx.x - 2, ty = threadIdx.y - 2;
    if (column >= 0 && column < width && row >= 0 && row < height)
        if (tx >= 0 && tx < 28 && ty >= 0 && ty < 28) {
            float value = 0.0f;
            for (int r = 0; r < 5; r++)
                for (int c = 0; c < 5; c++) value += filter[r][c] * tile[ty + r][tx + c];
            out[row * width + column] = value;
        }
}
//: convolve_columns
__constant__ float kernel[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 8, 7, 6, 5, 4, 3, 2, 1};
extern "C" __global__ void convolve_columns(float *dst, const float *src, int width, int height, int pitch) {
    __shared__ float data[16][(8 + 2) * 8 + 1];
    const int x = blockIdx.x * 16 + threadIdx.x, y = (blockIdx.y * 8 - 1) * 8 + threadIdx.y;
    src += y * pitch + x;
    dst += y * pitch + x;
#pragma unroll
    for (int i = 1; i < 1 + 8; i++) data[threadIdx.x][threadIdx.y + i * 8] = src[i * 8 * pitch];
#pragma unroll
    for (int i = 0; i < 1; i++) data[threadIdx.x][threadIdx.y + i * 8] = y >= -i * 8 ? src[i * 8 * pitch] : 0;
#pragma unroll
    for (int i = 1 + 8; i < 1 + 8 + 1; i++) data[threadIdx.x][threadIdx.y + i * 8] = height - y > i * 8 ? src[i * 8 * pitch] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i < 1 + 8; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -8; j <= 8; j++) sum += kernel[8 - j] * data[threadIdx.x][threadIdx.y + i * 8 + j];
        dst[i * 8 * pitch] = sum;
    }
}
//: box_rows
extern "C" __global__ void box_rows(const float *in, float *out, int w, int h, int r) {
    unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    const float *id = &in[y * w];
    float *od = &out[y * w];
    float scale = 1.0f / (float)((r << 1) + 1), t = id[0] * r;
    for (int x = 0; x < r + 1; x++) t += id[x];
    od[0] = t * scale;
    for (int x = 1; x < r + 1; x++) {
        t += id[x + r];
        t -= id[0];
        od[x] = t * scale;
    }
    for (int x = r + 1; x < w - r; x++) {
        t += id[x + r];
        t -= id[x - r - 1];
        od[x] = t * scale;
    }
    for (int x = w - r; x < w; x++) {
        t += id[w - 1];
        t -= id[x - r - 1];
        od[x] = t * scale;
    }
}
//: grey_blur
extern "C" __global__ void grey_blur(const unsigned char *in, unsigned char *out, int w, int h) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (col < w && row < h) {
        int sum = 0, pixels = 0;
        for (int r = -1; r < 2; ++r)
            for (int c = -1; c < 2; ++c) {
                int y = row + r, x = col + c;
                if (y >= 0 && y < h && x >= 0 && x < w) {
                    int at = 3 * (y * w + x);
                    sum += (unsigned char)(0.21f * in[at] + 0.71f * in[at + 1] + 0.07f * in[at + 2]);
                    ++pixels;
                }
            }
        out[row * w + col] = (unsigned char)(sum / pixels);
    }
}
//: matmul_coarse
extern "C" __global__ void matmul_coarse(const float *m, const float *n, float *p, int width) {
    __shared__ float ms[16][16], ns[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, start = blockIdx.x * 64 + tx;
    float value[4];
    for (int c = 0; c < 4; ++c) value[c] = 0.0f;
    for (int ph = 0; ph < width / 16; ++ph) {
        ms[ty][tx] = m[row * width + ph * 16 + tx];
        for (int c = 0; c < 4; ++c) {
            int col = start + c * 16;
            ns[ty][tx] = n[(ph * 16 + ty) * width + col];
            __syncthreads();
            for (int k = 0; k < 16; ++k) value[c] += ms[ty][k] * ns[k][tx];
            __syncthreads();
        }
    }
    for (int c = 0; c < 4; ++c) p[row * width + start + c * 16] = value[c];
}
//: matmul_edges
extern "C" __global__ void matmul_edges(const float *a, const float *b, float *c, int m, int k, int n) {
    __shared__ float as[8][33], bs[32][33];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 8 + ty, col = blockIdx.x * 32 + tx;
    float sum = 0;
    for (int t = 0; t < (k + 31) / 32; t++) {
        as[ty][tx] = row < m && t * 32 + tx < k ? a[row * k + t * 32 + tx] : 0.0f;
        for (int i = ty; i < 32; i += 8) bs[i][tx] = t * 32 + i < k && col < n ? b[(t * 32 + i) * n + col] : 0.0f;
        __syncthreads();
        for (int i = 0; i < 32; i++) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = sum;
}
//: sgemm_column
extern "C" __global__ void sgemm_column(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    __shared__ float as[64 * 8], bs[8 * 64];
    const unsigned tc = threadIdx.x % 64, tr = threadIdx.x / 64, ac = threadIdx.x % 8, ar = threadIdx.x / 8, bc = threadIdx.x % 64, br = threadIdx.x / 64;
    a += blockIdx.y * 64 * k;
    b += blockIdx.x * 64;
    c += blockIdx.y * 64 * n + blockIdx.x * 64;
    float results[8] = {0.0f};
    for (unsigned block = 0; block < k; block += 8) {
        as[ar * 8 + ac] = a[ar * k + ac];
        bs[br * 64 + bc] = b[br * n + bc];
        __syncthreads();
        a += 8;
        b += 8 * n;
        for (unsigned dot = 0; dot < 8; ++dot) {
            float t = bs[dot * 64 + tc];
            for (unsigned i = 0; i < 8; ++i) results[i] += as[(tr * 8 + i) * 8 + dot] * t;
        }
        __syncthreads();
    }
    for (unsigned i = 0; i < 8; ++i) c[(tr * 8 + i) * n + tc] = alpha * results[i] + beta * c[(tr * 8 + i) * n + tc];
}
//: matmul_tensor
#include <mma.h>
extern "C" __global__ void matmul_tensor(const half *a, const half *b, float *c, int m, int n, int k) {
    using namespace nvcuda;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 16, col = (blockIdx.y * blockDim.y + threadIdx.y) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int i = 0; i < k; i += 16)
        if (row < m && col < n) {
            wmma::load_matrix_sync(fa, a + row * k + i, k);
            wmma::load_matrix_sync(fb, b + col * k + i, k);
            wmma::mma_sync(sum, fa, fb, sum);
        }
    if (row < m && col < n) wmma::store_matrix_sync(c + row * n + col, sum, n, wmma::mem_row_major);
}
//: copy_offset
extern "C" __global__ void copy_offset(const float *in, float *out, int offset) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + offset;
    out[i] = in[i] + 1;
}
//: copy_stride
extern "C" __global__ void copy_stride(const double *in, double *out, int stride) {
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * stride;
    out[i] = in[i];
}
//: triad_vector
extern "C" __global__ void triad_vector(const float4 *a, const float4 *b, float4 *c, float s, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        float4 x = a[i], y = b[i];
        c[i] = make_float4(x.x + s * y.x, x.y + s * y.y, x.z + s * y.z, x.w + s * y.w);
    }
}
//: split_structures
struct Body { float x, y, z, w; int kind; };
extern "C" __global__ void split_structures(const Body *in, float *x, float *y, float *z, int *kind, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        Body b = in[i];
        x[i] = b.x * b.w;
        y[i] = b.y * b.w;
        z[i] = b.z * b.w;
        kind[i] = b.kind;
    }
}
//: bank_stride
extern "C" __global__ void bank_stride(int *out, int stride, int trips) {
    __shared__ int data[4096];
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) data[i] = i;
    __syncthreads();
    int sum = 0, at = threadIdx.x * stride;
    for (int i = 0; i < trips; i++) {
        at = (at + i) & 4095;
        sum += data[at];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
//: polynomials
extern "C" __global__ void polynomials(const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float c[48];
#pragma unroll
    for (int k = 0; k < 48; k++) c[k] = in[i + k * n];
    float sum = 0;
#pragma unroll
    for (int x = 1; x <= 6; x++) {
        float value = 0;
#pragma unroll
        for (int k = 0; k < 48; k++) value = value * (0.1f * x) + c[(k * x) % 48];
        sum += value;
    }
    out[i] = sum;
}
//: branch_ladder
extern "C" __global__ void branch_ladder(const float *in, const int *kind, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], y;
    int k = kind[i];
    if (k == 0) y = sqrtf(x) + 1.0f;
    else if (k == 1) y = x * x * x - 2.0f * x;
    else if (k == 2) {
        y = 0;
        for (int j = 0; j < 10; j++) y = y * x + j;
    } else if (k == 3) y = 1.0f / (1.0f + x);
    else if (k == 4) y = x > 0.5f ? x - 0.5f : 0.5f - x;
    else if (k == 5) {
        y = x;
        while (y < 100.0f) y = y * 1.5f + 1.0f;
    } else y = -x;
    out[i] = y;
}
//: variable_trips
extern "C" __global__ void variable_trips(const int *lengths, const float *in, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int j = 0; j < lengths[i]; j++) sum += in[(i + j * 7) % n];
        out[i] = sum;
    }
}
//: matmul_async
#include <cuda_pipeline_primitives.h>
extern "C" __global__ void matmul_async(const float *a, const float *b, float *c, int n) {
    __shared__ float as[2][16][16], bs[2][16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    float sum = 0;
    __pipeline_memcpy_async(&as[0][ty][tx], &a[row * n + tx], 4);
    __pipeline_memcpy_async(&bs[0][ty][tx], &b[ty * n + col], 4);
    __pipeline_commit();
    for (int t = 0; t < n / 16; t++) {
        if (t + 1 < n / 16) {
            __pipeline_memcpy_async(&as[(t + 1) & 1][ty][tx], &a[row * n + (t + 1) * 16 + tx], 4);
            __pipeline_memcpy_async(&bs[(t + 1) & 1][ty][tx], &b[((t + 1) * 16 + ty) * n + col], 4);
        }
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[t & 1][ty][k] * bs[t & 1][k][tx];
        __syncthreads();
    }
    c[row * n + col] = sum;
}
//: philox_normals
extern "C" __global__ void philox_normals(float2 *out, unsigned seed, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned c0 = i, c1 = 0, c2 = 0, c3 = 0, k0 = seed, k1 = 0x12345678u;
    for (int r = 0; r < 10; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
        c0 = h1 ^ c1 ^ k0;
        c1 = l1;
        c2 = h0 ^ c3 ^ k1;
        c3 = l0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    float u = c0 * 2.3283064e-10f + 1.1641532e-10f, v = c1 * 2.3283064e-10f, s = sqrtf(-2.0f * logf(u)), x, y;
    sincosf(6.2831853f * v, &x, &y);
    out[i] = make_float2(s * x, s * y);
}
//: chacha20
#define QUARTER(a, b, c, d) a += b; d = rotated(d ^ a, 16); c += d; b = rotated(b ^ c, 12); a += b; d = rotated(d ^ a, 8); c += d; b = rotated(b ^ c, 7)
__device__ unsigned rotated(unsigned x, int k) { return x << k | x >> (32 - k); }
extern "C" __global__ void chacha20(const unsigned *key, unsigned *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
    for (int k = 0; k < 8; k++) s[4 + k] = key[k];
    s[12] = i;
    s[13] = 0;
    s[14] = 7;
    s[15] = 9;
    for (int k = 0; k < 16; k++) x[k] = s[k];
    for (int r = 0; r < 10; r++) {
        QUARTER(x[0], x[4], x[8], x[12]);
        QUARTER(x[1], x[5], x[9], x[13]);
        QUARTER(x[2], x[6], x[10], x[14]);
        QUARTER(x[3], x[7], x[11], x[15]);
        QUARTER(x[0], x[5], x[10], x[15]);
        QUARTER(x[1], x[6], x[11], x[12]);
        QUARTER(x[2], x[7], x[8], x[13]);
        QUARTER(x[3], x[4], x[9], x[14]);
    }
    for (int k = 0; k < 16; k++) out[k * n + i] = x[k] + s[k];
}
//: lcs_diagonals
extern "C" __global__ void lcs_diagonals(const char *a, const char *b, int *length, int n) {
    __shared__ int d[3][257];
    __shared__ char word[256];
    int t = threadIdx.x;
    a += blockIdx.x * n;
    word[t] = b[blockIdx.x * n + t];
    char mine = a[t];
    for (int k = 0; k < 3; k++) d[k][t] = 0;
    if (t == 0) d[0][n] = d[1][n] = d[2][n] = 0;
    __syncthreads();
    for (int s = 0; s < 2 * n - 1; s++) {
        int now = s % 3, before = (s + 2) % 3, earlier = (s + 1) % 3, j = s - t;
        if (j >= 0 && j < n) {
            int up = d[before][t], left = j > 0 ? d[before][t + 1] : 0;
            d[now][t + 1] = mine == word[j] ? (j > 0 ? d[earlier][t] : 0) + 1 : max(up, left);
        }
        __syncthreads();
    }
    if (t == n - 1) length[blockIdx.x] = d[(2 * n - 2) % 3][n];
}
//: pagerank_pull
extern "C" __global__ void pagerank_pull(const int *starts, const int *sources, const float *rank, const int *degree, float *next, int n, float damping) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        float sum = 0;
        for (int e = starts[v]; e < starts[v + 1]; e++) {
            int u = sources[e];
            sum += rank[u] / degree[u];
        }
        next[v] = (1.0f - damping) / n + damping * sum;
    }
}
//: pagerank_push
extern "C" __global__ void pagerank_push(const int *starts, const int *targets, const float *rank, float *next, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v < n) {
        int first = starts[v], last = starts[v + 1];
        if (first == last) return;
        float share = rank[v] / (last - first);
        for (int e = first; e < last; e++) atomicAdd(&next[targets[e]], share);
    }
}
//: spmv_coo
extern "C" __global__ void spmv_coo(const int *rows, const int *columns, const float *values, const float *x, float *y, int count) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += blockDim.x * gridDim.x) atomicAdd(y + rows[i], values[i] * x[columns[i]]);
}
//: md_forces
extern "C" __global__ void md_forces(float4 *force, const float4 *position, int neighbours, const int *list, float cut, float lj1, float lj2, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 p = position[i];
    float fx = 0, fy = 0, fz = 0;
    for (int j = 0; j < neighbours; j++) {
        float4 q = position[list[j * n + i]];
        float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cut && r2 > 0.001f) {
            float r2inv = 1.0f / r2, r6inv = r2inv * r2inv * r2inv, f = r2inv * r6inv * (lj1 * r6inv - lj2);
            fx += dx * f;
            fy += dy * f;
            fz += dz * f;
        }
    }
    force[i] = make_float4(fx, fy, fz, 0);
}
//: option_paths
extern "C" __global__ void option_paths(const float *noise, float *value, float s, float x, float mu, float vol, int paths) {
    __shared__ float sums[128];
    float sum = 0;
    for (int i = threadIdx.x; i < paths; i += blockDim.x) {
        float payoff = s * expf(mu + vol * noise[i]) - x * (1 + 0.01f * blockIdx.x);
        sum += payoff > 0 ? payoff : 0;
    }
    sums[threadIdx.x] = sum;
    for (int k = 64; k > 0; k >>= 1) {
        __syncthreads();
        if (threadIdx.x < k) sums[threadIdx.x] += sums[threadIdx.x + k];
    }
    if (threadIdx.x == 0) value[blockIdx.x] = sums[0] / paths;
}
//: fft_radix4
extern "C" __global__ void fft_radix4(const float2 *in, float2 *out) {
    __shared__ float re[256], im[256];
    int t = threadIdx.x;
    in += blockIdx.x * 256;
    out += blockIdx.x * 256;
    float2 v[4];
    for (int k = 0; k < 4; k++) v[k] = in[t + 64 * k];
    for (int ns = 1; ns < 256; ns *= 4) {
        float angle = -6.2831853f * (t % ns) / (ns * 4);
        for (int k = 1; k < 4; k++) {
            float c = cosf(k * angle), s = sinf(k * angle), x = v[k].x;
            v[k].x = x * c - v[k].y * s;
            v[k].y = x * s + v[k].y * c;
        }
        float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y};
        float2 c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
        v[0] = {a.x + c.x, a.y + c.y};
        v[1] = {b.x + d.x, b.y + d.y};
        v[2] = {a.x - c.x, a.y - c.y};
        v[3] = {b.x - d.x, b.y - d.y};
        int base = t / ns * ns * 4 + t % ns;
        __syncthreads();
        for (int k = 0; k < 4; k++) {
            re[base + k * ns] = v[k].x;
            im[base + k * ns] = v[k].y;
        }
        __syncthreads();
        for (int k = 0; k < 4; k++) v[k] = make_float2(re[t + 64 * k], im[t + 64 * k]);
    }
    for (int k = 0; k < 4; k++) out[t + 64 * k] = v[k];
}
//: softmax_online
extern "C" __global__ void softmax_online(const float *in, float *out, int n) {
    __shared__ float tops[8], sums[8];
    const float *x = in + blockIdx.x * n;
    float *y = out + blockIdx.x * n, top = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float v = x[i];
        if (v > top) {
            sum *= __expf(top - v);
            top = v;
        }
        sum += __expf(v - top);
    }
    for (int k = 16; k > 0; k /= 2) {
        float t = __shfl_xor_sync(0xffffffffu, top, k), s = __shfl_xor_sync(0xffffffffu, sum, k), m = fmaxf(top, t);
        sum = sum * __expf(top - m) + s * __expf(t - m);
        top = m;
    }
    if (threadIdx.x % 32 == 0) {
        tops[threadIdx.x / 32] = top;
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    top = tops[0];
    for (int k = 1; k < 8; k++) top = fmaxf(top, tops[k]);
    sum = 0;
    for (int k = 0; k < 8; k++) sum += sums[k] * __expf(tops[k] - top);
    for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = __expf(x[i] - top) / sum;
}
//: layernorm_vector
extern "C" __global__ void layernorm_vector(const float4 *in, const float4 *gain, const float4 *bias, float4 *out, int n4, float epsilon) {
    __shared__ float parts[2][32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    in += blockIdx.x * n4;
    out += blockIdx.x * n4;
    float sum = 0, squares = 0;
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int k = 16; k > 0; k >>= 1) {
        sum += __shfl_down_sync(0xffffffffu, sum, k);
        squares += __shfl_down_sync(0xffffffffu, squares, k);
    }
    if (lane == 0) {
        parts[0][warp] = sum;
        parts[1][warp] = squares;
    }
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? parts[0][lane] : 0;
        squares = lane < blockDim.x / 32 ? parts[1][lane] : 0;
        for (int k = 16; k > 0; k >>= 1) {
            sum += __shfl_down_sync(0xffffffffu, sum, k);
            squares += __shfl_down_sync(0xffffffffu, squares, k);
        }
        if (lane == 0) {
            float mean = sum / (4 * n4);
            parts[0][0] = mean;
            parts[1][0] = rsqrtf(squares / (4 * n4) - mean * mean + epsilon);
        }
    }
    __syncthreads();
    float mean = parts[0][0], scale = parts[1][0];
    for (int i = threadIdx.x; i < n4; i += blockDim.x) {
        float4 v = in[i], g = gain[i], b = bias[i];
        out[i] = make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y, (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
    }
}
//: flash_attention
extern "C" __global__ void flash_attention(const float *q, const float *k, const float *v, float *out, int n, float scale) {
    __shared__ float ks[32][32], vs[32][32];
    int row = blockIdx.x * 32 + threadIdx.x, head = blockIdx.y * n * 32;
    float query[32], sum[32], top = -1e30f, total = 0;
    for (int d = 0; d < 32; d++) {
        query[d] = q[head + row * 32 + d];
        sum[d] = 0;
    }
    for (int tile = 0; tile < n; tile += 32) {
        for (int i = 0; i < 32; i++) {
            ks[i][threadIdx.x] = k[head + (tile + i) * 32 + threadIdx.x];
            vs[i][threadIdx.x] = v[head + (tile + i) * 32 + threadIdx.x];
        }
        __syncthreads();
        for (int j = 0; j < 32; j++) {
            float s = 0;
            for (int d = 0; d < 32; d++) s += query[d] * ks[j][d];
            s *= scale;
            float m = fmaxf(top, s), p = __expf(s - m), correction = __expf(top - m);
            total = total * correction + p;
            for (int d = 0; d < 32; d++) sum[d] = sum[d] * correction + p * vs[j][d];
            top = m;
        }
        __syncthreads();
    }
    for (int d = 0; d < 32; d++) out[head + row * 32 + d] = sum[d] / total;
}
//: quantize_rows
extern "C" __global__ void quantize_rows(const float *in, signed char *out, float *scales, int n) {
    __shared__ float most[8];
    const float *x = in + (size_t)blockIdx.x * n;
    float top = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) top = fmaxf(top, fabsf(x[i]));
    for (int k = 16; k > 0; k >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, k));
    if (threadIdx.x % 32 == 0) most[threadIdx.x / 32] = top;
    __syncthreads();
    top = most[threadIdx.x % 8];
    for (int k = 4; k > 0; k >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, k, 8));
    float scale = top / 127.0f, inverse = 127.0f / top;
    if (threadIdx.x == 0) scales[blockIdx.x] = scale;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int q = __float2int_rn(x[i] * inverse);
        out[(size_t)blockIdx.x * n + i] = max(-127, min(127, q));
    }
}
//: top_four
extern "C" __global__ void top_four(const float *in, float *values, int *indices, int n) {
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
    const float *x = in + row * n;
    unsigned taken = 0;
    for (int k = 0; k < 4; k++) {
        float best = -1e30f;
        int at = -1;
        for (int i = lane, j = 0; i < n; i += 32, j++)
            if (!(taken >> j & 1) && x[i] > best) {
                best = x[i];
                at = i;
            }
        for (int offset = 16; offset > 0; offset /= 2) {
            float other = __shfl_xor_sync(0xffffffffu, best, offset);
            int where = __shfl_xor_sync(0xffffffffu, at, offset);
            if (other > best || (other == best && where < at)) {
                best = other;
                at = where;
            }
        }
        if (at % 32 == lane) taken |= 1u << at / 32;
        if (lane == 0) {
            values[row * 4 + k] = best;
            indices[row * 4 + k] = at;
        }
    }
}
//: cross_entropy
extern "C" __global__ void cross_entropy(const float *logits, const int *targets, float *losses, int rows, int n) {
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    const float *x = logits + row * n;
    float top = -1e30f, sum = 0;
    for (int i = threadIdx.x; i < n; i += 32) top = fmaxf(top, x[i]);
    for (int k = 16; k > 0; k /= 2) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, k));
    for (int i = threadIdx.x; i < n; i += 32) sum += expf(x[i] - top);
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (threadIdx.x == 0) losses[row] = logf(sum) + top - x[targets[row]];
}
//: swiglu_half
#include <cuda_fp16.h>
extern "C" __global__ void swiglu_half(const __half2 *gate, const __half2 *up, __half2 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float2 g = __half22float2(gate[i]), u = __half22float2(up[i]);
        out[i] = __floats2half2_rn(g.x / (1.0f + __expf(-g.x)) * u.x, g.y / (1.0f + __expf(-g.y)) * u.y);
    }
}
//: embed_tokens
extern "C" __global__ void embed_tokens(const int *tokens, const float4 *table, const float4 *positions, float4 *out, int length, int width4, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int token = i / width4, column = i % width4;
        float4 e = table[tokens[token] * width4 + column], p = positions[token % length * width4 + column];
        out[i] = make_float4(e.x + p.x, e.y + p.y, e.z + p.z, e.w + p.w);
    }
}
//: eliminate
extern "C" __global__ void eliminate(const float *m, float *a, float *b, int size, int j1, int t) {
    if (threadIdx.x + blockIdx.x * blockDim.x >= size - 1 - t) return;
    if (threadIdx.y + blockIdx.y * blockDim.y >= size - t) return;
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    a[size * (x + 1 + t) + (y + t)] -= m[size * (x + 1 + t) + t] * a[size * t + (y + t)];
    if (y == 0) b[x + 1 + t] -= m[size * (x + 1 + t) + (y + t)] * b[t];
}
//: lud_internal
extern "C" __global__ void lud_internal(float *m, int dim, int offset) {
    __shared__ float row[16][16], col[16][16];
    int global_row = offset + (blockIdx.y + 1) * 16, global_col = offset + (blockIdx.x + 1) * 16;
    row[threadIdx.y][threadIdx.x] = m[(offset + threadIdx.y) * dim + global_col + threadIdx.x];
    col[threadIdx.y][threadIdx.x] = m[(global_row + threadIdx.y) * dim + offset + threadIdx.x];
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += col[threadIdx.y][i] * row[i][threadIdx.x];
    m[(global_row + threadIdx.y) * dim + global_col + threadIdx.x] -= sum;
}
//: haversine
extern "C" __global__ void haversine(const double4 *places, double *distance, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double4 p = places[i];
        double dy = (p.z - p.x) * 0.5, dx = (p.w - p.y) * 0.5, a = dy * dy + dx * dx * (1 - p.x * p.x) * (1 - p.z * p.z);
        distance[i] = 2 * 6371.0 * sqrt(a) / (1 + sqrt(1 + a));
    }
}
//: max_flops
extern "C" __global__ void max_flops(float *data, int trips, float v1, float v2) {
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    float s = data[gid], s2 = 10.0f - s, s3 = 9.0f - s, s4 = 9.0f - s2;
    for (int j = 0; j < trips; j++) {
        s = s * s * v1;
        s2 = s2 * s2 * v1 + v2;
        s3 = s3 * v2 + v1 - s;
        s4 = v2 - s4 * v1;
        s = s2 * v1 + v2 * s;
    }
    data[gid] = s + s2 + s3 + s4;
}
//: block_differences
extern "C" __global__ void block_differences(const unsigned short *frame, const unsigned short *before, unsigned short *sads, int width, int search) {
    int x0 = blockIdx.x * 4 + 16, y0 = blockIdx.y * 4 + 16;
    for (int position = threadIdx.x; position < search * search; position += blockDim.x) {
        int dx = position % search - search / 2, dy = position / search - search / 2;
        unsigned sum = 0;
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 4; x++) sum = __usad(frame[(y0 + y) * width + x0 + x], before[(y0 + dy + y) * width + x0 + dx + x], sum);
        sads[(blockIdx.y * gridDim.x + blockIdx.x) * search * search + position] = sum;
    }
}
//: match_clusters
extern "C" __global__ void match_clusters(const float *points, const float *weight, const float *cost, const int *centre, unsigned char *switched, float *saved, int n, int dim, int x) {
    extern __shared__ float coordinates[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0)
        for (int k = 0; k < dim; k++) coordinates[k] = points[k * n + x];
    __syncthreads();
    if (i < n) {
        float d = 0;
        for (int k = 0; k < dim; k++) d += (points[k * n + i] - coordinates[k]) * (points[k * n + i] - coordinates[k]);
        d *= weight[i];
        float now = cost[i];
        if (d < now) {
            switched[i] = '1';
            saved[i] = d - now;
        } else saved[i] = centre[i] * 0.5f;
    }
}
