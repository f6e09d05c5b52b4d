/* What libraries for Python ask of the driver beside what driver.c does: each part checks what it got. */
#include "driver_few.h"

typedef void *CUmemoryPool, *CUgraph, *CUgraphExec;
int cuFuncSetBlockShape(CUfunction, int, int, int), cuFuncSetSharedSize(CUfunction, unsigned), cuParamSetSize(CUfunction, unsigned);
int cuParamSeti(CUfunction, int, unsigned), cuParamSetf(CUfunction, int, float), cuParamSetv(CUfunction, int, void *, unsigned);
int cuLaunch(CUfunction), cuLaunchGrid(CUfunction, int, int), cuLaunchGridAsync(CUfunction, int, int, CUstream);
int cuCtxAttach(CUcontext *, unsigned), cuCtxDetach(CUcontext);
int cuDeviceGetDefaultMemPool(CUmemoryPool *, CUdevice), cuDeviceGetMemPool(CUmemoryPool *, CUdevice), cuDeviceSetMemPool(CUdevice, CUmemoryPool);
int cuMemPoolCreate(CUmemoryPool *, const void *), cuMemPoolDestroy(CUmemoryPool), cuMemPoolSetAttribute(CUmemoryPool, int, void *);
int cuMemPoolGetAttribute(CUmemoryPool, int, void *), cuMemAllocFromPoolAsync(CUdeviceptr *, size_t, CUmemoryPool, CUstream);
int cuMemFreeAsync(CUdeviceptr, CUstream), cuMemHostAlloc(void **, size_t, unsigned), cuMemAllocManaged(CUdeviceptr *, size_t, unsigned);
int cuStreamBeginCapture_v2(CUstream, int), cuStreamEndCapture(CUstream, CUgraph *), cuGraphInstantiateWithFlags(CUgraphExec *, CUgraph, uint64_t);
int cuUserObjectCreate(void **, void *, void (*)(void *), unsigned, unsigned), cuUserObjectRetain(void *, unsigned), cuUserObjectRelease(void *, unsigned);
int cuGraphRetainUserObject(CUgraph, void *, unsigned, unsigned), cuGraphReleaseUserObject(CUgraph, void *, unsigned), cuGraphCreate(CUgraph *, unsigned);
int cuGraphExecUpdate_v2(CUgraphExec, CUgraph, void *), cuGraphClone(CUgraph *, CUgraph), cuGraphAddChildGraphNode(void **, CUgraph, void **, size_t, CUgraph);
int cuGraphLaunch(CUgraphExec, CUstream), cuGraphExecDestroy(CUgraphExec), cuGraphDestroy(CUgraph), cuGraphGetNodes(CUgraph, void **, size_t *);

enum { N = 1000 };
static CUmodule module;
static CUcontext context;
static float a[N], sum[N];

static CUfunction function(const char *name)
{
    CUfunction found;
    CHECK(cuModuleGetFunction(&found, module, name));
    return found;
}

static CUdeviceptr filled(void)
{
    CUdeviceptr there;
    CHECK(cuMemAlloc(&there, sizeof a));
    CHECK(cuMemcpyHtoD(there, a, sizeof a));
    return there;
}

static void expect(CUdeviceptr there, int count)
{
    CHECK(cuMemcpyDtoH(sum, there, sizeof sum));
    for (int i = 0; i < N; ++i)
        EXPECT(sum[i] == (i < count ? 2 * i : 0));
    CHECK(cuMemsetD8(there, 0, sizeof sum));
}

static void told_before(void)
{
    CUfunction add = function("vector_add");
    CUdeviceptr x = filled(), z = filled();
    CHECK(cuMemsetD8(z, 0, sizeof sum));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchGrid(add, 4, 1));                /* has no arguments yet */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuFuncSetBlockShape(add, 0, 1, 1));
    CHECK(cuFuncSetBlockShape(add, 256, 1, 1));
    CHECK(cuFuncSetSharedSize(add, 128));
    CHECK(cuParamSetv(add, 0, &z, sizeof z));
    CHECK(cuParamSetv(add, 8, &x, sizeof x));
    CHECK(cuParamSetv(add, 16, &x, sizeof x));
    CHECK(cuParamSeti(add, 24, N));
    CHECK(cuParamSetSize(add, 28));
    CHECK(cuLaunchGrid(add, 2, 2));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuParamSetv(add, -1, &x, sizeof x));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuParamSetSize(add, 1u << 31));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuParamSetv(add, 0, &x, 1u << 31));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchGrid(add, 0, 1));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuLaunch(module));
    expect(z, 512);                                                            /* the kernel knows one axis of the grid */
    CHECK(cuLaunchGridAsync(add, 4, 1, 0));
    expect(z, N);
    CHECK(cuLaunch(add));
    expect(z, 256);
    CHECK(cuFuncSetBlockShape(add, 1 << 20, 1, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunch(add));
    CUfunction bits = function("scale");
    float one = 1, back;
    CHECK(cuFuncSetBlockShape(bits, 1, 1, 1));
    CHECK(cuParamSetv(bits, 0, &x, sizeof x));
    CHECK(cuParamSetf(bits, 8, one));                                          /* behind the only parameter: allowed, and not read */
    CHECK(cuLaunch(bits));
    CHECK(cuMemcpyDtoH(&back, x, 4));
    EXPECT(back == a[0]);
}

