// Loop unrolling: each thread adds up `count` integers, `step` apart, UNROLL of them per turn of the loop.
// Fewer turns mean fewer comparisons, additions to the counter and branches; and the loads of one turn do not wait for each other.
template <int UNROLL>
__device__ void sum(int *out, const int *in, int count, int step)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, total = 0;
#pragma unroll 1
    for (int k = 0; k < count; k += UNROLL) {
        int value[UNROLL];
#pragma unroll
        for (int j = 0; j < UNROLL; ++j)
            value[j] = in[(k + j) * step + i];
#pragma unroll
        for (int j = 0; j < UNROLL; ++j)
            total += value[j];
    }
    out[i] = total;
}

__global__ void by_1(int *out, const int *in, int count, int step) { sum<1>(out, in, count, step); }
__global__ void by_2(int *out, const int *in, int count, int step) { sum<2>(out, in, count, step); }
__global__ void by_4(int *out, const int *in, int count, int step) { sum<4>(out, in, count, step); }
__global__ void by_8(int *out, const int *in, int count, int step) { sum<8>(out, in, count, step); }
