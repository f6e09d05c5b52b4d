/* Calls functions of libraries that archdef does not answer. */
#include "cuda_few.h"

int cudnnCreateActivationDescriptor(void **), cusolverSpCreate(void **), ncclCommDestroy(void *), cublasLtMatrixTransformDescCreate(void **, int);
const char *ncclGetErrorString(int);
size_t cudnnGetMaxDeviceVersion(void);
unsigned char *nppiMalloc_8u_C1(int, int, int *);

int main(void)
{
    void *made;
    printf("%d %d %d %d", cudnnCreateActivationDescriptor(&made), cusolverSpCreate(&made), ncclCommDestroy(0), cublasLtMatrixTransformDescCreate(&made, 0));
    printf(" %zu", cudnnGetMaxDeviceVersion());
    printf(" %p %p %s\n", ncclGetErrorString(1), nppiMalloc_8u_C1(8, 8, 0), cudaGetErrorName(cudaGetLastError()));
    return 0;
}
