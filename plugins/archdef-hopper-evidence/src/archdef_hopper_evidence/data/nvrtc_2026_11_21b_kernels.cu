// Kernels written when the rules that nvrtc-2026-11-21a led to stood. `measure_sets.py` cuts this file where a kernel is named.
//: hotspot_tile
#define SIDE 16
#define STEPS 2
#define WITHIN(x, least, most) ((x) >= (least) && (x) <= (most))
extern "C" __global__ void hotspot_tile(const float *power, const float *before, float *after, int columns, int rows, float step, float rx, float ry, float rz) {
    __shared__ float now[SIDE][SIDE], heat[SIDE][SIDE], next[SIDE][SIDE];
    int tx = threadIdx.x, ty = threadIdx.y, small = SIDE - 2 * STEPS;
    int y0 = small * blockIdx.y - STEPS, x0 = small * blockIdx.x - STEPS, y = y0 + ty, x = x0 + tx;
    if (WITHIN(y, 0, rows - 1) && WITHIN(x, 0, columns - 1)) {
        now[ty][tx] = before[y * columns + x];
        heat[ty][tx] = power[y * columns + x];
    }
    __syncthreads();
    int top = y0 < 0 ? -y0 : 0, bottom = y0 + SIDE - 1 > rows - 1 ? SIDE - 1 - (y0 + SIDE - rows) : SIDE - 1;
    int left = x0 < 0 ? -x0 : 0, right = x0 + SIDE - 1 > columns - 1 ? SIDE - 1 - (x0 + SIDE - columns) : SIDE - 1;
    int n = ty - 1 < top ? top : ty - 1, s = ty + 1 > bottom ? bottom : ty + 1, w = tx - 1 < left ? left : tx - 1, e = tx + 1 > right ? right : tx + 1;
    bool computed = false;
    for (int i = 0; i < STEPS; i++) {
        computed = false;
        if (WITHIN(tx, i + 1, SIDE - i - 2) && WITHIN(ty, i + 1, SIDE - i - 2) && WITHIN(tx, left, right) && WITHIN(ty, top, bottom)) {
            computed = true;
            next[ty][tx] = now[ty][tx] + step * (heat[ty][tx] + (now[s][tx] + now[n][tx] - 2.0f * now[ty][tx]) * ry +
                                                 (now[ty][e] + now[ty][w] - 2.0f * now[ty][tx]) * rx + (80.0f - now[ty][tx]) * rz);
        }
        __syncthreads();
        if (i == STEPS - 1) break;
        if (computed) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed) after[y * columns + x] = next[ty][tx];
}
//: pathfinder_rows
extern "C" __global__ void pathfinder_rows(int steps, const int *wall, const int *from, int *to, int columns, int border) {
    __shared__ int before[256], after[256];
    int tx = threadIdx.x, small = 256 - steps * 2, start = small * blockIdx.x - border, x = start + tx, end = start + 255;
    int first = start < 0 ? -start : 0, last = end > columns - 1 ? 255 - (end - columns + 1) : 255;
    int west = tx - 1 < first ? first : tx - 1, east = tx + 1 > last ? last : tx + 1;
    bool inside = tx >= first && tx <= last, computed = false;
    if (x >= 0 && x <= columns - 1) before[tx] = from[x];
    __syncthreads();
    for (int i = 0; i < steps; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= 256 - i - 2 && inside) {
            computed = true;
            int shortest = min(min(before[west], before[tx]), before[east]);
            after[tx] = shortest + wall[columns * i + x];
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (computed) before[tx] = after[tx];
        __syncthreads();
    }
    if (computed) to[x] = after[tx];
}
//: needleman_block
extern "C" __global__ void needleman_block(const int *reference, int *score, int columns, int penalty, int diagonal) {
    __shared__ int temp[17][17], ref[16][16];
    int tx = threadIdx.x, bx = blockIdx.x, by = diagonal - 1 - bx, base = columns * 16 * by + 16 * bx;
    int index = base + tx + columns + 1, n = base + tx + 1, w = base + columns, nw = base;
    if (tx == 0) temp[tx][0] = score[nw];
    for (int ty = 0; ty < 16; ty++) ref[ty][tx] = reference[index + columns * ty];
    __syncthreads();
    temp[tx + 1][0] = score[w + columns * tx];
    __syncthreads();
    temp[0][tx + 1] = score[n];
    __syncthreads();
    for (int m = 0; m < 16; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int m = 14; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + 16 - m, y = 16 - tx;
            temp[y][x] = max(temp[y - 1][x - 1] + ref[y - 1][x - 1], max(temp[y][x - 1] - penalty, temp[y - 1][x] - penalty));
        }
        __syncthreads();
    }
    for (int ty = 0; ty < 16; ty++) score[index + ty * columns] = temp[ty + 1][tx + 1];
}
//: backprop_forward
extern "C" __global__ void backprop_forward(const float *input, float *weights, float *sums, int hidden) {
    __shared__ float node[16];
    __shared__ float matrix[16][16];
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = (hidden + 1) * 16 * by + (hidden + 1) * ty + tx + 1 + hidden + 1, in = 16 * by + ty + 1;
    if (tx == 0) node[ty] = input[in];
    __syncthreads();
    matrix[ty][tx] = weights[index];
    __syncthreads();
    matrix[ty][tx] = matrix[ty][tx] * node[ty];
    __syncthreads();
    for (int power = 2; power <= 16; power *= 2) {
        if (ty % power == 0) matrix[ty][tx] = matrix[ty][tx] + matrix[ty + power / 2][tx];
        __syncthreads();
    }
    weights[index] = matrix[ty][tx];
    __syncthreads();
    if (tx == 0) sums[by * hidden + ty] = matrix[tx][ty];
}
//: bfs_level
struct Vertex { int first, count; };
extern "C" __global__ void bfs_level(const Vertex *vertices, const int *edges, bool *frontier, bool *updating, const bool *visited, int *cost, int n) {
    int t = blockIdx.x * 512 + threadIdx.x;
    if (t < n && frontier[t]) {
        frontier[t] = false;
        for (int i = vertices[t].first; i < vertices[t].count + vertices[t].first; i++) {
            int id = edges[i];
            if (!visited[id]) {
                cost[id] = cost[t] + 1;
                updating[id] = true;
            }
        }
    }
}
//: srad_coefficient
extern "C" __global__ void srad_coefficient(const float *__restrict__ image, float *__restrict__ c, float *__restrict__ north, float *__restrict__ east, int rows, int columns, float q0) {
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    if (id >= rows * columns) return;
    int row = id % rows, column = id / rows;
    int up = row == 0 ? 0 : row - 1, down = row == rows - 1 ? rows - 1 : row + 1, left = column == 0 ? 0 : column - 1, right = column == columns - 1 ? column : column + 1;
    float j = image[id], dn = image[up + rows * column] - j, ds = image[down + rows * column] - j, dw = image[row + rows * left] - j, de = image[row + rows * right] - j;
    float g2 = (dn * dn + ds * ds + dw * dw + de * de) / (j * j), l = (dn + ds + dw + de) / j;
    float num = 0.5f * g2 - (1.0f / 16.0f) * (l * l), den = 1 + 0.25f * l, q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    float value = 1.0f / (1.0f + den);
    if (value < 0) value = 0;
    else if (value > 1) value = 1;
    c[id] = value;
    north[id] = dn;
    east[id] = de;
}
//: lavamd_boxes
struct Neighbours { int count; int box[27]; };
struct Four { float v, x, y, z; };
extern "C" __global__ void lavamd_boxes(const Neighbours *boxes, const Four *position, const float *charge, Four *force, float a2) {
    __shared__ Four ra[64], rb[64];
    __shared__ float qb[64];
    int b = blockIdx.x, t = threadIdx.x;
    if (t < 64) ra[t] = position[b * 64 + t];
    __syncthreads();
    Four sum = {0, 0, 0, 0};
    for (int k = 0; k < 1 + boxes[b].count; k++) {
        int other = k == 0 ? b : boxes[b].box[k - 1];
        rb[t] = position[other * 64 + t];
        qb[t] = charge[other * 64 + t];
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            float r2 = ra[t].v + rb[j].v - (ra[t].x * rb[j].x + ra[t].y * rb[j].y + ra[t].z * rb[j].z);
            float u2 = a2 * r2, vij = expf(-u2), fs = 2 * vij;
            float dx = ra[t].x - rb[j].x, dy = ra[t].y - rb[j].y, dz = ra[t].z - rb[j].z;
            sum.v += qb[j] * vij;
            sum.x += qb[j] * (fs * dx);
            sum.y += qb[j] * (fs * dy);
            sum.z += qb[j] * (fs * dz);
        }
        __syncthreads();
    }
    force[b * 64 + t] = sum;
}
//: cutoff_potential
__constant__ float4 atoms[64] = {{0.1f, 0.2f, 0.3f, 1.0f}, {0.7f, 0.1f, 0.9f, -1.0f}, {0.5f, 0.5f, 0.5f, 0.5f}, {0.9f, 0.8f, 0.1f, -0.5f}, {0.3f, 0.6f, 0.2f, 0.8f}};
extern "C" __global__ void cutoff_potential(float *lattice, int n, int count, float spacing, float cutoff2) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    float px = x * spacing, py = y * spacing, pz = z * spacing, energy = 0;
    for (int i = 0; i < count; i++) {
        float dx = px - atoms[i].x, dy = py - atoms[i].y, dz = pz - atoms[i].z;
        float r2 = dx * dx + dy * dy + dz * dz;
        if (r2 < cutoff2) {
            float s = 1.0f - r2 / cutoff2;
            energy += atoms[i].w * rsqrtf(r2 + 1e-6f) * s * s;
        }
    }
    lattice[(z * n + y) * n + x] += energy;
}
//: mri_q
struct Sample { float x, y, z, phi; };
extern "C" __global__ void mri_q(const Sample *__restrict__ samples, const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z, float *__restrict__ qr, float *__restrict__ qi, int count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sx = x[i], sy = y[i], sz = z[i], re = 0, im = 0;
    for (int k = 0; k < count; k++) {
        float arg = 6.2831853071795864769f * (samples[k].x * sx + samples[k].y * sy + samples[k].z * sz);
        re += samples[k].phi * cosf(arg);
        im += samples[k].phi * sinf(arg);
    }
    qr[i] = re;
    qi[i] = im;
}
//: bicg_both
extern "C" __global__ void bicg_both(int nx, int ny, const float *a, const float *r, float *s, const float *p, float *q) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < ny) {
        s[j] = 0.0f;
        for (int i = 0; i < nx; i++) s[j] += r[i] * a[i * ny + j];
    }
    if (j < nx) {
        q[j] = 0.0f;
        for (int i = 0; i < ny; i++) q[j] += a[j * ny + i] * p[i];
    }
}
//: gemver_update
extern "C" __global__ void gemver_update(size_t n, float *a, const float *u1, const float *v1, const float *u2, const float *v2) {
    size_t j = blockIdx.x * (size_t)blockDim.x + threadIdx.x, i = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    if (i < n && j < n) a[i * n + j] += u1[i] * v1[j] + u2[i] * v2[j];
}
//: syrk
extern "C" __global__ void syrk(int ni, int nj, float alpha, float beta, const float *a, float *c) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < ni && j < ni) {
        c[i * ni + j] *= beta;
        for (int k = 0; k < nj; k++) c[i * ni + j] += alpha * a[i * nj + k] * a[j * nj + k];
    }
}
//: covariance_triangle
extern "C" __global__ void covariance_triangle(float *symmetric, const float *data, int m, int n) {
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < m) {
        for (int j2 = j1; j2 < m; j2++) {
            float sum = 0.0f;
            for (int i = 0; i < n; i++) sum += data[i * m + j1] * data[i * m + j2];
            symmetric[j1 * m + j2] = sum;
            symmetric[j2 * m + j1] = sum;
        }
    }
}
//: fdtd_fields
extern "C" __global__ void fdtd_fields(int nx, int ny, float *ex, const float *ey, float *hz) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < nx && j < ny && j > 0) ex[i * (ny + 1) + j] = ex[i * (ny + 1) + j] - 0.5f * (hz[i * ny + j] - hz[i * ny + (j - 1)]);
    if (i < nx && j < ny) hz[i * ny + j] = hz[i * ny + j] - 0.7f * (ey[(i + 1) * ny + j] - ey[i * ny + j]);
}
//: jacobi_double
extern "C" __global__ void jacobi_double(const double *__restrict__ u, const double *__restrict__ f, double *__restrict__ v, size_t nx, size_t ny, double h2) {
    for (size_t y = blockIdx.y * blockDim.y + threadIdx.y; y < ny; y += gridDim.y * blockDim.y)
        for (size_t x = blockIdx.x * blockDim.x + threadIdx.x; x < nx; x += gridDim.x * blockDim.x) {
            size_t at = y * nx + x;
            if (x == 0 || y == 0 || x == nx - 1 || y == ny - 1) v[at] = u[at];
            else v[at] = 0.25 * (u[at - 1] + u[at + 1] + u[at - nx] + u[at + nx] - h2 * f[at]);
        }
}
//: bitonic_step
extern "C" __global__ void bitonic_step(float *values, int j, int k) {
    unsigned i = threadIdx.x + blockDim.x * blockIdx.x, other = i ^ j;
    if (other > i) {
        if ((i & k) == 0) {
            if (values[i] > values[other]) {
                float temp = values[i];
                values[i] = values[other];
                values[other] = temp;
            }
        }
        if ((i & k) != 0) {
            if (values[i] < values[other]) {
                float temp = values[i];
                values[i] = values[other];
                values[other] = temp;
            }
        }
    }
}
//: random_paths
__device__ unsigned long long next(unsigned long long &state) {
    unsigned long long z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}
