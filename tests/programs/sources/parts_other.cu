// The other half of parts_main.cu.
__device__ int shared_value = 20;
__constant__ int weights[2] = {1, 10};
static __device__ int hidden = 4;
template <typename T> __global__ void common(T *out) { *out += 1; }

__device__ int twice_there(int x) { return 2 * x; }
__global__ void of_the_other(int *out) { *out = hidden; }
void launch_common(int *out) { common<<<1, 1>>>(out); }
