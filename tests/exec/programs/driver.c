/* The driver without the runtime: each part checks what it got. */
#include "driver_few.h"

enum { N = 1000 };
static CUmodule module;
static CUcontext context;
static float a[N], b[N], sum[N];

static void set_up(void)
{
    CUdevice device;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, 0, device));
    CHECK(cuModuleLoadData(&module, device_code));
    for (int i = 0; i < N; ++i)
        a[i] = i, b[i] = 2 * i;
}

static CUfunction function(const char *name)
{
    CUfunction found;
    CHECK(cuModuleGetFunction(&found, module, name));
    return found;
}

static CUdeviceptr filled(const void *from)
{
    CUdeviceptr there;
    CHECK(cuMemAlloc(&there, N * sizeof(float)));
    if (from)
        CHECK(cuMemcpyHtoD(there, from, N * sizeof(float)));
    return there;
}

static void expect_sum(CUdeviceptr there)
{
    CHECK(cuMemcpyDtoH(sum, there, sizeof sum));
    for (int i = 0; i < N; ++i)
        EXPECT(sum[i] == 3 * i);
    CHECK(cuMemsetD8(there, 0, sizeof sum));
}

static void launches(void)
{
    CUfunction add = function("vector_add");
    CUdeviceptr x = filled(a), y = filled(b), z = filled(0);
    int n = N, threads, blocks, most;
    void *given[] = {&z, &x, &y, &n};
    CHECK(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, given, 0));
    expect_sum(z);
    struct { CUdeviceptr z, x, y; int n; } packed = {z, x, y, N};
    size_t bytes = sizeof packed;
    void *extra[] = {(void *)1, &packed, (void *)2, &bytes, 0};
    CHECK(cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, 0, extra));
    expect_sum(z);
    bytes = 8;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, 0, extra));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchKernel(add, 4, 1, 1, 256, 1, 1, 0, 0, given, extra));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchKernel(add, 0, 1, 1, 256, 1, 1, 0, 0, given, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchKernel(add, 1, 1, 1, 1 << 20, 1, 1, 0, 0, given, 0));
    CUlaunchAttribute attributes[] = {{.id = 0}, {.id = 8}};
    CUlaunchConfig configuration = {{4, 1, 1}, {256, 1, 1}, 0, 0, attributes, 2};
    CHECK(cuLaunchKernelEx(&configuration, add, given, 0));
    expect_sum(z);
    attributes[1].id = 6, attributes[1].value.cooperative = 1;      /* may begin early: the sum is the same */
    CHECK(cuLaunchKernelEx(&configuration, add, given, 0));
    attributes[1].id = 13;
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuLaunchKernelEx(&configuration, add, given, 0));
    configuration.count = -1;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLaunchKernelEx(&configuration, add, given, 0));
    CHECK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, add, 256, 0));
    EXPECT(blocks > 0);
    size_t alone, beside;
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(&alone, add, 1, 256));
    CHECK(cuOccupancyAvailableDynamicSMemPerBlock(&beside, add, 2, 256));
    EXPECT(beside > 0 && beside <= alone);
    const char *name;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuFuncGetName(&name, 0));
    CHECK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, add, 0, 0, 0));
    EXPECT(blocks > 0 && threads >= 32);
    CHECK(cuFuncGetAttribute(&most, 0, add));
    EXPECT(most >= threads);
    CHECK(cuFuncSetAttribute(add, 8, 1024));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuFuncSetAttribute(add, 8, 1 << 30));
    CHECK(cuMemFree(x));
}

