// nvcc -gencode arch=compute_90a,code=sm_90a setmaxnreg.cu -o setmaxnreg && ./setmaxnreg
// Decides: the time of setmaxnreg.dec and .inc that need not wait; how long .inc lags behind the .dec that it waits for; whether a warp that has ended
// gives its registers to the pool (archdef: yes); whether a group takes all it lacks or warp by warp (archdef: warp by warp); equal bulk stores of 32 lanes.
#include <cstdio>
#include <cstdint>
#define CLOCK(x) asm volatile("mov.u64 %0, %%clock64;" : "=l"(x) :: "memory")
__device__ void until(uint64_t start, uint64_t cycles) { uint64_t t; do { CLOCK(t); } while (t - start < cycles); }
__global__ void __launch_bounds__(384, 1) free_of_wait(uint64_t *o) {   // group 0 gives at once, 1 and 2 take much later
    uint64_t a, b; int g = threadIdx.x / 128; CLOCK(a);
    if (g == 0) { asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); CLOCK(b); }
    else { until(a, 20000); CLOCK(a); asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); CLOCK(b); }
    o[threadIdx.x] = b - a;
}
__global__ void __launch_bounds__(384, 1) waits(uint64_t *o) {          // 1 and 2 take at once, group 0 gives 20,000 cycles later
    uint64_t a, b; int g = threadIdx.x / 128; __syncthreads(); CLOCK(a);
    if (g == 0) { until(a, 20000); asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); CLOCK(b); }
    else { asm volatile("setmaxnreg.inc.sync.aligned.u32 240;"); CLOCK(b); }
    o[threadIdx.x] = b - a;
}
__global__ void __launch_bounds__(384, 1) ended(uint64_t *o) {          // group 0 ends after 20,000 cycles without giving; hangs if that gives nothing back
    uint64_t a, b; int g = threadIdx.x / 128; __syncthreads(); CLOCK(a);
    if (g == 0) { until(a, 20000); if (o) return; asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); }
    else { asm volatile("setmaxnreg.inc.sync.aligned.u32 248;"); CLOCK(b); o[threadIdx.x] = b - a; }
}
__global__ void __launch_bounds__(384, 1) scarce(uint64_t *o) {         // 352 registers a lane are given, eight warps lack 56 each: who gets some before 200,000 cycles?
    uint64_t a, b; int g = threadIdx.x / 128; __syncthreads(); CLOCK(a);
    if (g == 0) { asm volatile("setmaxnreg.dec.sync.aligned.u32 80;"); until(a, 200000); asm volatile("setmaxnreg.dec.sync.aligned.u32 24;"); CLOCK(b); }
    else { asm volatile("setmaxnreg.inc.sync.aligned.u32 224;"); CLOCK(b); }
    o[threadIdx.x] = b - a;
}
__global__ void stores(uint64_t *o, char *p, int lanes, int apart) {    // bulk stores of 8 KB by so many lanes, to the same or to different places
    extern __shared__ __align__(128) char s[];
    uint64_t a, b; CLOCK(a);
    if (threadIdx.x < lanes) {
        uint32_t from = (uint32_t)__cvta_generic_to_shared(s); char *to = p + (size_t)apart * 8192 * threadIdx.x;
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 8192;" :: "l"(to), "r"(from) : "memory");
        asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group.read 0;" ::: "memory");
    }
    __syncwarp(); CLOCK(b); o[threadIdx.x] = b - a;
}
int main() {
    uint64_t *o, h[384]; char *p; cudaMalloc(&o, sizeof h); cudaMalloc(&p, 1 << 20);
    auto show = [&](const char *n) { cudaError_t e = cudaDeviceSynchronize(); cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost);
        printf("%s (%s):", n, cudaGetErrorString(e)); for (int w = 0; w < 12; w++) printf(" %llu", (unsigned long long)h[32 * w]); puts(""); fflush(stdout); };
    for (int i = 0; i < 2; i++) { free_of_wait<<<1, 384>>>(o); show("give, take without waiting"); waits<<<1, 384>>>(o); show("take, given 20,000 cycles later"); }
    for (int lanes : {1, 2, 32}) for (int apart : {0, 1}) { for (int i = 0; i < 2; i++) stores<<<1, 32, 8192>>>(o, p, lanes, apart); printf("lanes %d apart %d ", lanes, apart); show("stores, first number"); }
    scarce<<<1, 384>>>(o); show("scarce");
    puts("last, as it may hang:"); fflush(stdout); ended<<<1, 384>>>(o); show("taken from ended warps");
}
