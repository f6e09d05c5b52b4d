// Words of shared memory that change places, as gpumembench times them (shmembench of github.com/ekondis/gpumembench), written anew.

// Each thread of a block of 256 has six places; a round loads and stores five pairs of them.
template <typename T>
__device__ __forceinline__ void change(T *words, int first, int second)
{
    T other = words[256 * second];
    words[256 * second] = words[256 * first];
    words[256 * first] = other;
}

template <typename T>
__device__ void swaps(int *out, int rounds)
{
    extern __shared__ int4 memory[];
    T *words = (T *)memory + threadIdx.x;
    T total = {};
    for (int place = 0; place < 6; ++place) {
        *(int *)&total = threadIdx.x + place;
        words[256 * place] = total;
    }
    __threadfence_block();
#pragma unroll 1
    for (int round = 0; round < rounds; round += 8)
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            change(words, 0, 1);
            change(words, 2, 3);
            change(words, 4, 5);
            __threadfence_block();
            change(words, 1, 2);
            change(words, 3, 4);
            __threadfence_block();
        }
    int sum = 0;
    for (int place = 0; place < 6; ++place) {
        total = words[256 * place];
        for (int part = 0; part < (int)sizeof(T) / 4; ++part)
            sum += ((int *)&total)[part];
    }
    out[blockIdx.x * 256 + threadIdx.x] = sum;
}

extern "C" __global__ void swaps_of_4(int *out, int rounds)
{
    swaps<int>(out, rounds);
}

extern "C" __global__ void swaps_of_8(int *out, int rounds)
{
    swaps<int2>(out, rounds);
}

extern "C" __global__ void swaps_of_16(int *out, int rounds)
{
    swaps<int4>(out, rounds);
}
