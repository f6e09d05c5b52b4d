// What clusters of blocks take: latency and rate of other blocks' shared memory, barrier, messages. Run by measure_clusters.py.
//   nvcc -arch=sm_90 -cubin -o clusters.cubin clusters.cu
typedef unsigned int u32; typedef unsigned long long u64;
__device__ __forceinline__ u32 rank_() { u32 r; asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ u32 blocks_() { u32 r; asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r)); return r; }
__device__ __forceinline__ u32 sm_() { u32 r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ __forceinline__ u32 mapa_(u32 a, u32 r) { u32 d; asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(r)); return d; }
__device__ __forceinline__ u32 own_(void *p) { return (u32)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void sync_() { asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory"); }
__device__ __forceinline__ u32 ld_(u32 a) { u32 d; asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(d) : "r"(a) : "memory"); return d; }
__device__ __forceinline__ u32 lds_(u32 a) { u32 d; asm volatile("ld.shared.u32 %0, [%1];" : "=r"(d) : "r"(a) : "memory"); return d; }
extern __shared__ u32 dyn[];

extern "C" __global__ void latency(u32 *out)     // out[rank]: cycles of 256 loads, [32]: local
{
    __shared__ u32 chain[64];
    u32 r = rank_(), n = blocks_();
    if (threadIdx.x < 64) chain[threadIdx.x] = mapa_(own_(chain + (threadIdx.x + 1) % 64), r);
    sync_();
    if (r == 0 && threadIdx.x == 0 && blockIdx.x == 0) {
        for (u32 k = 0; k < n; k++) {
            u32 a = mapa_(own_(chain), k);
            for (int i = 0; i < 64; i++) a = ld_(a);
            u32 t = clock();
            #pragma unroll 16
            for (int i = 0; i < 256; i++) a = ld_(a);
            out[k] = clock() - t; out[64 + k] = a;
        }
        u32 a = own_(chain) & 0xffffff; 
        u32 t = clock();
        #pragma unroll 16
        for (int i = 0; i < 256; i++) a = lds_(a) & 0xffffff;
        out[32] = clock() - t; out[33] = a; out[34] = own_(chain); out[35] = mapa_(own_(chain), 0); out[36] = mapa_(own_(chain), n - 1);
    }
    sync_();
}

template <int WORDS> __device__ void rate(u32 *out, u32 stride, u32 rounds, u32 hop)
{
    u32 r = rank_(), n = blocks_(), sum = 0;
    for (u32 i = threadIdx.x; i < 16384; i += blockDim.x) dyn[i] = i;
    u32 base = mapa_(own_(dyn), (r + hop) % n), at = threadIdx.x * stride * WORDS % 16384;
    sync_();
    u32 t = clock();
    for (u32 k = 0; k < rounds; k++) {
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            u32 a = base + 4 * ((at + j * 1024) % 16384), x, y, z, w;
            if (WORDS == 1) { asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(a) : "memory"); sum += x; }
            else { asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(a) : "memory"); sum += x + y + z + w; }
        }
    }
    if (sum == 12345) out[999] = sum;
    __syncthreads();
    t = clock() - t;
    sync_();
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = t; out[2 * blockIdx.x + 1] = sm_(); }
}
extern "C" __global__ void rate1(u32 *out, u32 stride, u32 rounds, u32 hop) { rate<1>(out, stride, rounds, hop); }
extern "C" __global__ void rate4(u32 *out, u32 stride, u32 rounds, u32 hop) { rate<4>(out, stride, rounds, hop); }
extern "C" __global__ void store1(u32 *out, u32 stride, u32 rounds, u32 hop)
{
    u32 r = rank_(), n = blocks_();
    u32 base = mapa_(own_(dyn), (r + hop) % n), at = threadIdx.x * stride % 16384;
    sync_();
    u32 t = clock();
    for (u32 k = 0; k < rounds; k++) {
        #pragma unroll
        for (int j = 0; j < 8; j++) {
            u32 a = base + 4 * ((at + j * 1024) % 16384);
            asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(a), "r"(k) : "memory");
        }
    }
    sync_();
    t = clock() - t;
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = t; out[2 * blockIdx.x + 1] = sm_(); }
}
extern "C" __global__ void barrier(u32 *out)
{
    for (int i = 0; i < 8; i++) sync_();
    u32 t = clock();
    for (int i = 0; i < 64; i++) sync_();
    t = clock() - t;
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = t; out[2 * blockIdx.x + 1] = sm_(); }
}
// ranks 0 and 1 answer each other: mode 0 mbarrier.arrive in the other's memory, 1 st.async
extern "C" __global__ void pingpong(u32 *out, u32 mode)
{
    __shared__ __align__(8) u64 bar; __shared__ __align__(8) u32 word[2];
    u32 r = rank_(), b = own_(&bar);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(b) : "memory");
    sync_();
    if (threadIdx.x == 0 && r < 2) {
        u32 far = mapa_(b, r ^ 1), place = mapa_(own_(word), r ^ 1), t = 0, phase = 0;
        if (mode == 1) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4;" :: "r"(b) : "memory");
        for (int i = 0; i < 72; i++) {
            if (i == 8) t = clock();
            if (r == 1 || i >= 0) {
                if (r == 1) {
                    u32 ok = 0;
                    while (!ok) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(b), "r"(phase) : "memory");
                    phase ^= 1;
                    if (mode == 1) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4;" :: "r"(b) : "memory");
                }
                if (mode == 1) asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" :: "r"(place), "r"(i), "r"(far) : "memory");
                else asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(far) : "memory");
                if (r == 0) {
                    u32 ok = 0;
                    while (!ok) asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}" : "=r"(ok) : "r"(b), "r"(phase) : "memory");
                    phase ^= 1;
                    if (mode == 1) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 4;" :: "r"(b) : "memory");
                }
            }
        }
        if (r == 0) out[0] = clock() - t;
    }
    sync_();
}
extern "C" __global__ void place(u32 *out) { if (threadIdx.x == 0) out[blockIdx.x] = sm_(); u32 t = clock(); while (clock() - t < 20000); sync_(); }
