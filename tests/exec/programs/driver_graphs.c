/* Graphs and stream capture by the driver alone. */
#include "driver_few.h"

typedef struct { CUfunction function; unsigned grid[3], block[3], shared_bytes; void **arguments, **extra; } KERNEL_NODE;
typedef struct { CUfunction function; unsigned grid[3], block[3], shared_bytes; void **arguments, **extra; CUkernel kernel; CUcontext context; } KERNEL_NODE_2;
typedef struct { CUdeviceptr to; size_t pitch; unsigned value, element_bytes; size_t width, height; } MEMSET_NODE;
typedef struct { void (*function)(void *); void *data; } HOST_NODE;
typedef struct {
    size_t source_x, source_y, source_z, source_level; int source_kind; const void *source_host; CUdeviceptr source_device; void *source_array, *none;
    size_t source_pitch, source_rows, x, y, z, level; int kind; void *host; CUdeviceptr device; void *array, *nothing; size_t pitch, rows, width, height, depth;
} COPY_NODE;
typedef struct { int result; void *node, *from; } UPDATE;
int cuGraphCreate(void **, unsigned), cuGraphAddKernelNode(void **, void *, void **, size_t, const KERNEL_NODE *), cuGraphDestroy(void *);
int cuGraphAddKernelNode_v2(void **, void *, void **, size_t, const KERNEL_NODE_2 *), cuGraphKernelNodeGetParams_v2(void *, KERNEL_NODE_2 *);
int cuGraphAddMemsetNode(void **, void *, void **, size_t, const MEMSET_NODE *, CUcontext), cuGraphAddHostNode(void **, void *, void **, size_t, const HOST_NODE *);
int cuGraphAddMemcpyNode(void **, void *, void **, size_t, const COPY_NODE *, CUcontext), cuGraphMemcpyNodeGetParams(void *, COPY_NODE *);
int cuGraphInstantiateWithFlags(void **, void *, unsigned long long), cuGraphInstantiate_v2(void **, void *, void **, char *, size_t);
int cuGraphLaunch(void *, CUstream), cuGraphExecDestroy(void *), cuGraphExecUpdate_v2(void *, void *, UPDATE *), cuGraphExecUpdate(void *, void *, void **, int *);
int cuGraphExecKernelNodeSetParams_v2(void *, void *, const KERNEL_NODE_2 *), cuGraphGetEdges(void *, void **, void **, size_t *), cuGraphNodeGetType(void *, int *);
int cuGraphExecMemcpyNodeSetParams(void *, void *, const COPY_NODE *, CUcontext), cuGraphNodeGetDependencies_v2(void *, void **, void *, size_t *);
int cuStreamBeginCapture_v2(CUstream, int), cuStreamEndCapture(CUstream, void **), cuStreamIsCapturing(CUstream, int *);
int cuStreamGetCaptureInfo_v2(CUstream, int *, unsigned long long *, void **, void ***, size_t *), cuGraphGetNodes(void *, void **, size_t *);

enum { N = 64, BYTES = N * sizeof(int) };
static CUmodule module;
static CUcontext context;
static CUfunction scale;
static CUdeviceptr there, factor;
static int numbers[N], got[N], calls;
static void count(void *by) { calls += *(int *)by; }

