// Decides what the device runtime answers for flags that CUDA's guide calls unsupported in kernels: streams that are not non-blocking, events with timing,
// events of odd flags, and a wait with flags. Build: nvcc -O2 -arch=sm_90 -rdc=true flags.cu -lcudadevrt -o flags
#include <cstdio>
__global__ void ask()
{
    cudaStream_t s = 0; cudaEvent_t e = 0;
    for (unsigned f = 0; f < 4; f++) { int a = cudaStreamCreateWithFlags(&s, f); printf("stream flags %u: %d, made %d, last error %d\n", f, a, s != 0, cudaGetLastError()); s = 0; }
    for (unsigned f = 0; f < 8; f++) { int a = cudaEventCreateWithFlags(&e, f); printf("event flags %u: %d, made %d, last error %d\n", f, a, e != 0, cudaGetLastError()); e = 0; }
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    for (unsigned f = 0; f < 3; f++) { int a = cudaStreamWaitEvent(0, e, f); printf("wait flags %u: %d, last error %d\n", f, a, cudaGetLastError()); }
    size_t v = 7; int l = cudaDeviceGetLimit(&v, (cudaLimit)44); printf("limit 44: %d, value %llu, last error %d\n", l, (unsigned long long)v, cudaGetLastError());
    int w = 7, c = cudaDeviceGetAttribute(&w, (cudaDeviceAttr)4444, 0); printf("attribute 4444: %d, value %d, last error %d\n", c, w, cudaGetLastError());
}
int main() { ask<<<1, 1>>>(); cudaError_t e = cudaDeviceSynchronize(); printf("host %d\n", e); }
