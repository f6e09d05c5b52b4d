/* Memory that is mapped at reserved addresses: what each call says, and what kernels and copies find there. */
#include "driver_few.h"

typedef struct { int kind, number; } CUmemLocation;
typedef struct { int kind, handles; CUmemLocation place; void *windows; struct { unsigned char compression, remote; unsigned short usage; char none[4]; } flags; }
    CUmemAllocationProp;
typedef struct { CUmemLocation place; int flags; } CUmemAccessDesc;
typedef unsigned long long CUmemGenericAllocationHandle;
int cuMemAddressReserve(CUdeviceptr *, size_t, size_t, CUdeviceptr, unsigned long long), cuMemAddressFree(CUdeviceptr, size_t);
int cuMemCreate(CUmemGenericAllocationHandle *, size_t, const CUmemAllocationProp *, unsigned long long), cuMemRelease(CUmemGenericAllocationHandle);
int cuMemMap(CUdeviceptr, size_t, size_t, CUmemGenericAllocationHandle, unsigned long long), cuMemUnmap(CUdeviceptr, size_t);
int cuMemSetAccess(CUdeviceptr, size_t, const CUmemAccessDesc *, size_t), cuMemGetAccess(unsigned long long *, const CUmemLocation *, CUdeviceptr);
int cuMemGetAllocationGranularity(size_t *, const CUmemAllocationProp *, int), cuMemGetInfo_v2(size_t *, size_t *);
int cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *, void *);
int cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *, CUmemGenericAllocationHandle);

enum { PINNED = 1, ON_DEVICE = 1, FILE_DESCRIPTOR = 1, READ = 1, READ_WRITE = 3, VIRTUAL_MEMORY = 102, WORDS = 64 };
static const CUmemAllocationProp here = {.kind = PINNED, .place = {ON_DEVICE, 0}};
static const CUmemAccessDesc open = {{ON_DEVICE, 0}, READ_WRITE}, closed = {{ON_DEVICE, 0}, 0};
static size_t grain;
static CUfunction scale;

static void set_up(void)
{
    CUcontext context;
    CUmodule module;
    int has;
    CHECK(cuInit(0));
    CHECK(cuDeviceGetAttribute(&has, VIRTUAL_MEMORY, 0));
    EXPECT(has == 1);
    CHECK(cuCtxCreate(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CUdeviceptr factor;
    CHECK(cuModuleGetGlobal(&factor, 0, module, "factor"));
    CHECK(cuMemsetD32(factor, 3, 1));
    CHECK(cuMemGetAllocationGranularity(&grain, &here, 0));
    EXPECT(grain && !(grain & (grain - 1)));
}

static size_t unused(void)
{
    size_t bytes, all;
    CHECK(cuMemGetInfo_v2(&bytes, &all));
    return bytes;
}

static void scaled(CUdeviceptr address)
{
    void *given[] = {&address};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, WORDS, 1, 1, 0, 0, given, 0));
    CHECK(cuCtxSynchronize());
}

/* Addresses for two pools, of each of which PyTorch reserves an eighth more than the device has memory. */
static void reserved_for_pools(void)
{
    CUdeviceptr pools[2];
    size_t bytes;
    CHECK(cuDeviceTotalMem(&bytes, 0));
    bytes = (bytes + bytes / 8 + grain - 1) / grain * grain;
    for (int i = 0; i < 2; ++i)
        CHECK(cuMemAddressReserve(&pools[i], bytes, 0, 0, 0));
    for (int i = 0; i < 2; ++i)
        CHECK(cuMemAddressFree(pools[i], bytes));
}

