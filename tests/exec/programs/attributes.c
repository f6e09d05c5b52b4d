/* Launches with attributes, what is asked of kernels, streams and devices, memory in the order of streams, ranges of NVTX. */
#include <dlfcn.h>
#include "cuda_few.h"

struct attribute { unsigned number, unused; union { int value; unsigned cluster[3]; char bytes[64]; } as; };
struct config { dim3 grid, block; size_t shared_bytes; cudaStream_t stream; struct attribute *attributes; unsigned count; };
struct pool_properties { int kind, handles, place, device; void *security; size_t most; char reserved[64]; };
int cudaLaunchKernelExC(const struct config *, const void *, void **), cudaOccupancyMaxActiveClusters(int *, const void *, const struct config *);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *, const void *, int, int), cudaFuncGetName(const char **, const void *);
int cudaFuncSetAttribute(const void *, int, int), cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int), cudaStreamGetPriority(cudaStream_t, int *);
int cudaStreamGetFlags(cudaStream_t, unsigned *), cudaStreamGetId(cudaStream_t, unsigned long long *), cudaDeviceGetStreamPriorityRange(int *, int *);
int cudaDeviceGetPCIBusId(char *, int, int), cudaDeviceGetByPCIBusId(int *, const char *), cudaDeviceGetSharedMemConfig(int *), cudaChooseDevice(int *, const void *);
int cudaMallocAsync(void **, size_t, cudaStream_t), cudaFreeAsync(void *, cudaStream_t), cudaMemPoolCreate(void **, const struct pool_properties *);
int cudaMemPoolDestroy(void *), cudaMemPoolGetAttribute(void *, int, void *), cudaMemPoolSetAttribute(void *, int, void *), cudaMemPoolTrimTo(void *, size_t);
int cudaMallocFromPoolAsync(void **, size_t, void *, cudaStream_t), cudaDeviceGetDefaultMemPool(void **, int), cudaMemsetAsync(void *, int, size_t, cudaStream_t);
int cudaIpcGetMemHandle(void *, void *), cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned);
int nvtxRangePushA(const char *), nvtxRangePop(void), nvtxRangePushEx(const void *), nvtxDomainRangePushEx(void *, const void *), nvtxDomainRangePop(void *);
unsigned long long nvtxRangeStartA(const char *);
void nvtxRangeEnd(unsigned long long), nvtxMarkA(const char *), *nvtxDomainCreateA(const char *), *nvtxDomainRegisterStringA(void *, const char *);
void nvtxNameOsThreadA(unsigned, const char *);

void scale(void) {}
void nobody(void) {}
static int factor;
enum { N = 512 };
static const dim3 BLOCK = {128, 1, 1}, GRID = {N / 128, 1, 1};

REGISTERS(KERNEL(scale), VARIABLE(factor))

