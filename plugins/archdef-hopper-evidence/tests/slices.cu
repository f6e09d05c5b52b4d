// Which slice of the L2 holds each piece of memory, by contention, and where blocks go.
//   nvcc -arch=sm_90 -O2 -o slices slices.cu
//   slices near LOG | far LOG      names of slices of 2 MiB of 64 MiB; of 2 MiB and of five places in each of 1100 pages of 40 GiB: slice_map.csv
//   slices place LOG               multiprocessor of each block of grids: placement.csv
#include <algorithm>
#include <cstdio>
#include <vector>
typedef unsigned u32;
const u32 CHUNK = 256, PAGE = 2 << 20, SLICES = 80;
__device__ u32 sink;

// Half of the warps operate on one line, half on another: all take twice as long if one slice has both.
__global__ void contend(char *a, char *b, u32 *most) {
    char *at = (threadIdx.x / 32 & 1 ? b : a) + threadIdx.x % 32 * 4;
    u32 began = clock(), last;
    for (int k = 0; k < 8; k++) asm volatile("red.global.add.u32 [%0], 1;" :: "l"(at) : "memory");
    asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(last) : "l"(at) : "memory");
    if (last == ~0u) sink = 1;
    if (threadIdx.x % 32 == 0) atomicMax(most, clock() - began);
}

__global__ void where(u32 *log, u32 cycles) {
    u32 began = clock(), place;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(place));
    if (threadIdx.x == 0) log[blockIdx.x] = place;
    while (clock() - began < cycles);
}

u32 *results;
std::vector<u32> times(const std::vector<std::pair<char *, char *>> &pairs) {
    std::vector<u32> found(pairs.size());
    cudaMemset(results, 0, 4 * pairs.size());
    for (size_t k = 0; k < pairs.size(); k++) contend<<<132, 64>>>(pairs[k].first, pairs[k].second, results + k);
    cudaMemcpy(found.data(), results, 4 * found.size(), cudaMemcpyDeviceToHost);
    return found;
}

void map(char *memory, int pages, FILE *log) {
    std::vector<char *> first;                  // a chunk of each slice that is known
    std::vector<int> slice(PAGE / CHUNK, SLICES - 1);
    std::vector<u32> left;
    for (u32 k = 0; k < PAGE / CHUNK; k++) left.push_back(k);
    while (first.size() + 1 < SLICES) {
        std::vector<std::pair<char *, char *>> pairs;
        first.push_back(memory + left[0] * CHUNK);
        for (u32 k : left) pairs.push_back({first.back(), memory + k * CHUNK});
        std::vector<u32> took = times(pairs), rest;
        u32 least = *std::min_element(took.begin(), took.end());
        for (size_t k = 0; k < left.size(); k++)
            if (k == 0 || took[k] > 1.5 * least) slice[left[k]] = (int)first.size() - 1;
            else rest.push_back(left[k]);
        left.swap(rest);
    }
    first.push_back(memory + left[0] * CHUNK);
    for (int name : slice) fprintf(log, "%d ", name);
    fprintf(log, "\n");
    for (u32 place : {0u, 256u, 1024u, 1280u, 32768u}) {
        for (int page = 0; page < pages; page++) {
            std::vector<std::pair<char *, char *>> pairs;
            for (char *known : first) pairs.push_back({known, memory + (size_t)page * PAGE + place});
            std::vector<u32> took = times(pairs);
            fprintf(log, "%d ", (int)(std::max_element(took.begin(), took.end()) - took.begin()));
        }
        fprintf(log, "\n");
    }
}

int main(int count, char **words) {
    FILE *log = fopen(words[2], "w");
    cudaMalloc(&results, 1 << 20);
    if (words[1][0] == 'p') {
        for (u32 threads : {128, 256, 1024})
            for (u32 blocks = 132; blocks <= 132 * 2048 / threads && blocks <= 1056; blocks++) {
                std::vector<u32> found(blocks);
                where<<<blocks, threads>>>(results, 30000);
                cudaMemcpy(found.data(), results, 4 * blocks, cudaMemcpyDeviceToHost);
                fprintf(log, "%u,%u,", threads, blocks);
                for (u32 place : found) fprintf(log, "%u ", place);
                fprintf(log, "\n");
            }
    } else {
        bool far = words[1][0] == 'f';
        size_t size = far ? (size_t)40 << 30 : 64 << 20;
        char *memory;
        cudaMalloc(&memory, size);
        cudaMemset(memory, 0, size);
        map(memory, far ? 1100 : 0, log);
    }
    fclose(log);
    return cudaGetLastError() != cudaSuccess;
}
