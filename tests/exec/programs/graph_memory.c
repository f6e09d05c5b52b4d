/* Graphs that allocate and free; DRIVER has the nodes made by the driver, whose structures are the same. Structures are those of CUDA's headers. */
#include "cuda_few.h"

typedef void *cudaGraph_t, *cudaGraphNode_t, *cudaGraphExec_t;
struct kernel_node { void *function; dim3 grid, block; unsigned shared_bytes; void **arguments, **packed; };
struct set_node { void *to; size_t pitch; unsigned value, element_bytes; size_t width, height; };
struct allocation_node {
    int kind, handles, place, device;
    void *security; size_t most; unsigned short usage; unsigned char reserved[54];
    const void *access; size_t accesses, bytes; void *address;
};
struct node { int kind, none[3]; union { long long padding[29]; struct allocation_node allocation; void *freed; }; long long nothing; };
#ifdef DRIVER
#define FUNCTION(name) cu##name
#else
#define FUNCTION(name) cuda##name
#endif
int FUNCTION(GraphAddMemAllocNode)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, struct allocation_node *);
int FUNCTION(GraphAddMemFreeNode)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *);
int FUNCTION(GraphMemAllocNodeGetParams)(cudaGraphNode_t, struct allocation_node *), FUNCTION(GraphMemFreeNodeGetParams)(cudaGraphNode_t, void *);
int FUNCTION(DeviceGraphMemTrim)(int), FUNCTION(DeviceGetGraphMemAttribute)(int, int, void *), FUNCTION(DeviceSetGraphMemAttribute)(int, int, void *);
int FUNCTION(GraphAddNode)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, struct node *);
int cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct kernel_node *);
int cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct set_node *);
int cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *, const void *, size_t, int);
int cudaGraphDestroy(cudaGraph_t), cudaGraphInstantiateWithFlags(cudaGraphExec_t *, cudaGraph_t, unsigned long long), cudaGraphExecDestroy(cudaGraphExec_t);
int cudaGraphLaunch(cudaGraphExec_t, cudaStream_t), cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
int cudaMallocAsync(void **, size_t, cudaStream_t), cudaFreeAsync(void *, cudaStream_t), cudaMemsetAsync(void *, int, size_t, cudaStream_t);

void scale(void) {}
static int factor;
enum { N = 512, BYTES = N * sizeof(int) };
static const dim3 BLOCK = {128, 1, 1}, GRID = {N / 128, 1, 1};

REGISTERS(KERNEL(scale), VARIABLE(factor))

static void set_factor(int value) { CHECK(cudaMemcpyToSymbol(&factor, &value, sizeof value, 0, ToDevice)); }

static size_t used(void)
{
    size_t bytes = -1;
    CHECK(FUNCTION(DeviceGetGraphMemAttribute)(0, 0, &bytes));
    return bytes;
}

static void expect_all(const int *numbers, int value, const char *what)
{
    for (int i = 0; i < N; ++i)
        expect(numbers[i] == value, what);
}

