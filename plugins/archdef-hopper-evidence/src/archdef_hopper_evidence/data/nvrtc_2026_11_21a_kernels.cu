// Kernels that no figure of the description was fitted to. `measure_sets.py` cuts this file where a kernel is named and compiles each part.
//: scan_hillis
extern "C" __global__ void scan_hillis(const int *in, int *out, int n) {
    __shared__ int buffer[2][256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, from = 0;
    buffer[0][t] = t > 0 && i < n ? in[i - 1] : 0;
    __syncthreads();
    for (int offset = 1; offset < blockDim.x; offset *= 2) {
        int to = 1 - from;
        buffer[to][t] = buffer[from][t] + (t >= offset ? buffer[from][t - offset] : 0);
        from = to;
        __syncthreads();
    }
    if (i < n) out[i] = buffer[from][t];
}
//: scan_blelloch
#define PAD(i) ((i) + ((i) >> 5))
extern "C" __global__ void scan_blelloch(const int *in, int *out, int *sums) {
    __shared__ int s[512 + 16];
    int t = threadIdx.x, base = blockIdx.x * 512;
    s[PAD(t)] = in[base + t];
    s[PAD(t + 256)] = in[base + t + 256];
    int offset = 1;
    for (int d = 256; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1);
            s[b] += s[a];
        }
        offset *= 2;
    }
    if (t == 0) { sums[blockIdx.x] = s[PAD(511)]; s[PAD(511)] = 0; }
    for (int d = 1; d < 512; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int a = PAD(offset * (2 * t + 1) - 1), b = PAD(offset * (2 * t + 2) - 1);
            int v = s[a];
            s[a] = s[b];
            s[b] += v;
        }
    }
    __syncthreads();
    out[base + t] = s[PAD(t)];
    out[base + t + 256] = s[PAD(t + 256)];
}
//: scan_warps
extern "C" __global__ void scan_warps(const int *in, int *out, int n) {
    __shared__ int sums[32];
    int t = threadIdx.x, lane = t & 31, warp = t >> 5, i = blockIdx.x * blockDim.x + t;
    int v = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int up = __shfl_up_sync(0xffffffff, v, d);
        if (lane >= d) v += up;
    }
    if (lane == 31) sums[warp] = v;
    __syncthreads();
    if (warp == 0) {
        int s = lane < (blockDim.x >> 5) ? sums[lane] : 0;
        for (int d = 1; d < 32; d *= 2) {
            int up = __shfl_up_sync(0xffffffff, s, d);
            if (lane >= d) s += up;
        }
        sums[lane] = s;
    }
    __syncthreads();
    if (warp > 0) v += sums[warp - 1];
    if (i < n) out[i] = v;
}
//: histogram_shared
extern "C" __global__ void histogram_shared(const unsigned char *data, unsigned *bins, int n) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
//: histogram_private
extern "C" __global__ void histogram_private(const unsigned *data, unsigned *bins, int n) {
    __shared__ unsigned local[8][256];
    for (int k = threadIdx.x; k < 8 * 256; k += 256) ((unsigned *)local)[k] = 0;
    __syncthreads();
    unsigned *mine = local[threadIdx.x >> 5];
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
        unsigned four = data[i];
        atomicAdd(mine + (four & 255), 1u);
        atomicAdd(mine + (four >> 8 & 255), 1u);
        atomicAdd(mine + (four >> 16 & 255), 1u);
        atomicAdd(mine + (four >> 24), 1u);
    }
    __syncthreads();
    unsigned sum = 0;
    for (int w = 0; w < 8; w++) sum += local[w][threadIdx.x];
    atomicAdd(&bins[threadIdx.x], sum);
}
//: softmax_rows
__device__ float block_reduce(float v, bool maximum, float *shared) {
    for (int d = 16; d > 0; d >>= 1) {
        float o = __shfl_xor_sync(0xffffffff, v, d);
        v = maximum ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if ((threadIdx.x & 31) == 0) shared[threadIdx.x >> 5] = v;
    __syncthreads();
    v = shared[0];
    for (int w = 1; w < blockDim.x / 32; w++) v = maximum ? fmaxf(v, shared[w]) : v + shared[w];
    return v;
}
extern "C" __global__ void softmax_rows(const float *in, float *out, int columns) {
    __shared__ float partial[8];
    const float *row = in + (size_t)blockIdx.x * columns;
    float best = -3.4e38f;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) best = fmaxf(best, row[c]);
    best = block_reduce(best, true, partial);
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) sum += expf(row[c] - best);
    sum = block_reduce(sum, false, partial);
    for (int c = threadIdx.x; c < columns; c += blockDim.x) out[(size_t)blockIdx.x * columns + c] = expf(row[c] - best) / sum;
}
//: layernorm_rows
extern "C" __global__ void layernorm_rows(const float *in, const float *gain, const float *bias, float *out, int rows, int columns) {
    int row = blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5), lane = threadIdx.x & 31;
    if (row >= rows) return;
    const float4 *x = (const float4 *)(in + (size_t)row * columns);
    float sum = 0, squares = 0;
    for (int c = lane; c < columns / 4; c += 32) {
        float4 v = x[c];
        sum += v.x + v.y + v.z + v.w;
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, d);
        squares += __shfl_xor_sync(0xffffffff, squares, d);
    }
    float mean = sum / columns, scale = rsqrtf(squares / columns - mean * mean + 1e-5f);
    for (int c = lane; c < columns / 4; c += 32) {
        float4 v = x[c], g = ((const float4 *)gain)[c], b = ((const float4 *)bias)[c];
        v.x = (v.x - mean) * scale * g.x + b.x;
        v.y = (v.y - mean) * scale * g.y + b.y;
        v.z = (v.z - mean) * scale * g.z + b.z;
        v.w = (v.w - mean) * scale * g.w + b.w;
        ((float4 *)(out + (size_t)row * columns))[c] = v;
    }
}
//: bitonic_shared
extern "C" __global__ void bitonic_shared(unsigned *keys) {
    __shared__ unsigned s[1024];
    unsigned *mine = keys + blockIdx.x * 1024;
    int t = threadIdx.x;
    s[t] = mine[t];
    s[t + 512] = mine[t + 512];
    for (int size = 2; size <= 1024; size <<= 1)
        for (int stride = size / 2; stride > 0; stride >>= 1) {
            __syncthreads();
            int at = 2 * t - (t & (stride - 1));
            bool up = (at & size) == 0;
            unsigned a = s[at], b = s[at + stride];
            if ((a > b) == up) { s[at] = b; s[at + stride] = a; }
        }
    __syncthreads();
    mine[t] = s[t];
    mine[t + 512] = s[t + 512];
}
//: spmv_scalar
extern "C" __global__ void spmv_scalar(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0;
        for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
        y[row] = sum;
    }
}
//: spmv_vector
extern "C" __global__ void spmv_vector(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (row >= rows) return;
    float sum = 0;
    int end = starts[row + 1];
    for (int k = starts[row] + lane; k < end; k += 32) sum += values[k] * x[columns[k]];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (lane == 0) y[row] = sum;
}
//: spmv_ell
extern "C" __global__ void spmv_ell(const int *columns, const float *values, const float *x, float *y, int rows, int width) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int k = 0; k < width; k++) {
        int c = columns[k * rows + row];
        if (c >= 0) sum += values[k * rows + row] * x[c];
    }
    y[row] = sum;
}
//: stencil5_global
extern "C" __global__ void stencil5_global(const float *in, float *out, int n, float a, float b) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        out[y * n + x] = a * in[y * n + x] + b * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
}
//: stencil5_tile
extern "C" __global__ void stencil5_tile(const float *in, float *out, int n, float a, float b) {
    __shared__ float tile[18][18];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[ty][tx] = in[y * n + x];
    if (tx == 1) tile[ty][0] = x > 0 ? in[y * n + x - 1] : 0.0f;
    if (tx == 16) tile[ty][17] = x < n - 1 ? in[y * n + x + 1] : 0.0f;
    if (ty == 1) tile[0][tx] = y > 0 ? in[(y - 1) * n + x] : 0.0f;
    if (ty == 16) tile[17][tx] = y < n - 1 ? in[(y + 1) * n + x] : 0.0f;
    __syncthreads();
    out[y * n + x] = a * tile[ty][tx] + b * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx]);
}
//: stencil27
extern "C" __global__ void stencil27(const float *in, float *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
    float sum = 0;
    for (int dz = -1; dz <= 1; dz++)
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++) sum += in[((z + dz) * n + y + dy) * n + x + dx];
    out[(z * n + y) * n + x] = sum * (1.0f / 27.0f);
}
//: conv1d_constant
#define RADIUS 8
__constant__ float taps[2 * RADIUS + 1] = {0.01f, 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.1f, 0.12f, 0.14f, 0.12f, 0.1f, 0.08f, 0.06f, 0.04f, 0.03f, 0.02f, 0.01f};
extern "C" __global__ void conv1d_constant(const float *in, float *out, int n) {
    __shared__ float tile[256 + 2 * RADIUS];
    int i = blockIdx.x * 256 + threadIdx.x;
    for (int k = threadIdx.x; k < 256 + 2 * RADIUS; k += 256) {
        int at = blockIdx.x * 256 + k - RADIUS;
        tile[k] = at >= 0 && at < n ? in[at] : 0.0f;
    }
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 2 * RADIUS + 1; k++) sum += taps[k] * tile[threadIdx.x + k];
    if (i < n) out[i] = sum;
}
//: nbody_tiled
extern "C" __global__ void nbody_tiled(const float4 *bodies, float4 *forces, int n) {
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += 128) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < 128; k++) {
            float4 o = tile[k];
            float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = o.w * inverse * inverse * inverse;
            ax += dx * s;
            ay += dy * s;
            az += dz * s;
        }
        __syncthreads();
    }
    forces[i] = make_float4(ax, ay, az, 0);
}
//: black_scholes
__device__ float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float c = 0.39894228f * expf(-0.5f * d * d) * (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
    return d > 0 ? 1.0f - c : c;
}
extern "C" __global__ void black_scholes(float *call, float *put, const float *price, const float *strike, const float *years, float rate, float volatility, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float s = 5.0f + 25.0f * price[i], x = 1.0f + 99.0f * strike[i], t = 0.25f + 9.75f * years[i];
    float root = sqrtf(t), d1 = (logf(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
    float n1 = normal(d1), n2 = normal(d2), discount = expf(-rate * t);
    call[i] = s * n1 - x * discount * n2;
    put[i] = x * discount * (1.0f - n2) - s * (1.0f - n1);
}
//: mandelbrot
extern "C" __global__ void mandelbrot(int *out, int width, int height, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float cx = -2.0f + 3.0f * x / width, cy = -1.5f + 3.0f * y / height, zx = 0, zy = 0;
    int k = 0;
    while (k < most && zx * zx + zy * zy < 4.0f) {
        float t = zx * zx - zy * zy + cx;
        zy = 2.0f * zx * zy + cy;
        zx = t;
        k++;
    }
    out[y * width + x] = k;
}
//: monte_carlo_pi
extern "C" __global__ void monte_carlo_pi(unsigned *hits, int trials) {
    unsigned state = (blockIdx.x * blockDim.x + threadIdx.x + 1) * 2654435761u, inside = 0;
    for (int k = 0; k < trials; k++) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        float x = (state >> 8) * (1.0f / 16777216.0f);
        state = state * 1664525u + 1013904223u;
        float y = (state >> 8) * (1.0f / 16777216.0f);
        if (x * x + y * y < 1.0f) inside++;
    }
    hits[blockIdx.x * blockDim.x + threadIdx.x] = inside;
}
//: matmul_reg2
extern "C" __global__ void matmul_reg2(const float *a, const float *b, float *c, int n) {
    __shared__ float as[32][16], bs[16][32];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 32 + ty, column = blockIdx.x * 32 + tx;
    float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
    for (int k = 0; k < n; k += 16) {
        as[ty][tx] = a[row * n + k + tx];
        as[ty + 16][tx] = a[(row + 16) * n + k + tx];
        bs[ty][tx] = b[(k + ty) * n + column];
        bs[ty][tx + 16] = b[(k + ty) * n + column + 16];
        __syncthreads();
        for (int j = 0; j < 16; j++) {
            float a0 = as[ty][j], a1 = as[ty + 16][j], b0 = bs[j][tx], b1 = bs[j][tx + 16];
            c00 += a0 * b0;
            c01 += a0 * b1;
            c10 += a1 * b0;
            c11 += a1 * b1;
        }
        __syncthreads();
    }
    c[row * n + column] = c00;
    c[row * n + column + 16] = c01;
    c[(row + 16) * n + column] = c10;
    c[(row + 16) * n + column + 16] = c11;
}
//: matmul_reg4_buffered
extern "C" __global__ void __launch_bounds__(256) matmul_reg4_buffered(const float *a, const float *b, float *c, int n) {
    __shared__ float as[2][16][64], bs[2][16][64];
    int t = threadIdx.x, tx = t & 15, ty = t >> 4, row = blockIdx.y * 64, column = blockIdx.x * 64;
    int ar = t >> 2, ac = (t & 3) * 4, br = t >> 4, bc = (t & 15) * 4;
    float sum[4][4] = {};
    float4 va = *(const float4 *)(a + (row + ar) * n + ac), vb = *(const float4 *)(b + br * n + column + bc);
    int now = 0;
    as[0][ac][ar] = va.x; as[0][ac + 1][ar] = va.y; as[0][ac + 2][ar] = va.z; as[0][ac + 3][ar] = va.w;
    *(float4 *)&bs[0][br][bc] = vb;
    __syncthreads();
    for (int k = 16; k <= n; k += 16) {
        if (k < n) {
            va = *(const float4 *)(a + (row + ar) * n + k + ac);
            vb = *(const float4 *)(b + (k + br) * n + column + bc);
        }
#pragma unroll
        for (int j = 0; j < 16; j++) {
            float4 x = *(const float4 *)&as[now][j][ty * 4], y = *(const float4 *)&bs[now][j][tx * 4];
            float p[4] = {x.x, x.y, x.z, x.w}, q[4] = {y.x, y.y, y.z, y.w};
#pragma unroll
            for (int u = 0; u < 4; u++)
#pragma unroll
                for (int v = 0; v < 4; v++) sum[u][v] += p[u] * q[v];
        }
        if (k < n) {
            now ^= 1;
            as[now][ac][ar] = va.x; as[now][ac + 1][ar] = va.y; as[now][ac + 2][ar] = va.z; as[now][ac + 3][ar] = va.w;
            *(float4 *)&bs[now][br][bc] = vb;
            __syncthreads();
        }
    }
#pragma unroll
    for (int u = 0; u < 4; u++)
        *(float4 *)(c + (row + ty * 4 + u) * n + column + tx * 4) = make_float4(sum[u][0], sum[u][1], sum[u][2], sum[u][3]);
}
//: matvec_transposed
extern "C" __global__ void matvec_transposed(const float *a, const float *x, float *y, int rows, int columns) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= columns) return;
    float sum = 0;
    for (int r = 0; r < rows; r++) sum += a[r * columns + c] * x[r];
    y[c] = sum;
}
//: matvec_rows
extern "C" __global__ void matvec_rows(const float *a, const float *x, float *y, int columns) {
    __shared__ float partial[128];
    const float *row = a + (size_t)blockIdx.x * columns;
    float sum = 0;
    for (int c = threadIdx.x; c < columns; c += 128) sum += row[c] * x[c];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) y[blockIdx.x] = partial[0];
}
//: gather_random
extern "C" __global__ void gather_random(const float *in, const unsigned *index, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[index[i]];
}
//: scatter_random
extern "C" __global__ void scatter_random(const float *in, const unsigned *index, float *out, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[index[i]] = in[i] * 2.0f;
}
//: compact_ballot
extern "C" __global__ void compact_ballot(const int *in, int *out, int *count, int n, int least) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    int v = i < n ? in[i] : -1;
    unsigned keep = __ballot_sync(0xffffffff, v >= least);
    int base = 0;
    if (lane == 0 && keep) base = atomicAdd(count, __popc(keep));
    base = __shfl_sync(0xffffffff, base, 0);
    if (v >= least) out[base + __popc(keep & ((1u << lane) - 1))] = v;
}
//: reduce_atomic
extern "C" __global__ void reduce_atomic(const int4 *in, int *out, int n) {
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += blockDim.x * gridDim.x) {
        int4 v = in[i];
        sum += v.x + v.y + v.z + v.w;
    }
    for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffff, sum, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}