static void images(void)
{
    char errors[400] = "", little[8];
    int options[] = {5, 6, 13};
    void *values[] = {errors, (void *)sizeof errors, 0};
    CUmodule none = 0;
    CUfunction nothing = 0;
    FAILS("CUDA_ERROR_NOT_FOUND", cuModuleGetFunction(&nothing, module, "nonesuch"));
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadData(&none, ".version 6.0\n.target sm_20\nnonsense"));
    const char *inside = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k() { nonsense %r1; }";
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadDataEx(&none, inside, 3, options, values));
    EXPECT(strstr(errors, "nonsense") && (size_t)values[1] == strlen(errors));
    values[0] = little, values[1] = (void *)sizeof little, little[7] = 'x';
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadDataEx(&none, inside, 2, options, values));
    EXPECT(little[7] == 0);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuModuleLoadDataEx(&none, inside, 1u << 31, options, values));
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadData(&none, ""));
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadData(&none, "kernels.cu"));
    static const char of_nothing[20] = "\x7f" "ELF and no cubin", cubin[20] = {0x7f, 'E', 'L', 'F', [18] = (char)190};
    FAILS("CUDA_ERROR_INVALID_IMAGE", cuModuleLoadData(&none, of_nothing));
    FAILS("CUDA_ERROR_NO_BINARY_FOR_GPU", cuModuleLoadData(&none, cubin));
    /* what nobody launches: as an H200's driver says */
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadData(&none, ".version 6.0\n.target sm_20\n.address_size 64\n.visible .entry k() { nonsense; ret; }"));
    FAILS("CUDA_ERROR_INVALID_PTX", cuModuleLoadData(&none, ".version 6.0\n.target sm_20\n.address_size 64\n.extern .func t(); .visible .entry k() { call t; ret; }"));
    FAILS("CUDA_ERROR_UNSUPPORTED_PTX_VERSION", cuModuleLoadData(&none, ".version 99.0\n.target sm_20\n.address_size 64\n.visible .entry k() { ret; }"));
    FAILS("CUDA_ERROR_INVALID_IMAGE", cuModuleLoadData(&none, "\x7f" "ARCmischief..........."));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuModuleLoadData(&none, (void *)16));
    FAILS("CUDA_ERROR_FILE_NOT_FOUND", cuModuleLoad(&none, "nonesuch.ptx"));
    FAILS("CUDA_ERROR_FILE_NOT_FOUND", cuModuleLoad(&none, "/dev/zero"));      /* which has no end */
    uint32_t cut[64] = {0xba55ed50, 0x00100001, 1 << 29, 0};        /* reaches over the end of the stack */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuModuleLoadFatBinary(&none, cut));
    cut[3] = 1 << 30;
    FAILS("CUDA_ERROR_INVALID_IMAGE", cuModuleLoadFatBinary(&none, cut));
    uint32_t empty[] = {0xba55ed50, 0x00100001, 0, 0};
    FAILS("CUDA_ERROR_NO_BINARY_FOR_GPU", cuModuleLoadFatBinary(&none, empty));
    CUdeviceptr factor;
    CHECK(cuModuleGetGlobal(&factor, 0, module, "factor"));
    CHECK(cuModuleUnload(module));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuModuleGetFunction(&nothing, module, "scale"));
    FAILS("CUDA_ERROR_NOT_FOUND", cuMemGetAddressRange(0, 0, factor));
}

static void handles(void)
{
    int is, kind;
    CUdeviceptr x = filled(0), start;
    size_t bytes;
    CUcontext of;
    CUfunction add = function("vector_add"), nothing;
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuLaunchKernel((void *)0x1234, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuLaunchKernel(module, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuModuleGetFunction(&nothing, add, "scale"));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuStreamSynchronize((void *)0x77777777));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxPushCurrent(add));
    FAILS("CUDA_ERROR_INVALID_DEVICE", cuDeviceGet(&is, 77));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAlloc(&x, 0));
    FAILS("CUDA_ERROR_OUT_OF_MEMORY", cuMemAlloc(&x, (size_t)1 << 62));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAlloc((CUdeviceptr *)-1, 16));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyHtoD(x, a, (size_t)-1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD32(x, 1, (size_t)-1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD32(x + 2, 1, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpy3DPeer(0));
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemBatchDecompressAsync(0, 0, 0, 0, 0));
    EXPECT(cudaGetLastError() == 0);                /* the driver's errors are none of the runtime's */
    CHECK(cuMemGetAddressRange(&start, &bytes, x + 100));
    EXPECT(start == x && bytes == N * sizeof(float));
    CHECK(cuPointerGetAttribute(&kind, 2, x + 100));
    CHECK(cuPointerGetAttribute(&of, 1, x));
    EXPECT(kind == 2 && of == context);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuPointerGetAttribute(&kind, 2, (CUdeviceptr)&kind));
    int which[] = {2, 9};
    void *outs[] = {&kind, &is};
    CHECK(cuPointerGetAttributes(2, which, outs, x));
    EXPECT(kind == 2 && is == 0);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuPointerGetAttributes(1u << 30, which, outs, x));
    const char *text = "kept";
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGetErrorString(12345, &text));
    EXPECT(!text);
}