static void launches(void)
{
    int *there, here[N], three = 3, clusters = -1;
    const char *name = "";
    size_t most = 0, fewer = 0;
    struct attribute attributes[2] = {{2, 0, {.value = 0}}, {0}};
    CHECK(cudaMalloc((void **)&there, sizeof here));
    CHECK(cudaMemcpyToSymbol(&factor, &three, sizeof three, 0, ToDevice));
    for (int i = 0; i < N; ++i)
        here[i] = i;
    CHECK(cudaMemcpy(there, here, sizeof here, ToDevice));
    void *given[] = {&there};
    struct config config = {GRID, BLOCK, 0, 0, attributes, 2};
    CHECK(cudaLaunchKernelExC(&config, scale, given));
    CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
    for (int i = 0; i < N; ++i)
        expect(here[i] == 3 * i, "a launch with attributes");
    attributes[1].number = 4;
    for (int i = 0; i < 3; ++i)
        attributes[1].as.cluster[i] = i ? 1 : 2;
    int status = cudaLaunchKernelExC(&config, scale, given), asked = cudaOccupancyMaxActiveClusters(&clusters, scale, &config);
    expect(status == 0 ? asked == 0 && clusters > 0 : status == 801 && asked == 801, "clusters where there are some, or a refusal");
    struct config wide = {GRID, BLOCK, 49153, 0, attributes, 2};
    if (!status)
        expect(!cudaOccupancyMaxActiveClusters(&clusters, scale, &wide) && !clusters, "clusters of blocks with more shared memory than was asked for");
    for (unsigned number = 1; number < 20; ++number) {
        attributes[1] = (struct attribute){number, 0, {.value = 1}};
        int got = cudaLaunchKernelExC(&config, scale, given);
        if (number != 2 && number != 4)
            expect(got == (strchr("\1\3\5\6\10\11\12\16", number) ? 0 : number == 15 || number == 19 ? 1 : 801), "an attribute that is not simulated");
    }
    expect(cudaLaunchKernelExC(&config, nobody, given) == 98, "no kernel");
    CHECK(cudaFuncGetName(&name, scale));
    expect(!strcmp(name, "scale"), "a kernel's name");
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&most, scale, 1, 128));
    CHECK(cudaOccupancyAvailableDynamicSMemPerBlock(&fewer, scale, 2, 128));
    expect(fewer > 0 && fewer <= most && most <= 49152, "dynamic shared memory");
    expect(cudaOccupancyAvailableDynamicSMemPerBlock(&most, scale, 1000, 128) == 1, "blocks that do not fit");
    CHECK(cudaFuncSetAttribute(scale, 8, (int)most));
    CHECK(cudaFuncSetAttribute(scale, 9, 50));
    CHECK(cudaFuncSetAttribute(scale, 14, 1));
    expect(cudaFuncSetAttribute(scale, 8, 1 << 30) == 1 && cudaFuncSetAttribute(scale, 9, 101) == 1 && cudaFuncSetAttribute(scale, 7, 0) == 1
           && cudaFuncSetAttribute(scale, 11, 2) == 801, "attributes of a kernel that cannot be");
    CHECK(cudaDeviceSynchronize());
}

static void asked(void)
{
    int least = 9, greatest = 9, priority = 9, device = 9, banks = 0;
    unsigned flags = 9;
    unsigned long long one = 0, two = 0;
    char name[16];
    cudaStream_t stream, other;
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CHECK(cudaStreamCreateWithPriority(&stream, 1, greatest - 5));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamGetPriority(stream, &priority));
    CHECK(cudaStreamGetFlags(stream, &flags));
    expect(priority == greatest && greatest <= least && flags == 1, "a stream's priority and flags");
    CHECK(cudaStreamGetFlags(other, &flags));
    CHECK(cudaStreamGetId(stream, &one));
    CHECK(cudaStreamGetId(other, &two));
    expect(flags == 0 && one != two, "another stream");
    CHECK(cudaDeviceGetPCIBusId(name, sizeof name, 0));
    CHECK(cudaDeviceGetByPCIBusId(&device, name));
    expect(device == 0 && cudaDeviceGetByPCIBusId(&device, "0000:77:00.0") == 101 && cudaDeviceGetByPCIBusId(&device, "nonsense") == 1, "bus ids");
    device = 9;
    CHECK(cudaChooseDevice(&device, name));
    CHECK(cudaDeviceGetSharedMemConfig(&banks));
    expect(device == 0 && (banks == 1 || banks == 2), "a device");
    expect(cudaStreamGetFlags((void *)0x77777770, &flags) == 400 && cudaStreamAttachMemAsync(0, name, 0, 4) == 1, "wrong handles");
}

