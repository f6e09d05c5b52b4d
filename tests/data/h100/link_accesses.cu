// What a kernel's accesses to memory of the host (page-locked, mapped) and of a peer cost. Prints one figure a line.
// ask [MB of a stream, 64] [MB of the largest chase, 4] [repeats, 3]
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <algorithm>
#include <cuda_runtime.h>

#define CHECK(call) do { cudaError_t e_ = (call); if (e_ != cudaSuccess) { \
    printf("FAILED %s:%d %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(e_)); fflush(stdout); exit(1); } } while (0)
typedef unsigned u32;
typedef unsigned long long u64;

enum { CA, CG, CV, VOLATILE, SYS };
static const char *const OPS[] = {"ld.ca", "ld.cg", "ld.cv", "ld.volatile", "ld.relaxed.sys"};

template <int OP> __device__ __forceinline__ u32 load(const u32 *p)
{
    u32 v;
    if (OP == CA) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (OP == CG) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (OP == CV) asm volatile("ld.global.cv.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (OP == VOLATILE) asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    if (OP == SYS) asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// out: cycles of pass 0, of pass 1, where it ended
template <int OP> __global__ void chase(const u32 *memory, int loads, u64 *out)
{
    u32 at = 0;
    for (int pass = 0; pass < 2; ++pass) {
        u64 begin = clock64();
        for (int i = 0; i < loads; ++i) at = load<OP>(memory + at);
        if (at == 0xffffffffu) out[3] = 1;
        out[pass] = clock64() - begin;
    }
    out[2] = at;
}

// each single load's cycles: 16 loads of neighbouring 4, 32 ... bytes, to see how much one miss brings
template <int OP> __global__ void singles(const u32 *memory, int step_words, int loads, u64 *out)
{
    u32 sum = 0;
    for (int i = 0; i < loads; ++i) {
        u64 begin = clock64();
        u32 v = load<OP>(memory + i * step_words + (sum & 0));
        sum += v;
        if (sum == 0xfffffff1u) out[63] = 1;
        out[i] = clock64() - begin;
    }
    out[62] = sum;
}

template <typename T> __device__ T make(u32 v);
template <> __device__ u32 make<u32>(u32 v) { return v; }
template <> __device__ uint4 make<uint4>(u32 v) { return make_uint4(v, v, v, v); }
__device__ u32 some(u32 v) { return v; }
__device__ u32 some(uint4 v) { return v.x + v.y + v.z + v.w; }

// item i is at byte i * step + offset
template <typename T> __global__ void reads(const char *memory, size_t items, size_t step, size_t offset, u32 *sink)
{
    u32 sum = 0;
    size_t all = (size_t)gridDim.x * blockDim.x, i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i + 3 * all < items; i += 4 * all) {
        T a = *(const T *)(memory + i * step + offset), b = *(const T *)(memory + (i + all) * step + offset);
        T c = *(const T *)(memory + (i + 2 * all) * step + offset), d = *(const T *)(memory + (i + 3 * all) * step + offset);
        sum += some(a) + some(b) + some(c) + some(d);
    }
    for (; i < items; i += all) sum += some(*(const T *)(memory + i * step + offset));
    if (sum == 0xfffffff1u) *sink = sum;
}

template <typename T> __global__ void writes(char *memory, size_t items, size_t step, size_t offset)
{
    size_t all = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < items; i += all) *(T *)(memory + i * step + offset) = make<T>((u32)i);
}

__global__ void copies(const uint4 *from, uint4 *to, size_t items)
{
    size_t all = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < items; i += all) to[i] = from[i];
}

// each warp takes one line of 128 bytes in a scattered order, of which it touches `words` words
template <bool WRITE> __global__ void chunks(u32 *memory, u32 lines, int words, u32 *sink)
{
    u32 lane = threadIdx.x % 32, sum = 0, warps = gridDim.x * blockDim.x / 32;
    for (u32 line = (blockIdx.x * blockDim.x + threadIdx.x) / 32; line < lines; line += warps) {
        u32 at = (line * 40503u) % lines;       // lines is a power of two, the factor is odd: every line once
        if (lane < words) {
            if (WRITE) memory[at * 32u + lane] = line;
            else sum += memory[at * 32u + lane];
        }
    }
    if (sum == 0xfffffff1u) *sink = sum;
}