static void entry_points(void)
{
    void *found, *other;
    int state;
    CHECK(cuGetProcAddress("cuMemAlloc", &found, 12000, 0, &state));
    EXPECT(found == (void *)cuMemAlloc && state == 0);
    CHECK(cuGetProcAddress("cuMemAlloc", &other, 2000, 0, &state));
    EXPECT(other && other != found);
    CHECK(cuGetProcAddress("cuStreamSynchronize", &found, 12000, 0, &state));
    CHECK(cuGetProcAddress("cuStreamSynchronize", &other, 12000, 2, &state));
    EXPECT(other && other != found && found == (void *)cuStreamSynchronize);
    CHECK(((int (*)(CUstream))other)(0));
    CHECK(cuGetProcAddress("cuNonesuch", &found, 12000, 0, &state));
    EXPECT(!found && state == 1);
    CHECK(cuGetProcAddress("cuLibraryLoadData", &found, 11000, 0, &state));
    EXPECT(!found && state == 2);
    FAILS("CUDA_ERROR_NOT_FOUND", cuGetProcAddress("cuNonesuch", &found, 12000, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuGetProcAddress("cuMemAlloc", &found, 12000, 3, &state));
}

static void contexts(void)
{
    CUcontext second, third, primary, got;
    CUdevice device;
    CUdeviceptr there, own, freed;
    int active;
    unsigned flags;
    CHECK(cuCtxCreate(&second, 4, 1));
    CHECK(cuCtxGetDevice(&device));
    CHECK(cuCtxGetFlags(&flags));
    EXPECT(device == 1 && flags == 4);
    CHECK(cuMemAlloc(&own, 64));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuLaunchKernel(function("says"), 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    CHECK(cuCtxPopCurrent(&got));
    EXPECT(got == second);
    CHECK(cuCtxGetCurrent(&got));
    EXPECT(got == context);
    CHECK(cuPointerGetAttribute(&got, 1, own));
    EXPECT(got == second);
    CHECK(cudaGetDevice(&device));                  /* one notion of the current device */
    EXPECT(device == 0);
    CHECK(cuCtxSetCurrent(second));
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 1);
    CHECK(cuMemAlloc(&freed, 64));
    CHECK(cuMemFree(freed));
    CHECK(cuCtxCreate(&third, 0, 1));
    CHECK(cuMemAlloc(&there, 64));
    EXPECT(there == freed);                         /* the address is the third's now, and not given up with the second */
    CHECK(cuCtxDestroy(second));
    CHECK(cuMemsetD8(there, 0, 64));
    CHECK(cuCtxDestroy(third));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxPushCurrent(second));
    CHECK(cuDevicePrimaryCtxGetState(1, &flags, &active));
    EXPECT(!active);
    CHECK(cuDevicePrimaryCtxRetain(&primary, 1));
    CHECK(cuCtxPushCurrent(primary));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemFree(own));      /* it went with its context */
    CHECK(cuMemAlloc(&there, 64));
    CHECK(cuDevicePrimaryCtxRelease(1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD8(there, 0, 64));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuDevicePrimaryCtxRelease(1));
    CHECK(cudaSetDevice(0));
    CHECK(cuDevicePrimaryCtxRetain(&primary, 0));
    CHECK(cuCtxGetCurrent(&got));
    EXPECT(got == primary);                         /* the runtime uses primary contexts */
}