static void floats(void)
{
    static const char text[] = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry put(.param .u64 p, .param .f32 v)\n"
        "{ .reg .f32 %f<2>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; ld.param.f32 %f1, [v]; st.global.f32 [%rd1], %f1; ret; }\n";
    CUdeviceptr x = filled();
    CUfunction put;
    float back;
    CHECK(cuModuleLoadData(&module, text));
    CHECK(cuModuleGetFunction(&put, module, "put"));
    CHECK(cuParamSetv(put, 0, &x, sizeof x));
    CHECK(cuParamSetf(put, 8, -2.625f));
    CHECK(cuLaunch(put));
    CHECK(cuMemcpyDtoH(&back, x, 4));
    EXPECT(back == -2.625f);
}

static void held(void)
{
    CUcontext again, primary;
    CHECK(cuCtxAttach(&again, 0));
    EXPECT(again == context);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuCtxAttach(&again, 1));
    CHECK(cuCtxDetach(context));
    CHECK(cuCtxSynchronize());                                                 /* one holds it still */
    CHECK(cuCtxDetach(context));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxDetach(context));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxSynchronize());
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(cuCtxSetCurrent(primary));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxAttach(&again, 0));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxDetach(primary));
}

static void pools(void)
{
    struct { int kind, handles, place, number; void *security; size_t most; char rest[56]; } wanted = {1, 0, 1, 0};
    CUmemoryPool first, own, now;
    CUdeviceptr x;
    uint64_t kept = 1 << 20, used = 0;
    CHECK(cuDeviceGetDefaultMemPool(&first, 0));
    CHECK(cuMemPoolCreate(&own, &wanted));
    CHECK(cuDeviceSetMemPool(0, own));
    CHECK(cuDeviceGetMemPool(&now, 0));
    EXPECT(now == own && own != first);
    CHECK(cuMemPoolSetAttribute(own, 4, &kept));
    CHECK(cuMemAllocFromPoolAsync(&x, 4096, own, 0));
    CHECK(cuMemPoolGetAttribute(own, 7, &used));
    EXPECT(used >= 4096);
    CHECK(cuMemsetD32(x, 7, 1024));
    CHECK(cuMemFreeAsync(x, 0));
    CHECK(cuMemPoolDestroy(own));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAllocFromPoolAsync(&x, 4096, own, 0));
    wanted.handles = 1;
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemPoolCreate(&own, &wanted));
}

static void clusters(void)
{
    CUdeviceptr x = filled(), z = filled();
    int n = N;
    void *given[] = {&z, &x, &x, &n};
    CUfunction add = function("vector_add");
    CUlaunchAttribute cluster = {.id = 4, .value = {.cluster = {2, 1, 1}}};
    CUlaunchConfig configuration = {{4, 1, 1}, {256, 1, 1}, 0, 0, &cluster, 1};
    CHECK(cuMemsetD8(z, 0, sizeof sum));
    CHECK(cuLaunchKernelEx(&configuration, add, given, 0));
    expect(z, N);
    configuration.grid[0] = 3;
    EXPECT(cuLaunchKernelEx(&configuration, add, given, 0) != 0);              /* is no whole number of clusters */
    configuration.grid[0] = 32, cluster.value.cluster[0] = 16;
    EXPECT(cuLaunchKernelEx(&configuration, add, given, 0) != 0);
    CHECK(cuFuncSetAttribute(add, 14, 1));
    CHECK(cuLaunchKernelEx(&configuration, add, given, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuFuncSetAttribute(add, 14, 2));
}

static void captured(void)
{
    CUdeviceptr x = filled(), z = filled();
    int n = N;
    void *given[] = {&z, &x, &x, &n};
    size_t nodes = 0;
    CUstream stream;
    CUgraph graph;
    CUgraphExec executable;
    CHECK(cuMemsetD8(z, 0, sizeof sum));
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuStreamBeginCapture_v2(stream, 0));
    CHECK(cuLaunchKernel(function("vector_add"), 4, 1, 1, 256, 1, 1, 0, stream, given, 0));
    CHECK(cuStreamEndCapture(stream, &graph));
    CHECK(cuGraphGetNodes(graph, 0, &nodes));
    EXPECT(nodes == 1);
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    expect(z, 0);
    CHECK(cuGraphLaunch(executable, stream));
    CHECK(cuStreamSynchronize(stream));
    expect(z, N);
    CHECK(cuGraphExecDestroy(executable));
    CHECK(cuGraphDestroy(graph));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGraphLaunch(executable, stream));
}

static void count(void *data) { ++*(int *)data; }

