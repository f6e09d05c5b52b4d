/* Streams, events, page-locked and managed memory, variables, callbacks, rows, printing: each part checks what it got. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cuda_few.h"

void scale(void) {}
void says(void) {}
static int factor;
enum { N = 512 };
static const dim3 ONE = {1, 1, 1}, BLOCK = {128, 1, 1}, GRID = {N / 128, 1, 1};

REGISTERS(KERNEL(scale), KERNEL(says), VARIABLE(factor))

static void set_factor(int value) { CHECK(cudaMemcpyToSymbol(&factor, &value, sizeof value, 0, ToDevice)); }

static void streams(void)
{
    int *here, *there;
    float ms = -1;
    cudaStream_t stream;
    cudaEvent_t start, end;
    set_factor(3);
    CHECK(cudaMallocHost((void **)&here, N * sizeof(int)));
    CHECK(cudaMalloc((void **)&there, N * sizeof(int)));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&end));
    for (int i = 0; i < N; ++i)
        here[i] = i;
    void *given[] = {&there};
    CHECK(cudaEventRecord(start, stream));
    CHECK(cudaMemcpyAsync(there, here, N * sizeof(int), ToDevice, stream));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, given, 0, stream));
    CHECK(cudaMemcpyAsync(here, there, N * sizeof(int), ToHost, stream));
    CHECK(cudaEventRecord(end, stream));
    while (cudaStreamQuery(stream) == 600)      /* asking takes time, so that this ends */
        expect(cudaPeekAtLastError() == 0, "that work is under way is no error");
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    expect(ms > 0, "time between events");
    for (int i = 0; i < N; ++i)
        expect(here[i] == 3 * i, "copies in a stream");
    CHECK(cudaEventDestroy(start));
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFreeHost(here));
    CHECK(cudaFree(there));
}

static void variables(void)
{
    int back = 0;
    set_factor(77);
    CHECK(cudaMemcpyFromSymbol(&back, &factor, sizeof back, 0, ToHost));
    expect(back == 77, "variable");
}

struct location { int kind, id; };
int cudaMemPrefetchAsync_v2(const void *, size_t, struct location, unsigned, cudaStream_t), cudaMemAdvise_v2(const void *, size_t, int, struct location);
int cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t);

static void managed(void)
{
    struct location device = {1, 0};
    int *both, has = 0;
    CHECK(cudaDeviceGetAttribute(&has, 83, 0));
    if (!has) {
        expect(cudaMallocManaged((void **)&both, 64, 1) == 801, "managed memory where there is none");
        return;
    }
    set_factor(5);
    CHECK(cudaMallocManaged((void **)&both, N * sizeof(int), 1));
    CHECK(cudaMemAdvise_v2(both, N * sizeof(int), 3, device));
    CHECK(cudaMemPrefetchAsync_v2(both, N * sizeof(int), device, 0, 0));
    expect(cudaMemPrefetchAsync_v2(&device, 4, device, 0, 0) == 1, "memory that is not managed");
    CHECK(cudaMemPrefetchAsync(both + 1, (N - 1) * sizeof(int), 0, 0));
    expect(cudaMemPrefetchAsync(both + 1, N * sizeof(int), 0, 0) == 1, "what lies behind managed memory");
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < N; ++i)
            both[i] = i + round;
        void *given[] = {&both};
        CHECK(cudaLaunchKernel(scale, GRID, BLOCK, given, 0, 0));
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < N; ++i)
            expect(both[i] == 5 * (i + round), "managed memory");
    }
    CHECK(cudaFree(both));
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called;

static void back(cudaStream_t stream, int status, void *data)
{
    pthread_mutex_lock(&lock);
    called = status == 0 && !strcmp(data, "data") && stream ? 1 : 2;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void callbacks(void)
{
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamAddCallback(stream, back, "data", 0));
    pthread_mutex_lock(&lock);                  /* nobody asks the runtime for anything meanwhile */
    while (!called)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    expect(called == 1, "what a callback is given");
    CHECK(cudaStreamDestroy(stream));
}

static void rows(void)
{
    char from[3][20], to[3][20] = {{0}};
    void *there;
    size_t pitch = 0;
    for (int i = 0; i < 60; ++i)
        from[0][i] = i;
    CHECK(cudaMallocPitch(&there, &pitch, 10, 3));
    expect(pitch >= 10 && pitch % 32 == 0, "pitch");
    CHECK(cudaMemcpy2D(there, pitch, from, 20, 10, 3, ToDevice));
    CHECK(cudaMemcpy2D(to, 20, there, pitch, 10, 3, ToHost));
    for (int row = 0; row < 3; ++row)
        expect(!memcmp(to[row], from[row], 10) && !to[row][10], "rows");
    CHECK(cudaFree(there));
}

static void *a_thread(void *device)
{
    int is = -1;
    CHECK(cudaSetDevice((int)(intptr_t)device));
    CHECK(cudaGetDevice(&is));
    cudaFree((void *)0x1234);
    expect(cudaGetLastError() == 1 && cudaGetLastError() == 0, "a thread's own error");
    return (void *)(intptr_t)is;
}