template <int SCOPE> __global__ void atomic_chain(u32 *memory, int count, u64 *out)
{
    u32 at = 0;
    u64 begin = clock64();
    for (int i = 0; i < count; ++i) at = (SCOPE ? atomicAdd_system(memory + at, 0u) : atomicAdd(memory + at, 0u)) & 31u;
    if (at == 77) out[3] = 1;
    out[0] = clock64() - begin;
}

// kind 0: atomics that return, 1: that do not
template <int KIND> __global__ void atomics(u32 *memory, u32 items, u32 spread, u32 *sink)
{
    u32 sum = 0, all = gridDim.x * blockDim.x;
    for (u32 i = blockIdx.x * blockDim.x + threadIdx.x; i < items; i += all) {
        if (KIND == 0) sum += atomicAdd(memory + (size_t)i * spread, 1u);
        else atomicAdd(memory + (size_t)i * spread, 1u);
    }
    if (KIND == 0 && sum == 0xfffffff1u) *sink = sum;
}

__global__ void fence(u32 *memory, int count, u64 *out)
{
    u64 begin = clock64();
    for (int i = 0; i < count; ++i) {
        *(volatile u32 *)(memory + i * 32) = i;
        __threadfence_system();
    }
    out[0] = clock64() - begin;
}

static double ghz;
static size_t stream_bytes = 64u << 20, chase_bytes = 4u << 20;
static int repeats = 3, multiprocessors;
static u64 *out_device;
static u32 *sink;
static cudaEvent_t start, stop;

template <typename F> static double milliseconds(F launch)
{
    float best = 1e30f, one;
    for (int i = 0; i < repeats; ++i) {
        CHECK(cudaEventRecord(start));
        launch();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&one, start, stop));
        best = std::min(best, one);
    }
    return best;
}

static void rate(const char *where, const char *what, double bytes, double ms)
{
    printf("rate %s | %s | bytes %.0f | us %.2f | GB/s %.3f\n", where, what, bytes, ms * 1e3, bytes / ms * 1e-6);
    fflush(stdout);
}

static int ring(char *memory, size_t bytes, size_t stride)
{
    size_t n = bytes / stride;
    std::vector<u32> order(n), words(bytes / 4, 0);
    for (size_t i = 0; i < n; ++i) order[i] = (u32)i;
    u32 state = 12345;
    for (size_t i = n - 1; i > 1; --i) {        // 0 stays first
        state = state * 1664525u + 1013904223u;
        std::swap(order[i], order[1 + (state >> 8) % i]);
    }
    for (size_t i = 0; i < n; ++i) words[order[i] * stride / 4] = (u32)(order[(i + 1) % n] * stride / 4);
    CHECK(cudaMemcpy(memory, words.data(), bytes, cudaMemcpyDefault));
    return (int)n;
}

template <int OP> static void one_chase(const char *where, char *memory, size_t bytes, size_t stride)
{
    u64 out[3];
    int n = ring(memory, bytes, stride);
    for (int launch = 0; launch < 2; ++launch) {
        chase<OP><<<1, 1>>>((const u32 *)memory, n, out_device);
        CHECK(cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost));
        printf("chase %s | %s | bytes %zu | stride %zu | launch %d | pass0 cycles %.1f | pass1 cycles %.1f | ns %.1f %.1f\n", where, OPS[OP], bytes,
               stride, launch, (double)out[0] / n, (double)out[1] / n, out[0] / (n * ghz), out[1] / (n * ghz));
        fflush(stdout);
    }
}

template <int OP> static void chases(const char *where, char *memory)
{
    one_chase<OP>(where, memory, 16 << 10, 128);
    one_chase<OP>(where, memory, 256 << 10, 128);
    one_chase<OP>(where, memory, chase_bytes, 512);
}