static void pools(void)
{
    void *there, *again, *pool, *own, *there_too;
    unsigned long long bytes = 0, threshold = 1 << 20;
    char here[64];
    struct pool_properties properties = {1, 0, 1, 0, 0, 4096}, shared = {1, 1, 1, 0};
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CHECK(cudaMemPoolSetAttribute(pool, 4, &threshold));
    CHECK(cudaMallocAsync(&there, 5000, stream));
    CHECK(cudaMemsetAsync(there, 7, 64, stream));
    CHECK(cudaMemcpyAsync(here, there, 64, ToHost, stream));
    CHECK(cudaFreeAsync(there, stream));
    expect(here[0] == 7 && here[63] == 7, "memory of a stream");
    CHECK(cudaMallocAsync(&again, 5000, stream));
    expect(again == there, "what was freed is used again");
    CHECK(cudaMemPoolGetAttribute(pool, 7, &bytes));
    expect(bytes >= 5000 && bytes < 10000, "bytes in use");
    CHECK(cudaFree(again));
    expect(cudaFree(again) == 1 && cudaFreeAsync(again, stream) == 1, "memory that was freed");
    CHECK(cudaMemPoolTrimTo(pool, 0));
    CHECK(cudaMemPoolGetAttribute(pool, 5, &bytes));
    expect(bytes == 0, "a pool that was trimmed");
    CHECK(cudaMemPoolCreate(&own, &properties));
    CHECK(cudaMallocFromPoolAsync(&there, 4000, own, stream));
    expect(cudaMallocFromPoolAsync(&there_too, 4000, own, stream) == 2, "a pool that is full");
    CHECK(cudaFreeAsync(there, stream));
    CHECK(cudaMemPoolDestroy(own));
    expect(cudaMemPoolDestroy(own) == 1 && cudaMemPoolDestroy(pool) == 1 && cudaMemPoolCreate(&own, &shared) == 801, "pools that cannot be");
    expect(cudaIpcGetMemHandle(here, there) == 801, "sharing memory");
    CHECK(cudaDeviceSynchronize());
}

struct event { unsigned short version, size; unsigned category; int color_kind; unsigned color; int payload_kind, reserved; unsigned long long payload;
               int text_kind; union { const char *plain; void *registered; } text; };

static void ranges(void)
{
    void *there, *domain = nvtxDomainCreateA("library");
    struct event event = {3, sizeof event, 0, 0, 0, 0, 0, 0, 1, {"inner"}}, known = {3, sizeof known, 0, 0, 0, 0, 0, 0, 3, {.registered = 0}};
    known.text.registered = nvtxDomainRegisterStringA(domain, "known");
    nvtxNameOsThreadA(0, "main");
    expect(nvtxRangePushA("outer") == 0, "depth of the first range");
    CHECK(cudaMalloc(&there, 1 << 20));
    unsigned long long crossing = nvtxRangeStartA("crossing");
    expect(nvtxRangePushEx(&event) == 1, "depth of the second range");
    CHECK(cudaMemset(there, 0, 1 << 20));
    nvtxMarkA("mark");
    expect(nvtxDomainRangePushEx(domain, &known) == 0, "depth in a domain");
    CHECK(cudaDeviceSynchronize());
    expect(nvtxDomainRangePop(domain) == 0 && nvtxDomainRangePop(domain) < 0, "ranges of a domain");
    expect(nvtxRangePop() == 1 && nvtxRangePop() == 0 && nvtxRangePop() < 0, "ranges");
    CHECK(cudaDeviceSynchronize());
    nvtxRangeEnd(crossing);
    nvtxRangePushA("left open");
}

/* what the headers of NVTX 3 do when a program first uses them */
static int (*push_a)(const char *), (*pop_a)(void);
static void **core[16] = {[9] = (void **)&push_a, [11] = (void **)&pop_a};
static int functions(int module, void ****table, unsigned *count)
{
    *table = core, *count = 16;
    return module == 1;
}
static struct { size_t bytes; int (*functions)(int, void ****, unsigned *); } callbacks = {sizeof callbacks, functions};
static const void *exported(unsigned table) { return table == 1 ? &callbacks : 0; }

static void injected(void)
{
    void *library = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);
    int (*initialise)(const void *(*)(unsigned)) = dlsym(library, "InitializeInjectionNvtx2");
    expect(initialise(0) == 0 && initialise(exported) == 1 && push_a && pop_a, "what NVTX is given");
    push_a("by headers");
    CHECK(cudaDeviceSynchronize());
    expect(pop_a() == 0, "a range");
}

PARTS({"launches", launches}, {"asked", asked}, {"pools", pools}, {"ranges", ranges}, {"injected", injected})
