// Kernels written when the rules that nvrtc-2026-11-22a led to stood. `measure_sets.py` cuts this file where a kernel is named.
//: reduce_cooperative
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;
extern "C" __global__ void reduce_cooperative(const int *in, int *out, unsigned n) {
    __shared__ int sums[32];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> tile = cg::tiled_partition<32>(block);
    int sum = 0;
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
    sum = cg::reduce(tile, sum, cg::plus<int>());
    if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = sum;
    cg::sync(block);
    if (tile.meta_group_rank() == 0) {
        sum = tile.thread_rank() < tile.meta_group_size() ? sums[tile.thread_rank()] : 0;
        sum = cg::reduce(tile, sum, cg::plus<int>());
        if (tile.thread_rank() == 0) atomicAdd(out, sum);
    }
}
//: reduce_vector
__device__ float summed(float x) {
    for (int k = 16; k > 0; k >>= 1) x += __shfl_down_sync(0xffffffffu, x, k);
    return x;
}
extern "C" __global__ void reduce_vector(const float4 *in, float *out, int n4) {
    __shared__ float parts[32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += blockDim.x * gridDim.x) {
        float4 v = in[i];
        sum += (v.x + v.y) + (v.z + v.w);
    }
    sum = summed(sum);
    if (lane == 0) parts[warp] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / 32 ? parts[lane] : 0;
    if (warp == 0) sum = summed(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
//: minmax_double
extern "C" __global__ void minmax_double(const double *in, double *least, double *most, int n) {
    extern __shared__ double held[];
    double *low = held, *high = held + blockDim.x;
    int t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
    double a = i < n ? in[i] : 1e300, b = i + blockDim.x < n ? in[i + blockDim.x] : a;
    low[t] = fmin(a, b);
    high[t] = i < n ? fmax(a, b) : -1e300;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s) {
            low[t] = fmin(low[t], low[t + s]);
            high[t] = fmax(high[t], high[t + s]);
        }
        __syncthreads();
    }
    if (t == 0) {
        least[blockIdx.x] = low[0];
        most[blockIdx.x] = high[0];
    }
}
//: segment_warps
extern "C" __global__ void segment_warps(const float *values, const int *offsets, float *sums, int segments) {
    int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (segment >= segments) return;
    int first = offsets[segment], last = offsets[segment + 1];
    float sum = 0;
    for (int i = first + lane; i < last; i += 32) sum += values[i];
#pragma unroll
    for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    if (lane == 0) sums[segment] = sum;
}
//: column_sums
extern "C" __global__ void column_sums(const float *in, float *out, int rows, int columns) {
    __shared__ float part[8][33];
    int x = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    if (x < columns)
        for (int y = threadIdx.y; y < rows; y += 8) sum += in[y * columns + x];
    part[threadIdx.y][threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y == 0 && x < columns) {
        for (int k = 1; k < 8; k++) sum += part[k][threadIdx.x];
        out[x] = sum;
    }
}
//: scan_blocks4
extern "C" __global__ void scan_blocks4(const uint4 *in, uint4 *out, unsigned *totals) {
    __shared__ unsigned warps[8];
    unsigned i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    uint4 v = in[i];
    unsigned s1 = v.x, s2 = s1 + v.y, s3 = s2 + v.z, sum = s3 + v.w, x = sum;
    for (int k = 1; k < 32; k <<= 1) {
        unsigned y = __shfl_up_sync(0xffffffffu, x, k);
        if (lane >= k) x += y;
    }
    if (lane == 31) warps[warp] = x;
    __syncthreads();
    if (warp == 0) {
        unsigned w = lane < 8 ? warps[lane] : 0;
        for (int k = 1; k < 8; k <<= 1) {
            unsigned y = __shfl_up_sync(0xffffffffu, w, k);
            if (lane >= k) w += y;
        }
        if (lane < 8) warps[lane] = w;
    }
    __syncthreads();
    unsigned before = x - sum + (warp ? warps[warp - 1] : 0);
    out[i] = make_uint4(before, before + s1, before + s2, before + s3);
    if (threadIdx.x == 255) totals[blockIdx.x] = before + sum;
}
//: add_offsets
extern "C" __global__ void add_offsets(int *data, const int *offsets, int n) {
    int i = blockIdx.x * blockDim.x * 4 + threadIdx.x;
    int offset = offsets[blockIdx.x];
#pragma unroll
    for (int k = 0; k < 4; k++, i += blockDim.x)
        if (i < n) data[i] += offset;
}
//: radix_local
extern "C" __global__ void radix_local(const unsigned *keys, unsigned *sorted, unsigned shift) {
    __shared__ unsigned key[256], counts[8];
    unsigned t = threadIdx.x, lane = t & 31, warp = t >> 5, k = keys[blockIdx.x * 256 + t];
    for (int b = 0; b < 4; b++) {
        unsigned bit = k >> (shift + b) & 1, ballot = __ballot_sync(0xffffffffu, !bit), before = __popc(ballot & ((1u << lane) - 1));
        if (lane == 0) counts[warp] = __popc(ballot);
        __syncthreads();
        unsigned offset = 0, total = 0;
        for (int w = 0; w < 8; w++) {
            unsigned c = counts[w];
            if (w < warp) offset += c;
            total += c;
        }
        unsigned zero = offset + before, at = bit ? total + t - zero : zero;
        key[at] = k;
        __syncthreads();
        k = key[t];
    }
    sorted[blockIdx.x * 256 + t] = k;
}
//: compact_scan
extern "C" __global__ void compact_scan(const float *in, float *out, int *count, float limit, int n) {
    __shared__ int sums[32], base;
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    float x = i < n ? in[i] : 0;
    int keep = i < n && x > limit, rank = keep;
    for (int k = 1; k < 32; k *= 2) {
        int y = __shfl_up_sync(0xffffffffu, rank, k);
        if (lane >= k) rank += y;
    }
    if (lane == 31) sums[warp] = rank;
    __syncthreads();
    if (threadIdx.x == 0) {
        int total = 0;
        for (int w = 0; w < blockDim.x / 32; w++) {
            int c = sums[w];
            sums[w] = total;
            total += c;
        }
        base = atomicAdd(count, total);
    }
    __syncthreads();
    if (keep) out[base + sums[warp] + rank - 1] = x;
}
//: queue_push
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int grown(int *counter) {
    cg::coalesced_group active = cg::coalesced_threads();
    int first;
    if (active.thread_rank() == 0) first = atomicAdd(counter, active.size());
    return active.shfl(first, 0) + active.thread_rank();
}
extern "C" __global__ void queue_push(const int *values, int *queue, int *length, int n, int modulus) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = values[i];
        if (v % modulus == 0) queue[grown(length)] = v;
    }
}
//: reverse_shared
extern "C" __global__ void reverse_shared(const int *in, int *out) {
    extern __shared__ int held[];
    int from = blockIdx.x * blockDim.x + threadIdx.x;
    held[blockDim.x - 1 - threadIdx.x] = in[from];
    __syncthreads();
    out[blockDim.x * (gridDim.x - 1 - blockIdx.x) + threadIdx.x] = held[threadIdx.x];
}
//: sum_matrix
extern "C" __global__ void sum_matrix(const float *a, const float *b, float *c, int nx, int ny) {
    unsigned ix = threadIdx.x + blockIdx.x * blockDim.x, iy = threadIdx.y + blockIdx.y * blockDim.y, at = iy * nx + ix;
    if (ix < nx && iy < ny) c[at] = a[at] + b[at];
}
//: transpose_coarse
extern "C" __global__ void transpose_coarse(const float *__restrict__ in, float *__restrict__ out, int w, int h) {
    __shared__ float tile[64][65];
    int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 64 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 64; j += 16)
