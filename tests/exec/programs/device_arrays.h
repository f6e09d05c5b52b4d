/* Arrays of a device that come from the host, are filled with what is no value, or are printed. */
#include "cuda_few.h"

typedef long long Long;

static void *brought(const void *from, size_t bytes)
{
    void *to;
    CHECK(cudaMalloc(&to, bytes ? bytes : 1));
    CHECK(cudaMemcpy(to, from, bytes, ToDevice));
    return to;
}

static void *room(size_t bytes)         /* full of NaN, and of indices that are none */
{
    void *to;
    CHECK(cudaMalloc(&to, bytes ? bytes : 1));
    CHECK(cudaMemset(to, 0xff, bytes));
    return to;
}

static void show_indices(const char *what, const void *from, int n, int wide)
{
    int *here = malloc(n * 8);
    CHECK(cudaMemcpy(here, from, n * (wide ? 8 : 4), ToHost));
    printf("%s", what);
    for (int i = 0; i < n; ++i)
        printf(" %lld", wide ? ((Long *)here)[i] : here[i]);
    printf("\n");
    free(here);
}

#define SHOWS(T, name) \
    static void show_##name(const char *what, const void *from, int n) \
    { \
        T *here = malloc(n * sizeof(T)); \
        CHECK(cudaMemcpy(here, from, n * sizeof(T), ToHost)); \
        printf("%s", what); \
        for (int i = 0; i < n; ++i) \
            printf(" %.17g", (double)here[i]); \
        printf("\n"); \
        free(here); \
    }
