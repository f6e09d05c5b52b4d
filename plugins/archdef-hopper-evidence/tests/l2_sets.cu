// How many lines a set of the L2 has, and what it does with those of which stores have written a part: it completes some from memory, when something
// else comes to the set.
//   nvcc -arch=sm_90 -O2 -std=c++17 -o l2_sets l2_sets.cu
//   l2_sets > l2_sets.csv
// A line is whole if a word beside the stored one comes without a read of memory, asked for by a multiprocessor on the line's own side of the chip.
// Lines of one set are found by what makes the first of them whole: of 80 thousand lines stored behind it, those that suffice, and others in their place.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>
#define CHECK(x) do { cudaError_t e = (x); if (e) { printf("%s, line %d\n", cudaGetErrorString(e), __LINE__); exit(1); } } while (0)
#define CLOCK(t, v) asm volatile("{ .reg .pred q; setp.eq.u32 q, %1, 0x7fffffff; @q trap; mov.u32 %0, %%clock; }" : "=r"(t) : "r"(v) : "memory")
typedef unsigned u32;
typedef std::vector<u32> V;
const u32 LINES = 1 << 20, LIMIT = 450;      // cycles: from the L2 340, from memory 600 and more
const size_t OTHER = (size_t)160 << 20;

__device__ __forceinline__ u32 smid() { u32 v; asm volatile("mov.u32 %0, %%smid;" : "=r"(v)); return v; }
__global__ void flush(const uint4 *p, u32 *out) {
    u32 s = 0;
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < OTHER / 16; i += gridDim.x * (size_t)blockDim.x) { uint4 v = __ldcg(p + i); s += v.x + v.y + v.z + v.w; }
    if (s == 12345) *out = s;
}
__global__ void store(char *p, const u32 *list, u32 n) {
    u32 i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) *(volatile u32 *)(p + (size_t)list[i] * 128) = 1;
}
// A line near by is read first, so that the address has been translated.
__global__ void probe(char *p, u32 line, u32 sm, u32 *out) {
    if (smid() != sm || threadIdx.x) return;
    u32 v, w, t0, t1;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(w) : "l"(p + (size_t)(line | 63) * 128) : "memory");
    CLOCK(t0, w);
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + (size_t)line * 128 + 4 + (w >> 31)) : "memory");
    CLOCK(t1, v);
    *out = t1 - t0;
}
enum { STORE, STORE2, LOAD, SECTOR, LOAD_ELSEWHERE, REDUCE };
const char *NAMES[] = {"store", "store word 2", "load word 1", "store sector 1", "load sector 2", "reduce word 0"};
__global__ void access(char *p, u32 line, u32 what, u32 sm, u32 *out) {
    if (smid() != sm || threadIdx.x) return;
    char *a = p + (size_t)line * 128;
    u32 v = 0;
    if (what == STORE) asm volatile("st.global.cg.u32 [%0], %1;" :: "l"(a), "r"(1) : "memory");
    if (what == STORE2) asm volatile("st.global.cg.u32 [%0], %1;" :: "l"(a + 8), "r"(1) : "memory");
    if (what == LOAD) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + 4) : "memory");
    if (what == SECTOR) for (int k = 0; k < 2; k++) asm volatile("st.global.cg.v4.u32 [%0], {%1,%1,%1,%1};" :: "l"(a + 32 + 16 * k), "r"(1) : "memory");
    if (what == LOAD_ELSEWHERE) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a + 64) : "memory");
    if (what == REDUCE) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(a), "r"(1) : "memory");
    if (v == 0x7fffffff) *out = v;
}