#pragma unroll
        for (int i = 0; i < 64; i += 16)
            if (x + i < w && y + j < h) tile[threadIdx.y + j][threadIdx.x + i] = in[(y + j) * w + x + i];
    __syncthreads();
    x = blockIdx.y * 64 + threadIdx.x;
    y = blockIdx.x * 64 + threadIdx.y;
#pragma unroll
    for (int j = 0; j < 64; j += 16)
#pragma unroll
        for (int i = 0; i < 64; i += 16)
            if (x + i < h && y + j < w) out[(y + j) * h + x + i] = tile[threadIdx.x + i][threadIdx.y + j];
}
//: transpose_half
#include <cuda_fp16.h>
extern "C" __global__ void transpose_half(const __half *in, __half *out, int n) {
    __shared__ __half tile[32][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}
//: transpose_double
extern "C" __global__ void transpose_double(const double *in, double *out, int n) {
    __shared__ double tile[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    out[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
//: sgemm_vector
extern "C" __global__ void sgemm_vector(const float *a, const float *b, float *c, int n) {
    __shared__ float as[16][64], bs[16][64];
    int tx = threadIdx.x % 16, ty = threadIdx.x / 16, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
    int ar = threadIdx.x / 4, ac = threadIdx.x % 4 * 4, br = threadIdx.x / 16, bc = threadIdx.x % 16 * 4;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        float4 x = *(const float4 *)&a[(row0 + ar) * n + k0 + ac];
        as[ac][ar] = x.x;
        as[ac + 1][ar] = x.y;
        as[ac + 2][ar] = x.z;
        as[ac + 3][ar] = x.w;
        *(float4 *)&bs[br][bc] = *(const float4 *)&b[(k0 + br) * n + col0 + bc];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 p = *(float4 *)&as[k][ty * 4], q = *(float4 *)&bs[k][tx * 4];
            float u[4] = {p.x, p.y, p.z, p.w}, v[4] = {q.x, q.y, q.z, q.w};
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sum[i][j] += u[i] * v[j];
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) *(float4 *)&c[(row0 + ty * 4 + i) * n + col0 + tx * 4] = make_float4(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
}
//: dgemm_tile
extern "C" __global__ void dgemm_tile(const double *a, const double *b, double *c, int n, double alpha, double beta) {
    __shared__ double as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
    double sum = 0;
    for (int t = 0; t < n; t += 16) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
//: hgemm_half2
#include <cuda_fp16.h>
extern "C" __global__ void hgemm_half2(const __half *a, const __half2 *b, __half2 *c, int n) {
    __shared__ __half as[16][16];
    __shared__ __half2 bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx, n2 = n / 2;
    __half2 sum = __float2half2_rn(0.0f);
    for (int t = 0; t < n; t += 16) {
        as[ty][tx] = a[row * n + t + tx];
        bs[ty][tx] = b[(t + ty) * n2 + col];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < 16; k++) sum = __hfma2(__half2half2(as[ty][k]), bs[k][tx], sum);
        __syncthreads();
    }
    c[row * n2 + col] = sum;
}
//: mma_ldmatrix
#include <cuda_fp16.h>
extern "C" __global__ void mma_ldmatrix(const __half *a, const __half *b, float *c, int n) {
    __shared__ __align__(16) __half as[32][24], bs[32][24];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, wr = warp / 2 * 16, wc = warp % 2 * 16, row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
    int r = t % 64 / 2, q = t % 2 * 8;
    float d[2][4] = {};
    for (int k = 0; k < n; k += 16) {
        if (t < 64) *(uint4 *)&as[r][q] = *(const uint4 *)&a[(row0 + r) * n + k + q];
        else *(uint4 *)&bs[r][q] = *(const uint4 *)&b[(col0 + r) * n + k + q];
        __syncthreads();
        unsigned fa[4], fb[4];
        unsigned pa = (unsigned)__cvta_generic_to_shared(&as[wr + lane % 16][lane / 16 * 8]);
        unsigned pb = (unsigned)__cvta_generic_to_shared(&bs[wc + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(pa));
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(pb));
#pragma unroll
        for (int j = 0; j < 2; j++)
            asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                         : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                         : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * j]), "r"(fb[2 * j + 1]));
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
        int row = row0 + wr + lane / 4, col = col0 + wc + j * 8 + lane % 4 * 2;
        *(float2 *)&c[row * n + col] = make_float2(d[j][0], d[j][1]);
        *(float2 *)&c[(row + 8) * n + col] = make_float2(d[j][2], d[j][3]);
    }
}
//: batched_gemm
extern "C" __global__ void batched_gemm(const float *a, const float *b, float *c, int m, int n, int k, long long step_a, long long step_b, long long step_c, float alpha, float beta) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || col >= n) return;
    a += blockIdx.z * step_a;
    b += blockIdx.z * step_b;
    c += blockIdx.z * step_c;
    float sum = 0;
    for (int i = 0; i < k; i++) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = alpha * sum + beta * c[row * n + col];
}
//: gemv_double
extern "C" __global__ void gemv_double(const double2 *__restrict__ a, const double2 *__restrict__ x, double *__restrict__ y, int n2) {
    __shared__ double parts[4];
    const double2 *row = a + (size_t)blockIdx.x * n2;
    double sum = 0;
    for (int i = threadIdx.x; i < n2; i += blockDim.x) {
        double2 u = row[i], v = x[i];
        sum += u.x * v.x + u.y * v.y;
    }
    for (int k = 16; k > 0; k >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) y[blockIdx.x] = parts[0] + parts[1] + parts[2] + parts[3];
}
//: spmv_blocks
extern "C" __global__ void spmv_blocks(const int *starts, const int *columns, const float *values, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int row = i / 4, r = i % 4;
    float sum = 0;
    for (int k = starts[row]; k < starts[row + 1]; k++) {
        float4 v = *(const float4 *)&values[k * 16 + r * 4], u = *(const float4 *)&x[columns[k] * 4];
        sum += v.x * u.x + v.y * u.y + v.z * u.z + v.w * u.w;
    }
    y[i] = sum;
}
//: spmv_diagonals
extern "C" __global__ void spmv_diagonals(const float *data, const int *offsets, const float *x, float *y, int n, int diagonals) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n) {
        float dot = 0;
        for (int d = 0; d < diagonals; d++) {
            int column = row + offsets[d];
            if (column >= 0 && column < n) dot += data[n * d + row] * x[column];
        }
        y[row] = dot;
    }
}
//: stencil9
extern "C" __global__ void stencil9(const float *__restrict__ in, float *__restrict__ out, int w, int h, float c0, float c1, float c2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
    if (x < w - 1 && y < h - 1) {
        const float *p = in + y * w + x;
        out[y * w + x] = c0 * p[0] + c1 * (p[-1] + p[1] + p[-w] + p[w]) + c2 * (p[-w - 1] + p[-w + 1] + p[w - 1] + p[w + 1]);
    }
}
//: stencil7_double
extern "C" __global__ void stencil7_double(const double *in, double *out, int nx, int ny, int nz) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y, k = blockIdx.z * blockDim.z + threadIdx.z;
    if (i > 0 && i < nx - 1 && j > 0 && j < ny - 1 && k > 0 && k < nz - 1) {
        int at = (k * ny + j) * nx + i;
        out[at] = -6.0 * in[at] + in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - nx * ny] + in[at + nx * ny];
    }
}
//: stencil_time
extern "C" __global__ void stencil_time(const float *in, float *out, int n, float k) {
    __shared__ float row[2][256];
    int t = threadIdx.x, at = blockIdx.x * (256 - 16) + t - 8;
    row[0][t] = at >= 0 && at < n ? in[at] : 0;
    __syncthreads();
    int now = 0;
    for (int step = 0; step < 8; step++) {
        float x = row[now][t];
        if (t > 0 && t < 255 && at > 0 && at < n - 1) x += k * (row[now][t - 1] - 2 * x + row[now][t + 1]);
        row[now ^ 1][t] = x;
        now ^= 1;
        __syncthreads();
    }
    if (t >= 8 && t < 248 && at < n) out[at] = row[now][t];
}
//: fdtd3d_stream
#define R 4
__constant__ float weight[R + 1] = {0.1f, 0.2f, -0.1f, 0.05f, -0.02f};
extern "C" __global__ void fdtd3d_stream(const float *in, float *out, int nx, int ny, int nz) {
    __shared__ float tile[8 + 2 * R][32 + 2 * R];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + R, ty = threadIdx.y + R;
    int wide = nx + 2 * R, plane = wide * (ny + 2 * R), at = (y + R) * wide + x + R;
    float behind[R], front[R], now;
    for (int i = R - 2; i >= 0; i--) {
        behind[i] = in[at];
        at += plane;
    }
    now = in[at];
    int to = at;
    at += plane;
    for (int i = 0; i < R; i++) {
        front[i] = in[at];
        at += plane;
    }
    for (int z = 0; z < nz; z++) {
        for (int i = R - 1; i > 0; i--) behind[i] = behind[i - 1];
        behind[0] = now;
        now = front[0];
#pragma unroll
        for (int i = 0; i < R - 1; i++) front[i] = front[i + 1];
        front[R - 1] = in[at];
        at += plane;
        to += plane;
        __syncthreads();
        if (threadIdx.y < R) {
            tile[threadIdx.y][tx] = in[to - R * wide];
            tile[threadIdx.y + 8 + R][tx] = in[to + 8 * wide];
        }
        if (threadIdx.x < R) {
            tile[ty][threadIdx.x] = in[to - R];
            tile[ty][threadIdx.x + 32 + R] = in[to + 32];
        }
        tile[ty][tx] = now;
        __syncthreads();
        float value = weight[0] * now;
#pragma unroll
        for (int i = 1; i <= R; i++) value += weight[i] * (front[i - 1] + behind[i - 1] + tile[ty - i][tx] + tile[ty + i][tx] + tile[ty][tx - i] + tile[ty][tx + i]);
        out[to] = value;
    }
}
//: lattice_d2q9
extern "C" __global__ void lattice_d2q9(const float *f, float *g, int nx, int ny, float omega) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, n = nx * ny;
    if (x >= nx || y >= ny) return;
    int e = x + 1 == nx ? 0 : x + 1, w = x == 0 ? nx - 1 : x - 1, u = y + 1 == ny ? 0 : y + 1, d = y == 0 ? ny - 1 : y - 1;
    float f0 = f[y * nx + x], f1 = f[n + y * nx + w], f2 = f[2 * n + d * nx + x], f3 = f[3 * n + y * nx + e], f4 = f[4 * n + u * nx + x];
    float f5 = f[5 * n + d * nx + w], f6 = f[6 * n + d * nx + e], f7 = f[7 * n + u * nx + e], f8 = f[8 * n + u * nx + w];
    float rho = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8;
    float ux = (f1 - f3 + f5 - f6 - f7 + f8) / rho, uy = (f2 - f4 + f5 + f6 - f7 - f8) / rho, base = 1 - 1.5f * (ux * ux + uy * uy), cu;
    int at = y * nx + x;
    g[at] = f0 + omega * (4.0f / 9 * rho * base - f0);
    g[n + at] = f1 + omega * (rho / 9 * (base + 3 * ux + 4.5f * ux * ux) - f1);
    g[2 * n + at] = f2 + omega * (rho / 9 * (base + 3 * uy + 4.5f * uy * uy) - f2);
    g[3 * n + at] = f3 + omega * (rho / 9 * (base - 3 * ux + 4.5f * ux * ux) - f3);
    g[4 * n + at] = f4 + omega * (rho / 9 * (base - 3 * uy + 4.5f * uy * uy) - f4);
    cu = ux + uy;
    g[5 * n + at] = f5 + omega * (rho / 36 * (base + 3 * cu + 4.5f * cu * cu) - f5);
    g[7 * n + at] = f7 + omega * (rho / 36 * (base - 3 * cu + 4.5f * cu * cu) - f7);
    cu = uy - ux;
    g[6 * n + at] = f6 + omega * (rho / 36 * (base + 3 * cu + 4.5f * cu * cu) - f6);
    g[8 * n + at] = f8 + omega * (rho / 36 * (base - 3 * cu + 4.5f * cu * cu) - f8);
}
//: red_black
extern "C" __global__ void red_black(float *u, const float *f, int n, int parity, float omega) {
    int j = blockIdx.y * blockDim.y + threadIdx.y + 1, i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((j + parity) & 1);
    if (i < n - 1 && j < n - 1) {
        float old = u[j * n + i], next = 0.25f * (u[j * n + i - 1] + u[j * n + i + 1] + u[(j - 1) * n + i] + u[(j + 1) * n + i] + f[j * n + i]);
        u[j * n + i] = old + omega * (next - old);
    }
}
//: thomas_batch
extern "C" __global__ void thomas_batch(const float *a, const float *b, const float *c, const float *d, float *cp, float *x, int systems, int n) {
    int s = blockIdx.x * blockDim.x + threadIdx.x;
    if (s >= systems) return;
    float w = c[s] / b[s], v = d[s] / b[s];
    cp[s] = w;
    x[s] = v;
    for (int i = 1; i < n; i++) {
        int at = i * systems + s;
        float m = 1.0f / (b[at] - a[at] * w);
        w = c[at] * m;
        v = (d[at] - a[at] * v) * m;
        cp[at] = w;
        x[at] = v;
    }
    for (int i = n - 2; i >= 0; i--) {
        int at = i * systems + s;
        v = x[at] - cp[at] * v;
        x[at] = v;
    }
}
//: cyclic_reduction
extern "C" __global__ void cyclic_reduction(const float *lower, const float *main, const float *upper, const float *right, float *x) {
    __shared__ float a[256], b[256], c[256], d[256];
    int t = threadIdx.x, at = blockIdx.x * 256 + t;
    a[t] = t == 0 ? 0 : lower[at];
    b[t] = main[at];
    c[t] = t == 255 ? 0 : upper[at];
    d[t] = right[at];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        int i = t - step, j = t + step;
        float a1 = 0, b1 = b[t], c1 = 0, d1 = d[t];
        if (i >= 0) {
            float k = a[t] / b[i];
            a1 = -a[i] * k;
            b1 -= c[i] * k;
            d1 -= d[i] * k;
        }
        if (j < 256) {
            float k = c[t] / b[j];
            c1 = -c[j] * k;
            b1 -= a[j] * k;
            d1 -= d[j] * k;
        }
        __syncthreads();
        a[t] = a1;
        b[t] = b1;
        c[t] = c1;
        d[t] = d1;
        __syncthreads();
    }
    x[at] = d[t] / b[t];
}
//: cholesky_block
extern "C" __global__ void cholesky_block(float *matrices) {
    __shared__ float l[32][33];
    int r = threadIdx.y, c = threadIdx.x;
    float *m = matrices + blockIdx.x * 1024;
    l[r][c] = m[r * 32 + c] + (r == c ? 32.0f : 0.0f);
    __syncthreads();
    for (int k = 0; k < 32; k++) {
        if (r == k && c == k) l[k][k] = sqrtf(l[k][k]);
        __syncthreads();
        if (c == k && r > k) l[r][k] /= l[k][k];
        __syncthreads();
        if (c > k && r >= c) l[r][c] -= l[r][k] * l[c][k];
        __syncthreads();
    }
    m[r * 32 + c] = r >= c ? l[r][c] : 0;
}
//: conjugate_step
extern "C" __global__ void conjugate_step(float *x, float *r, const float *p, const float *q, float alpha, double *norm, int n) {
    double sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        x[i] += alpha * p[i];
        float v = r[i] - alpha * q[i];
        r[i] = v;
        sum += (double)v * v;
    }
    for (int k = 16; k > 0; k >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, k);
    if (threadIdx.x % 32 == 0) atomicAdd(norm, sum);
}
//: depthwise3x3
extern "C" __global__ void depthwise3x3(const float *in, const float *weights, const float *bias, float *out, int w, int h, int channels) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, plane = blockIdx.z, c = plane % channels;
    if (x >= w || y >= h) return;
    const float *image = in + plane * w * h;
    float sum = bias[c];
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            int px = x + i - 1, py = y + j - 1;
            if (px >= 0 && px < w && py >= 0 && py < h) sum += weights[c * 9 + j * 3 + i] * image[py * w + px];
        }
    out[plane * w * h + y * w + x] = fmaxf(sum, 0.0f);
}
//: im2col
extern "C" __global__ void im2col(const float *image, float *columns, int height, int width, int size, int pad, int stride, int high, int wide, int n) {
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < n; index += blockDim.x * gridDim.x) {
        int h_index = index / wide, h_col = h_index % high, w_col = index % wide, channel = h_index / high, first = channel * size * size;
        int h0 = h_col * stride - pad, w0 = w_col * stride - pad;
        float *to = columns + (first * high + h_col) * wide + w_col;
        const float *from = image + (channel * height + h0) * width + w0;
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++) {
                int y = h0 + i, x = w0 + j;
                *to = y >= 0 && x >= 0 && y < height && x < width ? from[i * width + j] : 0;
                to += high * wide;
            }
    }
}
//: batchnorm_channels
extern "C" __global__ void batchnorm_channels(const float *in, const float *gain, const float *bias, float *out, int batch, int channels, int area) {
    __shared__ float sums[256], squares[256];
    int c = blockIdx.x, t = threadIdx.x;
    float s = 0, q = 0;
    for (int b = 0; b < batch; b++)
        for (int i = t; i < area; i += 256) {
            float x = in[(b * channels + c) * area + i];
            s += x;
            q += x * x;
        }
    sums[t] = s;
    squares[t] = q;
    __syncthreads();
    for (int k = 128; k > 0; k >>= 1) {
        if (t < k) {
            sums[t] += sums[t + k];
            squares[t] += squares[t + k];
        }
        __syncthreads();
    }
    float mean = sums[0] / (batch * area), scale = gain[c] * rsqrtf(squares[0] / (batch * area) - mean * mean + 1e-5f), shift = bias[c] - mean * scale;
    for (int b = 0; b < batch; b++)
        for (int i = t; i < area; i += 256) {
            int at = (b * channels + c) * area + i;
            out[at] = in[at] * scale + shift;
        }
}
//: softmax_warp
extern "C" __global__ void softmax_warp(const float *in, float *out, int rows) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    if (row >= rows) return;
    const float *x = in + row * 256;
    float v[8], top = -1e30f, sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
        v[k] = x[lane + 32 * k];
        top = fmaxf(top, v[k]);
    }
    for (int k = 16; k > 0; k >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, k));