static void maps(void)
{
    CUdeviceptr base, boundary, start;
    CUmemGenericAllocationHandle one, two;
    int words[WORDS], got[WORDS];
    size_t before = unused(), bytes;
    reserved_for_pools();
    CHECK(cuMemAddressReserve(&base, 4 * grain, 0, 0, 0));
    EXPECT(base % grain == 0 && unused() == before);
    CHECK(cuMemCreate(&one, grain, &here, 0));
    CHECK(cuMemCreate(&two, 2 * grain, &here, 0));
    EXPECT(one != two && before - unused() == 3 * grain);
    CHECK(cuMemMap(base, grain, 0, one, 0));
    CHECK(cuMemMap(base + grain, 2 * grain, 0, two, 0));
    for (int i = 0; i < WORDS; ++i)
        words[i] = i;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyHtoD(base, words, sizeof words));         /* nobody may access it yet */
    CHECK(cuMemSetAccess(base, 3 * grain, &open, 1));
    boundary = base + grain - sizeof words / 2;
    CHECK(cuMemcpyHtoD(boundary, words, sizeof words));
    scaled(boundary);
    CHECK(cuMemcpyDtoH(got, boundary, sizeof got));
    for (int i = 0; i < WORDS; ++i)
        EXPECT(got[i] == 3 * i);
    CHECK(cuMemsetD32(boundary, 7, WORDS));
    CHECK(cuMemcpyDtoH(got, boundary, sizeof got));
    EXPECT(got[0] == 7 && got[WORDS - 1] == 7);
    CHECK(cuMemcpyDtoH(got, base + 3 * grain - sizeof got, sizeof got));
    EXPECT(got[WORDS - 1] == 0);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyDtoH(got, base + 3 * grain - 4, 8));      /* reserved, and no more */
    CHECK(cuMemGetAddressRange(&start, &bytes, boundary));                              /* of one mapping */
    EXPECT(start == base && bytes == grain);
    CHECK(cuMemGetAddressRange(&start, &bytes, base + grain + 5));
    EXPECT(start == base + grain && bytes == 2 * grain);
    FAILS("CUDA_ERROR_NOT_FOUND", cuMemGetAddressRange(&start, &bytes, base + 3 * grain));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemUnmap(base + grain, grain));                 /* half of one */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemSetAccess(base + grain, grain, &closed, 1));
    CHECK(cuMemSetAccess(base + grain, 2 * grain, &closed, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyDtoH(got, boundary, sizeof got));
    CHECK(cuMemcpyDtoH(got, boundary, sizeof got / 2));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemFree(base));
    CHECK(cuMemUnmap(base, 3 * grain));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyDtoH(got, base, 4));
    EXPECT(before - unused() == 3 * grain);
    CHECK(cuMemRelease(one));
    CHECK(cuMemRelease(two));
    EXPECT(unused() == before);
    CHECK(cuMemAddressFree(base, 4 * grain));
}

static void aliases(void)
{
    CUdeviceptr places[2];
    CUmemGenericAllocationHandle memory, again;
    CUmemAllocationProp made;
    int got = 0;
    size_t before = unused();
    CHECK(cuMemCreate(&memory, grain, &here, 0));
    CHECK(cuMemGetAllocationPropertiesFromHandle(&made, memory));
    EXPECT(!memcmp(&made, &here, sizeof made));
    for (int i = 0; i < 2; ++i) {
        CHECK(cuMemAddressReserve(&places[i], grain, 4 * grain, 0, 0));
        EXPECT(places[i] % (4 * grain) == 0);
        CHECK(cuMemMap(places[i], grain, 0, memory, 0));
        CHECK(cuMemSetAccess(places[i], grain, &open, 1));
    }
    CHECK(cuMemsetD32(places[0] + 8, 5, 1));
    scaled(places[1]);
    CHECK(cuMemcpyDtoH(&got, places[0] + 8, sizeof got));
    EXPECT(got == 15);
    CHECK(cuMemRelease(memory));                                                        /* what is mapped stays */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemRelease(memory));
    CHECK(cuMemRetainAllocationHandle(&again, (void *)(places[1] + 100)));
    EXPECT(again == memory);
    CHECK(cuMemUnmap(places[0], grain));
    CHECK(cuMemMap(places[0], grain, 0, again, 0));
    CHECK(cuMemSetAccess(places[0], grain, &open, 1));
    CHECK(cuMemcpyDtoH(&got, places[0] + 8, sizeof got));
    EXPECT(got == 15 && before - unused() == grain);
    CHECK(cuMemUnmap(places[0], grain));
    CHECK(cuMemUnmap(places[1], grain));
    CHECK(cuMemRelease(again));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemRelease(again));
    EXPECT(unused() == before);
    CHECK(cuMemCreate(&memory, grain, &here, 0));                                       /* fresh memory reads zero */
    CHECK(cuMemMap(places[0], grain, 0, memory, 0));
    CHECK(cuMemSetAccess(places[0], grain, &open, 1));
    CHECK(cuMemcpyDtoH(&got, places[0] + 8, sizeof got));
    EXPECT(got == 0);
}