extern "C" __global__ void random_paths(unsigned long long *out, unsigned long long seed, int steps) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long state = seed + i, sum = 0;
    for (int k = 0; k < steps; k++) {
        unsigned long long r = next(state);
        if (r % 10 < 3) sum += r >> 40;
        else sum -= r & 0xffff;
    }
    out[i] = sum;
}
//: binomial_tree
extern "C" __global__ void binomial_tree(const float *spot, const float *strike, float *price, float up, float down, float p, float q, int levels) {
    __shared__ float value[256];
    int t = threadIdx.x;
    float s = spot[blockIdx.x] * 100.0f, x = strike[blockIdx.x] * 100.0f;
    float at = s;
    for (int i = 0; i < levels; i++) at *= i < t ? up : down;
    value[t] = fmaxf(at - x, 0.0f);
    for (int level = levels; level > 0; level--) {
        __syncthreads();
        float next = 0;
        if (t < level) next = p * value[t + 1] + q * value[t];
        __syncthreads();
        if (t < level) value[t] = next;
    }
    if (t == 0) price[blockIdx.x] = value[0];
}
//: sobel_bytes
extern "C" __global__ void sobel_bytes(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    const int kx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    int gx = 0, gy = 0;
    for (int j = -1; j <= 1; j++)
        for (int i = -1; i <= 1; i++) {
            int px = x + i, py = y + j;
            if (px < 0) px = 0;
            if (px > width - 1) px = width - 1;
            if (py < 0) py = 0;
            if (py > height - 1) py = height - 1;
            int v = __ldg(in + py * width + px);
            gx += v * kx[j + 1][i + 1];
            gy += v * kx[i + 1][j + 1];
        }
    int g = abs(gx) + abs(gy);
    out[y * width + x] = g > 255 ? 255 : g;
}
//: dct8x8
__constant__ float basis[8][8] = {
    {0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f, 0.35355339f},
    {0.49039264f, 0.41573481f, 0.27778512f, 0.09754516f, -0.09754516f, -0.27778512f, -0.41573481f, -0.49039264f},
    {0.46193977f, 0.19134172f, -0.19134172f, -0.46193977f, -0.46193977f, -0.19134172f, 0.19134172f, 0.46193977f},
    {0.41573481f, -0.09754516f, -0.49039264f, -0.27778512f, 0.27778512f, 0.49039264f, 0.09754516f, -0.41573481f},
    {0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f, 0.35355339f, -0.35355339f, -0.35355339f, 0.35355339f},
    {0.27778512f, -0.49039264f, 0.09754516f, 0.41573481f, -0.41573481f, -0.09754516f, 0.49039264f, -0.27778512f},
    {0.19134172f, -0.46193977f, 0.46193977f, -0.19134172f, -0.19134172f, 0.46193977f, -0.46193977f, 0.19134172f},
    {0.09754516f, -0.27778512f, 0.41573481f, -0.49039264f, 0.49039264f, -0.41573481f, 0.27778512f, -0.09754516f}};