static void set_up(void)
{
    int two = 2;
    CHECK(cuInit(0));
    CHECK(cuCtxCreate(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuModuleGetGlobal(&factor, 0, module, "factor"));
    CHECK(cuMemcpyHtoD(factor, &two, 4));
    CHECK(cuMemAlloc(&there, 2 * BYTES));
    CHECK(cuMemsetD8(there, 0, 2 * BYTES));
    for (int i = 0; i < N; ++i)
        numbers[i] = i;
}

static void expect(CUdeviceptr where, int times, int plus)
{
    CHECK(cuMemcpyDtoH(got, where, BYTES));
    for (int i = 0; i < N; ++i)
        EXPECT(got[i] == times * i + plus);
}

static void built(void)
{
    void *graph, *executable, *copy, *kernel, *host, *set, *nodes[4], *given[] = {&there};
    int kind, five = 5;
    size_t edges = 0;
    CUdeviceptr second = there + BYTES;
    COPY_NODE in = {.source_kind = 1, .source_host = numbers, .source_pitch = BYTES / 2, .kind = 2, .device = there, .pitch = BYTES / 2, .width = BYTES / 2,
                    .height = 2, .depth = 1}, shown;
    KERNEL_NODE_2 launch = {scale, {1, 1, 1}, {N, 1, 1}, 0, given}, seen;
    MEMSET_NODE fill = {second, 0, 9, 4, N, 1};
    HOST_NODE call = {count, &five};
    CHECK(cuGraphCreate(&graph, 0));
    CHECK(cuGraphAddMemcpyNode(&copy, graph, 0, 0, &in, context));
    CHECK(cuGraphAddKernelNode_v2(&kernel, graph, &copy, 1, &launch));
    CHECK(cuGraphAddMemsetNode(&set, graph, 0, 0, &fill, context));
    CHECK(cuGraphAddHostNode(&host, graph, &kernel, 1, &call));
    CHECK(cuGraphNodeGetType(host, &kind));
    EXPECT(kind == 3);
    CHECK(cuGraphGetEdges(graph, 0, 0, &edges));
    EXPECT(edges == 2);
    edges = 4;
    CHECK(cuGraphNodeGetDependencies_v2(host, nodes, 0, &edges));
    EXPECT(edges == 1 && nodes[0] == kernel);
    CHECK(cuGraphMemcpyNodeGetParams(copy, &shown));
    EXPECT(!memcmp(&shown, &in, sizeof in));
    CHECK(cuGraphKernelNodeGetParams_v2(kernel, &seen));
    EXPECT(seen.function == scale && seen.block[0] == N && *(CUdeviceptr *)seen.arguments[0] == there);
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    for (int turn = 0; turn < 2; ++turn)
        CHECK(cuGraphLaunch(executable, 0));
    CHECK(cuCtxSynchronize());
    EXPECT(calls == 10);
    expect(there, 2, 0);
    expect(second, 0, 9);
    given[0] = &second;
    CHECK(cuGraphExecKernelNodeSetParams_v2(executable, kernel, &launch));
    in.device = second;
    CHECK(cuGraphExecMemcpyNodeSetParams(executable, copy, &in, context));
    in.source_level = 1;
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuGraphExecMemcpyNodeSetParams(executable, copy, &in, context));
    CHECK(cuGraphLaunch(executable, 0));
    CHECK(cuCtxSynchronize());
    CHECK(cuGraphExecDestroy(executable));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGraphLaunch(executable, 0));
    launch.function = (void *)0x1234;
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuGraphAddKernelNode_v2(&kernel, graph, 0, 0, &launch));
}

static void captured(void)
{
    CUstream stream;
    void *graph, *other, *executable, *in_progress, **waits, *given[] = {&there}, *wrong;
    int state, result;
    unsigned long long number;
    size_t count = 0;
    UPDATE update;
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuMemcpyHtoD(there, numbers, BYTES));
    for (int turn = 0; turn < 2; ++turn) {
        CHECK(cuStreamBeginCapture_v2(stream, 0));
        CHECK(cuLaunchKernel(scale, 1, 1, 1, N, 1, 1, 0, stream, given, 0));
        if (turn)
            CHECK(cuLaunchKernel(scale, 1, 1, 1, N, 1, 1, 0, stream, given, 0));
        CHECK(cuStreamIsCapturing(stream, &state));
        EXPECT(state == 1);
        CHECK(cuStreamGetCaptureInfo_v2(stream, &state, &number, &in_progress, &waits, &count));
        EXPECT(state == 1 && number && in_progress && count == 1 && waits[0]);
        CHECK(cuStreamEndCapture(stream, turn ? &other : &graph));
        CHECK(cuGraphGetNodes(turn ? other : graph, 0, &count));
        EXPECT(count == turn + 1);
    }
    CHECK(cuGraphInstantiate_v2(&executable, graph, &wrong, 0, 0));
    CHECK(cuGraphLaunch(executable, stream));
    CHECK(cuStreamSynchronize(stream));
    expect(there, 2, 0);
    CHECK(cuGraphExecUpdate_v2(executable, graph, &update));
    EXPECT(update.result == 0);
    FAILS("CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", cuGraphExecUpdate_v2(executable, other, &update));
    EXPECT(update.result != 0);
    FAILS("CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", cuGraphExecUpdate(executable, other, &wrong, &result));
    EXPECT(result == update.result);
    CHECK(cuStreamBeginCapture_v2(stream, 0));
    FAILS("CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", cuStreamSynchronize(stream));
    FAILS("CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", cuStreamEndCapture(stream, &other));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGraphDestroy(other));
    CHECK(cuGraphDestroy(graph));
}

int main(int count, char **arguments)
{
    set_up();
    if (!strcmp(arguments[1], "built"))
        built();
    else
        captured();
    puts("PASSED");
    return 0;
}