static void threads(void)
{
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    expect(devices == 2, "two devices");
    pthread_t two[2];
    for (intptr_t i = 0; i < 2; ++i)
        pthread_create(&two[i], NULL, a_thread, (void *)i);
    for (intptr_t i = 0; i < 2; ++i) {
        void *is;
        pthread_join(two[i], &is);
        expect((intptr_t)is == i, "a thread's own device");
    }
    expect(cudaPeekAtLastError() == 0, "no error of another thread");
}

static void processes(void)
{
    size_t before, total, after;
    CHECK(cudaMemGetInfo(&before, &total));
    pid_t child = fork();
    if (!child) {
        void *there;
        _exit(cudaMalloc(&there, 1 << 20) ? 1 : 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(cudaMemGetInfo(&after, &total));
    expect(status == 0 && after == before, "a process of its own");
}

static void printing(void)
{
    printf("before, ");
    CHECK(cudaLaunchKernel(says, ONE, ONE, 0, 0, 0));
    CHECK(cudaDeviceSynchronize());
    printf("behind\n");
}

int cudaGetFuncBySymbol(void **, const void *), cuFuncGetModule(void **, void *), cudaDeviceSetCacheConfig(int), cudaDeviceGetCacheConfig(int *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, cudaStream_t, void **, void **);

static void functions(void)
{
    int here[N], *there;
    void *function, *again, *module;
    set_factor(4);
    for (int i = 0; i < N; ++i)
        here[i] = i;
    CHECK(cudaMalloc((void **)&there, sizeof here));
    CHECK(cudaMemcpy(there, here, sizeof here, ToDevice));
    CHECK(cudaGetFuncBySymbol(&function, scale));
    CHECK(cudaGetFuncBySymbol(&again, scale));
    expect(function == again, "one handle of a kernel");
    void *given[] = {&there};
    CHECK(cuLaunchKernel(function, GRID.x, 1, 1, BLOCK.x, 1, 1, 0, 0, given, 0));
    CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
    for (int i = 0; i < N; ++i)
        expect(here[i] == 4 * i, "a kernel that the driver launches");
    expect(cuFuncGetModule(&module, function) == 801, "the module of a program's own kernel");
    expect(cudaGetFuncBySymbol(&function, here) == 98, "no kernel");
    CHECK(cudaSetDevice(1));
    CHECK(cudaGetFuncBySymbol(&again, scale));
    expect(function != again && cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, 0, given, 0) == 400, "a kernel of another device");
}

int cudaStreamSetAttribute(cudaStream_t, int, const void *), cudaStreamGetAttribute(cudaStream_t, int, void *), cudaStreamCopyAttributes(cudaStream_t, cudaStream_t);
int cuStreamGetAttribute(cudaStream_t, int, void *), cudaStreamCreateWithPriority(cudaStream_t *, unsigned, int);

static void stream_attributes(void)
{
    union { struct { void *start; size_t bytes; float ratio; int hit, miss; } window; int policy, priority; char rest[64]; }
        window = {.window = {(void *)4096, 8192, 0.5f, 2, 1}}, spin = {.policy = 2}, yields = {.policy = 3}, none = {.policy = 9}, got = {{0}};
    cudaStream_t one, two;
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaStreamGetAttribute(one, 3, &got));
    expect(got.policy == 1, "the policy of a stream for which none was set");
    CHECK(cudaStreamSetAttribute(one, 3, &spin));
    CHECK(cudaStreamSetAttribute(one, 1, &window));
    CHECK(cudaStreamSetAttribute(0, 3, &yields));
    expect(cudaStreamSetAttribute(one, 3, &none) == 1 && cudaStreamSetAttribute(one, 2, &none) == 1, "what cannot be set");
    CHECK(cudaStreamGetAttribute(two, 1, &got));
    expect(!got.window.bytes, "a window of another stream");
    CHECK(cudaStreamCopyAttributes(two, one));
    CHECK(cudaStreamGetAttribute(two, 1, &got));
    expect(!memcmp(&got, &window, sizeof got), "a window of another stream");
    CHECK(cuStreamGetAttribute(two, 3, &got));
    expect(got.policy == 2, "the policy of another stream");
    CHECK(cudaStreamGetAttribute(one, 8, &none));
    CHECK(cudaStreamGetAttribute(0, 3, &got));
    expect(got.policy == 3 && none.priority == 0, "the default stream's policy, and a priority");
}

static void settings(void)
{
    int prefers[3];
    size_t most = 0;
    CHECK(cudaDeviceGetCacheConfig(prefers));
    CHECK(cudaDeviceSetCacheConfig(2));
    CHECK(cudaDeviceGetCacheConfig(prefers + 1));
    expect(cudaDeviceSetCacheConfig(4) == 1, "a cache configuration that is none");
    CHECK(cudaSetDevice(1));
    CHECK(cudaDeviceGetCacheConfig(prefers + 2));
    printf("%d %d %d\n", prefers[0], prefers[1], prefers[2]);
    CHECK(cudaMemGetInfo(0, &most));
    expect(most > 0, "how much memory there is, alone");
    CHECK(cudaMemGetInfo(&most, 0));
}

PARTS({"streams", streams}, {"functions", functions}, {"stream_attributes", stream_attributes}, {"settings", settings}, {"variables", variables}, {"managed", managed}, {"callbacks", callbacks}, {"rows", rows}, {"threads", threads},
      {"processes", processes}, {"printing", printing})