extern "C" __global__ void dct8x8(const float *in, float *out, int width) {
    __shared__ float block[8][9], rows[8][9];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
    block[ty][tx] = in[y * width + x] - 0.5f;
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += basis[ty][k] * block[k][tx];
    rows[ty][tx] = sum;
    __syncthreads();
    sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += rows[ty][k] * basis[tx][k];
    out[y * width + x] = sum;
}
//: walsh_shared
extern "C" __global__ void walsh_shared(float *data, int log2n) {
    extern __shared__ float s[];
    const int n = 1 << log2n, base = blockIdx.x << log2n;
    for (int pos = threadIdx.x; pos < n; pos += blockDim.x) s[pos] = data[base + pos];
    const int pos = threadIdx.x;
    for (int stride = n >> 2; stride > 0; stride >>= 2) {
        int lo = pos & (stride - 1), i0 = ((pos - lo) << 2) + lo, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
        __syncthreads();
        float d0 = s[i0], d1 = s[i1], d2 = s[i2], d3 = s[i3], t;
        t = d0; d0 = d0 + d2; d2 = t - d2;
        t = d1; d1 = d1 + d3; d3 = t - d3;
        t = d0;
        s[i0] = d0 + d1;
        s[i1] = t - d1;
        t = d2;
        s[i2] = d2 + d3;
        s[i3] = t - d3;
    }
    __syncthreads();
    for (int p = threadIdx.x; p < n; p += blockDim.x) data[base + p] = s[p];
}
//: convolve_rows
#define R 4
#define RESULTS 4
__constant__ float kernel_row[2 * R + 1] = {0.02f, 0.05f, 0.1f, 0.2f, 0.26f, 0.2f, 0.1f, 0.05f, 0.02f};
extern "C" __global__ void convolve_rows(float *__restrict__ dst, const float *__restrict__ src, int width, int pitch) {
    __shared__ float data[4][(RESULTS + 2) * 16];
    const int baseX = (blockIdx.x * RESULTS - 1) * 16 + threadIdx.x, baseY = blockIdx.y * 4 + threadIdx.y;
    src += baseY * pitch + baseX;
    dst += baseY * pitch + baseX;
#pragma unroll
    for (int i = 1; i < 1 + RESULTS; i++) data[threadIdx.y][threadIdx.x + i * 16] = src[i * 16];
    data[threadIdx.y][threadIdx.x] = baseX >= 0 ? src[0] : 0;
    data[threadIdx.y][threadIdx.x + (1 + RESULTS) * 16] = width - baseX > (1 + RESULTS) * 16 ? src[(1 + RESULTS) * 16] : 0;
    __syncthreads();
#pragma unroll
    for (int i = 1; i < 1 + RESULTS; i++) {
        float sum = 0;
#pragma unroll
        for (int j = -R; j <= R; j++) sum += kernel_row[R - j] * data[threadIdx.y][threadIdx.x + i * 16 + j];
        dst[i * 16] = sum;
    }
}
//: histogram_short
extern "C" __global__ void histogram_short(const unsigned short *data, unsigned *bins, size_t n, int shift) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned short v = data[i];
        atomicAdd(bins + (v >> shift), 1u);
    }
}
//: attention_row
extern "C" __global__ void attention_row(const float *q, const float *k, const float *v, float *out, int keys, float scale) {
    __shared__ float score[256], query[64], part[4][64];
    __shared__ float top, total;
    int t = threadIdx.x, head = blockIdx.y, row = blockIdx.x;
    const float *qr = q + ((size_t)head * gridDim.x + row) * 64, *kh = k + (size_t)head * keys * 64, *vh = v + (size_t)head * keys * 64;
    if (t < 64) query[t] = qr[t];
    __syncthreads();
    for (int j = t; j < keys; j += blockDim.x) {
        const float4 *key = reinterpret_cast<const float4 *>(kh + j * 64);
        float sum = 0;
#pragma unroll 4
        for (int d = 0; d < 16; d++) {
            float4 x = key[d];
            sum += x.x * query[4 * d] + x.y * query[4 * d + 1] + x.z * query[4 * d + 2] + x.w * query[4 * d + 3];
        }
        score[j] = sum * scale;
    }
    __syncthreads();
    if (t < 32) {
        float best = -1e30f, sum = 0;
        for (int j = t; j < keys; j += 32) best = fmaxf(best, score[j]);
        for (int m = 16; m; m >>= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, m));
        for (int j = t; j < keys; j += 32) sum += __expf(score[j] - best);
        for (int m = 16; m; m >>= 1) sum += __shfl_xor_sync(~0u, sum, m);
        if (t == 0) { top = best; total = sum; }
    }
    __syncthreads();
    for (int j = t; j < keys; j += blockDim.x) score[j] = __expf(score[j] - top) / total;
    __syncthreads();
    int d = t & 63, quarter = t >> 6;
    float sum = 0;
    for (int j = quarter; j < keys; j += 4) sum += score[j] * vh[j * 64 + d];
    part[quarter][d] = sum;
    __syncthreads();
    if (t < 64) out[((size_t)head * gridDim.x + row) * 64 + t] = part[0][t] + part[1][t] + part[2][t] + part[3][t];
}
//: rms_norm_half
#include <cuda_fp16.h>
extern "C" __global__ void rms_norm_half(const __half *__restrict__ x, const __half *__restrict__ weight, __half *__restrict__ out, int hidden, float epsilon) {
    __shared__ float warps[32];
    const __half *row = x + (long long)blockIdx.x * hidden;
    float sum = 0;
    for (int i = threadIdx.x; i < hidden; i += blockDim.x) {
        float v = __half2float(row[i]);
        sum += v * v;
    }
    for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m, 32);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
    if (threadIdx.x < 32) {
        for (int m = 16; m > 0; m /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, m, 32);
        if (threadIdx.x == 0) warps[0] = rsqrtf(sum / hidden + epsilon);
    }
    __syncthreads();
    float scale = warps[0];
    for (int i = threadIdx.x; i < hidden; i += blockDim.x)
        out[(long long)blockIdx.x * hidden + i] = __float2half(__half2float(row[i]) * scale * __half2float(weight[i]));
}
//: rotary_embedding
extern "C" __global__ void rotary_embedding(float *__restrict__ query, const float *__restrict__ table, const int *__restrict__ positions, int heads, int size, int stride) {
    int token = blockIdx.x;
    const float *cosine = table + (long long)positions[token] * size, *sine = cosine + size / 2;
    const int half = size / 2, n = heads * half;
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        int head = i / half, offset = i % half;
        long long base = (long long)token * stride + head * size;
        float c = __ldg(cosine + offset), s = __ldg(sine + offset), x = query[base + offset], y = query[base + half + offset];
        query[base + offset] = x * c - y * s;
        query[base + half + offset] = y * c + x * s;
    }
}
//: sha256_blocks
__constant__ unsigned K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
#define ROR(x, n) ((x) >> (n) | (x) << (32 - (n)))
extern "C" __global__ void sha256_blocks(const unsigned *in, unsigned *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    unsigned w[64];
    for (int i = 0; i < 16; i++) w[i] = __byte_perm(in[t * 16 + i], 0, 0x0123);
    for (int i = 16; i < 64; i++) {
        unsigned s0 = ROR(w[i - 15], 7) ^ ROR(w[i - 15], 18) ^ w[i - 15] >> 3, s1 = ROR(w[i - 2], 17) ^ ROR(w[i - 2], 19) ^ w[i - 2] >> 10;
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    unsigned a = 0x6a09e667, b = 0xbb67ae85, c = 0x3c6ef372, d = 0xa54ff53a, e = 0x510e527f, f = 0x9b05688c, g = 0x1f83d9ab, h = 0x5be0cd19;
    for (int i = 0; i < 64; i++) {
        unsigned t1 = h + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + ((e & f) ^ (~e & g)) + K[i] + w[i];
        unsigned t2 = (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g; g = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    out[t] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}
//: murmur64
extern "C" __global__ void murmur64(const unsigned long long *keys, unsigned long long *hashes, int words, int n) {
    const unsigned long long m = 0xc6a4a7935bd1e995ull;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned long long h = 0x8445d61a4e774912ull ^ (words * 8 * m);
        for (int w = 0; w < words; w++) {
            unsigned long long k = keys[(size_t)w * n + i];
            k *= m;
            k ^= k >> 47;
            k *= m;
            h ^= k;
            h *= m;
        }
        h ^= h >> 47;
        h *= m;
        h ^= h >> 47;
        hashes[i] = h;
    }
}
//: radix_digits
extern "C" __global__ void radix_digits(const unsigned *keys, unsigned *counts, unsigned n, unsigned shift) {
    __shared__ unsigned digit[16];
    if (threadIdx.x < 16) digit[threadIdx.x] = 0;
    __syncthreads();
    const unsigned start = blockIdx.x * 1024;
#pragma unroll
    for (unsigned k = 0; k < 4; k++) {
        unsigned i = start + k * 256 + threadIdx.x;
        if (i < n) {
            unsigned d = keys[i] >> shift & 15, peers = __match_any_sync(__activemask(), d);
            if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(&digit[d], __popc(peers));
        }
    }
    __syncthreads();
    if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = digit[threadIdx.x];
}
//: scan_long
__device__ long long warp_scan(long long v, int lane) {
#pragma unroll
    for (int d = 1; d < 32; d <<= 1) {
        long long o = __shfl_up_sync(0xffffffffu, v, d);
        if (lane >= d) v += o;
    }
    return v;
}
extern "C" __global__ void scan_long(const int *__restrict__ in, long long *__restrict__ out, int n) {
    __shared__ long long totals[8];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    long long v = i < n ? in[i] : 0, sum = warp_scan(v, lane);
    if (lane == 31) totals[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        long long t = lane < 8 ? totals[lane] : 0;
        t = warp_scan(t, lane);
        if (lane < 8) totals[lane] = t;
    }
    __syncthreads();
    if (warp) sum += totals[warp - 1];
    if (i < n) out[i] = sum - v;
}
//: split_even_odd
extern "C" __global__ void split_even_odd(const unsigned *in, unsigned *out, unsigned *counters, int n) {
    __shared__ unsigned evens, odds, base[2];
    if (threadIdx.x == 0) evens = odds = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned v = 0, at = 0;
    if (i < n) {
        v = in[i];
        at = v & 1 ? atomicAdd(&odds, 1) : atomicAdd(&evens, 1);
    }
    __syncthreads();
    if (threadIdx.x < 2) base[threadIdx.x] = atomicAdd(counters + threadIdx.x, threadIdx.x ? odds : evens);
    __syncthreads();
    if (i < n) {
        if (v & 1) out[n - 1 - (base[1] + at)] = v;
        else out[base[0] + at] = v;
    }
}
//: nbody_double
extern "C" __global__ void nbody_double(const double *x, const double *y, const double *z, const double *m, double *ax, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0, xi = x[i], yi = y[i], zi = z[i];
    for (int j = 0; j < n; ++j) {
        double dx = x[j] - xi, dy = y[j] - yi, dz = z[j] - zi;
        double d2 = dx * dx + dy * dy + dz * dz + 1e-4;
        double inverse = 1.0 / sqrt(d2);
        sum += m[j] * dx * inverse * inverse * inverse;
    }
    ax[i] = sum;
}
//: gemv_half
#include <cuda_fp16.h>
extern "C" __global__ void gemv_half(const __half *a, const __half *x, float *y, int columns) {
    int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
    const uint4 *ra = (const uint4 *)(a + (size_t)row * columns), *rx = (const uint4 *)x;
    float sum = 0;
    for (int c = lane; c < columns / 8; c += 32) {
        uint4 va = ra[c], vx = rx[c];
        const __half2 *ha = (const __half2 *)&va, *hx = (const __half2 *)&vx;
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 fa = __half22float2(ha[k]), fx = __half22float2(hx[k]);
            sum += fa.x * fx.x;
            sum += fa.y * fx.y;
        }
    }
#pragma unroll
    for (int d = 16; d >= 1; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
    if (lane == 0) y[row] = sum;
}
//: gemm_dp4a
extern "C" __global__ void gemm_dp4a(const int *__restrict__ a, const int *__restrict__ b, int *__restrict__ c, int m, int n, int k4) {
    __shared__ int sa[16][17], sb[16][17];
    int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx, sum = 0;
    for (int k = 0; k < k4; k += 16) {
        sa[ty][tx] = row < m && k + tx < k4 ? a[row * k4 + k + tx] : 0;
        sb[ty][tx] = blockIdx.x * 16 + ty < n && k + tx < k4 ? b[(blockIdx.x * 16 + ty) * k4 + k + tx] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++) sum = __dp4a(sa[ty][i], sb[tx][i], sum);
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
//: sgemm_8x8
extern "C" __global__ void __launch_bounds__(64) sgemm_8x8(int m, int n, int k, float alpha, const float *a, const float *b, float beta, float *c) {
    const int BM = 64, BN = 64, BK = 8;
    __shared__ float as[BM * BK], bs[BK * BN];
    int tr = threadIdx.x / (BN / 8), tc = threadIdx.x % (BN / 8);
    a += blockIdx.y * BM * k;
    b += blockIdx.x * BN;
    c += blockIdx.y * BM * n + blockIdx.x * BN;
    int ra = threadIdx.x / (BK / 4), ca = threadIdx.x % (BK / 4), rb = threadIdx.x / (BN / 4), cb = threadIdx.x % (BN / 4);
    float results[8 * 8] = {0.0f}, rm[8], rn[8];
    for (int block = 0; block < k; block += BK) {
        for (int o = 0; o < BM; o += 32) {
            float4 t = reinterpret_cast<const float4 *>(&a[(ra + o) * k + ca * 4])[0];
            as[(ca * 4 + 0) * BM + ra + o] = t.x;
            as[(ca * 4 + 1) * BM + ra + o] = t.y;
            as[(ca * 4 + 2) * BM + ra + o] = t.z;
            as[(ca * 4 + 3) * BM + ra + o] = t.w;
        }
        for (int o = 0; o < BK; o += 4)
            reinterpret_cast<float4 *>(&bs[(rb + o) * BN + cb * 4])[0] = reinterpret_cast<const float4 *>(&b[(rb + o) * n + cb * 4])[0];
        __syncthreads();
        a += BK;
        b += BK * n;
        for (int dot = 0; dot < BK; ++dot) {
            for (int i = 0; i < 8; ++i) rm[i] = as[dot * BM + tr * 8 + i];
            for (int i = 0; i < 8; ++i) rn[i] = bs[dot * BN + tc * 8 + i];
            for (int i = 0; i < 8; ++i)
                for (int j = 0; j < 8; ++j) results[i * 8 + j] += rm[i] * rn[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j += 4) {
            float4 t = reinterpret_cast<float4 *>(&c[(tr * 8 + i) * n + tc * 8 + j])[0];
            t.x = alpha * results[i * 8 + j] + beta * t.x;
            t.y = alpha * results[i * 8 + j + 1] + beta * t.y;
            t.z = alpha * results[i * 8 + j + 2] + beta * t.z;
            t.w = alpha * results[i * 8 + j + 3] + beta * t.w;
            reinterpret_cast<float4 *>(&c[(tr * 8 + i) * n + tc * 8 + j])[0] = t;
        }
}
//: resize_bilinear
extern "C" __global__ void resize_bilinear(const uchar4 *in, uchar4 *out, int iw, int ih, int ow, int oh) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= ow || y >= oh) return;
    float fx = (x + 0.5f) * iw / ow - 0.5f, fy = (y + 0.5f) * ih / oh - 0.5f;
    int x0 = max((int)floorf(fx), 0), y0 = max((int)floorf(fy), 0), x1 = min(x0 + 1, iw - 1), y1 = min(y0 + 1, ih - 1);
    float ax = fminf(fmaxf(fx - x0, 0.0f), 1.0f), ay = fminf(fmaxf(fy - y0, 0.0f), 1.0f);
    uchar4 a = in[y0 * iw + x0], b = in[y0 * iw + x1], c = in[y1 * iw + x0], d = in[y1 * iw + x1], r;
    float w0 = (1 - ax) * (1 - ay), w1 = ax * (1 - ay), w2 = (1 - ax) * ay, w3 = ax * ay;
    r.x = (unsigned char)(a.x * w0 + b.x * w1 + c.x * w2 + d.x * w3 + 0.5f);
    r.y = (unsigned char)(a.y * w0 + b.y * w1 + c.y * w2 + d.y * w3 + 0.5f);
    r.z = (unsigned char)(a.z * w0 + b.z * w1 + c.z * w2 + d.z * w3 + 0.5f);
    r.w = 255;
    out[y * ow + x] = r;
}
//: gemv_float4
extern "C" __global__ void gemv_float4(const float *__restrict__ a, const float *__restrict__ x, float *__restrict__ y, int m, int n) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize, warps = gridDim.x * blockDim.x / warpSize;
    const float4 *x4 = reinterpret_cast<const float4 *>(x);
    for (int row = warp; row < m; row += warps) {
        const float4 *a4 = reinterpret_cast<const float4 *>(a + (size_t)row * n);
        float sum = 0;
        for (int i = lane; i < n / 4; i += warpSize) {
            float4 u = a4[i], v = __ldg(x4 + i);
            sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
        }
        for (int offset = warpSize / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0) y[row] = sum;
    }
}
//: tree_search
struct Node { unsigned key; int left, right; unsigned value; };
extern "C" __global__ void tree_search(const Node *nodes, const unsigned *keys, unsigned *found, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned key = keys[i], result = 0xffffffffu;
    int at = 0;
    while (at >= 0) {
        Node node = nodes[at];
        if (node.key == key) { result = node.value; break; }
        at = key < node.key ? node.left : node.right;
    }
    found[i] = result;
}
//: ray_boxes
struct Box { float lo[3], hi[3]; int left, right; };
extern "C" __global__ void ray_boxes(const Box *boxes, const float *origin, int *hits, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float ox = origin[i * 3], oy = origin[i * 3 + 1], oz = origin[i * 3 + 2];
    int stack[24], top = 0, count = 0;
    stack[top++] = 0;
    while (top > 0) {
        const Box &b = boxes[stack[--top]];
        if (ox < b.lo[0] || ox > b.hi[0] || oy < b.lo[1] || oy > b.hi[1] || oz < b.lo[2] || oz > b.hi[2]) continue;
        if (b.left < 0) { count++; continue; }
        stack[top++] = b.left;
        stack[top++] = b.right;
    }
    hits[i] = count;
}
//: small_machine
extern "C" __global__ void small_machine(const unsigned char *program, const int *in, int *out, int length, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int a = in[i], b = i, c = 1;
    for (int pc = 0; pc < length; pc++) {
        switch (program[pc]) {
        case 0: a += b; break;
        case 1: a ^= b; break;
        case 2: b = a * c; break;
        case 3: c = c << 1 | 1; break;
        case 4: a = a > b ? a - b : b - a; break;
        case 5: b = ~a; break;
        case 6: if (a & 1) c += 3; else b -= c; break;
        case 7: a = __popc(b) + c; break;
        default: c = a >> 3; break;
        }
    }
    out[i] = a + b + c;
}
//: permute_tensor
extern "C" __global__ void permute_tensor(const float *in, float *out, int d0, int d1, int d2, int d3, int total) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += gridDim.x * blockDim.x) {
        int w = i % d3, r = i / d3, h = r % d2;
        r /= d2;
        int c = r % d1, b = r / d1;
        out[((b * d2 + h) * d3 + w) * d1 + c] = in[i];
    }
}
//: collatz
extern "C" __global__ void collatz(unsigned short *steps, unsigned start, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    unsigned long long v = start + i;
    unsigned short k = 0;
    while (v != 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        k++;
    }
    steps[i] = k;
}
//: find_pattern
extern "C" __global__ void find_pattern(const char *text, const char *pattern, int *matches, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > n - m) return;
    int k = 0;
    while (k < m && text[i + k] == pattern[k]) k++;
    if (k == m) atomicAdd(matches, 1);
    else if (k > 1) atomicMax(matches + 1, k);
}
//: edit_distance
extern "C" __global__ void edit_distance(const char *words, const char *query, int *distance, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    short row[17];
    for (short j = 0; j <= 16; j++) row[j] = j;
    for (int a = 0; a < 16; a++) {
        char letter = words[a * n + i];
        short diagonal = row[0];
        row[0] = a + 1;
        for (int j = 1; j <= 16; j++) {
            short above = row[j];
            short best = diagonal + (letter != query[j - 1]);
            if (above + 1 < best) best = above + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = above;
        }
    }
    distance[i] = row[16];
}
//: heat_columns
extern "C" __global__ void heat_columns(const float *__restrict__ in, float *__restrict__ out, int nx, int ny, int nz) {
    __shared__ float tile[10][34];
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, plane = nx * ny, at = y * nx + x;
    if (x >= nx || y >= ny) return;
    float behind = 0, here = in[at], front = in[at + plane];
    for (int z = 1; z < nz - 1; z++) {
        at += plane;
        behind = here;
        here = front;
        front = in[at + plane];
        __syncthreads();
        tile[ty][tx] = here;
        if (threadIdx.x == 0 && x > 0) tile[ty][0] = in[at - 1];
        if (threadIdx.x == 31 && x < nx - 1) tile[ty][33] = in[at + 1];
        if (threadIdx.y == 0 && y > 0) tile[0][tx] = in[at - nx];
        if (threadIdx.y == 7 && y < ny - 1) tile[9][tx] = in[at + nx];
        __syncthreads();
        if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
            out[at] = here + 0.1f * (tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx] + front + behind - 6.0f * here);
    }
}
//: max_pool
extern "C" __global__ void max_pool(const float *in, float *out, int *where, int channels, int height, int width, int oh, int ow, int size, int stride, int pad, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        int pw = i % ow, ph = i / ow % oh, c = i / ow / oh % channels, b = i / ow / oh / channels;
        int hs = ph * stride - pad, ws = pw * stride - pad, he = min(hs + size, height), we = min(ws + size, width);
        hs = max(hs, 0);
        ws = max(ws, 0);
        float best = -3.4e38f;
        int at = -1;
        const float *slice = in + (b * channels + c) * height * width;
        for (int h = hs; h < he; ++h)
            for (int w = ws; w < we; ++w)
                if (slice[h * width + w] > best) {
                    at = h * width + w;
                    best = slice[at];
                }
        out[i] = best;
        where[i] = at;
    }
}
//: conv2d_direct
extern "C" __global__ void conv2d_direct(const float *__restrict__ in, const float *__restrict__ weights, float *__restrict__ out, int channels, int size) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, f = blockIdx.z, inner = size - 2;
    if (x >= inner || y >= inner) return;
    float sum = 0;
    for (int c = 0; c < channels; c++)
