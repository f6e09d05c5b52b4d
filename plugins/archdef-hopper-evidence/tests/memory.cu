// Memory of an H100, by the multiprocessor that asks: build with nvcc -O2 -arch=sm_90 -o memory memory.cu, then
//   memory place | lat | bw | l1 | tlb | l1c         tables of placement.csv, l2_distances.csv, l2_rates.csv, l1_conflicts.csv,
//                                                   large_footprints.csv, l1_capacity.csv
//   MLIST=names ncu --clock-control none --cache-control none (or all: lines in DRAM) --csv --page raw -k regex:merge
//     --metrics lts__t_sectors_srcunit_tex.sum,lrc__request_sectors_op_read_coalescing_achieved_type_hardware.sum memory merge | parts
//                                                   gathering.csv, gathering_parts.csv; MLIST names the launches in order
//   ncu ... -k regex:mm memory mm                   gathered_products.csv
//   ncu --metrics launch__shared_mem_config_size,launch__block_size,launch__grid_size,launch__shared_mem_per_block_dynamic
//     -k regex:cfg memory cfg                       carveouts.csv
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cstdint>
#include <vector>
#include <string>
#include <algorithm>
#include <random>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
typedef unsigned long long u64; typedef unsigned int u32;
#define CK(x) do { cudaError_t e_ = (x); if (e_ != cudaSuccess) { printf("ERROR %s line %d: %s\n", #x, __LINE__, cudaGetErrorString(e_)); exit(1); } } while (0)
__device__ __forceinline__ u32 smid() { u32 r; asm volatile("mov.u32 %0, %%smid;" : "=r"(r)); return r; }
__device__ __forceinline__ u64 clk() { u64 t; asm volatile("mov.u64 %0, %%clock64;" : "=l"(t) :: "memory"); return t; }
__device__ __forceinline__ u64 gt() { u64 t; asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t) :: "memory"); return t; }
#define CG(v, p) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory")
__global__ void place(u32* out, u64 ns) { u64 t = gt(); if (threadIdx.x == 0) out[blockIdx.x] = smid(); while (gt() < t + ns); }
__global__ void clus(u32* out) { u64 t = gt(); if (threadIdx.x == 0) out[blockIdx.x] = smid(); while (gt() < t + 20000); }
// one warp of each multiprocessor with lag[sm] >= 0 asks for n lines, one every `gap` cycles, all beginning with a tick of the global timer
__global__ void merge(const int* lag, char* base, u32 n, u32 step, const u32* masks, const u32* first, int gap, u64* out) {
  extern __shared__ char room[];
  u32 s = smid(); int l = lag[s];
  if (l < 0) return;
  char* p = base + first[s] + ((threadIdx.x * 4) & masks[s]);
  u64 t = gt(), target = ((t >> 15) + 2) << 15;
  while (gt() < target);
  u64 c = clk() + l; while (clk() < c);
  u32 v[16], x = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) v[k] = 0;
#pragma unroll 1
  for (u32 i = 0; i < n; i += 16) {
#pragma unroll
    for (int k = 0; k < 16; k++) { x ^= v[k]; if (gap) while (clk() < c); c += gap; CG(v[k], p); p += step; }
  }