//: fft_radix2
extern "C" __global__ void fft_radix2(const float2 *in, float2 *out, const float2 *roots) {
    __shared__ float2 s[256];
    int t = threadIdx.x;
    const float2 *mine = in + blockIdx.x * 256;
    s[__brev(t) >> 24] = mine[t];
    s[__brev(t + 128) >> 24] = mine[t + 128];
    __syncthreads();
    for (int half = 1; half < 256; half *= 2) {
        int k = t & (half - 1), at = 2 * t - k;
        float2 w = roots[k * (128 / half)], a = s[at], b = s[at + half];
        float re = w.x * b.x - w.y * b.y, im = w.x * b.y + w.y * b.x;
        s[at] = make_float2(a.x + re, a.y + im);
        s[at + half] = make_float2(a.x - re, a.y - im);
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[t];
    out[blockIdx.x * 256 + t + 128] = s[t + 128];
}
//: floyd_step
extern "C" __global__ void floyd_step(int *d, int n, int k) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y;
    __shared__ int through;
    if (threadIdx.x == 0) through = d[i * n + k];
    __syncthreads();
    if (j < n) {
        int other = through + d[k * n + j];
        if (other < d[i * n + j]) d[i * n + j] = other;
    }
}
//: median3x3
__device__ void order(int &a, int &b) { int low = min(a, b); b = max(a, b); a = low; }
extern "C" __global__ void median3x3(const unsigned char *in, unsigned char *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    int v[9], k = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) v[k++] = in[(y + dy) * width + x + dx];
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[1]); order(v[3], v[4]); order(v[6], v[7]);
    order(v[1], v[2]); order(v[4], v[5]); order(v[7], v[8]); order(v[0], v[3]); order(v[5], v[8]); order(v[4], v[7]);
    order(v[3], v[6]); order(v[1], v[4]); order(v[2], v[5]); order(v[4], v[7]); order(v[4], v[2]); order(v[6], v[4]); order(v[4], v[2]);
    out[y * width + x] = v[4];
}
//: bilateral
extern "C" __global__ void bilateral(const float *in, float *out, int width, int height, float space, float range) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    float centre = in[y * width + x], sum = 0, weights = 0;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int px = min(max(x + dx, 0), width - 1), py = min(max(y + dy, 0), height - 1);
            float v = in[py * width + px], d = v - centre;
            float w = __expf(-(dx * dx + dy * dy) * space - d * d * range);
            sum += w * v;
            weights += w;
        }
    out[y * width + x] = sum / weights;
}
//: upper_case
extern "C" __global__ void upper_case(const unsigned char *in, unsigned char *out, int *words, int n) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned char c = in[i];
        bool letter = c >= 'a' && c <= 'z';
        if (c == ' ') mine++;
        out[i] = letter ? c - 32 : c;
    }
    if (mine) atomicAdd(&found, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(words, found);
}
//: axpy_half2
#include <cuda_fp16.h>
extern "C" __global__ void axpy_half2(const __half2 *x, __half2 *y, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __half2 two = __float2half2_rn(a);
    if (i < n) y[i] = __hfma2(two, x[i], y[i]);
}
//: dot_double
extern "C" __global__ void dot_double(const double *x, const double *y, double *out, int n) {
    __shared__ double partial[256];
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += x[i] * y[i];
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s) partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}
//: binary_search
extern "C" __global__ void binary_search(const unsigned *sorted, const unsigned *keys, int *found, int n, int queries) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= queries) return;
    unsigned key = keys[i];
    int low = 0, high = n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (sorted[middle] < key) low = middle + 1;
        else high = middle;
    }
    found[i] = low;
}
//: pointer_chase
extern "C" __global__ void pointer_chase(const unsigned *next, unsigned *out, int steps) {
    unsigned at = blockIdx.x * blockDim.x + threadIdx.x, i = at;
    for (int k = 0; k < steps; k++) at = next[at];
    out[i] = at;
}
//: segmented_sum
extern "C" __global__ void segmented_sum(const int *starts, const int *values, int *sums, int segments) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31, warps = gridDim.x * blockDim.x >> 5;
    for (int s = warp; s < segments; s += warps) {
        int sum = 0;
        for (int k = starts[s] + lane; k < starts[s + 1]; k += 32) sum += values[k];
        sum = __reduce_add_sync(0xffffffff, sum);
        if (lane == 0) sums[s] = sum;
    }
}
//: async_tiles
__device__ void copy16(void *shared, const void *global) {
    unsigned at = (unsigned)__cvta_generic_to_shared(shared);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(at), "l"(global));
}
extern "C" __global__ void async_tiles(const float4 *in, float4 *out, int tiles) {
    __shared__ float4 stage[3][128];
    int t = threadIdx.x;
    const float4 *mine = in + (size_t)blockIdx.x * tiles * 128 + t;
    for (int k = 0; k < 2; k++) {
        copy16(&stage[k][t], mine + k * 128);
        asm volatile("cp.async.commit_group;");
    }
    float4 sum = make_float4(0, 0, 0, 0);
    for (int k = 0; k < tiles; k++) {
        if (k + 2 < tiles) copy16(&stage[(k + 2) % 3][t], mine + (k + 2) * 128);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        float4 v = stage[k % 3][t ^ 1];
        sum.x += v.x;
        sum.y += v.y;
        sum.z += v.z;
        sum.w += v.w;
        __syncthreads();
    }
    out[blockIdx.x * 128 + t] = sum;
}
//: kmeans_assign
extern "C" __global__ void kmeans_assign(const float *points, const float *centres, int *nearest, int n, int k) {
    extern __shared__ float mine[];
    for (int i = threadIdx.x; i < k * 4; i += blockDim.x) mine[i] = centres[i];
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= n) return;
    float x[4];
    for (int d = 0; d < 4; d++) x[d] = points[d * n + p];
    float best = 1e30f;
    int which = 0;
    for (int c = 0; c < k; c++) {
        float distance = 0;
        for (int d = 0; d < 4; d++) {
            float e = x[d] - mine[c * 4 + d];
            distance += e * e;
        }
        if (distance < best) { best = distance; which = c; }
    }
    nearest[p] = which;
}
//: game_of_life
extern "C" __global__ void game_of_life(const unsigned char *in, unsigned char *out, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int left = (x + n - 1) % n, right = (x + 1) % n, up = (y + n - 1) % n * n, down = (y + 1) % n * n, here = y * n;
    int alive = in[up + left] + in[up + x] + in[up + right] + in[here + left] + in[here + right] + in[down + left] + in[down + x] + in[down + right];
    out[here + x] = alive == 3 || (alive == 2 && in[here + x]);
}
//: hash_insert
extern "C" __global__ void hash_insert(const unsigned *keys, unsigned *table, int n, unsigned mask) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], slot = key * 2654435761u & mask;
    while (true) {
        unsigned old = atomicCAS(&table[slot], 0u, key);
        if (old == 0 || old == key) return;
        slot = (slot + 1) & mask;
    }
}
//: lu_update
extern "C" __global__ void lu_update(double *a, int n, int k) {
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x, i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] -= a[i * n + k] / a[k * n + k] * a[k * n + j];
}
//: crc_bytes
extern "C" __global__ void crc_bytes(const unsigned char *in, const unsigned *table, unsigned *out, int length) {
    __shared__ unsigned t[256];
    t[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned crc = 0xffffffffu;
    for (int k = 0; k < length; k++) crc = t[(crc ^ in[i * length + k]) & 255] ^ crc >> 8;
    out[i] = ~crc;
}
