// How the blocks of a multiprocessor get on that wait for memory: products whose blocks march along the same matrices, and loads near by
// with one farther off.
//   nvcc -arch=sm_90 -O3 -std=c++17 -o marching marching.cu
//   marching > marching.csv        PTX: nvcc -arch=sm_90 -O3 -ptx, without what only the host needs
#include <cstdio>
#include <cstdlib>
#include <vector>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s, line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
typedef unsigned u32;

__device__ __forceinline__ u32 nanoseconds() { unsigned long long v; asm volatile("mov.u64 %0,%globaltimer;" : "=l"(v)); return (u32)v; }
__device__ __forceinline__ u32 cycles() { u32 v; asm volatile("mov.u32 %0,%clock;" : "=r"(v) :: "memory"); return v; }
__device__ __forceinline__ u32 multiprocessor() { u32 v; asm volatile("mov.u32 %0,%smid;" : "=r"(v)); return v; }

// Tiles of 16 x 16 of a product, in eighths of the sum; `rows` and `columns` 0: all blocks the same tile; `turned` 1: each begins elsewhere;
// `within` 15: along all of the matrices, 0: over the first eighth again and again. times: ten words of each block.
extern "C" __global__ void product(const float *a, const float *b, float *c, int n, u32 *times, int rows, int columns, int turned, int within) {
    int by = blockIdx.x / 64 & rows, bx = blockIdx.x % 64 & columns, begin = (blockIdx.x / 64 * 37 + blockIdx.x % 64 * 11) % 16 * turned;
    int x = bx * 16 + threadIdx.x % 16, y = by * 16 + threadIdx.x / 16;
    float sum = 0;
    u32 at[9];
    at[0] = nanoseconds();
    for (int h = 0; h < 8; h++) {
        int from = h * 2 + begin & within;
        for (int k = from * (n / 16); k < (from + 2) * (n / 16); k++) sum += a[y * n + k] * b[k * n + x];
        at[h + 1] = nanoseconds() + (sum == 12.3456f);
    }
    c[blockIdx.x * 256 + threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        u32 *out = times + blockIdx.x * 10;
        for (int h = 0; h < 9; h++) out[h] = at[h];
        out[9] = multiprocessor();
    }
}

// Trips of N loads, of shared memory or of L1, and then one of the L2; all wait for all of them. log: multiprocessor, begin, middle, end of each warp.
template <int N, bool L1> __device__ __forceinline__ void trips_of(uint4 *log, float *out, const char *near, const char *far, int trips) {
    __shared__ u32 words[256];
    int lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    for (int i = threadIdx.x; i < 256; i += blockDim.x) words[i] = 0;
    u32 at = (L1 ? 0 : (u32)__cvta_generic_to_shared(words)) + lane * 4, all = 0, middle = 0, v[N], w;
    for (int k = 0; L1 && k < 8; k++) { asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(w) : "l"(near + at + 128 * k)); all += w; }
    const char *mine = far + warp * 128 + all;
    __syncthreads();
    u32 begin = cycles();
    #pragma unroll 1
    for (int t = 0; t < trips; t++) {
        #pragma unroll
        for (int j = 0; j < N; j++) {
            if (L1) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v[j]) : "l"(near + at + 128 * j));
            else asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v[j]) : "r"(at + 128 * j));
        }
        #pragma unroll
        for (int j = 0; j < N; j++) mine += v[j];
        asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(w) : "l"(mine));
        at += w;
        if (t == trips / 2) middle = cycles();
    }
    if (lane == 0) log[warp] = make_uint4(multiprocessor(), begin, middle, cycles());
    if (at == 12345) *out = 1;
}
#define TRIPS(n) \
    extern "C" __global__ void shared_##n(uint4 *log, float *out, const char *near, const char *far, int trips) { trips_of<n, false>(log, out, near, far, trips); } \
    extern "C" __global__ void l1_##n(uint4 *log, float *out, const char *near, const char *far, int trips) { trips_of<n, true>(log, out, near, far, trips); }
TRIPS(2) TRIPS(4) TRIPS(8)

__global__ void others(const float4 *p, long n, float *out) {       // leaves other lines in the L2
    float s = 0;
    for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += (long)gridDim.x * blockDim.x) { float4 v = p[i]; s += v.x + v.y + v.z + v.w; }
    if (s == 1.2345f) *out = s;
}