static void asked(void)
{
    CUdevice device;
    int version, count;
    CHECK(cudaDriverGetVersion(&version));
    FAILS("CUDA_ERROR_NOT_INITIALIZED", cuDeviceGet(&device, 0));
    CHECK(cudaGetDeviceCount(&count));      /* which initialises the driver, and makes no context */
    CHECK(cuDeviceGet(&device, 0));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxSynchronize());
}

/* nothing waits for kernels but the end of what they are of */
static void endings(void)
{
    CUfunction says = function("says");
    CHECK(cuLaunchKernel(says, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    CHECK(cuModuleUnload(module));
    puts("unloaded");
    fflush(stdout);
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuLaunchKernel(function("says"), 1, 1, 1, 1, 1, 1, 0, 0, 0, 0));
    CHECK(cuCtxDestroy(context));
}

static void uninitialised(void)
{
    CUcontext got = (void *)1;
    CUdevice device;
    CUdeviceptr there;
    FAILS("CUDA_ERROR_NOT_INITIALIZED", cuDeviceGet(&device, 0));
    FAILS("CUDA_ERROR_NOT_INITIALIZED", cuMemAlloc(&there, 4));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuInit(1));
    CHECK(cuInit(0));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuMemAlloc(&there, 4));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuCtxPopCurrent(&got));
    CHECK(cuCtxGetCurrent(&got));
    EXPECT(!got);
    CHECK(cudaFree(0));
    CHECK(cuCtxGetCurrent(&got));
    EXPECT(got);
    CHECK(cuMemAlloc(&there, 4));
}

/* A stream has its context, as an H100's driver sees it. */
static void without_context(void)
{
    CUcontext got;
    CUstream stream;
    CUdeviceptr there;
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuCtxPopCurrent(&got));
    CHECK(cuMemAllocAsync(&there, 64, stream));
    CHECK(cuStreamQuery(stream));
    CHECK(cuMemFreeAsync(there, stream));
    CHECK(cuStreamSynchronize(stream));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuMemAllocAsync(&there, 64, 0));
    FAILS("CUDA_ERROR_INVALID_CONTEXT", cuStreamSynchronize(0));
    CHECK(cuCtxPushCurrent(got));
}

static int called;
static void back(void *data) { called = *(int *)data; }

