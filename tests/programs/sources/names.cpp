// What MXMACA's programs call by names that CUDA has otherwise, in a file that its headers alone tell from C++.
#include <mc_runtime_api.h>
#include <mc_common.h>

__constant__ int factor;
__managed__ int seen = 2;

template <typename T, int N> __global__ void scale(T *p)
{
    p[threadIdx.x] *= factor * N;
    if (threadIdx.x == 0)
        seen += warpSize;
}

__global__ void fault(int *p) { *p = 1; }

int main()
{
    int *p, wave = 0, bus = 0, three = 3, *host, numbers[64];
    mcDeviceProp_t properties;
    mcDeviceptr_t other;
    mcPointerAttribute_t where;
    mcGetDeviceProperties(&properties, 0);
    mcDeviceGetAttribute(&wave, mcDeviceAttributeWaveSize, 0);
    mcDeviceGetAttribute(&bus, mcDeviceAttributeMemoryBusWidth, 0);
    bool right = wave == properties.waveSize && bus == properties.memoryBusWidth && properties.totalGlobalMem > 0;
    mcMalloc((void **)&p, sizeof numbers);
    mcMalloc(&other, sizeof numbers);
    mcMallocHost((void **)&host, sizeof numbers, mcMallocHostMapped);
    right &= mcPointerGetAttributes(&where, p) == mcSuccess && where.type == mcMemoryTypeDevice;
    for (int i = 0; i < 64; i++)
        host[i] = i;
    mcMemcpyHtoD(other, host, sizeof numbers);
    mcMemcpyDtoD(p, other, sizeof numbers);
    mcMemcpyToSymbol(MC_SYMBOL(factor), &three, sizeof three);
    mcLaunchKernelGGL((scale<int, 2>), dim3(1), dim3(64), 0, 0, p);
    mcMemcpyDtoH(numbers, p, sizeof numbers);
    for (int i = 0; i < 64; i++)
        right &= numbers[i] == 6 * i;
    right &= seen == 2 + wave && !strcmp(mcGetErrorName(mcGetLastError()), "mcSuccess");
    right &= !strcmp(mcGetErrorName(mcErrorInvalidKernelFile), "mcErrorInvalidKernelFile") && !strcmp(mcGetErrorName(mcErrorNotReady), "mcErrorNotReady");
    fault<<<1, 1>>>((int *)8);
    right &= !strcmp(mcGetErrorName(mcDeviceSynchronize()), "mcErrorIllegalAddress");
    printf(right ? "PASSED with waves of %d\n" : "FAILED with waves of %d\n", wave);
}