#pragma unroll
    for (int k = 0; k < 8; k++) {
        v[k] = expf(v[k] - top);
        sum += v[k];
    }
    for (int k = 16; k > 0; k >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, k);
#pragma unroll
    for (int k = 0; k < 8; k++) out[row * 256 + lane + 32 * k] = v[k] / sum;
}
//: attention_decode
extern "C" __global__ void attention_decode(const float *q, const float *k, const float *v, float *out, int n, float scale) {
    extern __shared__ float score[];
    __shared__ float query[64], parts[8];
    int t = threadIdx.x, lane = t % 32, warp = t / 32, head = blockIdx.x;
    if (t < 64) query[t] = q[head * 64 + t] * scale;
    __syncthreads();
    for (int j = warp; j < n; j += 4) {
        const float *key = k + (head * n + j) * 64;
        float s = query[lane] * key[lane] + query[lane + 32] * key[lane + 32];
        for (int m = 16; m > 0; m >>= 1) s += __shfl_xor_sync(0xffffffffu, s, m);
        if (lane == 0) score[j] = s;
    }
    __syncthreads();
    float top = -1e30f, sum = 0;
    for (int j = t; j < n; j += 128) top = fmaxf(top, score[j]);
    for (int m = 16; m > 0; m >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, m));
    if (lane == 0) parts[warp] = top;
    __syncthreads();
    top = fmaxf(fmaxf(parts[0], parts[1]), fmaxf(parts[2], parts[3]));
    for (int j = t; j < n; j += 128) {
        float e = __expf(score[j] - top);
        score[j] = e;
        sum += e;
    }
    for (int m = 16; m > 0; m >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, m);
    if (lane == 0) parts[4 + warp] = sum;
    __syncthreads();
    sum = parts[4] + parts[5] + parts[6] + parts[7];
    if (t < 64) {
        float r = 0;
        for (int j = 0; j < n; j++) r += score[j] * v[(head * n + j) * 64 + t];
        out[head * 64 + t] = r / sum;
    }
}
//: dropout_philox
extern "C" __global__ void dropout_philox(const float4 *in, float4 *out, unsigned char *mask, unsigned seed, float keep, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    unsigned c0 = i, c1 = 0, c2 = 7, c3 = 0, k0 = seed, k1 = 0x9E3779B9u;
#pragma unroll
    for (int r = 0; r < 7; r++) {
        unsigned h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2;
        c0 = h1 ^ c1 ^ k0;
        c1 = l1;
        c2 = h0 ^ c3 ^ k1;
        c3 = l0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    unsigned limit = (unsigned)(keep * 4294967040.0f);
    float scale = 1.0f / keep;
    float4 v = in[i];
    out[i] = make_float4(c0 < limit ? v.x * scale : 0, c1 < limit ? v.y * scale : 0, c2 < limit ? v.z * scale : 0, c3 < limit ? v.w * scale : 0);
    mask[i] = (c0 < limit) | (c1 < limit) << 1 | (c2 < limit) << 2 | (c3 < limit) << 3;
}
//: dequantize_int4
#include <cuda_fp16.h>
extern "C" __global__ void dequantize_int4(const unsigned *packed, const __half *scales, const unsigned char *zeros, uint4 *out, int n8) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n8) return;
    unsigned word = packed[i];
    __half scale = scales[i / 16];
    int zero = zeros[i / 16] & 15;
    __half2 h[4];
