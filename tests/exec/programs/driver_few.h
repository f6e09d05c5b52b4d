/* Declarations of CUDA's driver, as its header has them where names stand for the newest version. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *CUcontext, *CUmodule, *CUfunction, *CUlibrary, *CUkernel, *CUstream, *CUevent, *CUlinkState;
typedef uint64_t CUdeviceptr;
typedef int CUdevice;
#define cuCtxCreate cuCtxCreate_v2
#define cuCtxDestroy cuCtxDestroy_v2
#define cuCtxPopCurrent cuCtxPopCurrent_v2
#define cuCtxPushCurrent cuCtxPushCurrent_v2
#define cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2
#define cuDeviceTotalMem cuDeviceTotalMem_v2
#define cuEventDestroy cuEventDestroy_v2
#define cuGetProcAddress cuGetProcAddress_v2
#define cuLinkAddData cuLinkAddData_v2
#define cuLinkCreate cuLinkCreate_v2
#define cuMemAlloc cuMemAlloc_v2
#define cuMemAllocHost cuMemAllocHost_v2
#define cuMemFree cuMemFree_v2
#define cuMemGetAddressRange cuMemGetAddressRange_v2
#define cuMemcpy2D cuMemcpy2D_v2
#define cuMemcpyDtoD cuMemcpyDtoD_v2
#define cuMemcpyDtoH cuMemcpyDtoH_v2
#define cuMemcpyDtoHAsync cuMemcpyDtoHAsync_v2
#define cuMemcpyHtoD cuMemcpyHtoD_v2
#define cuMemcpyHtoDAsync cuMemcpyHtoDAsync_v2
#define cuMemsetD16 cuMemsetD16_v2
#define cuMemsetD2D32 cuMemsetD2D32_v2
#define cuMemsetD32 cuMemsetD32_v2
#define cuMemsetD8 cuMemsetD8_v2
#define cuModuleGetGlobal cuModuleGetGlobal_v2
#define cuStreamDestroy cuStreamDestroy_v2

typedef struct { unsigned grid[3], block[3], shared_bytes; CUstream stream; void *attributes; unsigned count; } CUlaunchConfig;
typedef struct { int id; char pad[4]; union { char pad[64]; int cooperative; unsigned cluster[3]; } value; } CUlaunchAttribute;
typedef struct {
    size_t source_x, source_y; int source_kind; const void *source_host; CUdeviceptr source_device; void *source_array; size_t source_pitch;
    size_t x, y; int kind; void *host; CUdeviceptr device; void *array; size_t pitch, width, height;
} CUDA_MEMCPY2D;

int cuInit(unsigned), cuDriverGetVersion(int *), cuDeviceGet(CUdevice *, int), cuDeviceGetCount(int *), cuDeviceGetName(char *, int, CUdevice);
int cuDeviceTotalMem(size_t *, CUdevice), cuDeviceGetAttribute(int *, int, CUdevice), cuDeviceGetUuid(char *, CUdevice);
int cuCtxCreate(CUcontext *, unsigned, CUdevice), cuCtxDestroy(CUcontext), cuCtxPushCurrent(CUcontext), cuCtxPopCurrent(CUcontext *);
int cuCtxSetCurrent(CUcontext), cuCtxGetCurrent(CUcontext *), cuCtxGetDevice(CUdevice *), cuCtxSynchronize(void), cuCtxGetFlags(unsigned *);
int cuDevicePrimaryCtxRetain(CUcontext *, CUdevice), cuDevicePrimaryCtxRelease(CUdevice), cuDevicePrimaryCtxGetState(CUdevice, unsigned *, int *);
int cuGetProcAddress(const char *, void **, int, uint64_t, int *), cuGetErrorName(int, const char **), cuGetErrorString(int, const char **);
int cuModuleLoad(CUmodule *, const char *), cuModuleLoadData(CUmodule *, const void *), cuModuleLoadFatBinary(CUmodule *, const void *);
int cuModuleLoadDataEx(CUmodule *, const void *, unsigned, int *, void **), cuModuleUnload(CUmodule);
int cuModuleGetFunction(CUfunction *, CUmodule, const char *), cuModuleGetGlobal(CUdeviceptr *, size_t *, CUmodule, const char *);
int cuLibraryLoadData(CUlibrary *, const void *, int *, void **, unsigned, int *, void **, unsigned), cuLibraryUnload(CUlibrary);
int cuLibraryGetKernel(CUkernel *, CUlibrary, const char *), cuLibraryGetModule(CUmodule *, CUlibrary), cuKernelGetFunction(CUfunction *, CUkernel);
int cuFuncGetAttribute(int *, int, CUfunction), cuFuncSetAttribute(CUfunction, int, int), cuFuncGetName(const char **, CUfunction);
int cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
int cuLaunchKernelEx(const CUlaunchConfig *, CUfunction, void **, void **);
int cuLaunchCooperativeKernel(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **);
int cuLinkCreate(unsigned, int *, void **, CUlinkState *), cuLinkAddData(CUlinkState, int, void *, size_t, const char *, unsigned, int *, void **);
int cuLinkComplete(CUlinkState, void **, size_t *), cuLinkDestroy(CUlinkState);
int cuMemAlloc(CUdeviceptr *, size_t), cuMemFree(CUdeviceptr), cuMemAllocHost(void **, size_t), cuMemFreeHost(void *);
int cuMemGetAddressRange(CUdeviceptr *, size_t *, CUdeviceptr), cuPointerGetAttribute(void *, int, CUdeviceptr);
int cuPointerGetAttributes(unsigned, int *, void **, CUdeviceptr), cuMemcpy2D(const CUDA_MEMCPY2D *);
int cuMemcpyHtoD(CUdeviceptr, const void *, size_t), cuMemcpyDtoH(void *, CUdeviceptr, size_t), cuMemcpyDtoD(CUdeviceptr, CUdeviceptr, size_t);
int cuMemcpyHtoDAsync(CUdeviceptr, const void *, size_t, CUstream), cuMemcpyDtoHAsync(void *, CUdeviceptr, size_t, CUstream);
int cuMemsetD8(CUdeviceptr, unsigned char, size_t), cuMemsetD16(CUdeviceptr, unsigned short, size_t), cuMemsetD32(CUdeviceptr, unsigned, size_t);
int cuMemsetD2D32(CUdeviceptr, size_t, unsigned, size_t, size_t), cuMemcpy3DPeer(void *), cuMemBatchDecompressAsync(void *, size_t, unsigned, size_t *, CUstream);
int cuMemAllocAsync(CUdeviceptr *, size_t, CUstream), cuMemFreeAsync(CUdeviceptr, CUstream);
int cuStreamCreate(CUstream *, unsigned), cuStreamSynchronize(CUstream), cuStreamDestroy(CUstream), cuStreamQuery(CUstream);
int cuEventCreate(CUevent *, unsigned), cuEventRecord(CUevent, CUstream), cuEventSynchronize(CUevent), cuEventDestroy(CUevent);
int cuEventElapsedTime(float *, CUevent, CUevent), cuLaunchHostFunc(CUstream, void (*)(void *), void *);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, CUfunction, int, size_t), cuOccupancyAvailableDynamicSMemPerBlock(size_t *, CUfunction, int, int);
int cuOccupancyMaxPotentialBlockSize(int *, int *, CUfunction, size_t (*)(int), size_t, int);
int cudaFree(void *), cudaSetDevice(int), cudaGetDevice(int *), cudaMalloc(void **, size_t), cudaGetLastError(void);

extern const unsigned char device_code[];                           /* PTX or a fat binary, which the test writes */

static const char *named(int status)
{
    const char *name = "no error that is known";
    cuGetErrorName(status, &name);
    return name;
}

#define CHECK(call) do { int status = (call); if (status) { printf("%s: %s\n", #call, named(status)); exit(1); } } while (0)
#define EXPECT(what) do { if (!(what)) { printf("wrong: %s\n", #what); exit(3); } } while (0)
#define FAILS(wanted, call) do { const char *got = named(call); if (strcmp(got, wanted)) { printf("%s: %s\n", #call, got); exit(4); } } while (0)
