/* Dynamic shared memory up to what a block may have unasked, above it, and after the attribute that asks for more: by every way to launch a kernel. */
#include "cuda_few.h"

typedef void *CUmodule, *CUfunction;
struct attribute { unsigned number, unused; union { int value; unsigned cluster[3]; char bytes[64]; } as; };
struct config { dim3 grid, block; size_t shared_bytes; cudaStream_t stream; struct attribute *attributes; unsigned count; };
struct driver_config { unsigned grid[3], block[3], shared_bytes; void *stream, *attributes; unsigned count; };
struct kernel_node { void *function; dim3 grid, block; unsigned shared_bytes; void **arguments, **packed; };
struct attributes { size_t shared, constant, local; int threads, registers, ptx, binary, cache, most_dynamic, more[64]; };
int cudaFuncSetAttribute(const void *, int, int), cudaFuncGetAttributes(struct attributes *, const void *), cudaStreamBeginCapture(cudaStream_t, int);
int cudaLaunchKernelExC(const struct config *, const void *, void **), cudaLaunchCooperativeKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t), cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int);
int cudaGraphAddKernelNode(void **, void *, void **, size_t, const struct kernel_node *), cudaStreamEndCapture(cudaStream_t, void **);
int cuModuleLoadData(CUmodule *, const void *), cuModuleGetFunction(CUfunction *, CUmodule, const char *), cuFuncSetAttribute(CUfunction, int, int);
int cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int cuLaunchKernelEx(const struct driver_config *, CUfunction, void **, void **), cuFuncGetAttribute(int *, int, CUfunction);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int, size_t);

void scale(void) {}
enum { ATTRIBUTE = 8, COOPERATIVE_LAUNCH = 95, MOST_BYTES = 97, INVALID = 1, NOT_SUPPORTED = 801 };
static const dim3 ONE = {1, 1, 1};
REGISTERS(KERNEL(scale))
static void *there, *given[] = {&there};

static void each_way(size_t bytes, int wanted)
{
    int blocks = -1, cooperative = 0, status;
    void *graph, *node, *stream;
    struct config config = {ONE, ONE, bytes};
    struct kernel_node launch = {scale, ONE, ONE, (unsigned)bytes, given};
    expect(cudaLaunchKernel(scale, ONE, ONE, given, bytes, 0) == wanted, "a launch");
    expect(cudaLaunchKernelExC(&config, scale, given) == wanted, "a launch with attributes");
    CHECK(cudaDeviceGetAttribute(&cooperative, COOPERATIVE_LAUNCH, 0));
    status = cudaLaunchCooperativeKernel(scale, ONE, ONE, given, bytes, 0);
    expect(status == wanted || !cooperative && status == NOT_SUPPORTED, "a cooperative launch");
    CHECK(cudaGraphCreate(&graph, 0));
    expect(cudaGraphAddKernelNode(&node, graph, 0, 0, &launch) == wanted, "a node of a graph");
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, 2));
    expect(cudaLaunchKernel(scale, ONE, ONE, given, bytes, stream) == wanted, "a captured launch");
    status = cudaStreamEndCapture(stream, &graph);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 1, bytes));
    expect((blocks > 0) == (wanted == 0), "resident blocks");
    CHECK(cudaDeviceSynchronize());
    cudaGetLastError();
}

static void runtime(void)
{
    int unasked = 0, asked = 0;
    size_t available = 0;
    struct attributes attributes;
    CHECK(cudaMalloc(&there, 64));
    CHECK(cudaDeviceGetAttribute(&asked, MOST_BYTES, 0));
    CHECK(cudaFuncGetAttributes(&attributes, scale));
    unasked = attributes.most_dynamic;
    expect(unasked == 49152 || unasked < 49152 && unasked + 256 > asked, "the attribute as it is at first");  /* some machines have arguments there */
    asked -= unasked < 49152 ? asked - unasked : 0;
    each_way(unasked, 0);
    each_way(unasked + 1, INVALID);
    each_way(asked + 1, INVALID);
    expect(cudaFuncSetAttribute(scale, ATTRIBUTE, asked + 1) == INVALID && cudaFuncSetAttribute(scale, ATTRIBUTE, -1) == INVALID, "more than there is");
    CHECK(cudaFuncSetAttribute(scale, ATTRIBUTE, asked));
    each_way(asked, 0);
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&available, scale, 1, 1));
    expect(available == (size_t)asked, "what is available");
    CHECK(cudaFuncSetAttribute(scale, ATTRIBUTE, 1024));
    CHECK(cudaFuncGetAttributes(&attributes, scale));
    expect(attributes.most_dynamic == 1024, "the attribute as it was set");
    each_way(1024, 0);
    each_way(1025, INVALID);
}

static void each_way_of_the_driver(CUfunction function, unsigned bytes, int wanted)
{
    int blocks = -1;
    struct driver_config config = {{1, 1, 1}, {1, 1, 1}, bytes};
    expect(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, bytes, 0, given, 0) == wanted, "a launch of the driver");
    expect(cuLaunchKernelEx(&config, function, given, 0) == wanted, "a launch of the driver with attributes");
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 1, bytes));
    expect((blocks > 0) == (wanted == 0), "resident blocks by the driver");
}

static void driver(void)
{
    int unasked = 0, asked = 0, most = 0;
    CUmodule module;
    CUfunction function;
    CHECK(cudaMalloc(&there, 64));
    CHECK(cudaDeviceGetAttribute(&asked, MOST_BYTES, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&function, module, "scale"));
    CHECK(cuFuncGetAttribute(&unasked, ATTRIBUTE, function));
    asked -= unasked < 49152 ? asked - unasked : 0;
    each_way_of_the_driver(function, unasked, 0);
    each_way_of_the_driver(function, unasked + 1, INVALID);
    expect(cuFuncSetAttribute(function, ATTRIBUTE, asked + 1) == INVALID, "more than there is, of the driver");
    CHECK(cuFuncSetAttribute(function, ATTRIBUTE, asked));
    CHECK(cuFuncGetAttribute(&most, ATTRIBUTE, function));
    expect(most == asked, "the attribute of the driver");
    each_way_of_the_driver(function, asked, 0);
    expect(cudaLaunchKernel(scale, ONE, ONE, given, asked, 0) == (asked > unasked), "another module's kernel of that name");
    CHECK(cudaDeviceSynchronize());
}

PARTS({"runtime", runtime}, {"driver", driver})
