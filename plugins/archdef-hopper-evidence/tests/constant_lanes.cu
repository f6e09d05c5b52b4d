// Walks over constant memory in which lanes differ: what data/constant_lanes.csv was measured with, in one block, `zero` being 0.
__constant__ unsigned words[512] = {7, 9, 12, 5};
__constant__ unsigned char bytes[2048] = {7, 9, 12, 5};
extern "C" __global__ void word_walk(long long *out, int distinct, int step, int zero, int trips) {
    int at = (threadIdx.x % 32) % distinct * step;
    long long t0 = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++) at += (int)words[at] & zero;
    long long t1 = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = (t1 - t0) + (at == -1);
}
extern "C" __global__ void byte_walk(long long *out, int distinct, int step, int zero, int trips) {
    int at = (threadIdx.x % 32) % distinct * step;
    long long t0 = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++) at += (int)bytes[at] & zero;
    long long t1 = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = (t1 - t0) + (at == -1);
}
extern "C" __global__ void four_words(long long *out, int distinct, int step, int zero, int trips) {
    int at = (threadIdx.x % 32) % distinct * step, b = at, c = at, d = at;
    long long t0 = clock64();
#pragma unroll 1
    for (int k = 0; k < trips; k++) {
        at += (int)words[at] & zero;
        b += (int)words[b + 16] & zero;
        c += (int)words[c + 32] & zero;
        d += (int)words[d + 48] & zero;
    }
    long long t1 = clock64();
    out[blockIdx.x * blockDim.x + threadIdx.x] = (t1 - t0) + (at + b + c + d == -1);
}