#pragma unroll
    for (int k = 0; k < 4; k++)
        h[k] = __halves2half2(__hmul(__int2half_rn((int)(word >> 8 * k & 15) - zero), scale), __hmul(__int2half_rn((int)(word >> (8 * k + 4) & 15) - zero), scale));
    out[i] = *(uint4 *)h;
}
//: quantize_blocks
struct Quantized { float scale; signed char q[32]; };
extern "C" __global__ void quantize_blocks(const float *in, Quantized *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float x = in[i], most = fabsf(x);
    for (int k = 16; k > 0; k >>= 1) most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, k));
    float d = most / 127.0f;
    out[i / 32].q[i % 32] = most == 0 ? 0 : (signed char)roundf(x / d);
    if (i % 32 == 0) out[i / 32].scale = d;
}
//: experts_gate
extern "C" __global__ void experts_gate(const float *logits, float *weights, int *experts, int tokens) {
    int token = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (token >= tokens) return;
    float a = logits[token * 64 + lane], b = logits[token * 64 + 32 + lane], top = fmaxf(a, b);
    for (int k = 16; k > 0; k >>= 1) top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, k));
    a = __expf(a - top);
    b = __expf(b - top);
    float sum = a + b;
    for (int k = 16; k > 0; k >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, k);
    for (int pick = 0; pick < 2; pick++) {
        float best = a >= b ? a : b;
        int at = a >= b ? lane : lane + 32;
        for (int k = 16; k > 0; k >>= 1) {
            float v = __shfl_xor_sync(0xffffffffu, best, k);
            int w = __shfl_xor_sync(0xffffffffu, at, k);
            if (v > best || (v == best && w < at)) {
                best = v;
                at = w;
            }
        }
        if (lane == 0) {
            weights[token * 2 + pick] = best / sum;
            experts[token * 2 + pick] = at;
        }
        if (at == lane) a = -1;
        if (at == lane + 32) b = -1;
    }
}
//: embedding_gradient
extern "C" __global__ void embedding_gradient(const int *tokens, const float *gradient, float *table, int width) {
    int token = tokens[blockIdx.x];
    for (int i = threadIdx.x; i < width; i += blockDim.x) atomicAdd(&table[token * width + i], gradient[blockIdx.x * width + i]);
}
//: paged_copy
extern "C" __global__ void paged_copy(const uint4 *cache, const int *pages, uint4 *out, int per_page, int words, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int token = i / words, word = i % words, page = pages[token / per_page];
        out[i] = cache[(page * per_page + token % per_page) * words + word];
    }
}
//: split_heads
#include <cuda_fp16.h>
extern "C" __global__ void split_heads(const __half *in, __half *out, int length, int heads, int depth, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = i % depth, h = i / depth % heads, s = i / (depth * heads) % length, b = i / (depth * heads * length);
    out[((b * heads + h) * length + s) * depth + d] = in[i];
}
//: histogram_rgb
extern "C" __global__ void histogram_rgb(const uchar4 *pixels, unsigned *bins, int n) {
    __shared__ unsigned part[3][256];
    for (int i = threadIdx.x; i < 768; i += blockDim.x) (&part[0][0])[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        uchar4 p = pixels[i];
        atomicAdd(&part[0][p.x], 1);
        atomicAdd(&part[1][p.y], 1);
        atomicAdd(&part[2][p.z], 1);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < 768; i += blockDim.x) {
        unsigned c = (&part[0][0])[i];
        if (c) atomicAdd(&bins[i], c);
    }
}
//: hamming_nearest
extern "C" __global__ void hamming_nearest(const unsigned *query, const unsigned *train, int *best, int queries, int trains) {
    __shared__ unsigned held[64][8];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned mine[8];
#pragma unroll
    for (int k = 0; k < 8; k++) mine[k] = i < queries ? query[i * 8 + k] : 0;
    int least = 1000, at = -1;
    for (int tile = 0; tile < trains; tile += 64) {
        __syncthreads();
        for (int k = threadIdx.x; k < 512; k += blockDim.x) held[k / 8][k % 8] = train[tile * 8 + k];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            int d = 0;
#pragma unroll
            for (int k = 0; k < 8; k++) d += __popc(mine[k] ^ held[j][k]);
            if (d < least) {
                least = d;
                at = tile + j;
            }
        }
    }
    if (i < queries) best[i] = at;
}
//: morton_codes
__device__ unsigned spread(unsigned x) {
    x = (x * 0x00010001u) & 0xFF0000FFu;
    x = (x * 0x00000101u) & 0x0F00F00Fu;
    x = (x * 0x00000011u) & 0xC30C30C3u;
    return (x * 0x00000005u) & 0x49249249u;
}
extern "C" __global__ void morton_codes(const float *x, const float *y, const float *z, unsigned *codes, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float px = fminf(fmaxf(x[i] * 1024.0f, 0.0f), 1023.0f), py = fminf(fmaxf(y[i] * 1024.0f, 0.0f), 1023.0f), pz = fminf(fmaxf(z[i] * 1024.0f, 0.0f), 1023.0f);
        codes[i] = spread((unsigned)px) * 4 + spread((unsigned)py) * 2 + spread((unsigned)pz);
    }
}
//: siphash
#define ROTATE(x, k) ((x) << (k) | (x) >> (64 - (k)))
#define ROUND v0 += v1; v1 = ROTATE(v1, 13); v1 ^= v0; v0 = ROTATE(v0, 32); v2 += v3; v3 = ROTATE(v3, 16); v3 ^= v2; \
    v0 += v3; v3 = ROTATE(v3, 21); v3 ^= v0; v2 += v1; v1 = ROTATE(v1, 17); v1 ^= v2; v2 = ROTATE(v2, 32);
