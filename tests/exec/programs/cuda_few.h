/* What a compiler of CUDA writes into a program, in plain C: the device code, its registration, and launches. Declarations are those of CUDA's headers. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned x, y, z; } dim3;
typedef void *cudaStream_t, *cudaEvent_t;
enum { ToHost = 2, ToDevice = 1, Default = 4 };

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t), cudaMallocHost(void **, size_t), cudaFreeHost(void *);
int cudaMallocManaged(void **, size_t, unsigned), cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int), cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int), cudaMemGetInfo(size_t *, size_t *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t), cudaDeviceSynchronize(void);
int cudaStreamCreate(cudaStream_t *), cudaStreamSynchronize(cudaStream_t), cudaStreamDestroy(cudaStream_t), cudaStreamQuery(cudaStream_t);
int cudaStreamAddCallback(cudaStream_t, void (*)(cudaStream_t, int, void *), void *, unsigned);
int cudaEventCreate(cudaEvent_t *), cudaEventRecord(cudaEvent_t, cudaStream_t), cudaEventSynchronize(cudaEvent_t), cudaEventDestroy(cudaEvent_t);
int cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t), cudaGetLastError(void), cudaPeekAtLastError(void), cudaGetDeviceCount(int *);
int cudaGetDevice(int *), cudaSetDevice(int), cudaDeviceGetAttribute(int *, int, int), cudaGetDeviceProperties_v2(void *, int);
int cudaGraphCreate(void **, unsigned), cudaGraphicsMapResources(int, void **, cudaStream_t);
const char *cudaGetErrorString(int), *cudaGetErrorName(int);

extern const unsigned char device_code[];                           /* a fat binary, which the test writes */
static struct { int magic, version; const void *data; void *file; } wrapper = {0x466243b1, 1, device_code, 0};

static void **registered(void) { return __cudaRegisterFatBinary(&wrapper); }
#define KERNEL(name) __cudaRegisterFunction(handle, (const char *)name, #name, #name, -1, 0, 0, 0, 0, 0)
#define CHECK(call) do { int status = (call); if (status) { printf("%s: %s\n", #call, cudaGetErrorName(status)); exit(1); } } while (0)