static void many(void)
{
    enum { MANY = 200 };
    static CUmemGenericAllocationHandle memory[MANY];
    CUdeviceptr base;
    int got;
    size_t before = unused();
    CHECK(cuMemAddressReserve(&base, MANY * grain, 0, 0, 0));
    for (int i = 0; i < MANY; ++i) {
        CHECK(cuMemCreate(&memory[i], grain, &here, 0));
        CHECK(cuMemMap(base + i * grain, grain, 0, memory[i], 0));
    }
    CHECK(cuMemSetAccess(base, MANY * grain, &open, 1));
    for (int i = 0; i < MANY; ++i)
        CHECK(cuMemsetD32(base + i * grain, i + 1, 1));
    CHECK(cuMemUnmap(base + grain, grain));
    CHECK(cuMemRelease(memory[1]));
    CHECK(cuMemCreate(&memory[1], grain, &here, 0));
    CHECK(cuMemMap(base + grain, grain, 0, memory[1], 0));
    CHECK(cuMemSetAccess(base + grain, grain, &open, 1));
    for (int i = 0; i < MANY; ++i) {
        CHECK(cuMemcpyDtoH(&got, base + i * grain, sizeof got));
        EXPECT(got == (i == 1 ? 0 : i + 1));
        CHECK(cuMemRelease(memory[i]));
    }
    CHECK(cuMemUnmap(base, MANY * grain));
    EXPECT(unused() == before);
}

typedef struct { int kind, none; CUdeviceptr pointer; int format; unsigned channels; size_t bytes; int more[28]; unsigned flags; } CUDA_RESOURCE_DESC;
typedef struct { int address[3], filter; unsigned flags, anisotropy; int mipmap_filter; float bias, least, most, border[4]; int more[12]; } CUDA_TEXTURE_DESC;
int cuTexObjectCreate(unsigned long long *, const CUDA_RESOURCE_DESC *, const CUDA_TEXTURE_DESC *, const void *);

static void seen_by_textures(void)
{
    enum { LINEAR = 2, SIGNED_INT32 = 10, READ_AS_INTEGER = 1 };
    static const char fetch[] = ".version 6.0\n.target sm_20\n.address_size 64\n"
        ".visible .entry fetch(.param .u64 out, .param .u64 texture)\n{\n"
        ".reg .b64 %rd<3>; .reg .b32 %r<6>;\n"
        "ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [texture]; mov.u32 %r1, 3;\n"
        "tex.1d.v4.s32.s32 {%r2, %r3, %r4, %r5}, [%rd2, {%r1}]; st.global.u32 [%rd1], %r2;\nret;\n}\n";
    CUdeviceptr base, out;
    CUmemGenericAllocationHandle memory[2];
    CUmodule module;
    CUfunction kernel;
    unsigned long long texture;
    int words[4] = {5, 6, 7, 8}, got;
    CHECK(cuMemAddressReserve(&base, 2 * grain, 0, 0, 0));
    for (int i = 0; i < 2; ++i) {
        CHECK(cuMemCreate(&memory[i], grain, &here, 0));
        CHECK(cuMemMap(base + i * grain, grain, 0, memory[i], 0));
    }
    CHECK(cuMemSetAccess(base, 2 * grain, &open, 1));
    CUDA_RESOURCE_DESC resource = {LINEAR, 0, base + grain - 512, SIGNED_INT32, 1, 1024};       /* across the boundary */
    CUDA_TEXTURE_DESC how = {.flags = READ_AS_INTEGER};
    CHECK(cuMemcpyHtoD(resource.pointer, words, sizeof words));
    CHECK(cuMemAlloc(&out, 4));
    CHECK(cuTexObjectCreate(&texture, &resource, &how, 0));
    CHECK(cuModuleLoadData(&module, fetch));
    CHECK(cuModuleGetFunction(&kernel, module, "fetch"));
    void *given[] = {&out, &texture};
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    CHECK(cuMemcpyDtoH(&got, out, sizeof got));
    EXPECT(got == 8);
    CHECK(cuMemUnmap(base, 2 * grain));
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    EXPECT(cuCtxSynchronize() != 0);
}