static void memory(void)
{
    short half[8];
    unsigned word[12];
    int seven = 7;
    float *here, ms = -1;
    CUdeviceptr x = filled(0), factor;
    size_t bytes;
    CUstream stream;
    CUevent start, end;
    CHECK(cuMemsetD16(x, 0x1234, 8));
    CHECK(cuMemcpyDtoH(half, x, sizeof half));
    EXPECT(half[0] == 0x1234 && half[7] == 0x1234);
    CHECK(cuMemsetD8(x, 0, 48));
    CHECK(cuMemsetD2D32(x, 16, 0xdeadbeef, 2, 3));
    CHECK(cuMemcpyDtoH(word, x, sizeof word));
    for (int i = 0; i < 12; ++i)
        EXPECT(word[i] == (i % 4 < 2 ? 0xdeadbeef : 0));
    CUdeviceptr large;                              /* rows that are longer than what is set at once */
    CHECK(cuMemAlloc(&large, 5 << 20));
    CHECK(cuMemsetD2D32(large, 3 << 20, 0x01020304, 1 << 19, 2));
    CHECK(cuMemcpyDtoH(word, large + (5 << 20) - 8, 8));
    EXPECT(word[0] == 0x01020304 && word[1] == 0x01020304);
    CHECK(cuMemcpyDtoH(word, large + (3 << 20) - 8, 16));
    EXPECT(word[0] == 0 && word[1] == 0 && word[2] == 0x01020304);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD2D32(large, 3 << 20, 0, 1 << 19, 3));
    CUDA_MEMCPY2D rows = {.source_x = 4, .source_y = 1, .source_kind = 2, .source_device = x, .source_pitch = 16, .kind = 1, .host = half, .pitch = 8,
                          .width = 8, .height = 2};
    CHECK(cuMemcpy2D(&rows));
    EXPECT((unsigned short)half[0] == 0xbeef && half[2] == 0 && (unsigned short)half[4] == 0xbeef && half[6] == 0);
    rows.width = 16;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpy2D(&rows));
    rows.width = 8, rows.source_kind = 3;
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuMemcpy2D(&rows));
    CHECK(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
    EXPECT(bytes == 4);
    FAILS("CUDA_ERROR_NOT_FOUND", cuModuleGetGlobal(&factor, &bytes, module, "nonesuch"));
    CHECK(cuModuleGetGlobal(&factor, 0, module, "factor"));
    CHECK(cuMemcpyHtoD(factor, &seven, 4));
    CHECK(cuMemAllocHost((void **)&here, N * sizeof(float)));
    for (int i = 0; i < N; ++i)
        ((int *)here)[i] = i;
    CHECK(cuStreamCreate(&stream, 1));
    CHECK(cuEventCreate(&start, 0));
    CHECK(cuEventCreate(&end, 0));
    CHECK(cuEventRecord(start, stream));
    CHECK(cuMemcpyHtoDAsync(x, here, N * sizeof(int), stream));
    void *given[] = {&x};
    CHECK(cuLaunchKernel(function("scale"), N / 100, 1, 1, 100, 1, 1, 0, stream, given, 0));
    CHECK(cuMemcpyDtoHAsync(here, x, N * sizeof(int), stream));
    CHECK(cuLaunchHostFunc(stream, back, &seven));
    CHECK(cuEventRecord(end, stream));
    CHECK(cuEventSynchronize(end));
    CHECK(cuStreamSynchronize(stream));
    CHECK(cuEventElapsedTime(&ms, start, end));
    EXPECT(ms > 0 && called == 7);
    for (int i = 0; i < N; ++i)
        EXPECT(((int *)here)[i] == 7 * i);
    CHECK(cuMemFreeHost(here));
    CHECK(cuEventDestroy(start));
    CHECK(cuStreamDestroy(stream));
}

static const char callee[] = ".version 6.0\n.target sm_20\n.address_size 64\n.visible .func (.param .u32 r) twice(.param .u32 v)\n"
    "{ .reg .u32 %r<3>; ld.param.u32 %r1, [v]; add.u32 %r2, %r1, %r1; st.param.u32 [r], %r2; ret; }\n";
static const char caller[] = ".version 6.0\n.target sm_20\n.address_size 64\n.extern .func (.param .u32 r) twice(.param .u32 v);\n"
    ".visible .entry doubles(.param .u64 p) { .reg .u32 %r<3>; .reg .u64 %rd<2>; .param .u32 v; .param .u32 r; ld.param.u64 %rd1, [p];\n"
    "ld.global.u32 %r1, [%rd1]; st.param.u32 [v], %r1; call.uni (r), twice, (v); ld.param.u32 %r2, [r]; st.global.u32 [%rd1], %r2; ret; }\n";

/* Twenty values that are all alive at once; and the same of a kernel that says itself how many threads it has. */
#define HUNGRY(name, bounds) ".visible .entry " name "(.param .u64 p) " bounds "{ .reg .u64 a; .reg .u32 r<20>; ld.param.u64 a, [p]; " \
    L("0") L("1") L("2") L("3") L("4") L("5") L("6") L("7") L("8") L("9") L("10") L("11") L("12") L("13") L("14") L("15") L("16") L("17") L("18") L("19") "bar.sync 0; " \
    S("0") S("1") S("2") S("3") S("4") S("5") S("6") S("7") S("8") S("9") S("10") S("11") S("12") S("13") S("14") S("15") S("16") S("17") S("18") S("19") "ret; }"
#define L(n) "ld.global.u32 r" n ", [a+4*" n "]; "
#define S(n) "st.global.u32 [a+4*" n "+400], r" n "; "
static const char hungry[] = ".version 6.0\n.target sm_20\n.address_size 64\n" HUNGRY("k", "") HUNGRY("bounded", ".maxntid 64 ");

