/* Libraries by the functions of the runtime and of the driver together: what one makes, the other unloads; attributes on another device than the current. */
#include "driver_few.h"

typedef struct { unsigned x, y, z; } dim3;
int cudaLibraryLoadData(CUlibrary *, const void *, int *, void **, unsigned, int *, void **, unsigned), cudaLibraryGetKernel(CUkernel *, CUlibrary, const char *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, CUstream), cudaKernelSetAttributeForDevice(CUkernel, int, int, int);
int cuKernelSetAttribute(int, int, CUkernel, CUdevice), cuKernelGetAttribute(int *, int, CUkernel, CUdevice), cudaDeviceSynchronize(void);
const char *cudaGetErrorName(int);

enum { MOST_DYNAMIC = 8 };

int main(void)
{
    CUlibrary library;
    CUkernel kernel;
    CUdeviceptr data;
    const dim3 one = {1, 1, 1};
    int got;
    CHECK(cuInit(0));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc((void **)&data, 256));
    CHECK(cudaLibraryLoadData(&library, device_code, 0, 0, 0, 0, 0, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "scale"));
    CHECK(cuKernelSetAttribute(MOST_DYNAMIC, 1024, kernel, 1));
    CHECK(cudaKernelSetAttributeForDevice(kernel, MOST_DYNAMIC, 2048, 0));
    CHECK(cuKernelGetAttribute(&got, MOST_DYNAMIC, kernel, 1));
    EXPECT(got == 1024);
    CHECK(cuKernelGetAttribute(&got, MOST_DYNAMIC, kernel, 0));
    EXPECT(got == 2048);
    FAILS("CUDA_ERROR_INVALID_DEVICE", cuKernelSetAttribute(MOST_DYNAMIC, 1024, kernel, 2));
    CHECK(cudaGetDevice(&got));
    EXPECT(got == 0);
    void *given[] = {&data};
    CHECK(cudaLaunchKernel(kernel, one, one, given, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cuLibraryUnload(library));
    EXPECT(cudaLaunchKernel(kernel, one, one, given, 0, 0) != 0);
    FAILS("CUDA_ERROR_INVALID_HANDLE", cuLibraryUnload(library));
    printf("PASSED\n");
    return 0;
}
