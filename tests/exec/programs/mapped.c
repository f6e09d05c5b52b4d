/* Memory of the host that kernels see where it is: each part checks what it got. */
#include <pthread.h>
#include "cuda_few.h"

void scale(void) {}
void waits(void) {}
void faults(void) {}                /* stores 1 to its pointer */
static int factor;
enum { N = 512, Portable = 1, Mapped = 2, IllegalAddress = 700 };
static const dim3 ONE = {1, 1, 1}, BLOCK = {128, 1, 1}, GRID = {N / 128, 1, 1};

REGISTERS(KERNEL(scale), KERNEL(faults), KERNEL(waits), VARIABLE(factor))

static void scaled(int *there)
{
    const int value = 3;
    void *given[] = {&there};
    CHECK(cudaMemcpyToSymbol(&factor, &value, sizeof value, 0, ToDevice));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, given, 0, 0));
}

static void store(void *there)
{
    void *given[] = {&there};
    CHECK(cudaLaunchKernel(faults, ONE, ONE, given, 0, 0));
}

static void *seen(volatile void *here)                  /* by kernels */
{
    void *there;
    CHECK(cudaHostGetDevicePointer(&there, (void *)here, 0));
    return there;
}

static void elsewhere(void)                             /* without unified addressing */
{
    int *here, *there, *plain;
    unsigned flags = 7;
    CHECK(cudaHostAlloc((void **)&here, N * sizeof(int), Mapped));
    there = seen(here);
    CHECK(cudaHostGetFlags(&flags, here));
    expect(there != here && seen(here + 7) == there + 7 && flags == Mapped, "another address for kernels");
    for (int i = 0; i < N; ++i)
        here[i] = i;
    scaled(there);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i)
        expect(here[i] == 3 * i, "mapped memory");
    CHECK(cudaMallocHost((void **)&plain, 64));
    CHECK(cudaHostGetFlags(&flags, plain));
    expect(cudaHostGetDevicePointer((void **)&there, plain, 0) == 1 && !flags, "page-locked memory that is not mapped");
    CHECK(cudaFreeHost(plain));
    store(here);
    expect(cudaDeviceSynchronize() == IllegalAddress, "a kernel at the address of the host");
}

static void allocated(void)
{
    int *here, *there, *plain;
    unsigned flags = 0;
    CHECK(cudaHostAlloc((void **)&here, N * sizeof(int), Mapped));
    CHECK(cudaHostGetDevicePointer((void **)&there, here, 0));
    CHECK(cudaHostGetFlags(&flags, here));
    expect(there == here && flags == Mapped, "one address for both sides");
    for (int i = 0; i < N; ++i)
        here[i] = i;
    scaled(there);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < N; ++i)
        expect(here[i] == 3 * i, "mapped memory");
    CHECK(cudaMallocHost((void **)&plain, N * sizeof(int)));        /* seen by kernels as well */
    CHECK(cudaMemcpy(plain, here, N * sizeof(int), Default));
    scaled(plain);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaHostGetDevicePointer((void **)&there, plain + 7, 0));
    expect(there == plain + 7 && plain[5] == 45, "page-locked memory");
    CHECK(cudaFreeHost(here));
    CHECK(cudaFreeHost(plain));
}

struct attributes { int kind, device; void *there, *here; };
int cudaPointerGetAttributes(struct attributes *, const void *);

static void registers(void)
{
    struct attributes about;
    char *whole = malloc(1 << 16);
    int *here = (int *)(whole + 1000), *there = NULL;
    for (int i = 0; i < 1 << 16; ++i)
        whole[i] = i;
    for (int i = 0; i < N; ++i)
        here[i] = i;
    CHECK(cudaPointerGetAttributes(&about, here + 1));
    expect(about.kind == 0 && about.device == -2 && !about.there && !about.here, "ordinary memory");
    CHECK(cudaHostRegister(here, N * sizeof(int), Mapped));
    CHECK(cudaPointerGetAttributes(&about, here + 1));
    expect(about.kind == 1 && about.device == 0 && about.here == here + 1, "page-locked memory of the program's own");
    CHECK(cudaHostGetDevicePointer((void **)&there, here, 0));
    for (int round = 1, power = 3; round < 3; ++round, power *= 3) {
        scaled(there);
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < N; ++i)
            expect(here[i] == power * i, "memory of the program's own");
    }
    store(there + 1);
    CHECK(cudaHostUnregister(here));            /* waits for what may use it */
    expect(here[1] == 1 && here[2] == 18, "memory that is no longer page-locked");
    for (int i = 0; i < 1 << 16; ++i)
        if (i < 1000 || i >= 1000 + (int)sizeof(int) * N)
            expect(whole[i] == (char)i, "what lies beside it");
    expect(cudaHostGetDevicePointer((void **)&there, here, 0) == 1, "what is not page-locked");
    store(there);
    expect(cudaDeviceSynchronize() == IllegalAddress, "a kernel in memory that is no longer page-locked");
    free(whole);
}

static void spins(void)
{
    volatile int *flag;
    CHECK(cudaHostAlloc((void **)&flag, sizeof(int), Mapped));
    store(seen(flag));
    while (!*flag)              /* nobody asks the runtime for anything meanwhile */
        ;
    CHECK(cudaDeviceSynchronize());
}

