// Times of launches from the device (CDP2), in ns of %globaltimer and cycles of clock64.
#include <cstdio>
#include <cstring>
__device__ unsigned long long now() { unsigned long long t; asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t)); return t; }
struct Log { unsigned long long before, after, start, tail, sib; unsigned smid, csm; };
__global__ void child(Log *l) { if (threadIdx.x == 0) { l->start = now(); unsigned s; asm("mov.u32 %0, %smid;" : "=r"(s)); l->csm = s; } }
__global__ void tail(Log *l) { if (threadIdx.x == 0) l->tail = now(); }
__global__ void parent(Log *l) {
    unsigned s; asm("mov.u32 %0, %smid;" : "=r"(s)); l->smid = s;
    l->before = now();
    child<<<1, 32>>>(l);
    l->after = now();
}
__global__ void parent_tail(Log *l) {
    l->before = now();
    tail<<<1, 32, 0, cudaStreamTailLaunch>>>(l);
    l->after = now();
}
__global__ void chain_child(unsigned long long *t, int i) { t[i] = now(); }
__global__ void chain(unsigned long long *t, int n) { for (int i = 0; i < n; i++) chain_child<<<1, 1>>>(t, i); }
__global__ void fire(unsigned long long *t, int n) { for (int i = 0; i < n; i++) chain_child<<<1, 1, 0, cudaStreamFireAndForget>>>(t, i); }
__global__ void depth(unsigned long long *t, int *err, int d, int n) {
    t[d] = now();
    if (d + 1 < n) { depth<<<1, 1>>>(t, err, d + 1, n); err[d] = cudaGetLastError(); }
}
__global__ void bad(int *err) {
    child<<<0, 32>>>(nullptr); err[0] = cudaGetLastError();
    child<<<1, 2048>>>(nullptr); err[1] = cudaGetLastError();
    child<<<1, 32, 1 << 20>>>(nullptr); err[2] = cudaGetLastError();
    cudaStream_t s; err[3] = cudaStreamCreateWithFlags(&s, cudaStreamDefault);
    err[4] = cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    err[5] = (int)(long long)s;
    child<<<1, 32, 0, (cudaStream_t)0x1234567>>>(nullptr); err[6] = cudaGetLastError();
    err[7] = cudaGetLastError();
    int dev = -1; err[8] = cudaGetDevice(&dev); err[9] = dev;
    err[10] = cudaGetDeviceCount(&dev); err[11] = dev;
    err[12] = cudaDeviceGetAttribute(&dev, cudaDevAttrMaxThreadsPerBlock, 0); err[13] = dev;
    err[14] = cudaStreamDestroy(s);
}
__global__ void many(int *err, unsigned long long *t, int n) { int bad = -1, code = 0; for (int i = 0; i < n; i++) { chain_child<<<1, 1>>>(t, 0); int e = cudaGetLastError(); if (e && bad < 0) { bad = i; code = e; } } err[0] = bad; err[1] = code; }
int main() {
    Log *l; cudaMallocManaged(&l, sizeof(Log)); unsigned long long *t; cudaMallocManaged(&t, 8 * 8192); int *err; cudaMallocManaged(&err, 4 * 4096);
    for (int i = 0; i < 6; i++) {
        memset(l, 0, sizeof *l);
        parent<<<1, 1>>>(l); cudaDeviceSynchronize();
        printf("child: call %llu ns, start after call began %llu ns, sm %u -> %u, %s\n", l->after - l->before, l->start - l->before, l->smid, l->csm, cudaGetErrorString(cudaGetLastError()));
        parent_tail<<<1, 1>>>(l); cudaDeviceSynchronize();
        printf("tail: call %llu ns, start %llu ns after call began\n", l->after - l->before, l->tail - l->before);
    }
    for (int r = 0; r < 2; r++) {
        chain<<<1, 1>>>(t, 16); cudaDeviceSynchronize(); printf("same stream, starts:"); for (int i = 1; i < 16; i++) printf(" %lld", (long long)(t[i] - t[i - 1])); puts("");
        fire<<<1, 1>>>(t, 16); cudaDeviceSynchronize(); printf("fire and forget, starts:"); for (int i = 1; i < 16; i++) printf(" %lld", (long long)(t[i] - t[0])); puts("");
    }
    memset(err, 0, 4096 * 4);
    depth<<<1, 1>>>(t, err, 0, 40); cudaError_t e = cudaDeviceSynchronize(); printf("depth: %s; gaps:", cudaGetErrorString(e)); for (int i = 1; i < 30; i++) printf(" %lld", (long long)(t[i] - t[i - 1])); printf("; errors:"); for (int i = 0; i < 40; i++) printf(" %d", err[i]); puts("");
    memset(err, 0, 4096 * 4);
    bad<<<1, 1>>>(err); e = cudaDeviceSynchronize(); printf("bad: %s:", cudaGetErrorString(e)); for (int i = 0; i < 15; i++) printf(" %d", err[i]); puts("");
    cudaGetLastError();
    many<<<1, 1>>>(err, t, 3000); e = cudaDeviceSynchronize(); printf("many: %s: first failure %d code %d\n", cudaGetErrorString(e), err[0], err[1]);
    size_t v; cudaDeviceGetLimit(&v, cudaLimitDevRuntimePendingLaunchCount); printf("pending limit %zu\n", v);
}