char *p, *other;
u32 *list, *out;
const u32 SM[2] = {0, 2};       // one on each side
u32 home;                       // which of them shares the side of the lines
void clean() { flush<<<528, 512>>>((uint4 *)other, out); }
u32 cycles(u32 line, u32 sm) {
    u32 v;
    probe<<<132, 1024>>>(p, line, sm, out);
    CHECK(cudaMemcpy(&v, out, 4, cudaMemcpyDeviceToHost));
    return v;
}
u32 side(u32 line) {
    u32 least[2] = {~0u, ~0u};
    for (int k = 0; k < 3; k++) for (int s = 0; s < 2; s++) { clean(); least[s] = std::min(least[s], cycles(line, SM[s])); }
    return least[1] < least[0];
}
bool whole(u32 x, const V &behind) {
    if (behind.size()) CHECK(cudaMemcpyAsync(list, behind.data(), behind.size() * 4, cudaMemcpyHostToDevice));
    clean();
    access<<<132, 1024>>>(p, x, STORE, SM[home], out);
    if (behind.size()) store<<<(behind.size() + 255) / 256, 256>>>(p, list, behind.size());
    return cycles(x, SM[home]) < LIMIT;
}
V less(const V &s, size_t a, size_t b) { V r(s.begin(), s.begin() + a); r.insert(r.end(), s.begin() + b, s.end()); return r; }
bool reduce(u32 x, V &s) {
    size_t parts = 4;
    for (int round = 0; round < 400; round++) {
        bool any = false;
        parts = std::min(parts, s.size());
        for (size_t k = 0; k < parts && !any; k++) {
            V t = less(s, s.size() * k / parts, s.size() * (k + 1) / parts);
            if (whole(x, t) && whole(x, t)) { s = t; any = true; }
        }
        if (any) parts = 4;
        else if (parts >= s.size()) return s.size() == 3;
        else parts *= 2;
    }
    return false;
}
void find(u32 x, const V &with, const V &s, size_t a, size_t b, V &found) {
    V t(with);
    t.insert(t.end(), s.begin() + a, s.begin() + b);
    if (!whole(x, t)) return;
    if (b - a == 1) { found.push_back(s[a]); return; }
    find(x, with, s, a, (a + b) / 2, found);
    find(x, with, s, (a + b) / 2, b, found);
}
struct Access { char set; u32 number, what; };
V lines[2];      // of the set; that go through it on their way to the other side
void row(const std::vector<Access> &all, bool far) {
    std::string names, found;
    u32 most = 0, sm = SM[far ? 1 - home : home];
    for (auto &a : all) { if (a.set == 'a') most = std::max(most, a.number + 1); names += (names.size() ? "; " : "") + std::string(NAMES[a.what]) + " of " + a.set + std::to_string(a.number); }
    for (u32 k = 0; k < most; k++) {
        clean();
        for (auto &a : all) access<<<132, 1024>>>(p, lines[a.set - 'a'][a.number], a.what, sm, out);
        found += '0' + (cycles(lines[0][k], SM[home]) < LIMIT);
    }
    printf("%s,%s,%s\n", names.c_str(), far ? "far" : "near", found.c_str());
    fflush(stdout);
}
int main() {
    CHECK(cudaMalloc(&p, (size_t)LINES * 128)); CHECK(cudaMalloc(&other, OTHER)); CHECK(cudaMalloc(&list, LINES * 4)); CHECK(cudaMalloc(&out, 64));
    CHECK(cudaMemset(p, 0, (size_t)LINES * 128)); CHECK(cudaMemset(other, 0, OTHER));
    std::mt19937 random(7);
    V all, pool;
    for (u32 i = 0; i < LINES; i++) if ((i & 63) != 63) all.push_back(i);
    u32 x = 0;
    for (bool ok = false; !ok; x++) {
        home = side(x);
        V any(all);
        for (int k = 0; k < 6 && !ok; k++) { std::shuffle(any.begin(), any.end(), random); pool.assign(any.begin(), any.begin() + 80000); pool.erase(std::remove(pool.begin(), pool.end(), x), pool.end()); ok = whole(x, pool) && whole(x, pool); }
        ok = ok && reduce(x, pool);
    }
    x--;
    V with(pool.begin() + 1, pool.end()), rest, found(pool.begin(), pool.end());
    for (u32 v : all) if (v != x && std::find(pool.begin(), pool.end(), v) == pool.end()) rest.push_back(v);
    for (size_t a = 0; a < rest.size(); a += 1024) find(x, with, rest, a, std::min(a + 1024, rest.size()), found);
    lines[0].push_back(x);
    for (u32 v : found) lines[side(v) != home].push_back(v);
    fprintf(stderr, "%zu lines of the set of line %u in 128 MiB, %zu that pass through it\n", lines[0].size(), x, lines[1].size());
    std::shuffle(lines[0].begin(), lines[0].end(), random);
    printf("accesses,multiprocessor,whole\n");
    for (int far = 0; far < 2; far++) {
        for (u32 k : {2u, 3u, 4u, 5u, 6u, 8u, 12u}) { std::vector<Access> o; for (u32 i = 0; i < k; i++) o.push_back({'a', i, STORE}); row(o, far); }
        for (u32 start : {2u, 3u}) for (char set : {'a', 'b'}) for (u32 what : {STORE, STORE2, LOAD, SECTOR, LOAD_ELSEWHERE, REDUCE}) {
            if (set == 'b' && lines[1].empty()) continue;
            std::vector<Access> o;
            for (u32 i = 0; i < start; i++) o.push_back({'a', i, STORE});
            o.push_back({set, set == 'a' ? start : 0u, what});
            row(o, far);
        }
        for (u32 number : {0u, 1u, 2u}) for (u32 what : {STORE2, LOAD_ELSEWHERE}) row({{'a', 0, STORE}, {'a', 1, STORE}, {'a', 2, STORE}, {'a', number, what}}, far);
        for (u32 k : {16u, 17u, 20u}) { std::vector<Access> o; for (u32 i = 0; i < k; i++) o.push_back({'a', i, LOAD}); if (!far) row(o, far); }
        row({{'a', 0, STORE}, {'a', 1, STORE}, {'a', 0, STORE2}, {'a', 2, STORE}, {'a', 3, STORE}}, far);
        row({{'a', 0, STORE}, {'a', 1, STORE}, {'a', 2, STORE}, {'a', 0, STORE2}, {'a', 3, STORE}, {'a', 4, STORE}}, far);
    }
}