static void objects(void)
{
    int ended[3] = {0};
    void *object[3], *node;
    CUgraph graph, copy, outer;
    CUgraphExec executable;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuUserObjectCreate(&object[0], &ended[0], count, 1, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuUserObjectCreate(&object[0], &ended[0], count, 0, 1));
    for (int i = 0; i < 3; ++i)
        CHECK(cuUserObjectCreate(&object[i], &ended[i], count, 1, 1));
    CHECK(cuGraphCreate(&graph, 0));
    CHECK(cuGraphCreate(&outer, 0));
    CHECK(cuGraphRetainUserObject(graph, object[0], 1, 1));                    /* the program's own reference goes to the graph */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGraphRetainUserObject(graph, object[0], 2, 1));
    CHECK(cuGraphRetainUserObject(graph, object[1], 2, 0));
    CHECK(cuGraphReleaseUserObject(graph, object[1], 2));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGraphReleaseUserObject(graph, object[1], 1));
    CHECK(cuUserObjectRetain(object[2], 2));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuUserObjectRelease(object[2], 4));
    CHECK(cuUserObjectRelease(object[2], 3));
    EXPECT(!ended[0] && !ended[1] && ended[2] == 1);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuUserObjectRelease(object[2], 1));
    CHECK(cuGraphInstantiateWithFlags(&executable, graph, 0));
    CHECK(cuGraphClone(&copy, graph));
    CHECK(cuGraphAddChildGraphNode(&node, outer, 0, 0, graph));
    CHECK(cuGraphDestroy(graph));
    CHECK(cuGraphLaunch(executable, 0));
    CHECK(cuGraphExecDestroy(executable));
    CHECK(cuGraphDestroy(outer));
    EXPECT(!ended[0]);
    CHECK(cuGraphDestroy(copy));
    EXPECT(ended[0] == 1 && !ended[1]);
    CHECK(cuUserObjectRelease(object[1], 1));
    EXPECT(ended[1] == 1);
}

/* An executable graph holds what the graph does by which it was updated, in place of what it held, and each object ends once. */
static void updated(void)
{
    int ended[2] = {0};
    void *object[2];
    struct { int result; void *node, *before; } about;
    CUgraph graph[2], captured;
    CUgraphExec executable;
    CUstream stream;
    for (int i = 0; i < 2; ++i) {
        CHECK(cuGraphCreate(&graph[i], 0));
        CHECK(cuUserObjectCreate(&object[i], &ended[i], count, 1, 1));
        CHECK(cuGraphRetainUserObject(graph[i], object[i], 1, 1));
    }
    CHECK(cuGraphInstantiateWithFlags(&executable, graph[0], 0));
    CHECK(cuGraphReleaseUserObject(graph[0], object[0], 1));
    EXPECT(!ended[0]);
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuStreamBeginCapture_v2(stream, 2));              /* which is no matter of other graphs */
    CHECK(cuGraphExecUpdate_v2(executable, graph[1], &about));
    CHECK(cuStreamEndCapture(stream, &captured));
    EXPECT(ended[0] == 1);
    CHECK(cuGraphReleaseUserObject(graph[1], object[1], 1));
    EXPECT(!ended[1]);
    CHECK(cuGraphExecDestroy(executable));
    EXPECT(ended[0] == 1 && ended[1] == 1);
    for (int i = 0; i < 2; ++i)
        CHECK(cuGraphDestroy(graph[i]));
    EXPECT(ended[0] == 1 && ended[1] == 1);
}

static void host_memory(void)
{
    CUdeviceptr there, start;
    size_t bytes;
    unsigned short *here, pair[2];
    CHECK(cuMemHostAlloc((void **)&here, 4096, 2));
    there = (CUdeviceptr)here;
    CHECK(cuMemGetAddressRange(&start, &bytes, there + 100));
    EXPECT(start == there && bytes == 4096);
    CHECK(cuMemsetD16(there + 2, 0x1234, 3));
    EXPECT(here[0] == 0 && here[1] == 0x1234 && here[3] == 0x1234 && here[4] == 0);
    CHECK(cuMemcpyDtoH(pair, there + 6, sizeof pair));
    EXPECT(pair[0] == 0x1234 && pair[1] == 0);
    pair[1] = 77;
    CHECK(cuMemcpyHtoD(there, pair, sizeof pair));
    EXPECT(here[1] == 77);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD16(there + 4094, 1, 2));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyDtoH(pair, (CUdeviceptr)sum, sizeof pair));
    FAILS("CUDA_ERROR_NOT_FOUND", cuMemGetAddressRange(&start, &bytes, (CUdeviceptr)sum));
}

static void managed(void)
{
    CUdeviceptr there;
    CHECK(cuMemAllocManaged(&there, 4096, 2));
    *(int *)there = 5;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAllocManaged(&there, 4096, 3));
}

int main(int argc, char **arguments)
{
    static const struct { const char *name; void (*part)(void); } parts[] = {
        {"told_before", told_before}, {"floats", floats}, {"held", held}, {"pools", pools}, {"captured", captured}, {"objects", objects},
        {"updated", updated}, {"host_memory", host_memory},
        {"managed", managed}, {"clusters", clusters}};
    CHECK(cuInit(0));
    CHECK(cuCtxCreate(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    for (int i = 0; i < N; ++i)
        a[i] = i;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!strcmp(arguments[1], parts[i].name))
            parts[i].part();
    puts("PASSED");
    return 0;
}