#pragma unroll
  for (int k = 0; k < 16; k++) x ^= v[k];
  if (x == 0x1234567) out[263] = x;
  u64 e = clk();
  if (threadIdx.x == 0) { out[2 * s] = target; out[2 * s + 1] = e - (c - (u64)gap * n); }
}
__global__ void touch(char* base, const u32* lines, int n, u32 who, u32* sink) {
  if (smid() != who) return;
  u32 v; for (int i = threadIdx.x; i < n; i += blockDim.x) { CG(v, base + lines[i]); if (v == 77) *sink = v; }
}
__global__ void lat(char* base, const u32* lines, int n, u32 who, u32* sink, unsigned short* out) {
  __shared__ u32 held; u32 hold = (u32)__cvta_generic_to_shared(&held);
  if (smid() != who || threadIdx.x) return;
  for (int i = 0; i < n; i++) {
    char* p = base + lines[i]; u32 v, x = 0;
    for (int k = 0; k < 3; k++) {
      u64 a = clk(); CG(v, p); asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(v)); p += x; asm volatile("st.volatile.shared.u32 [%0], %1;" :: "r"(hold), "r"(x) : "memory"); u64 b = clk();
      if (x == 77) *sink = x;
      out[3 * i + k] = (unsigned short)min((u64)65535, b - a);
    }
  }
}
__global__ void link(char* base, const u64* order, u64 n) {
  for (u64 i = blockIdx.x * (u64)blockDim.x + threadIdx.x; i < n; i += (u64)gridDim.x * blockDim.x)
    *(u64*)(base + order[i]) = (u64)(base + order[(i + 1) % n]);
}
__global__ void chase(u64 start, u64 warm, u64 n, u64* out) {
  u64 p = start;
  for (u64 i = 0; i < warm; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p) :: "memory");
  u64 a = clk() + (p & 1);
  for (u64 i = 0; i < n; i++) asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p) :: "memory");
  u64 b = clk() + (p & 1); out[0] = b - a; out[1] = p;
}
__global__ void __launch_bounds__(1024) bw(const int* on, const char* base, u32 within, int trips, u64* out, u32* sink) {
  extern __shared__ char room[];
  u32 s = smid(); if (on[s] < 0) return;
  u64 t = gt(), target = ((t >> 15) + 2) << 15; while (gt() < target);
  u32 at = (s * 1024 + threadIdx.x) * 16; u32 x = 0; u64 a = clk();
  for (int i = 0; i < trips; i += 4) {
    uint4 v[4];
#pragma unroll
    for (int k = 0; k < 4; k++) { asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[k].x), "=r"(v[k].y), "=r"(v[k].z), "=r"(v[k].w) : "l"(base + (at & within)) : "memory"); at += 132 * 16384; }