const int SMS = 132, N = 1024;
int main() {
    float *p, *a;
    u32 *times;
    uint4 *log;
    CHECK(cudaMalloc(&p, 1l << 30)); CHECK(cudaMemset(p, 0, 1l << 30)); CHECK(cudaMalloc(&a, 64 << 20)); CHECK(cudaMemset(a, 0, 64 << 20));
    CHECK(cudaMalloc(&times, SMS * 8 * 40)); CHECK(cudaMalloc(&log, SMS * 64 * 16));
    const char *names[] = {"own tiles", "one tile", "turned", "own tiles, near", "one tile, near"};
    int what[][4] = {{-1, -1, 0, 15}, {0, 0, 0, 15}, {-1, -1, 1, 14}, {-1, -1, 0, 0}, {0, 0, 0, 0}};
    printf("kernel,caches,blocks_per_multiprocessor,end_us");
    for (int k = 0; k < 8; k++) printf(",eighth_%d_us", k);
    printf("\n");
    for (int w = 0; w < 5; w++) for (int cold = 1; cold >= 0; cold--) for (int blocks : {1, 2, 3, 5, 8}) {
        std::vector<u32> t(SMS * blocks * 10);
        for (int again = 0; again < 2; again++) {
            if (cold) others<<<1056, 256>>>((float4 *)p, 1l << 26, p);
            product<<<SMS * blocks, 256>>>(a, a + N * N, a + 4 * N * N, N, times, what[w][0], what[w][1], what[w][2], what[w][3]);
            CHECK(cudaDeviceSynchronize());
        }
        CHECK(cudaMemcpy(t.data(), times, t.size() * 4, cudaMemcpyDeviceToHost));
        u32 first = ~0u;
        for (int b = 0; b < SMS * blocks; b++) first = t[b * 10] < first ? t[b * 10] : first;
        std::vector<int> seen(SMS, 0);
        std::vector<double> end(SMS, 0), eighth(blocks, 0);
        for (int b = 0; b < SMS * blocks; b++) {
            u32 *one = &t[b * 10], sm = one[9];
            if (one[8] - first > end[sm]) end[sm] = one[8] - first;
            if (seen[sm] < blocks) eighth[seen[sm]] += one[1] - first;
            seen[sm]++;
        }
        double mean = 0;
        for (double e : end) mean += e / SMS;
        printf("\"%s\",%s,%d,%.2f", names[w], cold ? "cold" : "warm", blocks, mean / 1000);
        for (int k = 0; k < 8; k++) k < blocks ? printf(",%.2f", eighth[k] / SMS / 1000) : printf(",");
        printf("\n");
    }
    typedef void (*Trips)(uint4 *, float *, const char *, const char *, int);
    struct { const char *name; Trips kernel; int n; } each[] = {{"shared_2", shared_2, 2}, {"shared_4", shared_4, 4}, {"shared_8", shared_8, 8},
                                                                {"l1_2", l1_2, 2}, {"l1_4", l1_4, 4}, {"l1_8", l1_8, 8}};
    fprintf(stderr, "kernel,trips,blocks_per_multiprocessor");
    for (int k = 0; k < 8; k++) fprintf(stderr, ",middle_%d", k);
    for (int k = 0; k < 8; k++) fprintf(stderr, ",end_%d", k);
    fprintf(stderr, "\n");
    for (auto &one : each) for (int blocks : {1, 5, 8}) {
        int trips = 512 / one.n;
        for (int again = 0; again < 2; again++) one.kernel<<<SMS * blocks, 256>>>(log, p, (char *)a, (char *)a + 65536, trips);
        std::vector<uint4> h(SMS * blocks * 8);
        CHECK(cudaMemcpy(h.data(), log, h.size() * 16, cudaMemcpyDeviceToHost));
        std::vector<int> seen(SMS, 0);
        std::vector<u32> begin(SMS);
        std::vector<char> known(SMS, 0);
        for (auto &w : h) if (!known[w.x] || (int)(w.y - begin[w.x]) < 0) { begin[w.x] = w.y; known[w.x] = 1; }
        double middle[8] = {}, end[8] = {};
        for (int b = 0; b < SMS * blocks; b++) {
            int sm = h[b * 8].x, k = seen[sm]++;
            for (int i = 0; i < 8 && k < 8; i++) { middle[k] += (h[b * 8 + i].z - begin[sm]) / 8. / SMS; end[k] += (h[b * 8 + i].w - begin[sm]) / 8. / SMS; }
        }
        fprintf(stderr, "%s,%d,%d", one.name, trips, blocks);
        for (int k = 0; k < 8; k++) k < blocks ? fprintf(stderr, ",%.0f", middle[k]) : fprintf(stderr, ",");
        for (int k = 0; k < 8; k++) k < blocks ? fprintf(stderr, ",%.0f", end[k]) : fprintf(stderr, ",");
        fprintf(stderr, "\n");
    }
}