/* allocated, set to 5, tripled, copied; freed by the graph, or by the program */
static void built(void)
{
    int here[N];
    size_t most = 0;
    cudaGraph_t graph;
    cudaGraphNode_t made, set, kernel, copy, freed, second;
    cudaGraphExec_t exec;
    void *again;
    struct allocation_node wanted = {.kind = 1, .place = 1, .bytes = BYTES}, got = {0};
    set_factor(3);
    for (int frees = 1; frees >= 0; --frees) {
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(FUNCTION(GraphAddMemAllocNode)(&made, graph, 0, 0, &wanted));
        struct set_node fives = {wanted.address, 0, 5, 4, N, 1};
        CHECK(cudaGraphAddMemsetNode(&set, graph, &made, 1, &fives));
        struct kernel_node launch = {scale, GRID, BLOCK, 0, (void *[]){&wanted.address}, 0};
        CHECK(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
        CHECK(cudaGraphAddMemcpyNode1D(&copy, graph, &kernel, 1, here, wanted.address, BYTES, ToHost));
        CHECK(FUNCTION(GraphMemAllocNodeGetParams)(made, &got));
        expect(got.address == wanted.address && got.bytes == BYTES && got.place == 1 && got.kind == 1, "what a node allocates");
        if (frees) {
            struct node more = {.kind = 10, .allocation = {.kind = 1, .place = 1, .bytes = BYTES}};
            CHECK(FUNCTION(GraphAddMemFreeNode)(&freed, graph, &copy, 1, wanted.address));
            CHECK(FUNCTION(GraphMemFreeNodeGetParams)(freed, &again));
            expect(again == wanted.address, "what a node frees");
            CHECK(FUNCTION(GraphAddNode)(&second, graph, &freed, 1, &more));
            expect(more.allocation.address == wanted.address, "an address that is used again");
            more = (struct node){.kind = 11, .freed = wanted.address};
            CHECK(FUNCTION(GraphAddNode)(&freed, graph, &second, 1, &more));
        }
        CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
        expect(used() == 0, "memory before the launch");
        for (int round = 0; round < 2; ++round) {
            memset(here, 0, sizeof here);
            CHECK(cudaGraphLaunch(exec, 0));
            CHECK(cudaDeviceSynchronize());
            expect_all(here, 15, "memory of a graph");
            expect(used() == BYTES, "memory behind the launch");
            if (frees)
                continue;
            expect(cudaGraphLaunch(exec, 0) == 1, "a launch while the memory is there");
            CHECK(cudaMemcpy(here, wanted.address, BYTES, ToHost));
            expect_all(here, 15, "memory that outlives its graph");
            CHECK(round ? cudaFree(wanted.address) : cudaFreeAsync(wanted.address, 0));
        }
        expect(cudaFree(wanted.address) == 1, "memory that is free");
        CHECK(cudaDeviceSynchronize());
        CHECK(FUNCTION(DeviceGraphMemTrim)(0));
        expect(used() == 0, "memory behind a trim");
        CHECK(cudaGraphExecDestroy(exec));
        CHECK(cudaGraphDestroy(graph));
    }
    CHECK(FUNCTION(DeviceGetGraphMemAttribute)(0, 1, &most));
    expect(most == BYTES, "the most that was used");
    most = 0;
    CHECK(FUNCTION(DeviceSetGraphMemAttribute)(0, 1, &most));
    struct allocation_node managed = {.kind = 2, .place = 1, .bytes = 4}, of_host = {.kind = 1, .place = 2, .bytes = 4}, nowhere = {.kind = 1, .place = 1, .device = 9, .bytes = 4};
    CHECK(cudaGraphCreate(&graph, 0));
    expect(FUNCTION(GraphAddMemAllocNode)(&made, graph, 0, 0, &managed) == 1, "another kind of memory");
    expect(FUNCTION(GraphAddMemAllocNode)(&made, graph, 0, 0, &of_host) == 801, "memory of the host");
    expect(FUNCTION(GraphAddMemAllocNode)(&made, graph, 0, 0, &nowhere) == 101, "memory of no device");
    expect(FUNCTION(GraphAddMemFreeNode)(&made, graph, 0, 0, here) == 1, "memory of the program");
}

static void captured(void)
{
    int *there, here[N];
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    set_factor(2);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, 0));
    CHECK(cudaMallocAsync((void **)&there, BYTES, stream));
    CHECK(cudaMemcpyAsync(there, here, BYTES, ToDevice, stream));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&there}, 0, stream));
    CHECK(cudaMemcpyAsync(here, there, BYTES, ToHost, stream));
    CHECK(cudaFreeAsync(there, stream));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 1));
    for (int i = 0; i < N; ++i)
        here[i] = 7;
    for (int round = 0, value = 14; round < 3; ++round, value *= 2) {
        CHECK(cudaGraphLaunch(exec, stream));
        CHECK(cudaStreamSynchronize(stream));
        expect_all(here, value, "a captured graph that allocates");
    }
}

/* of each of two devices, with memory of the host between; all is accessible at its own address alone */
static void apart(void)
{
    char *places[4], here;
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    for (int device = 0; device < 2; ++device) {
        struct allocation_node wanted = {.kind = 1, .place = 1, .device = device, .bytes = BYTES};
        CHECK(cudaSetDevice(device));
        CHECK(cudaGraphCreate(&graph, 0));
        CHECK(FUNCTION(GraphAddMemAllocNode)(&node, graph, 0, 0, &wanted));
        CHECK(cudaGraphInstantiateWithFlags(&exec, graph, 0));
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        places[2 * device] = wanted.address;
        CHECK(cudaMallocHost((void **)&places[2 * device + 1], BYTES));
    }
    for (int i = 0; i < 4; i += 2)
        CHECK(cudaMemset(places[i], i + 1, BYTES));
    for (int i = 1; i < 4; i += 2)
        memset(places[i], i + 1, BYTES);
    for (int i = 0; i < 4; ++i) {
        CHECK(cudaMemcpy(&here, places[i] + BYTES - 1, 1, Default));
        expect(here == i + 1, "memory of its own");
    }
    CHECK(cudaFree(places[0]));             /* an address says whose memory it is */
    CHECK(cudaFree(places[2]));
}

PARTS({"built", built}, {"captured", captured}, {"apart", apart})