extern "C" __global__ void siphash(const unsigned long long *words, unsigned long long *out, unsigned long long k0, unsigned long long k1, int length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull, v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull;
    for (int k = 0; k < length; k++) {
        unsigned long long m = words[k * n + i];
        v3 ^= m;
        ROUND ROUND
        v0 ^= m;
    }
    v3 ^= (unsigned long long)length << 56;
    ROUND ROUND
    v0 ^= (unsigned long long)length << 56;
    v2 ^= 0xff;
    ROUND ROUND ROUND ROUND
    out[i] = v0 ^ v1 ^ v2 ^ v3;
}
//: base64_encode
__constant__ char letters[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
extern "C" __global__ void base64_encode(const unsigned char *in, uchar4 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
        out[i] = make_uchar4(letters[a >> 2], letters[(a & 3) << 4 | b >> 4], letters[(b & 15) << 2 | c >> 6], letters[c & 63]);
    }
}
//: word_count
extern "C" __global__ void word_count(const char *text, int *words, int n) {
    __shared__ int found;
    if (threadIdx.x == 0) found = 0;
    __syncthreads();
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        bool letter = text[i] >= 'a' && text[i] <= 'z', before = i > 0 && text[i - 1] >= 'a' && text[i - 1] <= 'z';
        unsigned starts = __ballot_sync(__activemask(), letter && !before);
        if (threadIdx.x % 32 == 0) mine += __popc(starts);
    }
    if (mine) atomicAdd(&found, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(words, found);
}
//: rotate_image
extern "C" __global__ void rotate_image(const float *in, float *out, int w, int h, float c, float s) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float dx = x - w * 0.5f, dy = y - h * 0.5f, u = c * dx + s * dy + w * 0.5f, v = c * dy - s * dx + h * 0.5f, value = 0;
    int x0 = (int)floorf(u), y0 = (int)floorf(v);
    if (x0 >= 0 && x0 < w - 1 && y0 >= 0 && y0 < h - 1) {
        float fx = u - x0, fy = v - y0;
        const float *p = in + y0 * w + x0;
        value = (p[0] * (1 - fx) + p[1] * fx) * (1 - fy) + (p[w] * (1 - fx) + p[w + 1] * fx) * fy;
    }
    out[y * w + x] = value;
}
//: integral_rows
extern "C" __global__ void integral_rows(const unsigned char *in, unsigned *out, int width) {
    __shared__ unsigned sums[8], carry;
    int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    in += blockIdx.x * width;
    out += blockIdx.x * width;
    if (t == 0) carry = 0;
    for (int x0 = 0; x0 < width; x0 += 256) {
        unsigned v = x0 + t < width ? in[x0 + t] : 0;
#pragma unroll
        for (int k = 1; k < 32; k *= 2) {
            unsigned y = __shfl_up_sync(0xffffffffu, v, k);
            if (lane >= k) v += y;
        }
        if (lane == 31) sums[warp] = v;
        __syncthreads();
        unsigned before = carry;
        for (int w = 0; w < warp; w++) before += sums[w];
        v += before;
        if (x0 + t < width) out[x0 + t] = v;
        __syncthreads();
        if (t == 255) carry = v;
    }
}
//: erode_tile
extern "C" __global__ void erode_tile(const unsigned char *in, unsigned char *out, int w, int h) {
    __shared__ unsigned char tile[20][36];
    int x0 = blockIdx.x * 32 - 2, y0 = blockIdx.y * 16 - 2;
    for (int k = threadIdx.y * 32 + threadIdx.x; k < 20 * 36; k += 512) {
        int x = min(max(x0 + k % 36, 0), w - 1), y = min(max(y0 + k / 36, 0), h - 1);
        tile[k / 36][k % 36] = in[y * w + x];
    }
    __syncthreads();
    int x = x0 + 2 + threadIdx.x, y = y0 + 2 + threadIdx.y;
    if (x < w && y < h) {
        int least = 255;
#pragma unroll
        for (int j = 0; j < 5; j++)
#pragma unroll
            for (int i = 0; i < 5; i++) least = min(least, (int)tile[threadIdx.y + j][threadIdx.x + i]);
        out[y * w + x] = least;
    }
}
//: yuv_to_rgb
__device__ unsigned char clamped(int x) { return x < 0 ? 0 : x > 255 ? 255 : x; }
extern "C" __global__ void yuv_to_rgb(const unsigned char *luma, const uchar2 *chroma, uchar4 *out, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        int l = luma[y * w + x] - 16;
        uchar2 uv = chroma[(y / 2) * (w / 2) + x / 2];
        int u = uv.x - 128, v = uv.y - 128;
        out[y * w + x] = make_uchar4(clamped((298 * l + 409 * v + 128) >> 8), clamped((298 * l - 100 * u - 208 * v + 128) >> 8), clamped((298 * l + 516 * u + 128) >> 8), 255);
    }
}
//: thin_edges
extern "C" __global__ void thin_edges(const float *gx, const float *gy, unsigned char *out, int w, int h, float low, float high) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || x >= w - 1 || y < 1 || y >= h - 1) return;
    int at = y * w + x, step;
    float dx = gx[at], dy = gy[at], ax = fabsf(dx), ay = fabsf(dy), m = ax + ay;
    if (ay < 0.4142f * ax) step = 1;
    else if (ax < 0.4142f * ay) step = w;
    else if (dx * dy > 0) step = w + 1;
    else step = w - 1;
    float a = fabsf(gx[at - step]) + fabsf(gy[at - step]), b = fabsf(gx[at + step]) + fabsf(gy[at + step]);
    out[at] = m > a && m >= b ? (m > high ? 255 : m > low ? 128 : 0) : 0;
}
//: nbody_shuffle
extern "C" __global__ void nbody_shuffle(const float4 *position, float4 *force, int n, float soft) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    float4 p = position[i];
    float fx = 0, fy = 0, fz = 0;
    for (int base = 0; base < n; base += 32) {
        float4 q = position[base + lane];
        for (int j = 0; j < 32; j++) {
            float dx = __shfl_sync(0xffffffffu, q.x, j) - p.x, dy = __shfl_sync(0xffffffffu, q.y, j) - p.y, dz = __shfl_sync(0xffffffffu, q.z, j) - p.z;
            float r = rsqrtf(dx * dx + dy * dy + dz * dz + soft), s = __shfl_sync(0xffffffffu, q.w, j) * r * r * r;
            fx += dx * s;
            fy += dy * s;
            fz += dz * s;
        }
    }
    force[i] = make_float4(fx, fy, fz, 0);
}
//: cell_forces
extern "C" __global__ void cell_forces(const float4 *position, const int *starts, float4 *force, int side, float cut2, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float4 p = position[i];
    int cx = (int)p.x, cy = (int)p.y, cz = (int)p.z;
    float fx = 0, fy = 0, fz = 0;
    for (int z = max(cz - 1, 0); z <= min(cz + 1, side - 1); z++)
        for (int y = max(cy - 1, 0); y <= min(cy + 1, side - 1); y++)
            for (int x = max(cx - 1, 0); x <= min(cx + 1, side - 1); x++) {
                int cell = (z * side + y) * side + x;
                for (int j = starts[cell]; j < starts[cell + 1]; j++) {
                    float4 q = position[j];
                    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
                    if (r2 < cut2 && j != i) {
                        float s = 1.0f / (r2 + 0.01f), f = s * s * (s - 0.5f);
                        fx += dx * f;
                        fy += dy * f;
                        fz += dz * f;
                    }
                }
            }
    force[i] = make_float4(fx, fy, fz, 0);
}
//: fft_stockham
extern "C" __global__ void fft_stockham(const float2 *in, float2 *out, int half, int span) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half) return;
    int k = i & (span - 1);
    float2 a = in[i], b = in[i + half];
    float s, c;
    __sincosf(-3.14159265f * k / span, &s, &c);
    float2 t = make_float2(b.x * c - b.y * s, b.x * s + b.y * c);
    int to = (i - k) * 2 + k;
    out[to] = make_float2(a.x + t.x, a.y + t.y);
    out[to + span] = make_float2(a.x - t.x, a.y - t.y);
}
//: asian_paths
extern "C" __global__ void asian_paths(float *payoff, float s0, float strike, float drift, float vol, int steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = i * 747796405u + 2891336453u;
    float s = s0, sum = 0;
    for (int k = 0; k < steps; k++) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        float u = (x >> 8) * 5.9604645e-8f + 3e-8f;
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        float v = (x >> 8) * 5.9604645e-8f, z = sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * v);
        s *= __expf(drift + vol * z);
        sum += s;
    }
    payoff[i] = fmaxf(sum / steps - strike, 0.0f);
}
//: viterbi
extern "C" __global__ void viterbi(const float *emission, const float *transition, const int *seen, float *last, int states, int steps) {
    extern __shared__ float score[];
    int j = threadIdx.x;
    const int *observed = seen + blockIdx.x * steps;
    score[j] = emission[observed[0] * states + j];
    __syncthreads();
    for (int t = 1; t < steps; t++) {
        float best = -1e30f;
        for (int i = 0; i < states; i++) best = fmaxf(best, score[i] + transition[i * states + j]);
        best += emission[observed[t] * states + j];
        __syncthreads();
        score[j] = best;
        __syncthreads();
    }
    last[blockIdx.x * states + j] = score[j];
}
//: smith_waterman
extern "C" __global__ void smith_waterman(const unsigned char *a, const unsigned char *b, int *scores, int m, int n, int pairs) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p >= pairs) return;
    int row[33], best = 0;
    for (int j = 0; j <= m; j++) row[j] = 0;
    for (int i = 0; i < n; i++) {
        int diagonal = 0, left = 0;
        unsigned char letter = b[i * pairs + p];
        for (int j = 1; j <= m; j++) {
            int up = row[j], score = max(diagonal + (a[(j - 1) * pairs + p] == letter ? 3 : -2), max(up, left) - 1);
            score = max(score, 0);
            diagonal = up;
            row[j] = left = score;
            best = max(best, score);
        }
    }
    scores[p] = best;
}
//: bfs_bottom_up
extern "C" __global__ void bfs_bottom_up(const int *starts, const int *sources, const int *depth, int *next, int *found, int level, int n) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n) return;
    int d = depth[v];
    if (d < 0) {
        for (int e = starts[v]; e < starts[v + 1]; e++)
            if (depth[sources[e]] == level) {
                d = level + 1;
                atomicAdd(found, 1);
                break;
            }
    }
    next[v] = d;
}
//: triangle_count
extern "C" __global__ void triangle_count(const int *from, const int *to, const int *starts, const int *neighbours, unsigned *triangles, int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned count = 0;
    if (e < edges) {
        int i = starts[from[e]], i_end = starts[from[e] + 1], j = starts[to[e]], j_end = starts[to[e] + 1];
        while (i < i_end && j < j_end) {
            int a = neighbours[i], b = neighbours[j];
            count += a == b;
            i += a <= b;
            j += b <= a;
        }
    }
    count = __reduce_add_sync(0xffffffffu, count);
    if (threadIdx.x % 32 == 0 && count) atomicAdd(triangles, count);
}
//: label_edges
extern "C" __global__ void label_edges(const int *from, const int *to, int *label, int *changed, int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int a = from[e], b = to[e];
    if (a < b) {
        if (atomicMin(&label[b], a) > a) *changed = 1;
    } else if (b < a) {
        if (atomicMin(&label[a], b) > b) *changed = 1;
    }
}
//: union_find
__device__ int root_of(int *parent, int v) {
    int p = parent[v];
    while (p != v) {
        int q = parent[p];
        if (q != p) parent[v] = q;
        v = p;
        p = q;
    }
    return v;
}
extern "C" __global__ void union_find(const int *from, const int *to, int *parent, int *joined, int edges) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges) return;
    int a = root_of(parent, from[e]), b = root_of(parent, to[e]);
    while (a != b) {
        if (a < b) {
            int t = a;
            a = b;
            b = t;
        }
        int seen = atomicCAS(&parent[a], a, b);
        if (seen == a) {
            atomicAdd(joined, 1);
            break;
        }
        a = root_of(parent, seen);
        b = root_of(parent, b);
    }
}
//: kmeans_update
extern "C" __global__ void kmeans_update(const float *points, const int *cluster, float *sums, int *counts, int n, int clusters, int dims) {
    extern __shared__ float part[];
    int *count = (int *)(part + clusters * dims);
    for (int k = threadIdx.x; k < clusters * dims; k += blockDim.x) part[k] = 0;
    for (int k = threadIdx.x; k < clusters; k += blockDim.x) count[k] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int c = cluster[i];
        for (int d = 0; d < dims; d++) atomicAdd(&part[c * dims + d], points[d * n + i]);
        atomicAdd(&count[c], 1);
    }
    __syncthreads();
    for (int k = threadIdx.x; k < clusters * dims; k += blockDim.x) atomicAdd(&sums[k], part[k]);
    for (int k = threadIdx.x; k < clusters; k += blockDim.x) atomicAdd(&counts[k], count[k]);
}
//: nearest_four
extern "C" __global__ void nearest_four(const float *query, const float *points, int *nearest, int queries, int count) {
    __shared__ float px[256], py[256], pz[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float x = query[i], y = query[queries + i], z = query[2 * queries + i], d[4] = {1e30f, 1e30f, 1e30f, 1e30f};
    int at[4] = {-1, -1, -1, -1};
    for (int tile = 0; tile < count; tile += 256) {
        px[threadIdx.x] = points[tile + threadIdx.x];
        py[threadIdx.x] = points[count + tile + threadIdx.x];
        pz[threadIdx.x] = points[2 * count + tile + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float dx = x - px[j], dy = y - py[j], dz = z - pz[j], r = dx * dx + dy * dy + dz * dz;
            if (r < d[3]) {
                d[3] = r;
                at[3] = tile + j;
#pragma unroll
                for (int k = 3; k > 0; k--)
                    if (d[k] < d[k - 1]) {
                        float t = d[k];
                        d[k] = d[k - 1];
                        d[k - 1] = t;
                        int s = at[k];
                        at[k] = at[k - 1];
                        at[k - 1] = s;
                    }
            }
        }
        __syncthreads();
    }
    *(int4 *)&nearest[4 * i] = make_int4(at[0], at[1], at[2], at[3]);
}
//: particles_step
struct Particle { float x, y, z, vx, vy, vz, mass, age; };
extern "C" __global__ void particles_step(Particle *particles, int n, float dt, float g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = particles[i];
    p.vz -= g * dt;
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
    if (p.z < 0) {
        p.z = -p.z;
        p.vz = -0.8f * p.vz;
    }
    p.age += dt;
    particles[i] = p;
}
//: copy_shifted
extern "C" __global__ void copy_shifted(const unsigned *in, unsigned *out, int bytes, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        unsigned low = in[i], high = in[i + 1];
        out[i] = __funnelshift_r(low, high, 8 * bytes);
    }
}
//: fill_pattern
extern "C" __global__ void fill_pattern(uint4 *out, unsigned value, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) out[i] = make_uint4(value, value ^ i, ~value, i);
}
//: chase_shared
extern "C" __global__ void chase_shared(const int *links, int *out, int trips) {
    __shared__ int next[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) next[i] = links[i];
    __syncthreads();
    int at = threadIdx.x;
    for (int k = 0; k < trips; k++) at = next[at];
    out[blockIdx.x * blockDim.x + threadIdx.x] = at;
}
//: float_max_cas
__device__ void raised(float *to, float value) {
    int *word = (int *)to, old = *word, seen;
    while (value > __int_as_float(old)) {
        seen = old;
        old = atomicCAS(word, seen, __float_as_int(value));
        if (old == seen) break;
    }
}
extern "C" __global__ void float_max_cas(const float *values, const int *bins, float *most, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) raised(&most[bins[i]], values[i]);
}
//: gcd_pairs
extern "C" __global__ void gcd_pairs(const unsigned *a, const unsigned *b, unsigned *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned x = a[i], y = b[i];
    while (y != 0) {
        unsigned r = x % y;
        x = y;
        y = r;
    }
    out[i] = x;
}
//: mod_power
extern "C" __global__ void mod_power(const unsigned long long *bases, const unsigned *exponents, unsigned long long *out, unsigned long long modulus, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long b = bases[i] % modulus, r = 1;
    for (unsigned e = exponents[i]; e; e >>= 1) {
        if (e & 1) r = r * b % modulus;
        b = b * b % modulus;
    }
    out[i] = r;
}
//: tree_stack
extern "C" __global__ void tree_stack(const float *low, const float *high, const float *queries, int *hits, int leaves, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float q = queries[i];
    int stack[24], depth = 0, count = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        int node = stack[--depth];
        if (q < low[node] || q > high[node]) continue;
        if (node >= leaves) count++;
        else {
            stack[depth++] = 2 * node;
            stack[depth++] = 2 * node + 1;
        }
    }
    hits[i] = count;
}
//: sort_each
extern "C" __global__ void sort_each(const int *in, int *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int a[16];
    for (int k = 0; k < 16; k++) a[k] = in[k * n + t];
    for (int i = 1; i < 16; i++) {
        int x = a[i], j = i - 1;
        while (j >= 0 && a[j] > x) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = x;
    }
    for (int k = 0; k < 16; k++) out[k * n + t] = a[k];
}
//: table_cipher
extern "C" __global__ void table_cipher(const uint4 *in, const unsigned *table, const uint4 *keys, uint4 *out, int n) {
    __shared__ unsigned t0[256], t1[256];
    for (int k = threadIdx.x; k < 256; k += blockDim.x) {
        unsigned x = table[k];
        t0[k] = x;
        t1[k] = x << 8 | x >> 24;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uint4 s = in[i], k = keys[0];
    s.x ^= k.x;
    s.y ^= k.y;
    s.z ^= k.z;
    s.w ^= k.w;
    for (int r = 1; r < 10; r++) {
        k = keys[r];
        unsigned a = t0[s.x & 255] ^ t1[s.y >> 8 & 255] ^ t0[s.z >> 16 & 255] ^ t1[s.w >> 24] ^ k.x;
        unsigned b = t0[s.y & 255] ^ t1[s.z >> 8 & 255] ^ t0[s.w >> 16 & 255] ^ t1[s.x >> 24] ^ k.y;
        unsigned c = t0[s.z & 255] ^ t1[s.w >> 8 & 255] ^ t0[s.x >> 16 & 255] ^ t1[s.y >> 24] ^ k.z;
        unsigned d = t0[s.w & 255] ^ t1[s.x >> 8 & 255] ^ t0[s.y >> 16 & 255] ^ t1[s.z >> 24] ^ k.w;
        s = make_uint4(a, b, c, d);
    }
    out[i] = s;
}
//: julia_double
extern "C" __global__ void julia_double(int *out, int w, int h, double cr, double ci, int most) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    double zr = 3.0 * x / w - 1.5, zi = 2.0 * y / h - 1.0;
    int k = 0;
    while (k < most && zr * zr + zi * zi < 4.0) {
        double t = zr * zr - zi * zi + cr;
        zi = 2.0 * zr * zi + ci;
        zr = t;
        k++;
    }
    out[y * w + x] = k;
}
//: perlin_noise
__device__ float faded(float t) { return t * t * t * (t * (t * 6 - 15) + 10); }
__device__ float sloped(int hash, float x, float y) {
    int h = hash & 7;
    float u = h < 4 ? x : y, v = h < 4 ? y : x;
    return ((h & 1) ? -u : u) + ((h & 2) ? -2.0f * v : 2.0f * v);
}
extern "C" __global__ void perlin_noise(const unsigned char *table, float *out, int w, int h, float frequency) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0, size = 1, f = frequency;
    for (int octave = 0; octave < 4; octave++) {
        float px = x * f, py = y * f;
        int ix = (int)floorf(px), iy = (int)floorf(py);
        float fx = px - ix, fy = py - iy, u = faded(fx), v = faded(fy);
        int a = table[ix & 255] + iy, b = table[(ix + 1) & 255] + iy;
        float n00 = sloped(table[a & 255], fx, fy), n10 = sloped(table[b & 255], fx - 1, fy), n01 = sloped(table[(a + 1) & 255], fx, fy - 1), n11 = sloped(table[(b + 1) & 255], fx - 1, fy - 1);
        float low = n00 + u * (n10 - n00), high = n01 + u * (n11 - n01);
        sum += size * (low + v * (high - low));
        size *= 0.5f;
        f *= 2;
    }
    out[y * w + x] = sum;
}
//: march_spheres
extern "C" __global__ void march_spheres(const float4 *spheres, float *depth, int count, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float dx = (x - w * 0.5f) / w, dy = (y - h * 0.5f) / w, dz = 1.0f, k = rsqrtf(dx * dx + dy * dy + dz * dz), t = 0;
    dx *= k;
    dy *= k;
    dz *= k;
    for (int step = 0; step < 48; step++) {
        float least = 10.0f, px = dx * t, py = dy * t, pz = dz * t - 2.0f;
        for (int s = 0; s < count; s++) {
            float4 b = spheres[s];
            float ex = px - b.x, ey = py - b.y, ez = pz - b.z;
            least = fminf(least, sqrtf(ex * ex + ey * ey + ez * ez) - b.w);
        }
        t += least;
        if (least < 0.001f || t > 10.0f) break;
    }
    depth[y * w + x] = t;
}
//: error_function
extern "C" __global__ void error_function(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 0.5 * erfc(-in[i] * 0.70710678118654752);
}
//: matrix_powers
extern "C" __global__ void matrix_powers(const float *in, float *out, int n, int power) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float m[3][3], r[3][3];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            m[a][b] = in[(a * 3 + b) * n + i];
            r[a][b] = a == b ? 1 : 0;
        }
    for (int k = 0; k < power; k++) {
        float t[3][3];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) t[a][b] = r[a][0] * m[0][b] + r[a][1] * m[1][b] + r[a][2] * m[2][b];
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) r[a][b] = t[a][b];
    }
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) out[(a * 3 + b) * n + i] = r[a][b];
}
//: interpolate_table
extern "C" __global__ void interpolate_table(const float *x, const float2 *table, float *y, int n, int size, float scale) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, step = blockDim.x * gridDim.x;
    for (; i < n; i += step) {
        float u = x[i] * scale;
        int k = min((int)u, size - 2);
        float f = u - k;
        float2 a = __ldg(&table[k]), b = __ldg(&table[k + 1]);
        y[i] = a.x + f * (b.x - a.x) + f * (1 - f) * (a.y - b.y);
    }
}
//: sieve_shared
extern "C" __global__ void sieve_shared(const int *primes, int count, int *found, int n) {
    __shared__ unsigned bits[256];
    __shared__ int total;
    int first = blockIdx.x * 8192;
    for (int k = threadIdx.x; k < 256; k += blockDim.x) bits[k] = 0;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int k = threadIdx.x; k < count; k += blockDim.x) {
        int p = primes[k], at = (first + p - 1) / p * p;
        if (at < p * p) at = p * p;
        for (at -= first; at < 8192; at += p) atomicOr(&bits[at >> 5], 1u << (at & 31));
    }
    __syncthreads();
    int mine = 0;
    for (int k = threadIdx.x; k < 256; k += blockDim.x) mine += __popc(~bits[k]);
    atomicAdd(&total, mine);
    __syncthreads();
    if (threadIdx.x == 0) found[blockIdx.x] = total;
}
