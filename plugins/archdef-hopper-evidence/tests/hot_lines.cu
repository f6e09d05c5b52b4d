// How fast the L2 operates on, stores to and answers few and many lines, and which slices are in each other's way.
//   nvcc -arch=sm_90 -O3 -o hot_lines hot_lines.cu
//   hot_lines lines LOG     cycles of an access, all multiprocessors together, by how lanes share words and how many places there are: hot_lines.csv
//   hot_lines pairs LOG     slices of 160 KiB by contention, then cycles of an access where half of all go to one slice and half to another: slice_pairs.csv
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
typedef unsigned u32;
enum Access { RED, ATOM, CAS, RED_F32, STORE, LOAD };

template <int A> __device__ __forceinline__ u32 touch(char *at, u32 value) {
    u32 old = 0;
    if (A == RED) asm volatile("red.global.add.u32 [%0], %1;" :: "l"(at), "r"(value) : "memory");
    if (A == ATOM) asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(at), "r"(value) : "memory");
    if (A == CAS) asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;" : "=r"(old) : "l"(at), "r"(value + 6), "r"(value) : "memory");
    if (A == RED_F32) asm volatile("red.global.add.f32 [%0], %1;" :: "l"(at), "f"(1.0f) : "memory");
    if (A == STORE) asm volatile("st.global.u32 [%0], %1;" :: "l"(at), "r"(value) : "memory");
    if (A == LOAD) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(old) : "l"(at) : "memory");
    return old;
}

// Lane k of every warp accesses byte `k * step` of one of so many places, at random or, `own`, always of that of its own number.
template <int A> __global__ void __launch_bounds__(512) lines(char *memory, int step, int lanes, u32 places, int place_bytes, int own, int trips, long long *out) {
    int lane = threadIdx.x & 31;
    u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, x = warp * 2654435761u + 12345u, mask = places - 1, sum = 0;
    memory += lane * step;
    __syncthreads();
    long long began = clock64();
    if (lane < lanes)
        for (int i = 0; i < trips; i++) {
            u32 place = own ? warp & mask : x >> 8 & mask;
            x = x * 1664525u + 1013904223u;
            sum ^= touch<A>(memory + (size_t)place * place_bytes, lane + 1);
        }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = clock64() - began + (sum == 0x12345);
}

// The same at one of two places.
template <int A> __global__ void __launch_bounds__(512) pair(char *a, char *b, int step, int lanes, int trips, long long *out) {
    int lane = threadIdx.x & 31;
    u32 x = (blockIdx.x * blockDim.x + threadIdx.x >> 5) * 2654435761u + 12345u, sum = 0;
    __syncthreads();
    long long began = clock64();
    if (lane < lanes)
        for (int i = 0; i < trips; i++) {
            sum ^= touch<A>((x >> 9 & 1 ? b : a) + lane * step, lane + 1);
            x = x * 1664525u + 1013904223u;
        }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) out[blockIdx.x] = clock64() - began + (sum == 0x12345);
}

char *memory;
long long *out;
const int BLOCKS = 264, WARPS = BLOCKS * 16;

long long longest() {
    static long long took[BLOCKS];
    if (cudaMemcpy(took, out, sizeof took, cudaMemcpyDeviceToHost)) exit(1);
    return *std::max_element(took, took + BLOCKS);
}

void all_lines(FILE *log) {
    decltype(&lines<RED>) kernels[] = {lines<RED>, lines<ATOM>, lines<CAS>, lines<RED_F32>};
    const char *names[] = {"red.add.u32", "atom.add.u32", "atom.cas.b32", "red.add.f32"};
    struct { const char *name; int lanes, step; } patterns[] = {{"same", 1, 0}, {"same", 32, 0}, {"words", 8, 4}, {"words", 32, 4}, {"words8", 32, 8},
                                                                {"sectors", 4, 32}, {"sectors", 32, 32}, {"lines", 32, 128}};
    struct { u32 count; int bytes; } places[] = {{1, 128}, {2, 4}, {2, 32}, {2, 128}, {2, 256}, {2, 512}, {2, 1024}, {2, 4096}, {4, 128}, {4, 256},
        {4, 1024}, {8, 128}, {8, 1024}, {16, 1024}, {32, 1024}, {64, 128}, {64, 1024}, {256, 4}, {256, 128}, {1024, 4}, {1024, 128}, {4096, 4},
        {4096, 128}, {4096, 1024}, {65536, 128}};
    fprintf(log, "operation,pattern,lanes,places,place_bytes,own,cycles\n");
    for (int k = 0; k < 4; k++)
        for (auto &p : patterns)
            for (auto &at : places)
                for (int own = 0; own < 2; own++) {
                    if (own && (at.count < 4096 || p.step > 8) || p.step > 4 && at.bytes < 1024 && at.count > 1) continue;
                    long long took[2];
                    for (int more = 0; more < 2; more++) {
                        long long runs[3];
                        for (auto &run : runs) {
                            kernels[k]<<<BLOCKS, 512>>>(memory, p.step, p.lanes, at.count, at.bytes, own, more ? 48 : 16, out);
                            run = longest();
                        }
                        std::sort(runs, runs + 3);
                        took[more] = runs[1];
                    }
                    fprintf(log, "%s,%s,%d,%u,%d,%d,%.4f\n", names[k], p.name, p.lanes, at.count, at.bytes, own, (took[1] - took[0]) / 32. / WARPS);
                }
}

double of_pair(int access, long a, long b, int lanes, int trips) {
    decltype(&pair<RED>) kernels[] = {pair<RED>, pair<ATOM>, pair<CAS>, pair<RED_F32>, pair<STORE>, pair<LOAD>};
    kernels[access]<<<BLOCKS, 512>>>(memory + a, memory + b, lanes > 1 ? 4 : 0, lanes, trips, out);
    return longest() / (double)WARPS / trips;
}

void all_pairs(FILE *log) {
    std::vector<long> first;                    // a chunk of each slice
    for (int i = 0; i < 20; i++) of_pair(RED, 0, 256, 1, 64);
    for (int chunk = 0; chunk < 640; chunk++) {
        bool known = false;
        for (size_t s = first.size(); s-- > 0 && !known;) known = of_pair(RED, first[s], chunk * 256L, 1, 24) > 1.25;
        if (!known) first.push_back(chunk * 256L);
    }
    fprintf(log, "first bytes:");
    for (long at : first) fprintf(log, " %ld", at);
    struct { const char *name; int access, lanes; } kinds[] = {{"red", RED, 1}, {"red", RED, 8}, {"red", RED, 32}, {"atom", ATOM, 8}, {"atom", ATOM, 32},
                                                               {"store", STORE, 1}, {"store", STORE, 8}, {"store", STORE, 32}, {"load", LOAD, 32}};
    for (auto &kind : kinds)
        for (size_t i = 0; i < first.size(); i++) {
            fprintf(log, "\n%s %d %zu:", kind.name, kind.lanes, i);
            for (size_t j = 0; j < i; j++) fprintf(log, " %.3f", of_pair(kind.access, first[i], first[j], kind.lanes, 32));
        }
    fprintf(log, "\n");
}

int main(int count, char **words) {
    if (count != 3) return 2;
    FILE *log = fopen(words[2], "w");
    cudaMalloc(&memory, 256 << 20);
    cudaMemset(memory, 0, 256 << 20);
    cudaMalloc(&out, 8 * BLOCKS);
    (strcmp(words[1], "lines") ? all_pairs : all_lines)(log);
    return fclose(log);
}