#pragma unroll
        for (int i = 0; i < 3; i++)
#pragma unroll
            for (int j = 0; j < 3; j++) sum += in[(c * size + y + i) * size + x + j] * weights[((f * channels + c) * 3 + i) * 3 + j];
    out[(f * inner + y) * inner + x] = fmaxf(sum, 0.0f);
}
//: embedding_bag
extern "C" __global__ void embedding_bag(const float *table, const long long *indices, const int *offsets, float *out, int width, int bags) {
    int bag = blockIdx.x;
    if (bag >= bags) return;
    int first = offsets[bag], last = offsets[bag + 1];
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        float sum = 0;
        for (int k = first; k < last; k++) sum += table[indices[k] * width + c];
        out[(size_t)bag * width + c] = last > first ? sum / (last - first) : 0.0f;
    }
}
//: adam_step
extern "C" __global__ void adam_step(float *p, float *m, float *v, const float *g, float rate, float b1, float b2, float eps, float c1, float c2, long n) {
    long i = (long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float grad = g[i], mi = b1 * m[i] + (1 - b1) * grad, vi = b2 * v[i] + (1 - b2) * grad * grad;
    m[i] = mi;
    v[i] = vi;
    p[i] -= rate * (mi / c1) / (sqrtf(vi / c2) + eps);
}
//: gelu_bias
extern "C" __global__ void gelu_bias(const float4 *in, const float4 *bias, float4 *out, int columns4, int n4) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n4) return;
    float4 v = in[i], b = bias[i % columns4];
    float *e = &v.x, *f = &b.x;
