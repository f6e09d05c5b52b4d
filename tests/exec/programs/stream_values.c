/* Streams that wait for values in memory, which kernels, other streams, the program and its other threads write. */
#include <pthread.h>
#include <unistd.h>
#include "driver_few.h"

typedef struct { int kind; int pad; CUdeviceptr address; uint64_t value; unsigned flags; int more; uint64_t rest[2]; } operation;
int cuStreamWaitValue32_v2(CUstream, CUdeviceptr, unsigned, unsigned), cuStreamWaitValue64_v2(CUstream, CUdeviceptr, uint64_t, unsigned);
int cuStreamWriteValue32_v2(CUstream, CUdeviceptr, unsigned, unsigned), cuStreamWriteValue64_v2(CUstream, CUdeviceptr, uint64_t, unsigned);
int cuStreamBatchMemOp_v2(CUstream, unsigned, operation *, unsigned), cuMemHostAlloc(void **, size_t, unsigned);
int cuMemHostGetDevicePointer_v2(CUdeviceptr *, void *, unsigned);

enum { GREATER, EQUAL, AND, NOR, WAIT_32 = 1, WRITE_32, FLUSH, WAIT_64, WRITE_64, BARRIER, LONG_VALUES = 122, NOR_VALUES = 123, FLUSHES = 98, NOT_READY = 600 };
static CUstream first, second;
static CUfunction scale;
static CUdeviceptr words;

static void set_up(void)
{
    CUcontext context;
    CUmodule module;
    CUdeviceptr factor;
    CHECK(cuInit(0));
    CHECK(cuCtxCreate(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&scale, module, "scale"));
    CHECK(cuModuleGetGlobal(&factor, 0, module, "factor"));
    CHECK(cuMemsetD32(factor, 3, 1));
    CHECK(cuMemAlloc(&words, 256));
    CHECK(cuMemsetD32(words, 1, 64));
    CHECK(cuStreamCreate(&first, 1));
    CHECK(cuStreamCreate(&second, 1));
}

static unsigned word(int at)
{
    unsigned got;
    CHECK(cuMemcpyDtoH(&got, words + 4 * at, 4));
    return got;
}

static void scaled(CUstream stream, CUdeviceptr address)
{
    void *given[] = {&address};
    CHECK(cuLaunchKernel(scale, 1, 1, 1, 8, 1, 1, 0, stream, given, 0));
}

/* What each comparison lets through, and what it does not. */
static void compares(void)
{
    static const struct { uint64_t there, value; int how, goes, bytes; } cases[] = {
        {5, 5, GREATER, 1, 4}, {6, 5, GREATER, 1, 4}, {4, 5, GREATER, 0, 4}, {1, 0xfffffff0, GREATER, 1, 4}, {0xfffffff0, 1, GREATER, 0, 4},
        {0x80000000, 0, GREATER, 0, 4}, {0x80000000, 0, GREATER, 1, 8}, {5, 5, EQUAL, 1, 4}, {6, 5, EQUAL, 0, 4}, {1ull << 32, 0, EQUAL, 1, 4},
        {1ull << 32, 0, EQUAL, 0, 8}, {6, 2, AND, 1, 4}, {6, 1, AND, 0, 4}, {1ull << 40, 1ull << 40, AND, 1, 8}, {0xfffffffe, 1, NOR, 0, 4},
        {0xfffffffe, 0, NOR, 1, 4}, {0xfffffffe, 1, NOR, 1, 8}, {1ull, 0xffffffffffffffff, GREATER, 1, 8}};
    int has;
    CHECK(cuDeviceGetAttribute(&has, LONG_VALUES, 0));
    EXPECT(has == 1);
    CHECK(cuDeviceGetAttribute(&has, NOR_VALUES, 0));
    EXPECT(has == 1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        CHECK(cuMemcpyHtoD(words + 64, &cases[i].there, 8));
        if (cases[i].bytes == 4)
            CHECK(cuStreamWaitValue32_v2(first, words + 64, cases[i].value, cases[i].how));
        else
            CHECK(cuStreamWaitValue64_v2(first, words + 64, cases[i].value, cases[i].how));
        usleep(100);
        int said = cuStreamQuery(first);
        for (int again = 0; again < 20 && said == NOT_READY; ++again)
            said = cuStreamQuery(first);
        if (said != (cases[i].goes ? 0 : NOT_READY)) {
            printf("wrong: case %zu says %d\n", i, said);
            exit(3);
        }
        uint64_t lets = cases[i].how == NOR ? 0 : cases[i].value;
        CHECK(cuStreamWriteValue64_v2(second, words + 64, lets, 0));
        CHECK(cuStreamSynchronize(first));
    }
}