static void answers(void)
{
    volatile int *flags;            /* a kernel's first word, what it then waits for, its answer */
    CHECK(cudaHostAlloc((void **)&flags, 3 * sizeof(int), Mapped));
    void *there = seen(flags), *given[] = {&there};
    CHECK(cudaLaunchKernel(waits, ONE, ONE, given, 0, 0));
    while (!flags[0])
        ;
    expect(!flags[2], "a kernel that still waits");
    flags[1] = 41;
    while (!flags[2])
        ;
    expect(flags[2] == 42, "the answer");
    CHECK(cudaDeviceSynchronize());
}

static void devices(void)
{
    int *here, *there;
    CHECK(cudaHostAlloc((void **)&here, N * sizeof(int), Portable | Mapped));
    for (int device = 0; device < 2; ++device) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaHostGetDevicePointer((void **)&there, here + device, 0));
        store(there);
        CHECK(cudaDeviceSynchronize());
    }
    expect(here[0] == 1 && here[1] == 1 && !here[2], "memory that kernels of two devices see");
    store(seen(here + 2));
    CHECK(cudaFreeHost(here));      /* waits for both */
}

/* each for itself: a device on which a kernel has failed does nothing more */
static void past_the_end(void)
{
    int *here;
    CHECK(cudaHostAlloc((void **)&here, N * sizeof(int), Mapped));
    store(seen(here));
    CHECK(cudaDeviceSynchronize());
    store((int *)seen(here) + N);
    expect(cudaDeviceSynchronize() == IllegalAddress, "a kernel past the end");
}

static void not_locked(void)
{
    int *here;
    CHECK(cudaHostAlloc((void **)&here, N * sizeof(int), Mapped));
    store(seen(here));
    CHECK(cudaDeviceSynchronize());
    store(&factor);
    expect(cudaDeviceSynchronize() == IllegalAddress, "a kernel in memory that is not page-locked");
}

static void given_back(void)
{
    int *here, *there;
    CHECK(cudaHostAlloc((void **)&here, N * sizeof(int), Mapped));
    there = seen(here);
    store(there);
    CHECK(cudaFreeHost(here));
    store(there);
    expect(cudaDeviceSynchronize() == IllegalAddress, "a kernel in memory that was given back");
}

static void wrong(void)
{
    int here[16], *there;
    unsigned flags;
    expect(cudaHostAlloc((void **)&there, 64, 0x80) == 1, "unknown flags");
    expect(cudaHostAlloc((void **)&there, (size_t)1 << 50, Mapped) == 2, "more than there is");
    expect(cudaHostGetDevicePointer((void **)&there, here, 0) == 1, "ordinary memory");
    expect(cudaHostGetFlags(&flags, here) == 1, "flags of ordinary memory");
    expect(cudaHostRegister((void *)0x10000, 64, Mapped) == 0 && cudaHostGetDevicePointer((void **)&there, (void *)0x10000, 0) == 1, "no memory");
    expect(cudaHostRegister((void *)-4096, 64, Mapped) == 1 && cudaHostRegister(here, (size_t)-1, 0) == 1, "past the end of addresses");
    CHECK(cudaHostRegister(here, sizeof here, Mapped));
    expect(cudaHostGetDevicePointer((void **)&there, here, 0) == 801, "memory on the stack");
    expect(cudaHostRegister((char *)here - 1, sizeof here, 0) == 712, "some of it twice");
    expect(cudaHostRegister(here, sizeof here, 0) == 712 && cudaHostUnregister(here + 1) == 1 && cudaHostUnregister(here + sizeof here) == 713,
           "twice, not where it begins, and not at all");
    CHECK(cudaHostUnregister(here));
}

/* In rows or not: memory that both sides see at one address may be either end of any copy. */
static void directions(void)
{
    char *seen, *device, plain[64];
    CHECK(cudaMallocHost((void **)&seen, 4096));
    CHECK(cudaMalloc((void **)&device, 4096));
    for (int kind = -1; kind < 6; ++kind) {
        const int known = kind >= 0 && kind <= Default, to_device = kind == ToDevice || kind == Default;
        const struct { char *to, *from; int allowed; } copies[] = {
            {seen, seen + 64, 1}, {device, seen, to_device || kind == 3}, {seen, device, kind >= ToHost}, {device, plain, to_device}};
        for (int i = 0; i < 4; ++i) {
            const int status = !known ? 21 : copies[i].allowed ? 0 : 1;
            expect(cudaMemcpy(copies[i].to, copies[i].from, 64, kind) == status, "the direction of a copy");
            expect(cudaMemcpy2D(copies[i].to, 32, copies[i].from, 32, 32, 2, kind) == status, "the direction of a copy of rows");
        }
    }
}

static void refused(void)
{
    int *there;
    expect(cudaHostAlloc((void **)&there, 64, Mapped) == 801 && cudaHostRegister(&there, 64, Mapped) == 801, "a machine that cannot");
    CHECK(cudaMallocHost((void **)&there, 64));
    expect(cudaHostGetDevicePointer((void **)&there, there, 0) == 801, "a machine that cannot");
}

PARTS({"allocated", allocated}, {"elsewhere", elsewhere}, {"registers", registers}, {"spins", spins}, {"answers", answers}, {"devices", devices}, {"past_the_end", past_the_end},
      {"not_locked", not_locked}, {"given_back", given_back},
      {"wrong", wrong}, {"directions", directions}, {"refused", refused})