static void wrong(void)
{
    CUdeviceptr base;
    CUmemGenericAllocationHandle memory, none;
    CUmemAllocationProp shared = here, elsewhere = here, odd = here, tiles = here;
    CUmemAccessDesc reads = {{ON_DEVICE, 0}, READ}, strange = {{ON_DEVICE, 0}, 2}, host = {{2, 0}, READ_WRITE}, absent = {{ON_DEVICE, 9}, READ_WRITE};
    unsigned long long may;
    size_t bytes;
    shared.handles = FILE_DESCRIPTOR, elsewhere.place.number = 9, odd.kind = 7, tiles.flags.usage = 1;
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressReserve(&base, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressReserve(&base, grain + 4096, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressReserve(&base, grain, 3 * grain, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressReserve(&base, grain, 0, 0, 1));
    FAILS("CUDA_ERROR_OUT_OF_MEMORY", cuMemAddressReserve(&base, 1ull << 62, 0, 0, 0));
    FAILS("CUDA_ERROR_OUT_OF_MEMORY", cuMemAddressReserve(&base, grain, 1ull << 63, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemCreate(&memory, grain / 2, &here, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemCreate(&memory, grain, &here, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemCreate(&memory, grain, &odd, 0));
    FAILS("CUDA_ERROR_INVALID_DEVICE", cuMemCreate(&memory, grain, &elsewhere, 0));
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemCreate(&memory, grain, &shared, 0));
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemCreate(&memory, grain, &tiles, 0));
    FAILS("CUDA_ERROR_OUT_OF_MEMORY", cuMemCreate(&memory, 1ull << 45, &here, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemGetAllocationGranularity(&bytes, &here, 2));
    CHECK(cuMemAddressReserve(&base, 2 * grain, 0, 0, 0));
    CHECK(cuMemCreate(&memory, grain, &here, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base, grain, 0, 0x1234, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base, 2 * grain, 0, memory, 0));
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemMap(base, grain, grain, memory, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base + 2 * grain, grain, 0, memory, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base + 4096, grain, 0, memory, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base, grain, 0, memory, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemSetAccess(base, grain, &open, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemGetAccess(&may, &open.place, base));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemRetainAllocationHandle(&none, (void *)base));
    CHECK(cuMemMap(base, grain, 0, memory, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base, grain, 0, memory, 0));
    CHECK(cuMemGetAccess(&may, &open.place, base + 5));
    EXPECT(may == 0);
    CHECK(cuMemSetAccess(base, grain, &reads, 1));
    CHECK(cuMemGetAccess(&may, &open.place, base));
    EXPECT(may == READ);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemSetAccess(base, grain, &strange, 1));
    FAILS("CUDA_ERROR_NOT_SUPPORTED", cuMemSetAccess(base, grain, &host, 1));
    FAILS("CUDA_ERROR_INVALID_DEVICE", cuMemSetAccess(base, grain, &absent, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemSetAccess(base, 2 * grain, &open, 1));
    FAILS("CUDA_ERROR_INVALID_DEVICE", cuMemSetAccess(base, grain, (CUmemAccessDesc[]){open, absent}, 2));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemSetAccess(base, grain, (CUmemAccessDesc[]){open, strange}, 2));
    CHECK(cuMemGetAccess(&may, &open.place, base));
    EXPECT(may == READ);                                                                /* of all that are asked, or of none */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemSetAccess(base, grain, &open, 0));
    CHECK(cuMemSetAccess(base, grain, &open, 1));
    CHECK(cuMemGetAccess(&may, &open.place, base));
    EXPECT(may == READ_WRITE);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemUnmap(base + grain, grain));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemUnmap(base, 1));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressFree(base, 2 * grain));
    CHECK(cuMemRelease(memory));                                                        /* it stays where it is, and cannot be mapped again */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemMap(base + grain, grain, 0, memory, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemGetAllocationPropertiesFromHandle(&odd, memory));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemRelease(memory));
    CHECK(cuMemUnmap(base, 2 * grain));                                                 /* also where nothing is mapped */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressFree(base, grain));
    CHECK(cuMemAddressFree(base, 2 * grain));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemAddressFree(base, 2 * grain));
}