template <int OP> static void single(const char *where, char *memory, int step)
{
    u64 out[64];
    CHECK(cudaMemset(out_device, 0, 512));
    singles<OP><<<1, 1>>>((const u32 *)(memory + stream_bytes / 2), step, 16, out_device);
    CHECK(cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost));
    printf("singles %s | %s | step %d bytes | cycles", where, OPS[OP], step * 4);
    for (int i = 0; i < 16; ++i) printf(" %llu", out[i]);
    printf("\n");
}

static void streams(const char *where, char *memory)
{
    size_t n = stream_bytes;
    int grid = multiprocessors * 8;
    char what[128];
    rate(where, "read 4 B coalesced", n, milliseconds([=] { reads<u32><<<grid, 256>>>(memory, n / 4, 4, 0, sink); }));
    rate(where, "read 16 B coalesced", n, milliseconds([=] { reads<uint4><<<grid, 256>>>(memory, n / 16, 16, 0, sink); }));
    for (size_t offset : {4, 32, 64})
        sprintf(what, "read 4 B coalesced, misaligned by %zu", offset),
        rate(where, what, n - 256, milliseconds([=] { reads<u32><<<grid, 256>>>(memory, (n - 256) / 4, 4, offset, sink); }));
    for (size_t step : {32, 64, 128, 256})
        sprintf(what, "read 4 B, one each %zu bytes (bytes: 32 a thread)", step),
        rate(where, what, n / step * 32.0, milliseconds([=] { reads<u32><<<grid, 256>>>(memory, n / step, step, 0, sink); }));
    rate(where, "write 4 B coalesced", n, milliseconds([=] { writes<u32><<<grid, 256>>>(memory, n / 4, 4, 0); }));
    rate(where, "write 16 B coalesced", n, milliseconds([=] { writes<uint4><<<grid, 256>>>(memory, n / 16, 16, 0); }));
    for (size_t offset : {4, 32})
        sprintf(what, "write 4 B coalesced, misaligned by %zu", offset),
        rate(where, what, n - 256, milliseconds([=] { writes<u32><<<grid, 256>>>(memory, (n - 256) / 4, 4, offset); }));
    for (size_t step : {32, 128})
        sprintf(what, "write 4 B, one each %zu bytes (bytes: 32 a thread)", step),
        rate(where, what, n / 4 / step * 32.0, milliseconds([=] { writes<u32><<<grid, 256>>>(memory, n / 4 / step, step, 0); }));
    for (int bytes : {4, 32, 64, 96, 128})
        sprintf(what, "read %d B of each scattered line (bytes: those)", bytes),
        rate(where, what, n / 128 * (double)bytes, milliseconds([=] { chunks<false><<<grid, 256>>>((u32 *)memory, (u32)(n / 128), bytes / 4, sink); }));
    for (int bytes : {4, 32, 64, 96, 128})
        sprintf(what, "write %d B of each scattered line (bytes: those)", bytes),
        rate(where, what, n / 128 * (double)bytes, milliseconds([=] { chunks<true><<<grid, 256>>>((u32 *)memory, (u32)(n / 128), bytes / 4, sink); }));
    rate(where, "copy 16 B within it (bytes: one way)", n / 2, milliseconds([=] { copies<<<grid, 256>>>((const uint4 *)memory, (uint4 *)(memory + n / 2), n / 32); }));
    for (int blocks : {1, 2, 4, 8, 16, 32, 64}) {
        size_t part = n / 64 * std::min(blocks, 16) / 4;
        sprintf(what, "read 16 B coalesced, %d blocks of 1024", blocks);
        rate(where, what, part, milliseconds([=] { reads<uint4><<<blocks, 1024>>>(memory, part / 16, 16, 0, sink); }));
    }
    for (int warps : {1, 2, 4, 8, 16}) {
        size_t part = n / 512;
        sprintf(what, "read 16 B coalesced, 1 block of %d warps", warps);
        rate(where, what, part, milliseconds([=] { reads<uint4><<<1, warps * 32>>>(memory, part / 16, 16, 0, sink); }));
    }
    for (int blocks : {1, 4, 16, 64}) {
        size_t part = n / 64 * std::min(blocks, 16) / 4;
        sprintf(what, "write 16 B coalesced, %d blocks of 1024", blocks);
        rate(where, what, part, milliseconds([=] { writes<uint4><<<blocks, 1024>>>(memory, part / 16, 16, 0); }));
    }
    // a second reading of few bytes: does L2 keep them within a launch?
    size_t small = std::min<size_t>(n, 1 << 20);
    rate(where, "read 16 B coalesced, 1 MB once", small, milliseconds([=] { reads<uint4><<<multiprocessors, 256>>>(memory, small / 16, 16, 0, sink); }));
    rate(where, "read 16 B, 1 MB by 16 threads each (step 0.. same 64 KB)", small, milliseconds([=] { reads<uint4><<<multiprocessors, 256>>>(memory, small / 16, 0, 0, sink); }));
}

