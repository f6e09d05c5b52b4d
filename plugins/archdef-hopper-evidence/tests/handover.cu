// When warps of one scheduler, that of warp 0, have issued so many accesses each, behind a barrier; alone, or beside as many of the other three.
//   nvcc -arch=sm_90 -O3 -std=c++17 -o handover handover.cu
//   handover > handover.csv
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s, line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
typedef unsigned u32;
__device__ __forceinline__ u32 cycles() { u32 v; asm volatile("mov.u32 %0,%clock;" : "=r"(v) :: "memory"); return v; }
// which: 0 lds, 1 ldg hit, 2 sts, 3 stg, 4 shfl ; N accesses by each warp of the schedulers in `mask`
template <int W, int N> __device__ __forceinline__ void go(u32 *log, char *p, int mask, int again) {
    __shared__ u32 words[1024];
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    words[threadIdx.x] = 0;
    u32 s = (u32)__cvta_generic_to_shared(words) + lane * 4, v[N], all = 0, r;
    char *g = p + lane * 4 + (W == 3 ? warp * 4096 + blockIdx.x * 131072 : 0);
    for (int k = 0; k < N; k++) { asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(r) : "l"(p + lane * 4 + 128 * k)); all += r; }
    u32 t[6];
    if (!(mask >> (warp % 4) & 1)) { __syncthreads(); __syncthreads(); return; }
    for (int a = 0; a < 2; a++) {
        __syncthreads();
        t[0] = cycles();
        #pragma unroll
        for (int k = 0; k < N; k++) {
            if (W == 0) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v[k]) : "r"(s + 128 * k));
            if (W == 1) asm volatile("ld.global.ca.u32 %0,[%1];" : "=r"(v[k]) : "l"(g + 128 * k));
            if (W == 2) asm volatile("st.shared.u32 [%0],%1;" :: "r"(s + 128 * k), "r"(all));
            if (W == 3) asm volatile("st.global.u32 [%0],%1;" :: "l"(g + 128 * k), "r"(all));
            if (W == 4) asm volatile("shfl.sync.idx.b32 %0,%1,0,31,-1;" : "=r"(v[k]) : "r"(all + k));
        }
        t[1] = cycles();
        if (W != 2 && W != 3) for (int k = 0; k < N; k++) all += v[k];
        t[2] = cycles() + (all == 12345);
    }
    if (lane == 0) { u32 *o = log + (blockIdx.x * 32 + warp) * 4; o[0] = t[0]; o[1] = t[1]; o[2] = t[2]; o[3] = all; }
}
#define K(w, n) extern "C" __global__ void k##w##_##n(u32 *log, char *p, int mask, int again) { go<w, n>(log, p, mask, again); }
K(0,1) K(0,2) K(0,4) K(0,8) K(0,16) K(1,1) K(1,2) K(1,4) K(1,8) K(1,16) K(2,1) K(2,2) K(2,4) K(2,8) K(2,16) K(3,1) K(3,2) K(3,4) K(3,8) K(3,16) K(4,1) K(4,4) K(4,16)
#ifndef DEVICE_ONLY
int main() {
    u32 *log; char *p;
    CHECK(cudaMalloc(&log, 132 * 32 * 16)); CHECK(cudaMalloc(&p, 64 << 20)); CHECK(cudaMemset(p, 0, 64 << 20));
    printf("kind,accesses,schedulers,warps_per_scheduler,warp,begin,issued,done\n");
    struct { const char *n; void (*f)(u32 *, char *, int, int); } all[] = {{"lds,1", k0_1}, {"lds,2", k0_2}, {"lds,4", k0_4}, {"lds,8", k0_8}, {"lds,16", k0_16}, {"ldg,1", k1_1}, {"ldg,2", k1_2}, {"ldg,4", k1_4}, {"ldg,8", k1_8}, {"ldg,16", k1_16},
      {"sts,1", k2_1}, {"sts,2", k2_2}, {"sts,4", k2_4}, {"sts,8", k2_8}, {"sts,16", k2_16}, {"stg,1", k3_1}, {"stg,2", k3_2}, {"stg,4", k3_4}, {"stg,8", k3_8}, {"stg,16", k3_16}, {"shfl,1", k4_1}, {"shfl,4", k4_4}, {"shfl,16", k4_16}};
    for (auto &k : all) for (int mask : {1, 15}) for (int warps : {4, 8, 16, 32}) {
        std::vector<u32> l(32 * 4);
        for (int a = 0; a < 3; a++) { k.f<<<1, warps * 32>>>(log, p, mask, 1); CHECK(cudaDeviceSynchronize()); }
        CHECK(cudaMemcpy(l.data(), log, 32 * 16, cudaMemcpyDeviceToHost));
        u32 first = ~0u; for (int w = 0; w < warps; w++) if (mask >> (w % 4) & 1) first = std::min(first, l[w * 4]);
        std::vector<std::vector<int>> rows;
        for (int w = 0; w < warps; w += 4) rows.push_back({(int)(l[w*4] - first), (int)(l[w*4+1] - first), (int)(l[w*4+2] - first)});
        std::sort(rows.begin(), rows.end());
        for (size_t r = 0; r < rows.size(); r++) printf("%s,%d,%d,%zu,%d,%d,%d\n", k.n, mask == 15 ? 4 : 1, warps / 4, r, rows[r][0], rows[r][1], rows[r][2]);
    }
}
#endif
