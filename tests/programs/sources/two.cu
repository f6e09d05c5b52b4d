#include "kernels.cuh"

static __device__ int side = 2;
static __global__ void same_name(int *out) { *out = side; }
float doubled(float);

float first_of_filled(float value) {
    float *place, found;
    cudaMalloc(&place, sizeof(float) * 32);
    fill<<<1, 32>>>(place, value);
    cudaMemcpy(&found, place, sizeof found, cudaMemcpyDeviceToHost);
    return doubled(found);
}

int side_of_the_file() {
    int *place, found;
    cudaMalloc(&place, sizeof(int));
    same_name<<<1, 1>>>(place);
    cudaMemcpy(&found, place, sizeof found, cudaMemcpyDeviceToHost);
    return found;
}