static void atomics_of(const char *where, char *memory)
{
    u64 out[4];
    CHECK(cudaMemset(out_device, 0, 512));
    std::vector<char> zero(1 << 20, 0);
    CHECK(cudaMemcpy(memory, zero.data(), zero.size(), cudaMemcpyDefault));
    int count = 200;
    atomic_chain<0><<<1, 1>>>((u32 *)memory, count, out_device);
    CHECK(cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost));
    printf("atomic %s | dependent atomicAdd | cycles %.1f | ns %.1f\n", where, (double)out[0] / count, out[0] / (count * ghz));
    atomic_chain<1><<<1, 1>>>((u32 *)memory, count, out_device);
    CHECK(cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost));
    printf("atomic %s | dependent atomicAdd_system | cycles %.1f | ns %.1f\n", where, (double)out[0] / count, out[0] / (count * ghz));
    fence<<<1, 1>>>((u32 *)memory, count, out_device);
    CHECK(cudaMemcpy(out, out_device, sizeof out, cudaMemcpyDeviceToHost));
    printf("atomic %s | store and __threadfence_system | cycles %.1f | ns %.1f\n", where, (double)out[0] / count, out[0] / (count * ghz));
    u32 items = (u32)(stream_bytes / 512);
    int grid = multiprocessors * 2;
    rate(where, "atomicAdd returning, neighbouring words (bytes: 4 each)", items * 4.0, milliseconds([=] { atomics<0><<<grid, 256>>>((u32 *)memory, items, 1, sink); }));
    rate(where, "atomicAdd returning, one each 128 bytes (bytes: 4 each)", items * 4.0, milliseconds([=] { atomics<0><<<grid, 256>>>((u32 *)memory, items, 32, sink); }));
    rate(where, "atomicAdd not returning, neighbouring words (bytes: 4 each)", items * 4.0, milliseconds([=] { atomics<1><<<grid, 256>>>((u32 *)memory, items, 1, sink); }));
    rate(where, "atomicAdd not returning, one each 128 bytes (bytes: 4 each)", items * 4.0, milliseconds([=] { atomics<1><<<grid, 256>>>((u32 *)memory, items, 32, sink); }));
    rate(where, "atomicAdd returning, one word (bytes: 4 each)", items / 8 * 4.0, milliseconds([=] { atomics<0><<<grid, 256>>>((u32 *)memory, items / 8, 0, sink); }));
}

static void suite(const char *where, char *memory, bool atomics_too)
{
    chases<CA>(where, memory);
    chases<CG>(where, memory);
    chases<CV>(where, memory);
    chases<VOLATILE>(where, memory);
    chases<SYS>(where, memory);
    for (int stride : {32, 64, 256, 4096}) one_chase<CG>(where, memory, 64 << 10, stride);
    single<CA>(where, memory, 1);
    single<CG>(where, memory + (1 << 16), 8);
    single<CG>(where, memory + (2 << 16), 1);
    single<CV>(where, memory + (3 << 16), 1);
    streams(where, memory);
    if (atomics_too) atomics_of(where, memory);
}

static void copy(const char *what, void *to, const void *from, size_t bytes)
{
    rate("cudaMemcpyAsync", what, bytes, milliseconds([=] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault)); }));
}

