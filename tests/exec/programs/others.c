/* Calls libraries that archdef does not answer. */
#include "cuda_few.h"

int cudnnCreate(void **), cusolverDnCreate(void **), ncclCommDestroy(void *), cublasLtCreate(void **);
const char *cudnnGetErrorString(int), *ncclGetErrorString(int);
size_t cublasLtGetVersion(void), cudnnGetVersion(void);
unsigned char *nppiMalloc_8u_C1(int, int, int *);

int main(void)
{
    void *made;
    printf("%d %d %d %d", cudnnCreate(&made), cusolverDnCreate(&made), ncclCommDestroy(0), cublasLtCreate(&made));
    printf(" %zu %zu", cublasLtGetVersion(), cudnnGetVersion());
    printf(" %p %p %p %s\n", cudnnGetErrorString(1), ncclGetErrorString(1), nppiMalloc_8u_C1(8, 8, 0), cudaGetErrorName(cudaGetLastError()));
    return 0;
}
