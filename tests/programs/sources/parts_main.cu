// One half of a program whose device code is linked; prints PASSED if the other half's is found.
#include <cstdio>

extern __device__ int shared_value;
extern __constant__ int weights[2];
extern __device__ int twice_there(int x);
__global__ void of_the_other(int *out);
static __device__ int hidden = 3;
template <typename T> __global__ void common(T *out) { *out += 1; }
void launch_common(int *out);

__global__ void from_all(int *out) { *out = twice_there(shared_value) + weights[1] + hidden; }

static int value(const int *there)
{
    int here = -1;
    cudaMemcpy(&here, there, sizeof here, cudaMemcpyDeviceToHost);
    return here;
}

int main()
{
    int *there, five = 5;
    const int given[2] = {100, 1000};
    cudaMalloc(&there, sizeof *there);
    from_all<<<1, 1>>>(there);
    bool good = value(there) == 2 * 20 + 10 + 3;
    cudaMemcpyToSymbol(shared_value, &five, sizeof five);
    cudaMemcpyToSymbol(weights, given, sizeof given);
    from_all<<<1, 1>>>(there);
    good &= value(there) == 2 * 5 + 1000 + 3;
    of_the_other<<<1, 1>>>(there);
    good &= value(there) == 4;
    common<<<1, 1>>>(there);
    launch_common(there);
    good &= value(there) == 6;
    puts(good && cudaGetLastError() == cudaSuccess ? "PASSED" : "FAILED");
}
