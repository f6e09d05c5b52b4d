/* Calls that make something and have no address for it, and calls of no function: each is an invalid value and leaves nothing behind. */
#include "cuda_few.h"

typedef struct { void (*function)(void *); void *data; } HOST_NODE;
int cuInit(unsigned), cuCtxCreate_v2(void **, unsigned, int), cuCtxGetCurrent(void **), cuMemAlloc_v2(unsigned long long *, size_t), cuCtxPopCurrent_v2(void **);
int cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *), cudaGraphAddHostNode(void **, void *, void **, size_t, const HOST_NODE *);
int cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t), cudaInitDevice(int, unsigned, unsigned), cudaMallocAsync(void **, size_t, cudaStream_t);
enum { INVALID = 1, INVALID_DEVICE = 101 };

int main(void)
{
    size_t before = 0, after = 0, total = 0;
    void *context = 0, *current = 0, *graph, *node, *managed;
    HOST_NODE nothing = {0, 0};
    CHECK(cuInit(0));
    expect(cuCtxCreate_v2(0, 0, 0) == INVALID, "a context for nobody");
    CHECK(cuCtxGetCurrent(&current));
    expect(!current, "no context was made");
    CHECK(cuCtxCreate_v2(&context, 0, 0));
    CHECK(cuCtxPopCurrent_v2(0));
    CHECK(cudaMemGetInfo(&before, &total));
    expect(cudaMalloc(0, 1 << 20) == INVALID && cudaMallocHost(0, 64) == INVALID && cudaMallocManaged(0, 1 << 20, 1) == INVALID, "memory for nobody");
    expect(cudaMallocAsync(0, 1 << 20, 0) == INVALID && cuMemAlloc_v2(0, 1 << 20) == INVALID, "more of it");
    expect(cudaStreamCreate(0) == INVALID && cudaEventCreate(0) == INVALID && cudaGraphCreate(0, 0) == INVALID, "handles for nobody");
    CHECK(cudaMemGetInfo(&after, &total));
    expect(before == after, "nothing was allocated");
    expect(cudaStreamAddCallback(0, 0, 0, 0) == INVALID && cudaLaunchHostFunc(0, 0, 0) == INVALID, "calls of nothing");
    CHECK(cudaGraphCreate(&graph, 0));
    expect(cudaGraphAddHostNode(&node, graph, 0, 0, &nothing) == INVALID, "a node that calls nothing");
    CHECK(cudaMallocManaged(&managed, 64, 1));
    CHECK(cudaMemPrefetchAsync(managed, 64, -1, 0));
    CHECK(cudaMemPrefetchAsync(managed, 64, 0, 0));
    expect(cudaMemPrefetchAsync(managed, 64, 7, 0) == INVALID_DEVICE, "a device that there is not");
    expect(cudaInitDevice(0, 3, 1) == INVALID && cudaInitDevice(0, 3, 0) == 0 && cudaInitDevice(0, 4, 1) == 0, "flags that mean something, or not");
    puts("PASSED");
    return 0;
}
