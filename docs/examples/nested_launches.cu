// Kernels that launch kernels: a greeting of half as many threads at each depth, and a sum that leaves half of its work to a child.
#include <cstdio>

__global__ void nested_hello(int threads, int depth) {
    printf("depth %d: hello from thread %d of %d\n", depth, threadIdx.x, threads);
    if (threads > 1 && threadIdx.x == 0) nested_hello<<<1, threads / 2>>>(threads / 2, depth + 1);
}

// One launch: each block sums `count` numbers in place.
__global__ void loop_sum(int *sums, int *numbers, int count) {
    int *mine = numbers + blockIdx.x * count;
    for (int half = count / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) mine[threadIdx.x] += mine[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = mine[0];
}

// Each block adds the upper half to the lower one, and launches a block of half as many threads for the rest; nobody waits.
__global__ void recursive_sum(int *sums, int *numbers, int count) {
    int *mine = numbers + blockIdx.x * count;
    int half = count / 2;
    if (threadIdx.x < half) mine[threadIdx.x] += mine[threadIdx.x + half];
    __syncthreads();
    if (threadIdx.x == 0) {
        if (half == 1) sums[blockIdx.x] = mine[0];
        else recursive_sum<<<1, half / 2>>>(sums + blockIdx.x, mine, half);
    }
}

// The first block launches one grid for all that is left, once per step: a launch of many blocks instead of many of one.
__global__ void grid_sum(int *sums, int *numbers, int count, int stride, int blocks) {
    int *mine = numbers + blockIdx.x * stride;
    int half = count / 2;
    if (threadIdx.x < half) mine[threadIdx.x] += mine[threadIdx.x + half];
    if (half == 1 && threadIdx.x == 0) sums[blockIdx.x] = mine[0];
    // the tail begins when the whole grid is done, so that no block is overtaken
    if (half > 1 && blockIdx.x == 0 && threadIdx.x == 0)
        grid_sum<<<blocks, half / 2, 0, (cudaStream_t)3>>>(sums, numbers, half, stride, blocks);
}