#pragma unroll
    for (int k = 0; k < 4; k++) {
        float x = e[k] + f[k];
        e[k] = 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
    }
    out[i] = v;
}
//: argmax_rows
extern "C" __global__ void argmax_rows(const float *in, int *out, int columns) {
    __shared__ float best[8];
    __shared__ int which[8];
    float m = -1e30f;
    int at = 0;
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
        float v = in[blockIdx.x * columns + c];
        if (v > m) { m = v; at = c; }
    }
    for (int d = 16; d > 0; d >>= 1) {
        float om = __shfl_down_sync(0xffffffff, m, d);
        int oa = __shfl_down_sync(0xffffffff, at, d);
        if (om > m || (om == m && oa < at)) { m = om; at = oa; }
    }
    if (threadIdx.x % 32 == 0) { best[threadIdx.x / 32] = m; which[threadIdx.x / 32] = at; }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++)
            if (best[w] > m || (best[w] == m && which[w] < at)) { m = best[w]; at = which[w]; }
        out[blockIdx.x] = at;
    }
}
//: count_primes
extern "C" __global__ void count_primes(int *count, int first, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool prime = false;
    if (i < n) {
        int v = first + i;
        prime = v % 2 != 0;
        for (int d = 3; prime && d * d <= v; d += 2)
            if (v % d == 0) prime = false;
    }
    int total = __syncthreads_count(prime);
    if (threadIdx.x == 0) atomicAdd(count, total);
}
//: invert_4x4
extern "C" __global__ void invert_4x4(const float *in, float *out, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    float m[4][8];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            m[i][j] = in[(i * 4 + j) * n + t] + (i == j ? 4.0f : 0.0f);
            m[i][j + 4] = i == j;
        }
    for (int c = 0; c < 4; c++) {
        float pivot = 1.0f / m[c][c];
        for (int j = 0; j < 8; j++) m[c][j] *= pivot;
        for (int i = 0; i < 4; i++)
            if (i != c) {
                float f = m[i][c];
                for (int j = 0; j < 8; j++) m[i][j] -= f * m[c][j];
            }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[(i * 4 + j) * n + t] = m[i][j + 4];
}
//: rgb_to_hsv
extern "C" __global__ void rgb_to_hsv(const uchar3 *in, float *hue, unsigned char *value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    uchar3 p = in[i];
    float r = p.x / 255.0f, g = p.y / 255.0f, b = p.z / 255.0f, most = fmaxf(r, fmaxf(g, b)), least = fminf(r, fminf(g, b)), c = most - least, h;
    if (c == 0) h = 0;
    else if (most == r) h = (g - b) / c;
    else if (most == g) h = (b - r) / c + 2;
    else h = (r - g) / c + 4;
    h *= 60;
    if (h < 0) h += 360;
    hue[i] = h;
    value[i] = (unsigned char)(most * 255.0f + 0.5f);
}
//: statistics_atomics
extern "C" __global__ void statistics_atomics(const int *in, int *least, int *most, unsigned *flags, unsigned long long *sum, int n) {
    __shared__ int lo, hi;
    __shared__ unsigned seen;
    if (threadIdx.x == 0) { lo = 2147483647; hi = -2147483647; seen = 0; }
    __syncthreads();
    unsigned long long mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int v = in[i];
        atomicMin(&lo, v);
        atomicMax(&hi, v);
        atomicOr(&seen, 1u << (v & 31));
        mine += v;
    }
    atomicAdd(sum, mine);
    __syncthreads();
    if (threadIdx.x == 0) { atomicMin(least, lo); atomicMax(most, hi); atomicOr(flags, seen); }
}
//: ising_colour
extern "C" __global__ void ising_colour(signed char *lattice, const signed char *other, const float *random, float beta, int nx, int ny, int black) {
    const long long t = (long long)blockDim.x * blockIdx.x + threadIdx.x;
    const int i = t / ny, j = t % ny;
    if (i >= nx) return;
    int down = i + 1 < nx ? i + 1 : 0, up = i - 1 >= 0 ? i - 1 : nx - 1, right = j + 1 < ny ? j + 1 : 0, left = j - 1 >= 0 ? j - 1 : ny - 1;
    int side = black ? (i % 2 ? right : left) : (i % 2 ? left : right);
    signed char sum = other[up * ny + j] + other[i * ny + j] + other[down * ny + j] + other[i * ny + side], spin = lattice[i * ny + j];
    float accept = __expf(-2.0f * beta * sum * spin);
    if (random[i * ny + j] < accept) lattice[i * ny + j] = -spin;
}
//: relax_edges
extern "C" __global__ void relax_edges(const int2 *edges, const int *weight, int *distance, int *changed, int m) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= m) return;
    int2 uv = edges[e];
    int du = distance[uv.x];
    if (du == 0x7fffffff) return;
    int d = du + weight[e];
    if (d < distance[uv.y] && atomicMin(distance + uv.y, d) > d) *changed = 1;
}
//: list_ranks
extern "C" __global__ void list_ranks(const int *next, const int *rank, int *next_out, int *rank_out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int j = next[i];
        if (j >= 0) {
            rank_out[i] = rank[i] + rank[j];
            next_out[i] = next[j];
        } else {
            rank_out[i] = rank[i];
            next_out[i] = -1;
        }
    }
}
//: particles_push
struct Particle { float x, y, z, vx, vy, vz; int cell, kind; };
extern "C" __global__ void particles_push(Particle *particles, const float3 *field, int cells, float dt, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    Particle p = particles[i];
    float3 e = field[p.cell];
    float s = p.kind == 0 ? 1.0f : p.kind == 1 ? -1.0f : 0.5f;
    p.vx += s * e.x * dt;
    p.vy += s * e.y * dt;
    p.vz += s * e.z * dt;
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    p.z += p.vz * dt;
    if (p.x < 0.0f) { p.x = -p.x; p.vx = -p.vx; }
    if (p.x > 1.0f) { p.x = 2.0f - p.x; p.vx = -p.vx; }
    p.cell = min(max((int)(p.x * cells), 0), cells - 1);
    particles[i] = p;
}
//: transpose_words
extern "C" __global__ void transpose_words(const short2 *in, short2 *out, unsigned width, unsigned height) {
    __shared__ short2 tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8)
        if (x < width && y + k < height) tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
    for (unsigned k = 0; k < 32; k += 8)
        if (x < height && y + k < width) {
            short2 v = tile[threadIdx.x][threadIdx.y + k];
            out[(y + k) * height + x] = make_short2(v.y, v.x);
        }
}