int main(int argc, char **argv)
{
    if (argc > 1) stream_bytes = (size_t)atoi(argv[1]) << 20;
    if (argc > 2) chase_bytes = (size_t)(atof(argv[2]) * 1048576);
    if (argc > 3) repeats = atoi(argv[3]);
    const char *only = argc > 4 ? argv[4] : "";
    int devices = 0, attribute = 0, khz = 0;
    CHECK(cudaGetDeviceCount(&devices));
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    ghz = khz * 1e-6;
    multiprocessors = p.multiProcessorCount;
    printf("device %s, %d multiprocessors, %.3f GHz at most, %d devices, L2 %d bytes\n", p.name, multiprocessors, ghz, devices, p.l2CacheSize);
    CHECK(cudaDeviceGetAttribute(&attribute, cudaDevAttrHostNativeAtomicSupported, 0));
    printf("HostNativeAtomicSupported %d\n", attribute);
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&out_device, 512));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));

    char *host, *mapped, *local;
    CHECK(cudaHostAlloc((void **)&host, stream_bytes, cudaHostAllocMapped));
    memset(host, 0, stream_bytes);
    CHECK(cudaHostGetDevicePointer((void **)&mapped, host, 0));
    CHECK(cudaMalloc((void **)&local, stream_bytes));
    CHECK(cudaMemset(local, 0, stream_bytes));
    copy("pinned to device", local, host, stream_bytes);
    copy("device to pinned", host, local, stream_bytes);
    if (!*only || strstr(only, "host")) suite("host", mapped, true);
    if (!*only || strstr(only, "local")) suite("local", local, true);
    rate("mixed", "host to device by a kernel", stream_bytes, milliseconds([=] { copies<<<multiprocessors * 8, 256>>>((const uint4 *)mapped, (uint4 *)local, stream_bytes / 16); }));
    rate("mixed", "device to host by a kernel", stream_bytes, milliseconds([=] { copies<<<multiprocessors * 8, 256>>>((const uint4 *)local, (uint4 *)mapped, stream_bytes / 16); }));
    if (!*only) {
        char *combined;
        CHECK(cudaHostAlloc((void **)&combined, stream_bytes, cudaHostAllocMapped | cudaHostAllocWriteCombined));
        memset(combined, 0, stream_bytes);
        rate("host write-combined", "read 16 B coalesced", stream_bytes, milliseconds([=] { reads<uint4><<<multiprocessors * 8, 256>>>(combined, stream_bytes / 16, 16, 0, sink); }));
        CHECK(cudaFreeHost(combined));
    }

    if (devices > 1 && (!*only || strstr(only, "peer"))) {
        int can = 0;
        CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
        printf("peer access from 0 to 1: %d\n", can);
        int rank = 0, natives = 0;
        if (can) {
            CHECK(cudaDeviceGetP2PAttribute(&rank, cudaDevP2PAttrPerformanceRank, 0, 1));
            CHECK(cudaDeviceGetP2PAttribute(&natives, cudaDevP2PAttrNativeAtomicSupported, 0, 1));
            printf("performance rank %d, native atomics %d\n", rank, natives);
            char *peer;
            CHECK(cudaSetDevice(1));
            CHECK(cudaMalloc((void **)&peer, stream_bytes));
            CHECK(cudaMemset(peer, 0, stream_bytes));
            CHECK(cudaDeviceSynchronize());
            CHECK(cudaSetDevice(0));
            CHECK(cudaDeviceEnablePeerAccess(1, 0));
            copy("peer to device", local, peer, stream_bytes);
            copy("device to peer", peer, local, stream_bytes);
            suite("peer", peer, natives != 0);
            rate("mixed", "peer to device by a kernel", stream_bytes, milliseconds([=] { copies<<<multiprocessors * 8, 256>>>((const uint4 *)peer, (uint4 *)local, stream_bytes / 16); }));
            rate("mixed", "device to peer by a kernel", stream_bytes, milliseconds([=] { copies<<<multiprocessors * 8, 256>>>((const uint4 *)local, (uint4 *)peer, stream_bytes / 16); }));
        }
    }
    CHECK(cudaDeviceSynchronize());
    printf("done\n");
    return 0;
}