#pragma unroll
    for (int k = 0; k < 4; k++) x ^= v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
  }
  if (x == 0x12345) *sink = x;
  __syncthreads(); u64 b = clk(); if (threadIdx.x == 0) out[s] = b - a;
}
template <int W> __global__ void __launch_bounds__(1024) l1p(const char* base, const u32* lanes, int iters, u64* out, u32* sink) {
  u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32, x = 0; const char* p = base + lanes[lane]; u64 z = lanes[32];
  for (int r = 0; r < 2; r++) {
    __syncthreads(); u64 a = clk();
    for (int i = 0; i < iters; i += 4) {
      u32 v[16];
#pragma unroll
      for (int k = 0; k < 4; k++) {
        if (W == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[4 * k]) : "l"(p) : "memory");
        if (W == 8) asm volatile("ld.global.ca.v2.u32 {%0,%1}, [%2];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]) : "l"(p) : "memory");
        if (W == 16) asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v[4 * k]), "=r"(v[4 * k + 1]), "=r"(v[4 * k + 2]), "=r"(v[4 * k + 3]) : "l"(p) : "memory");
        p += z;
      }
#pragma unroll
      for (int k = 0; k < 4; k++) for (int j = 0; j < W / 4; j++) x ^= v[4 * k + j];
    }
    u64 b = clk(); if (lane == 0) { out[2 * warp] = a; out[2 * warp + 1] = b; }
  }
  if (x == 0x12345) *sink = x;
}
extern "C" __global__ void mm_naive(const float* a, const float* b, float* c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y; float s = 0;
  for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
  c[row * n + col] = s;
}
template <int T> __global__ void mm_tiled(const float* a, const float* b, float* c, int n) {
  __shared__ float x[T][T], y[T][T]; int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * T + tx, row = blockIdx.y * T + ty; float s = 0;
  for (int t = 0; t < n / T; t++) { x[ty][tx] = a[row * n + t * T + tx]; y[ty][tx] = b[(t * T + ty) * n + col]; __syncthreads();
#pragma unroll
    for (int k = 0; k < T; k++) s += x[ty][k] * y[k][tx];
    __syncthreads(); }
  c[row * n + col] = s;
}
static u32* sink; static u64* out;
static void run_place() {
  u32* d; CK(cudaMalloc(&d, 4096 * 4)); std::vector<u32> h(4096);
  for (int th : {64, 256, 512, 1024}) for (int g : {1, 2, 3, 4, 6, 8, 9, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 65, 66, 67, 72, 80, 96, 100, 116, 131, 132, 133, 200, 264, 528}) {
    place<<<g, th>>>(d, 50000); CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), d, g * 4, cudaMemcpyDeviceToHost));
    printf("place,%d,%d", th, g); for (int i = 0; i < g; i++) printf(",%u", h[i]); printf("\n");
  }
  for (int size : {8, 16}) {
    CK(cudaFuncSetAttribute(clus, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CK(cudaFuncSetAttribute(clus, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
    for (int rep = 0; rep < 3; rep++) {
      cudaLaunchConfig_t cfg = {}; cfg.gridDim = dim3(size * 24); cfg.blockDim = dim3(64); cfg.dynamicSmemBytes = 200 * 1024;
      cudaLaunchAttribute at[1]; at[0].id = cudaLaunchAttributeClusterDimension; at[0].val.clusterDim.x = size; at[0].val.clusterDim.y = at[0].val.clusterDim.z = 1;
      cfg.attrs = at; cfg.numAttrs = 1;
      cudaError_t e = cudaLaunchKernelEx(&cfg, clus, d); if (e) { printf("cluster %d: %s\n", size, cudaGetErrorString(e)); cudaGetLastError(); break; }
      CK(cudaDeviceSynchronize()); CK(cudaMemcpy(h.data(), d, size * 24 * 4, cudaMemcpyDeviceToHost));
      for (int c = 0; c < 24; c++) { printf("cluster,%d", size); for (int i = 0; i < size; i++) printf(",%u", h[c * size + i]); printf("\n"); }
    }
  }
}
static void run_merge() {
  int* dl; u32 *df, *dm; char* buf; CK(cudaMalloc(&dl, 528)); CK(cudaMalloc(&df, 528)); CK(cudaMalloc(&dm, 528)); CK(cudaMalloc(&buf, 64 << 20)); CK(cudaMemset(buf, 0, 64 << 20));
  CK(cudaFuncSetAttribute(merge, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  int id = 0; FILE* f = fopen(getenv("MLIST") ? getenv("MLIST") : "merge.csv", "w"); fprintf(f, "id,name,participants,n,mask,gap,same_target,span\n");
  auto go = [&](std::string name, std::vector<std::pair<int, int>> who, u32 n, u32 step, u32 mask, int gap, std::vector<u32> first = {}) {
    std::vector<int> l(132, -1); std::vector<u32> fr(132, 0); for (size_t i = 0; i < who.size(); i++) { l[who[i].first] = who[i].second; if (first.size()) fr[who[i].first] = first[i]; }
    CK(cudaMemcpy(dl, l.data(), 528, cudaMemcpyHostToDevice)); CK(cudaMemcpy(df, fr.data(), 528, cudaMemcpyHostToDevice));
    std::vector<u32> masks(132, mask); CK(cudaMemcpy(dm, masks.data(), 528, cudaMemcpyHostToDevice));
    merge<<<132, 32, 200 * 1024>>>(dl, buf, n, step, dm, df, gap, out); CK(cudaDeviceSynchronize());
    std::vector<u64> h(264); CK(cudaMemcpy(h.data(), out, 264 * 8, cudaMemcpyDeviceToHost));
    bool same = true; u64 span = 0; for (auto& w : who) { same &= h[2 * w.first] == h[2 * who[0].first]; span = std::max(span, h[2 * w.first + 1]); }
    fprintf(f, "%d,%s,%zu,%u,%u,%d,%d,%llu\n", id++, name.c_str(), who.size(), n, mask, gap, same, span);
  };
  std::vector<std::vector<int>> G; G.push_back({0, 1, 16, 17, 32, 33, 48, 49});
  for (int q = 1; q < 8; q++) { std::vector<int> v; for (int l = 0; l < 4; l++) for (int k = 0; k < 2; k++) v.push_back(16 * l + 2 * q + k); for (int l = 0; l < 4; l++) for (int k = 0; k < 2; k++) v.push_back(64 + 14 * l + 2 * (q - 1) + k); G.push_back(v); }
  G.push_back({120, 121, 122, 123}); G.push_back({124, 125, 126, 127, 128, 129, 130, 131});
  auto P = [&](const char* what, int a, int b, int lag = 0) { go(std::string(what) + " " + std::to_string(a) + " " + std::to_string(b) + " lag " + std::to_string(lag), {{a, 0}, {b, lag}}, 256, 128, 127, 100); };
  go("alone", {{0, 0}}, 512, 128, 127, 100); go("alone", {{0, 0}}, 512, 128, 127, 100); go("alone 5", {{5, 0}}, 512, 128, 127, 100);
  bool few = getenv("FEW") != nullptr;
  if (!few) { for (int b = 0; b < 132; b++) if (b != 2) P("pair", 2, b); for (int b = 0; b < 132; b++) if (b != 124 && (b % 2 == 0 || b > 115)) P("pair", 124, b); for (int b = 0; b < 132; b++) if (b != 0 && b % 2 == 0) P("pair", 0, b); }
  else for (int b : {1, 3, 18, 34, 50, 64, 78, 92, 106, 4, 0, 16, 66, 120, 122, 124, 130}) P("pair", 2, b);
  for (int b : {3, 18, 34, 50, 64, 92, 106, 4}) for (int lag : {0, 5, 10, 20, 30, 40, 60, 80, 120, 160, 200, 240, 280, 320, 400, 500, 600, 700, 900, 1200})
    if (b == 3 || b == 18 || b == 64 || lag % 80 == 0) { P("lag", 2, b, lag); if (b == 18) P("lag", 18, 2, lag); }
  for (int g : {0, 1, 2, 9}) for (int n : {2, 3, 4, 5, 6, 8, 10, 12, 16}) { if (n > (int)G[g].size()) continue; std::vector<std::pair<int, int>> w; for (int i = 0; i < n; i++) w.push_back({G[g][i], 0}); std::string t = " of group " + std::to_string(g) + ": " + std::to_string(n);
    go("paced" + t, w, 256, 128, 127, 100); go("gap 8" + t, w, 256, 128, 127, 8); go("stream" + t, w, 256, 128, 127, 0); if (n >= 4 && !few) go("paced 2 sectors" + t, w, 256, 128, 63, 100); }
  for (int n : {2, 4, 8}) { std::vector<std::pair<int, int>> w; for (int i = 0; i < n; i++) w.push_back({G[1 + i % 8][0], 0}); go("across groups " + std::to_string(n), w, 256, 128, 127, 100);
    w.clear(); for (int i = 0; i < n; i++) { w.push_back({G[1 + i % 8][0], 0}); w.push_back({G[1 + i % 8][2], 0}); } go("two of each of groups " + std::to_string(n), w, 256, 128, 127, 100); }
  for (int n : {33, 66, 132}) { std::vector<std::pair<int, int>> w; for (int i = 0; i < n; i++) w.push_back({i * 132 / n, 0}); go("all " + std::to_string(n), w, 256, 128, 127, 100); go("all stream " + std::to_string(n), w, 256, 128, 127, 0); }
  for (int b : {3, 18, 64}) { std::string t = " pair 2 " + std::to_string(b); go("2 sectors" + t, {{2, 0}, {b, 0}}, 256, 128, 63, 100); go("1 sector" + t, {{2, 0}, {b, 0}}, 256, 128, 31, 100);
    go("other halves" + t, {{2, 0}, {b, 0}}, 256, 128, 63, 100, {0, 64}); go("stream" + t, {{2, 0}, {b, 0}}, 512, 128, 127, 0); go("4 KiB steps" + t, {{2, 0}, {b, 0}}, 256, 4096, 127, 100); go("64 KiB steps" + t, {{2, 0}, {b, 0}}, 256, 65536, 127, 100);
    for (int gap : {2, 4, 8, 16, 32}) for (int lag : {0, 20, 60, 200}) go("gap " + std::to_string(gap) + " lag " + std::to_string(lag) + t, {{2, 0}, {b, lag}}, 512, 128, 127, gap); }
  fclose(f);
}
static void run_parts() {
  int* dl; u32 *df, *dm; char* buf; CK(cudaMalloc(&dl, 528)); CK(cudaMalloc(&df, 528)); CK(cudaMalloc(&dm, 528)); CK(cudaMalloc(&buf, 64 << 20)); CK(cudaMemset(buf, 0, 64 << 20));
  CK(cudaFuncSetAttribute(merge, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 * 1024));
  int id = 0; FILE* f = fopen(getenv("MLIST"), "w"); fprintf(f, "id;name;same_target;span\n");
  int sms[] = {2, 18, 34, 50, 64, 78, 92, 106, 3, 19, 35, 51, 65, 79, 93, 107};
  // pattern: one letter per SM: F whole line, A first half, B second half, a b c d single sectors; lags in steps
  auto go = [&](std::string pat, std::vector<int> lag, int gap) {
    std::vector<int> l(132, -1); std::vector<u32> fr(132, 0), mk(132, 127);
    for (size_t i = 0; i < pat.size(); i++) { int s = sms[i]; l[s] = lag.size() ? lag[i] : 0; char c = pat[i]; mk[s] = c == 'F' ? 127 : c < 'F' ? 63 : 31; fr[s] = c == 'B' ? 64 : c >= 'a' ? (c - 'a') * 32 : 0; }
    CK(cudaMemcpy(dl, l.data(), 528, cudaMemcpyHostToDevice)); CK(cudaMemcpy(df, fr.data(), 528, cudaMemcpyHostToDevice)); CK(cudaMemcpy(dm, mk.data(), 528, cudaMemcpyHostToDevice));
    merge<<<132, 32, 200 * 1024>>>(dl, buf, 256, 128, dm, df, gap, out); CK(cudaDeviceSynchronize());
    std::vector<u64> h(264); CK(cudaMemcpy(h.data(), out, 264 * 8, cudaMemcpyDeviceToHost)); bool same = true; for (size_t i = 0; i < pat.size(); i++) same &= h[2 * sms[i]] == h[4];
    std::string t; for (int x : lag) t += " " + std::to_string(x); fprintf(f, "%d;%s%s gap %d;%d;0\n", id++, pat.c_str(), t.c_str(), gap, same); };
  for (int gap : {200, 1000}) {
    go("F", {}, gap);
    for (int d : {0, 8, 16}) { go("AB", {0, d}, gap); go("ABA", {0, d, 2 * d}, gap); go("ABAB", {0, d, 2 * d, 3 * d}, gap); go("AABB", {0, d, 2 * d, 3 * d}, gap); go("AAB", {0, d, 2 * d}, gap); go("AABA", {0, d, 2 * d, 3 * d}, gap); go("ABBA", {0, d, 2 * d, 3 * d}, gap);
      go("FA", {0, d}, gap); go("AF", {0, d}, gap); go("FAF", {0, d, 2 * d}, gap); go("FAA", {0, d, 2 * d}, gap); go("AFA", {0, d, 2 * d}, gap); go("aab", {0, d, 2 * d}, gap); go("abab", {0, d, 2 * d, 3 * d}, gap); go("aAa", {0, d, 2 * d}, gap); go("abcdabcd", {0, d, 2 * d, 3 * d, 4 * d, 5 * d, 6 * d, 7 * d}, gap); go("ABABABAB", {0, d, 2 * d, 3 * d, 4 * d, 5 * d, 6 * d, 7 * d}, gap); }
    for (int r = 0; r < 3; r++) { go("AAAA", {}, gap); go("aaaa", {}, gap); go("aaaaaaaa", {}, gap); go("aaaaaaaaaaaaaaaa", {}, gap); go("FFFFFFFFFFFFFFFF", {}, gap); }
  }
  fclose(f);
}
static void run_mm() {
  float *a, *b, *c; CK(cudaMalloc(&a, 4 << 20)); CK(cudaMalloc(&b, 4 << 20)); CK(cudaMalloc(&c, 4 << 20)); CK(cudaMemset(a, 0, 4 << 20)); CK(cudaMemset(b, 0, 4 << 20));
  for (int n : {64, 128, 256, 512, 1024}) { mm_naive<<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); mm_tiled<16><<<dim3(n / 16, n / 16), dim3(16, 16)>>>(a, b, c, n); mm_tiled<32><<<dim3(n / 32, n / 32), dim3(32, 32)>>>(a, b, c, n); }
  mm_naive<<<dim3(8, 32), dim3(32, 8)>>>(a, b, c, 256);
  CK(cudaDeviceSynchronize());
}
static void run_lat() {
  const int N = 384; char* buf; u32* dl; unsigned short* o; CK(cudaMalloc(&buf, 512 << 20)); CK(cudaMemset(buf, 0, 512 << 20)); CK(cudaMalloc(&dl, N * 4)); CK(cudaMalloc(&o, N * 6));
  std::vector<u32> lines(N); std::mt19937 g(1); for (int i = 0; i < 256; i++) lines[i] = i * 128; for (int i = 256; i < N; i++) lines[i] = (g() % (32 << 13)) * 128;
  CK(cudaMemcpy(dl, lines.data(), N * 4, cudaMemcpyHostToDevice)); std::vector<unsigned short> h(3 * N);
  printf("lines"); for (auto x : lines) printf(",%u", x); printf("\n");
  for (int who = 0; who < 132; who++) for (int by : {0, 124}) { if (by && who % 11) continue;
    CK(cudaMemset(buf + (128 << 20), who, 256 << 20)); touch<<<132, 128>>>(buf, dl, N, by, sink); lat<<<132, 32>>>(buf, dl, N, who, sink, o); CK(cudaDeviceSynchronize());
    CK(cudaMemcpy(h.data(), o, N * 6, cudaMemcpyDeviceToHost)); printf("lat,%d,%d", who, by); for (auto x : h) printf(",%u", x); printf("\n"); }
  CK(cudaFree(buf));
}
static void run_tlb() {
  char* buf; u64 G = 1ull << 30; CK(cudaMalloc(&buf, 64 * G)); u64* order; CK(cudaMalloc(&order, 1 << 20)); std::mt19937_64 g(2);
  auto measure = [&](const char* kind, u64 foot, u64 stride, std::vector<u64> at, bool warm) {
    std::shuffle(at.begin(), at.end(), g); u64 n = at.size();
    CK(cudaMemcpy(order, at.data(), n * 8, cudaMemcpyHostToDevice)); link<<<64, 128>>>(buf, order, n);
    if (!warm) CK(cudaMemset(buf + 63 * G, 1, 256 << 20));
    chase<<<1, 1>>>((u64)buf + at[0], warm ? n : 0, n, out); CK(cudaDeviceSynchronize()); u64 h; CK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
    printf("chase,%s,%llu,%llu,%llu,%.2f\n", kind, foot, stride, n, (double)h / n);
  };
  for (u64 stride : {2ull << 20, 16ull << 20, 64ull << 20, 512ull << 20}) for (u64 foot = 32 << 20; foot <= 62 * G; foot = foot < 8 * G ? foot * 2 : foot + 9 * G) {
    u64 n = foot / stride; if (n < 2 || n > 40000) continue; std::vector<u64> at; for (u64 i = 0; i < n; i++) at.push_back(i * stride + (g() % (stride / 128)) * 128 % (2 << 20)); measure("pages", foot, stride, at, true); }
  for (u64 foot = 64 << 20; foot <= 60 * G; foot *= 2) { std::vector<u64> at; for (int i = 0; i < 8192; i++) at.push_back((g() % (foot / 128)) * 128); std::sort(at.begin(), at.end()); at.erase(std::unique(at.begin(), at.end()), at.end()); measure("random lines", foot, 128, at, false); }
  CK(cudaFree(buf));
}
static void run_bw() {
  int* on; char* buf; CK(cudaMalloc(&on, 528)); CK(cudaMalloc(&buf, 64 << 20)); CK(cudaMemset(buf, 0, 64 << 20));
  CK(cudaFuncSetAttribute(bw, cudaFuncAttributeMaxDynamicSharedMemorySize, 150 * 1024));
  auto go = [&](const char* name, std::vector<int> who, u32 within, int trips) {
    std::vector<int> l(132, -1); for (int w : who) l[w] = 0; CK(cudaMemcpy(on, l.data(), 528, cudaMemcpyHostToDevice)); std::vector<u64> h(132); double sum = 0;
    for (int r = 0; r < 3; r++) { bw<<<132, 1024, 150 * 1024>>>(on, buf, within - 1, trips, out, sink); CK(cudaDeviceSynchronize()); }
    CK(cudaMemcpy(h.data(), out, 132 * 8, cudaMemcpyDeviceToHost)); u64 lo = ~0ull, hi = 0; for (int w : who) { lo = std::min(lo, h[w]); hi = std::max(hi, h[w]); sum += 16384.0 * trips / h[w]; }
    printf("bw,%s,%zu,%u,%d,%.2f,%.2f,%.2f\n", name, who.size(), within, trips, 16384.0 * trips / lo, 16384.0 * trips / hi, sum / who.size()); };
  std::vector<int> all; for (int i = 0; i < 132; i++) all.push_back(i);
  for (u32 within : {1u << 18, 1u << 20, 1u << 22, 1u << 24, 1u << 25}) {
    go("SM 0", {0}, within, 256); go("TPC", {0, 1}, within, 256); go("2 SMs same GPC", {2, 18}, within, 256); go("2 SMs", {0, 2}, within, 256);
    go("GPC half", {2, 18, 34, 50, 64, 78, 92, 106}, within, 256); go("GPC", {2, 3, 18, 19, 34, 35, 50, 51, 64, 65, 78, 79, 92, 93, 106, 107}, within, 256);
    go("4 SMs same GPC", {2, 3, 18, 19}, within, 256); go("6 SMs same GPC", {2, 3, 18, 19, 34, 35}, within, 256);
    std::vector<int> ev, two; for (int i = 0; i < 132; i += 2) ev.push_back(i); for (int i = 0; i < 132; i++) if (i % 4 == 0) two.push_back(i);
    go("every fourth", two, within, 256); go("every second", ev, within, 256); go("all", all, within, 256);
  }
}
template <int W> static void l1go(const char* name, std::vector<u32> lanes, int warps, const char* buf, u32* dl) {
  lanes.push_back(0); CK(cudaMemcpy(dl, lanes.data(), 33 * 4, cudaMemcpyHostToDevice)); l1p<W><<<1, 32 * warps>>>(buf, dl, 512, out, sink); CK(cudaDeviceSynchronize());
  u64 h[64]; CK(cudaMemcpy(h, out, warps * 16, cudaMemcpyDeviceToHost)); u64 a = ~0ull, b = 0; for (int i = 0; i < warps; i++) { a = std::min(a, h[2 * i]); b = std::max(b, h[2 * i + 1]); }
  printf("l1,%d,%s,%d,%.4f", W, name, warps, (double)(b - a) / (512.0 * warps)); for (int i = 0; i < 32; i++) printf(",%u", lanes[i]); printf("\n");
}
static void run_l1() {
  char* buf; u32* dl; CK(cudaMalloc(&buf, 4 << 20)); CK(cudaMemset(buf, 0, 4 << 20)); CK(cudaMalloc(&dl, 256)); std::mt19937 g(3);
  auto each = [&](std::string name, auto f) { for (int w : {1, 4, 32}) {
    std::vector<u32> a, b, c; for (int k = 0; k < 32; k++) { a.push_back(f(k, 4)); b.push_back(f(k, 8)); c.push_back(f(k, 16)); }
    l1go<4>(name.c_str(), a, w, buf, dl); l1go<8>(name.c_str(), b, w, buf, dl); l1go<16>(name.c_str(), c, w, buf, dl); } };
  for (int lines : {1, 2, 4, 8, 16, 32}) each(std::to_string(lines) + " lines same word", [&](int k, int W) { return k % lines * 128; });
  for (int lines : {2, 4, 8, 16, 32}) each(std::to_string(lines) + " lines word of the lane", [&](int k, int W) { return k % lines * 128 + k * W % 128; });
  for (int lines : {4, 8, 16, 32}) each(std::to_string(lines) + " consecutive lanes a line", [&](int k, int W) { return k * lines / 32 * 128 + k * W % 128; });
  for (int st : {2, 4, 8, 16, 32, 33, 34, 36, 40, 48, 64, 65, 66, 68, 72, 129, 1032}) each("stride words " + std::to_string(st), [&](int k, int W) { return k * st * 4 / W * W; });
  for (int r = 0; r < 12; r++) { std::vector<u32> x(32); int span = r < 4 ? 16384 : r < 8 ? 2048 : 512; for (auto& v : x) v = g() % span; each("random words of " + std::to_string(span) + " no " + std::to_string(r), [&](int k, int W) { return (int)(x[k] * 4 / W * W); }); }
  for (int r = 0; r < 4; r++) { std::vector<u32> x(32); for (int k = 0; k < 32; k++) x[k] = (g() % 128) * 32 + k; each("random lines, bank of the lane, no " + std::to_string(r), [&](int k, int W) { return (int)(x[k] * 4 / W * W); }); }
}
__global__ void cfg(u32* out) { extern __shared__ char room[]; room[threadIdx.x % 8] = threadIdx.x; __syncthreads(); if (room[0] == 123) out[0] = 1; }
__global__ void cfgz(u32* out) { if (threadIdx.x == 12345) out[0] = 1; }
__global__ void chase_ca(u64 start, u64 n, u64* out) {
  u64 p = start; for (u64 i = 0; i < 2 * n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p) :: "memory");
  u64 a = clk() + (p & 1); for (u64 i = 0; i < 2 * n; i++) asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p) :: "memory");
  u64 b = clk() + (p & 1); out[0] = b - a; out[1] = p; }
static void run_cfg() {
  u32* d; CK(cudaMalloc(&d, 64)); CK(cudaFuncSetAttribute(cfg, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024));
  for (int th : {32, 64, 128, 256, 512, 1024}) for (int dyn : {0, 512, 1024, 2048, 3072, 4096, 7168, 8192, 12288, 16384, 24576, 32768, 49152, 65536, 102400, 163840}) { if (dyn) cfg<<<132, th, dyn>>>(d); else cfgz<<<132, th>>>(d); }
  for (int g : {1, 16, 264, 2640}) for (int dyn : {0, 2048, 8192}) { if (dyn) cfg<<<g, 256, dyn>>>(d); else cfgz<<<g, 256>>>(d); }
  CK(cudaDeviceSynchronize());
}
static void run_l1c() {
  char* buf; u64* order; CK(cudaMalloc(&buf, 4 << 20)); CK(cudaMalloc(&order, 1 << 20)); std::mt19937_64 g(5);
  for (int carve : {-2, 0, 8, 16, 32, 64, 100, 132, 164, 196, 228}) for (int seq = 0; seq < 2; seq++) for (int kib : {16, 24, 28, 32, 48, 56, 60, 64, 80, 88, 92, 96, 112, 120, 124, 128, 144, 150, 152, 156, 160, 176, 184, 188, 192, 200, 208, 212, 216, 220, 224, 228, 232, 236, 240, 244, 248, 252, 256, 272, 288}) {
    int pct = carve == -2 ? -1 : (carve * 100 + 227) / 228; CK(cudaFuncSetAttribute(chase_ca, cudaFuncAttributePreferredSharedMemoryCarveout, pct));
    std::vector<u64> at; for (int i = 0; i < kib * 8; i++) at.push_back(i * 128); if (!seq) std::shuffle(at.begin(), at.end(), g);
    CK(cudaMemcpy(order, at.data(), at.size() * 8, cudaMemcpyHostToDevice)); link<<<16, 128>>>(buf, order, at.size());
    chase_ca<<<1, 1>>>((u64)buf + at[0], at.size(), out); CK(cudaDeviceSynchronize()); u64 h; CK(cudaMemcpy(&h, out, 8, cudaMemcpyDeviceToHost));
    printf("l1c,%d,%d,%s,%.3f\n", carve, kib, seq ? "linear" : "random", (double)h / (2 * at.size())); }
}
int main(int argc, char** argv) {
  CK(cudaMalloc(&sink, 64)); CK(cudaMalloc(&out, 1 << 16)); std::string m = argv[1];
  if (m == "place") run_place(); if (m == "merge") run_merge(); if (m == "parts") run_parts(); if (m == "lat") run_lat(); if (m == "tlb") run_tlb(); if (m == "bw") run_bw(); if (m == "l1") run_l1(); if (m == "mm") run_mm(); if (m == "cfg") run_cfg(); if (m == "l1c") run_l1c();
  CK(cudaDeviceSynchronize()); return 0;
}
