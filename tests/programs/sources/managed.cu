// One variable of the host's code and of kernels, where it says __managed__: scalars, arrays, structures, in namespaces, unused by kernels, read before main.
#include <cstdio>
struct Pair {
    int a;
    double b;
};
__device__ __managed__ int total = 5;
__managed__ int table[4] = {10, 20, 30, 40}, other;
__device__ __managed__ float list[] = {1, 2, 3};
namespace inner {
static __managed__ Pair pair = {1, 2.5};
}
namespace {
__managed__ int hidden = 3;
}
__managed__ int *where;
static __managed__ int idle = 8;
static int early = total;

__global__ void change()
{
    atomicAdd(&total, threadIdx.x);
    table[threadIdx.x] *= 2;
    if (threadIdx.x == 0) {
        list[1] += hidden;
        inner::pair.b *= 2;
        other = 7;
        *where = 9;
    }
}

int main()
{
    cudaMallocManaged(&where, sizeof *where);
    total += 1;
    table[1]++;
    hidden *= 2;
    change<<<1, 4>>>();
    cudaDeviceSynchronize();
    int copied = 0;
    cudaMemcpy(&copied, &total, sizeof copied, cudaMemcpyDefault);
    bool right = early == 5 && total == 12 && copied == 12 && table[0] == 20 && table[1] == 42 && table[3] == 80 && other == 7 && list[1] == 8
                 && sizeof list == 12 && inner::pair.a == 1 && inner::pair.b == 5 && *where == 9 && idle == 8 && cudaGetLastError() == cudaSuccess;
    printf(right ? "PASSED\n" : "FAILED: %d %d %d %d %g %g %d\n", early, total, copied, table[1], list[1], inner::pair.b, idle);
}