static int registers_of(CUmodule of, const char *name)
{
    CUfunction k;
    int count = 0;
    CHECK(cuModuleGetFunction(&k, of, name));
    CHECK(cuFuncGetAttribute(&count, 4, k));
    return count;
}

static void limits(void)
{
    CUlinkState state;
    CUmodule loaded;
    int options[] = {0};
    void *values[] = {(void *)16}, *image;
    size_t bytes;
    CHECK(cuModuleLoadData(&loaded, hungry));
    int free = registers_of(loaded, "k");
    EXPECT(free > 20);
    CHECK(cuModuleLoadDataEx(&loaded, hungry, 1, options, values));
    EXPECT(registers_of(loaded, "k") <= 16);
    EXPECT(registers_of(loaded, "bounded") == free);
    CHECK(cuLinkCreate(1, options, values, &state));
    CHECK(cuLinkAddData(state, 1, (void *)hungry, sizeof hungry, "hungry", 0, 0, 0));
    CHECK(cuLinkComplete(state, &image, &bytes));
    CHECK(cuModuleLoadData(&loaded, image));
    EXPECT(registers_of(loaded, "k") <= 16);
    CHECK(cuLinkDestroy(state));
}

static void linking(void)
{
    CUlinkState state;
    CUmodule linked;
    CUfunction doubles;
    CUlibrary library;
    CUkernel kernel;
    CUdeviceptr x = filled(0);
    void *image, *given[] = {&x};
    size_t bytes;
    char errors[300] = "";
    int options[] = {5, 6}, back_here;
    void *values[] = {errors, (void *)sizeof errors};
    CHECK(cuLinkCreate(2, options, values, &state));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuLinkComplete(state, &image, &bytes));
    CUlinkState open;
    CHECK(cuLinkCreate(0, 0, 0, &open));
    CHECK(cuLinkAddData(open, 1, (void *)caller, sizeof caller, "caller", 0, 0, 0));
    FAILS("CUDA_ERROR_UNKNOWN", cuLinkComplete(open, &image, &bytes));
    CHECK(cuLinkDestroy(open));
    FAILS("CUDA_ERROR_INVALID_IMAGE", cuLinkAddData(state, 0, (void *)caller, sizeof caller, "part.cubin", 0, 0, 0));
    EXPECT(strstr(errors, "part.cubin"));
    CHECK(cuLinkAddData(state, 1, (void *)caller, sizeof caller, "caller", 0, 0, 0));
    CHECK(cuLinkAddData(state, 1, (void *)callee, sizeof callee, "callee", 0, 0, 0));
    CHECK(cuLinkComplete(state, &image, &bytes));
    CHECK(cuModuleLoadData(&linked, image));
    CHECK(cuLibraryLoadData(&library, image, 0, 0, 0, 0, 0, 0));
    CHECK(cuLinkDestroy(state));
    CHECK(cuModuleGetFunction(&doubles, linked, "doubles"));
    CHECK(cuMemsetD32(x, 21, 1));
    CHECK(cuLaunchKernel(doubles, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    CHECK(cuLibraryGetKernel(&kernel, library, "doubles"));
    CHECK(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    CHECK(cuKernelGetFunction(&doubles, kernel));
    CHECK(cuLaunchKernel(doubles, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    CHECK(cuMemcpyDtoH(&back_here, x, 4));
    EXPECT(back_here == 168);
    FAILS("CUDA_ERROR_NOT_FOUND", cuLibraryGetKernel(&kernel, library, "nonesuch"));
    CHECK(cuLibraryUnload(library));
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuLaunchKernel(doubles, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*part)(void); } parts[] = {
        {"launches", launches}, {"images", images}, {"handles", handles}, {"entry_points", entry_points}, {"contexts", contexts}, {"without_context", without_context}, {"memory", memory},
        {"limits", limits}, {"linking", linking}, {"endings", endings}};
    if (!strcmp(arguments[1], "uninitialised"))
        uninitialised();
    if (!strcmp(arguments[1], "asked"))
        asked();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!strcmp(arguments[1], parts[i].name))
            set_up(), parts[i].part();
    puts("PASSED");
    return 0;
}