/* Another stream writes, and a kernel of another stream. */
static void streams(void)
{
    CHECK(cuStreamWaitValue32_v2(first, words + 128, 7, EQUAL));
    scaled(first, words);
    CHECK(cuStreamSynchronize(second));
    EXPECT(cuStreamQuery(first) == NOT_READY && word(0) == 1);
    CHECK(cuStreamWriteValue32_v2(second, words + 128, 7, 1));
    CHECK(cuStreamSynchronize(first));
    EXPECT(word(0) == 3);
    CHECK(cuStreamWaitValue32_v2(second, words, 9, GREATER));
    CHECK(cuStreamWriteValue64_v2(second, words + 192, 0x1234567890ull, 0));
    scaled(first, words);
    CHECK(cuStreamSynchronize(second));
    EXPECT(word(0) == 9 && word(48) == 0x34567890 && word(49) == 0x12);
}

/* The program writes to memory that both see, and reads there what comes of it, and calls nothing meanwhile. */
static void host(void)
{
    volatile unsigned *both;
    CUdeviceptr address;
    CHECK(cuMemHostAlloc((void **)&both, 64, 2));
    CHECK(cuMemHostGetDevicePointer_v2(&address, (void *)both, 0));
    both[0] = both[4] = 0;
    CHECK(cuStreamWaitValue32_v2(first, address, 1, EQUAL));
    scaled(first, words);
    CHECK(cuStreamWriteValue32_v2(first, address + 16, 5, 0));
    usleep(100000);
    EXPECT(both[4] == 0);
    both[0] = 1;
    while (both[4] != 5)
        ;
    EXPECT(word(0) == 3);
}

static void *writes(void *context)
{
    usleep(100000);
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuStreamWriteValue32_v2(second, words + 128, 7, 0));
    return NULL;
}

/* Another thread writes, while this one waits. */
static void threads(void)
{
    pthread_t other;
    CUcontext context;
    CHECK(cuCtxGetCurrent(&context));
    CHECK(cuStreamWaitValue32_v2(first, words + 128, 7, EQUAL));
    pthread_create(&other, NULL, writes, context);
    CHECK(cuCtxSynchronize());
    EXPECT(word(32) == 7);
    pthread_join(other, NULL);
}

static void batches(void)
{
    operation all[] = {{WAIT_32, 0, words + 128, 7, EQUAL}, {BARRIER}, {WRITE_32, 0, words, 11, 0}, {WAIT_64, 0, words, 11, AND}, {WRITE_64, 0, words + 8, 12, 0}};
    CHECK(cuStreamBatchMemOp_v2(first, 5, all, 0));
    CHECK(cuStreamSynchronize(second));
    EXPECT(word(0) == 1);
    CHECK(cuStreamWriteValue32_v2(second, words + 128, 7, 0));
    CHECK(cuStreamSynchronize(first));
    EXPECT(word(0) == 11 && word(2) == 12 && word(3) == 0);
    all[4].kind = 9;
    EXPECT(cuStreamBatchMemOp_v2(first, 5, all, 0) == 1 && cuStreamBatchMemOp_v2(first, 0, all, 0) == 0 && cuStreamBatchMemOp_v2(first, 5, all, 1) == 1);
    EXPECT(cuStreamBatchMemOp_v2(first, 257, all, 0) == 1);
    all[4].kind = FLUSH;
    EXPECT(cuStreamBatchMemOp_v2(first, 5, all, 0) == 801 && cuStreamQuery(first) == 0);
}

static void wrong(void)
{
    int none;
    EXPECT(cuStreamWaitValue32_v2(first, words + 2, 1, EQUAL) == 1 && cuStreamWaitValue64_v2(first, words + 4, 1, EQUAL) == 1);
    EXPECT(cuStreamWaitValue32_v2(first, words, 1, 4) == 1 && cuStreamWriteValue32_v2(first, words, 1, 2) == 1);
    EXPECT(cuStreamWaitValue32_v2(first, (CUdeviceptr)&none, 1, EQUAL) == 1 && cuStreamWriteValue32_v2(first, 64, 1, 0) == 1);
    EXPECT(cuStreamWaitValue32_v2((CUstream)1234, words, 1, EQUAL) == 400);
    CHECK(cuDeviceGetAttribute(&none, FLUSHES, 0));
    EXPECT(none == 0 && cuStreamWaitValue32_v2(first, words, 1, EQUAL | 1 << 30) == 801);
    CHECK(cuStreamSynchronize(first));
}

/* Nobody writes: the program ends with that, or is stopped. */
static void leaves(void) { CHECK(cuStreamWaitValue32_v2(first, words, 2, EQUAL)); }

static void never(void)
{
    leaves();
    printf("waits\n");
    fflush(stdout);
    CHECK(cuStreamSynchronize(first));
}

int main(int count, char **given)
{
    static const struct { const char *name; void (*does)(void); } parts[] = {
        {"compares", compares}, {"streams", streams}, {"host", host}, {"threads", threads}, {"batches", batches}, {"wrong", wrong}, {"leaves", leaves}, {"never", never}};
    set_up();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (count > 1 && !strcmp(given[1], parts[i].name)) {
            parts[i].does();
            puts("PASSED");
            return 0;
        }
    return 2;
}
