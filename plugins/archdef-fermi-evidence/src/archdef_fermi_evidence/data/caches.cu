// Reads of caches and of constants as gpumembench times them (cachebench and constbench of github.com/ekondis/gpumembench), written anew.

// Each block of 256 threads goes round `STEP` stretches of 256 words of its own, every load's address waiting for the load before it; where
// `WORDS` is not 0, all blocks share so many words.
template <int STEP, int WORDS>
__device__ void go_round(int *data, int rounds)
{
    int first = STEP * blockIdx.x * 256 + threadIdx.x;
    if (WORDS)
        first %= WORDS;
    union {
        const int *address;
        int2 halves;
    } at = {data + first};
    int last = 0;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int k = 0; k < 64; ++k) {
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(last) : "l"(at.address + k % STEP * 256));
            at.halves.x ^= last;    // all words are 0
        }
    if (last)
        *data = last;
}

#define READS(step)                                                                                                                        \
    extern "C" __global__ void reads_##step(int *data, int rounds)                                                                         \
    {                                                                                                                                      \
        go_round<step, 0>(data, rounds);                                                                                                   \
    }

READS(1)
READS(2)
READS(3)
READS(4)
READS(5)
READS(6)
READS(8)
READS(10)
READS(12)
READS(16)
READS(32)

extern "C" __global__ void reads_of_512_words(int *data, int rounds)
{
    go_round<1, 512>(data, rounds);
}

// Each thread adds up the same 4 KiB of constants, four words apart, so that no two loads are one.
__constant__ int words[1024];

template <typename T>
__device__ void sum(int *out)
{
    const T *all = (const T *)words;
    T total = {};
    int *parts = (int *)&total;
#pragma unroll 1
    for (int first = 0; first < 4; ++first)
#pragma unroll
        for (int k = 0; k < 1024 * 4 / (int)sizeof(T); k += 4) {
            T word = all[k + first];
#pragma unroll
            for (int part = 0; part < (int)sizeof(T) / 4; ++part)
                parts[part] += ((const int *)&word)[part];
        }
    int result = 0;
#pragma unroll
    for (int part = 0; part < (int)sizeof(T) / 4; ++part)
        result += parts[part];
    if (result)
        out[threadIdx.x] = result;
}

extern "C" __global__ void constants_of_4(int *out)
{
    sum<int>(out);
}

extern "C" __global__ void constants_of_8(int *out)
{
    sum<int2>(out);
}

extern "C" __global__ void constants_of_16(int *out)
{
    sum<int4>(out);
}