static void reached_by_a_peer(void)
{
    CUdeviceptr base, factor;
    CUmemGenericAllocationHandle memory;
    CUmemAccessDesc both[] = {{{ON_DEVICE, 0}, READ_WRITE}, {{ON_DEVICE, 1}, READ_WRITE}};
    CUcontext own, peer;
    CUmodule module;
    unsigned long long may;
    int got;
    reserved_for_pools();
    CHECK(cuCtxGetCurrent(&own));
    CHECK(cuMemAddressReserve(&base, 2 * grain, 0, 0, 0));
    CHECK(cuMemCreate(&memory, grain, &here, 0));
    CHECK(cuMemMap(base, grain, 0, memory, 0));
    CHECK(cuMemSetAccess(base, grain, both, 2));
    CHECK(cuMemGetAccess(&may, &both[1].place, base));
    EXPECT(may == READ_WRITE);
    CHECK(cuMemsetD32(base, 5, WORDS));
    CHECK(cuCtxSynchronize());
    CHECK(cuCtxCreate(&peer, 0, 1));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuModuleGetGlobal(&factor, 0, module, "factor"));
    CHECK(cuMemsetD32(factor, 4, 1));
    scaled(base);
    CHECK(cuMemcpyDtoH(&got, base, sizeof got));
    EXPECT(got == 20);
    CHECK(cuCtxSetCurrent(own));
    CHECK(cuMemSetAccess(base, grain, &(CUmemAccessDesc){{ON_DEVICE, 1}, 0}, 1));
    CHECK(cuCtxSetCurrent(peer));
    void *given[] = {&base};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    FAILS("CUDA_ERROR_ILLEGAL_ADDRESS", cuCtxSynchronize());
}

static void touches_what_is_not_mapped(void)
{
    CUdeviceptr base;
    CHECK(cuMemAddressReserve(&base, grain, 0, 0, 0));
    void *given[] = {&base};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    FAILS("CUDA_ERROR_ILLEGAL_ADDRESS", cuCtxSynchronize());
}

/* Kernels load from it, and a store is an illegal address, also where memory that may be written lies beside it. */
static void reads_only(void)
{
    CUmemAccessDesc reads = {{ON_DEVICE, 0}, READ};
    CUmemGenericAllocationHandle one, two;
    CUdeviceptr base, sum;
    CUmodule module;
    CUfunction add;
    float got[2], given_numbers[2] = {1.5f, 2.5f};
    int count = 2, both_sides[2];
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&add, module, "vector_add"));
    CHECK(cuMemAlloc(&sum, sizeof got));
    CHECK(cuMemAddressReserve(&base, 2 * grain, 0, 0, 0));
    CHECK(cuMemCreate(&one, grain, &here, 0));
    CHECK(cuMemCreate(&two, grain, &here, 0));
    CHECK(cuMemMap(base, grain, 0, one, 0));
    CHECK(cuMemMap(base + grain, grain, 0, two, 0));
    CHECK(cuMemSetAccess(base, 2 * grain, &open, 1));
    CHECK(cuMemcpyHtoD(base, given_numbers, sizeof given_numbers));
    CHECK(cuMemSetAccess(base, grain, &reads, 1));
    CHECK(cuMemcpyDtoH(both_sides, base + grain - 4, sizeof both_sides));
    EXPECT(!both_sides[0] && !both_sides[1]);
    void *given[] = {&sum, &base, &base, &count};
    CHECK(cuLaunchKernel(add, 1, 1, 1, 32, 1, 1, 0, 0, given, 0));
    CHECK(cuMemcpyDtoH(got, sum, sizeof got));
    EXPECT(got[0] == 3 && got[1] == 5);
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyHtoD(base, given_numbers, 4));            /* an H100's answers */
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyHtoD(base + grain - 4, given_numbers, 8));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemcpyDtoD(base, sum, 4));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD32(base, 1, 4));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuMemsetD2D32(base, 8, 1, 1, 2));
    CHECK(cuMemcpyHtoD(base + grain, given_numbers, 4));
    CHECK(cuMemsetD32(base + grain, 0, 1));
    scaled(base + grain);
    CHECK(cuMemSetAccess(base, grain, &open, 1));
    scaled(base);
    CHECK(cuMemSetAccess(base, grain, &reads, 1));
    given[0] = &base;
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    FAILS("CUDA_ERROR_ILLEGAL_ADDRESS", cuCtxSynchronize());
}

int main(int count, char **arguments)
{
    set_up();
    if (!strcmp(arguments[1], "maps"))
        maps();
    else if (!strcmp(arguments[1], "aliases"))
        aliases();
    else if (!strcmp(arguments[1], "many"))
        many();
    else if (!strcmp(arguments[1], "textures"))
        seen_by_textures();
    else if (!strcmp(arguments[1], "wrong"))
        wrong();
    else if (!strcmp(arguments[1], "reads"))
        reads_only();
    else if (!strcmp(arguments[1], "peers"))
        reached_by_a_peer();
    else
        touches_what_is_not_mapped();
    printf("PASSED\n");
    return 0;
}
