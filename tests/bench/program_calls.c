/* What calls of a program take as the program sees them: the least of some rounds. Prints a line for each: name, number, unit. */
#include "cuda_few.h"
#include <time.h>

#define MOST_BYTES (512ul << 20)

void empty(void) {}
void takes_three(void) {}

REGISTERS(KERNEL(empty); KERNEL(takes_three))

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}

/* The least seconds of a call, until what it puts into a stream has ended, or only until the call returns. */
#define LEAST_OF(rounds, calls, call, until_ended) ({ \
    double least = 1e9; \
    for (int round = 0; round < rounds; ++round) { \
        double began = now(); \
        for (int i = 0; i < calls; ++i) { call; } \
        if (until_ended) \
            CHECK(cudaDeviceSynchronize()); \
        double took = (now() - began) / calls; \
        if (!until_ended) \
            CHECK(cudaDeviceSynchronize()); \
        least = took < least ? took : least; \
    } \
    least; })
#define LEAST(rounds, calls, call) LEAST_OF(rounds, calls, call, 1)

static void tell_rate(const char *what, size_t bytes, double seconds)
{
    printf("%s, %zu KiB|%.1f|GB/s\n", what, bytes >> 10, bytes / seconds / 1e9);
}

static void tell(const char *what, double seconds) { printf("%s|%.1f|us\n", what, seconds * 1e6); }

static const dim3 one = {1, 1, 1}, warp = {32, 1, 1};

/* Launches of which nothing is told. */
static int launch(void *kernel, int times)
{
    int *p = NULL, n = 1;
    float f = 2;
    void *given[] = {&p, &n, &f};
    for (int i = 0; i < times; ++i) {
        CHECK(cudaLaunchKernel(kernel, one, warp, kernel == empty ? NULL : given, 0, 0));
        if (i % 16 == 15)
            CHECK(cudaDeviceSynchronize());
    }
    return 0;
}

static int launches(void)
{
    int *p = NULL, n = 1;
    float f = 2;
    void *given[] = {&p, &n, &f};
    tell("launch of an empty kernel", LEAST(200, 16, CHECK(cudaLaunchKernel(empty, one, warp, NULL, 0, 0))));
    tell("with three arguments", LEAST(200, 16, CHECK(cudaLaunchKernel(takes_three, one, warp, given, 0, 0))));
    tell("launch of an empty kernel, until it returns", LEAST_OF(200, 16, CHECK(cudaLaunchKernel(empty, one, warp, NULL, 0, 0)), 0));
    tell("with three arguments, until it returns", LEAST_OF(200, 16, CHECK(cudaLaunchKernel(takes_three, one, warp, given, 0, 0)), 0));
    tell("call that does nothing (cudaGetDevice)", LEAST(200, 16, CHECK(cudaGetDevice(&n))));
    return 0;
}

static int small(void)
{
    char *a, *b, *p;
    CHECK(cudaMalloc((void **)&a, 4096));
    CHECK(cudaMalloc((void **)&b, 4096));
    tell("cudaMemset, 4 KiB", LEAST(200, 16, CHECK(cudaMemset(a, 1, 4096))));
    tell("copy within the device, 4 KiB", LEAST(200, 16, CHECK(cudaMemcpy(a, b, 4096, 3))));
    tell("cudaMalloc and cudaFree, 4 KiB", LEAST(200, 16, CHECK(cudaMalloc((void **)&p, 4096)); CHECK(cudaFree(p))));
    tell("cudaMalloc and cudaFree, 64 MiB", LEAST(200, 16, CHECK(cudaMalloc((void **)&p, 64 << 20)); CHECK(cudaFree(p))));
    return 0;
}

static int rates(size_t bytes)
{
    const int rounds = bytes < MOST_BYTES ? 30 : 5, calls = bytes < 1 << 20 ? 50 : 1;
    char *plain = malloc(bytes), *other = malloc(bytes), *locked, *device, *behind;
    memset(plain, 1, bytes);
    memset(other, 2, bytes);
    CHECK(cudaMallocHost((void **)&locked, bytes));
    memset(locked, 3, bytes);
    CHECK(cudaMalloc((void **)&device, bytes));
    CHECK(cudaMalloc((void **)&behind, bytes));
    tell_rate("memcpy", bytes, LEAST(rounds, calls, memcpy(other, plain, bytes)));
    tell_rate("to the device", bytes, LEAST(rounds, calls, CHECK(cudaMemcpy(device, plain, bytes, ToDevice))));
    tell_rate("to the host", bytes, LEAST(rounds, calls, CHECK(cudaMemcpy(other, device, bytes, ToHost))));
    tell_rate("to the device, page-locked", bytes, LEAST(rounds, calls, CHECK(cudaMemcpy(device, locked, bytes, ToDevice))));
    tell_rate("to the host, page-locked", bytes, LEAST(rounds, calls, CHECK(cudaMemcpy(locked, device, bytes, ToHost))));
    tell_rate("within the device", bytes, LEAST(rounds, calls, CHECK(cudaMemcpy(behind, device, bytes, 3))));
    tell_rate("cudaMemset", bytes, LEAST(rounds, calls, CHECK(cudaMemset(device, 1, bytes))));
    CHECK(cudaFree(device));
    CHECK(cudaFree(behind));
    CHECK(cudaFreeHost(locked));
    free(plain);
    free(other);
    return 0;
}

int main(int count, char **arguments)
{
    const char *only = count > 1 ? arguments[1] : NULL;
    if (count > 2)
        return launch(strcmp(only, "empty") ? takes_three : empty, atoi(arguments[2]));
    if ((!only || !strcmp(only, "launches")) && launches() || (!only || !strcmp(only, "calls")) && small())
        return 1;
    return (!only || !strcmp(only, "copies")) && (rates(64 << 10) || rates(1 << 20) || rates(64 << 20) || rates(MOST_BYTES));
}
