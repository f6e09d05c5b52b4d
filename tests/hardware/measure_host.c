/* How a host and a GPU work together: copies, launches, events, overlap. Writes CSV rows "section,name,parameter,value,unit".
 *
 *     cc -O2 -o measure_host tests/hardware/measure_host.c -ldl && ./measure_host all > host.csv
 *
 * Needs Linux and a CUDA driver; nothing else. `./measure_host queues` measures only what CUDA_DEVICE_MAX_CONNECTIONS changes.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef int R;
typedef void *H;
typedef unsigned long long D;
static void *lib;
static void check(R r, const char *what) { if (r) { fprintf(stderr, "%s gave %d\n", what, r); exit(1); } }
#define FN(name, ...) static R (*name)(__VA_ARGS__);
#define EACH(F) F(cuInit, unsigned) F(cuDeviceGet, int *, int) F(cuDevicePrimaryCtxRetain, H *, int) F(cuCtxSetCurrent, H) \
    F(cuDeviceGetAttribute, int *, int, int) F(cuDeviceGetName, char *, int, int) F(cuDriverGetVersion, int *) \
    F(cuMemAlloc_v2, D *, size_t) F(cuMemFree_v2, D) F(cuMemHostAlloc, void **, size_t, unsigned) F(cuMemHostGetDevicePointer_v2, D *, void *, unsigned) \
    F(cuMemcpyHtoDAsync_v2, D, const void *, size_t, H) F(cuMemcpyDtoHAsync_v2, void *, D, size_t, H) F(cuMemcpyDtoDAsync_v2, D, D, size_t, H) \
    F(cuMemcpyHtoD_v2, D, const void *, size_t) F(cuMemcpyDtoH_v2, void *, D, size_t) F(cuMemsetD8Async, D, unsigned char, size_t, H) \
    F(cuStreamCreate, H *, unsigned) F(cuStreamSynchronize, H) F(cuStreamQuery, H) F(cuStreamWaitEvent, H, H, unsigned) \
    F(cuEventCreate, H *, unsigned) F(cuEventRecord, H, H) F(cuEventSynchronize, H) F(cuEventElapsedTime, float *, H, H) \
    F(cuModuleLoadData, H *, const void *) F(cuModuleGetFunction, H *, H, const char *) F(cuCtxSynchronize, void) \
    F(cuLaunchKernel, H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **, void **)
EACH(FN)
#define LOAD(name, ...) name = dlsym(lib, #name); if (!name) { fprintf(stderr, "no " #name "\n"); exit(1); }
#define C(call) check(call, #call)

static const char *PTX =
    ".version 7.0\n.target sm_52\n.address_size 64\n"
    ".visible .entry spin(.param .u64 ns, .param .u64 out, .param .u64 flag)\n{\n .reg .pred %p;\n .reg .b64 %n, %o, %f, %t0, %t, %e;\n"
    " .reg .b32 %one, %x;\n mov.u64 %t0, %globaltimer;\n"
    " ld.param.u64 %n, [ns];\n ld.param.u64 %o, [out];\n ld.param.u64 %f, [flag];\n setp.eq.u64 %p, %f, 0;\n @%p bra SPIN;\n"
    " mov.u32 %one, 1;\n st.volatile.global.u32 [%f], %one;\nSPIN:\n add.u64 %e, %t0, %n;\nLOOP:\n mov.u64 %t, %globaltimer;\n"
    " setp.lt.u64 %p, %t, %e;\n @%p bra LOOP;\n setp.eq.u64 %p, %o, 0;\n @%p bra DONE;\n mov.u32 %x, %ctaid.x;\n setp.ne.u32 %p, %x, 0;\n"
    " @%p bra DONE;\n mov.u64 %t, %globaltimer;\n st.global.u64 [%o], %t0;\n st.global.u64 [%o+8], %t;\nDONE:\n ret;\n}\n"
    ".visible .entry empty()\n{\n ret;\n}\n";

static H spin, empty;
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1e6 + t.tv_nsec * 1e-3; }
static int up(const void *a, const void *b) { double x = *(double *)a, y = *(double *)b; return (x > y) - (x < y); }
static double median(double *v, int n) { qsort(v, n, sizeof *v, up); return v[n / 2]; }
static void row(const char *section, const char *name, double parameter, double value, const char *unit)
{ printf("%s,%s,%.0f,%.4f,%s\n", section, name, parameter, value, unit); fflush(stdout); }
static H stream(void) { H s; C(cuStreamCreate(&s, 1)); return s; }
static H event(void) { H e; C(cuEventCreate(&e, 0)); return e; }
static void run(H s, unsigned blocks, unsigned long long ns, D out, D flag)
{ void *a[] = {&ns, &out, &flag}; C(cuLaunchKernel(spin, blocks, 1, 1, 32, 1, 1, 0, s, a, NULL)); }
static void nothing(H s) { C(cuLaunchKernel(empty, 1, 1, 1, 32, 1, 1, 0, s, NULL, NULL)); }
static double ms(H a, H b) { float v; C(cuEventElapsedTime(&v, a, b)); return v; }

static void copies(D device, void *pinned, void *pageable)
{
    H s = stream(), a = event(), b = event();
    for (size_t n = 4; n <= (size_t)256 << 20; n *= 4) {
        int reps = n >= (16 << 20) ? 7 : 41;
        double host[2][2][64], card[2][2][64];
        for (int pass = -2; pass < reps; pass++)
            for (int paged = 0; paged < 2; paged++)
                for (int back = 0; back < 2; back++) {
                    void *h = paged ? pageable : pinned;
                    C(cuCtxSynchronize());
                    C(cuEventRecord(a, s));
                    double t = now();
                    if (back) C(cuMemcpyDtoHAsync_v2(h, device, n, s)); else C(cuMemcpyHtoDAsync_v2(device, h, n, s));
                    C(cuEventRecord(b, s));
                    C(cuStreamSynchronize(s));
                    t = now() - t;
                    if (pass >= 0) { host[paged][back][pass] = t; card[paged][back][pass] = ms(a, b) * 1e3; }
                }
        for (int paged = 0; paged < 2; paged++)
            for (int back = 0; back < 2; back++) {
                char name[64];
                sprintf(name, "%s_%s", paged ? "pageable" : "pinned", back ? "d2h" : "h2d");
                row("copy_events", name, n, median(card[paged][back], reps), "us");
                row("copy_host", name, n, median(host[paged][back], reps), "us");
            }
        /* sixteen in a row behind a kernel: what one more costs when the engine never runs dry */
        for (int back = 0; back < 2; back++) {
            double v[9];
            int k = n >= (16 << 20) ? 4 : 16;
            for (int i = 0; i < 9; i++) {
                run(s, 1, 300000, 0, 0);
                C(cuEventRecord(a, s));
                for (int j = 0; j < k; j++)
                    if (back) C(cuMemcpyDtoHAsync_v2(pinned, device, n, s)); else C(cuMemcpyHtoDAsync_v2(device, pinned, n, s));
                C(cuEventRecord(b, s));
                C(cuStreamSynchronize(s));
                v[i] = ms(a, b) * 1e3 / k;
            }
            row("copy_in_a_row", back ? "pinned_d2h" : "pinned_h2d", n, median(v, 9), "us");
        }
    }
    double v[15];
    size_t big = (size_t)1 << 28;
    for (int i = 0; i < 15; i++) { C(cuEventRecord(a, s)); C(cuMemsetD8Async(device, 1, big, s)); C(cuEventRecord(b, s)); C(cuStreamSynchronize(s)); v[i] = ms(a, b) * 1e3; }
    row("device", "memset", big, median(v, 15), "us");
    for (int i = 0; i < 15; i++) { C(cuEventRecord(a, s)); C(cuMemcpyDtoDAsync_v2(device + big, device, big, s)); C(cuEventRecord(b, s)); C(cuStreamSynchronize(s)); v[i] = ms(a, b) * 1e3; }
    row("device", "copy_d2d", big, median(v, 15), "us");
    for (int i = 0; i < 15; i++) { C(cuEventRecord(a, s)); C(cuMemsetD8Async(device, 1, 4, s)); C(cuEventRecord(b, s)); C(cuStreamSynchronize(s)); v[i] = ms(a, b) * 1e3; }
    row("device", "memset", 4, median(v, 15), "us");
}

static void both_ways(D device, char *pinned)
{   /* both directions, and two copies of one direction in two streams */
    H s = stream(), t = stream(), a = event(), b = event();
    size_t n = (size_t)128 << 20;
    const char *names[] = {"h2d", "d2h", "h2d+d2h", "h2d+h2d", "d2h+d2h"};
    for (int kind = 0; kind < 5; kind++) {
        double v[9];
        for (int i = 0; i < 9; i++) {
            run(s, 1, 200000, 0, 0);
            C(cuEventRecord(a, s));
            C(cuStreamWaitEvent(t, a, 0));
            if (kind != 1 && kind != 4) C(cuMemcpyHtoDAsync_v2(device, pinned, n, s)); else C(cuMemcpyDtoHAsync_v2(pinned, device, n, s));
            if (kind == 2 || kind == 4) C(cuMemcpyDtoHAsync_v2(pinned + n, device + n, n, t));
            if (kind == 3) C(cuMemcpyHtoDAsync_v2(device + n, pinned + n, n, t));
            C(cuEventRecord(b, t));
            C(cuStreamWaitEvent(s, b, 0));
            C(cuEventRecord(b, s));
            C(cuStreamSynchronize(s));
            v[i] = ms(a, b) * 1e3;
        }
        row("both_ways", names[kind], n, median(v, 9), "us");
    }
}

static void calls(D device, void *pinned, D times)
{
    H s = stream(), t = stream(), a = event(), b = event();
    double v[64];
    for (int what = 0; what < 6; what++) {
        const char *names[] = {"launch", "copy_h2d", "copy_d2h", "event_record", "wait_event", "query"};
        for (int i = 0; i < 25; i++) {
            run(s, 1, 2000000, 0, 0);
            double t0 = now();
            for (int j = 0; j < 200; j++) switch (what) {
                case 0: nothing(s); break;
                case 1: C(cuMemcpyHtoDAsync_v2(device, pinned, 64, s)); break;
                case 2: C(cuMemcpyDtoHAsync_v2(pinned, device, 64, s)); break;
                case 3: C(cuEventRecord(a, s)); break;
                case 4: C(cuStreamWaitEvent(s, a, 0)); break;
                default: cuStreamQuery(s);
            }
            v[i] = (now() - t0) / 200;
            C(cuStreamSynchronize(s));
        }
        row("host_call", names[what], 200, median(v, 25), "us");
    }
    for (int i = 0; i < 41; i++) { C(cuCtxSynchronize()); double t0 = now(); nothing(s); C(cuStreamSynchronize(s)); v[i] = now() - t0; }
    row("round_trip", "empty_kernel", 0, median(v, 41), "us");
    for (int i = 0; i < 41; i++) { double t0 = now(); C(cuStreamSynchronize(s)); v[i] = now() - t0; }
    row("round_trip", "idle_synchronise", 0, median(v, 41), "us");
    volatile int *flag; D flag_on_card;
    C(cuMemHostAlloc((void **)&flag, 64, 2)); C(cuMemHostGetDevicePointer_v2(&flag_on_card, (void *)flag, 0));
    for (int i = 0; i < 41; i++) {
        *flag = 0; C(cuCtxSynchronize());
        double t0 = now(); run(s, 1, 0, 0, flag_on_card);
        while (!*flag) ;
        v[i] = now() - t0;
        C(cuStreamSynchronize(s));
    }
    row("launch_latency", "call_to_flag", 0, median(v, 41), "us");
    for (int i = 0; i < 41; i++) {
        C(cuCtxSynchronize());
        unsigned long long at[2]; double t0 = now(); run(s, 1, 300000, times, 0); C(cuStreamSynchronize(s)); double all = now() - t0;
        C(cuMemcpyDtoH_v2(at, times, 16)); v[i] = all - (at[1] - at[0]) * 1e-3;
    }
    row("launch_latency", "call_to_synchronise_less_kernel", 300, median(v, 41), "us");
    /* from the end of one to the start of the next, both waiting in the queue */
    for (int across = 0; across < 2; across++) {
        for (int i = 0; i < 41; i++) {
            unsigned long long at[4];
            run(s, 1, 100000, times, 0);
            if (across) { C(cuEventRecord(a, s)); C(cuStreamWaitEvent(t, a, 0)); }
            run(across ? t : s, 1, 20000, times + 16, 0);
            C(cuCtxSynchronize());
            C(cuMemcpyDtoH_v2(at, times, 32)); v[i] = ((double)at[2] - (double)at[1]) * 1e-3;
        }
        row("turnaround", across ? "kernel_event_kernel" : "kernel_kernel", 0, median(v, 41), "us");
    }
    for (int i = 0; i < 41; i++) {   /* kernel, small copy, kernel */
        unsigned long long at[4];
        run(s, 1, 100000, times, 0); C(cuMemcpyHtoDAsync_v2(device, pinned, 64, s)); run(s, 1, 20000, times + 16, 0); C(cuCtxSynchronize());
        C(cuMemcpyDtoH_v2(at, times, 32)); v[i] = ((double)at[2] - (double)at[1]) * 1e-3;
    }
    row("turnaround", "kernel_copy64_kernel", 64, median(v, 41), "us");
    for (int n = 1; n <= 64; n *= 8) {
        for (int i = 0; i < 15; i++) {
            run(s, 1, 500000, 0, 0); C(cuEventRecord(a, s)); for (int j = 0; j < n; j++) nothing(s); C(cuEventRecord(b, s)); C(cuStreamSynchronize(s));
            v[i] = ms(a, b) * 1e3;
        }
        row("turnaround", "empty_kernels", n, median(v, 15), "us");
    }
    for (int i = 0; i < 15; i++) { run(s, 1, 100000, 0, 0); C(cuEventRecord(a, s)); C(cuEventRecord(b, s)); C(cuStreamSynchronize(s)); v[i] = ms(a, b) * 1e3; }
    row("turnaround", "event_event", 0, median(v, 15), "us");
    for (int i = 0; i < 15; i++) { C(cuEventRecord(a, s)); run(s, 1, 500000, 0, 0); C(cuEventRecord(b, s)); C(cuStreamSynchronize(s)); v[i] = ms(a, b) * 1e3; }
    row("turnaround", "event_kernel500_event", 500, median(v, 15), "us");
}

static void blocking(D device, void *pinned, void *pageable)
{   /* does the host wait, when the stream has 5 ms of work? */
    H s = stream();
    for (size_t n = 64; n <= (size_t)16 << 20; n *= 16)
        for (int kind = 0; kind < 4; kind++) {
            const char *names[] = {"pinned_h2d", "pinned_d2h", "pageable_h2d", "pageable_d2h"};
            double v[7];
            for (int i = 0; i < 7; i++) {
                void *h = kind < 2 ? pinned : pageable;
                run(s, 1, 5000000, 0, 0);
                double t = now();
                if (kind & 1) C(cuMemcpyDtoHAsync_v2(h, device, n, s)); else C(cuMemcpyHtoDAsync_v2(device, h, n, s));
                v[i] = now() - t;
                C(cuStreamSynchronize(s));
            }
            row("async_call_behind_5ms", names[kind], n, median(v, 7), "us");
        }
}

static void queues(D device, char *pinned)
{
    static H s[256];
    for (int i = 0; i < 256; i++) s[i] = stream();
    for (int n = 1; n <= 256; n *= 2) {
        double v[5];
        for (int i = 0; i < 5; i++) {
            C(cuCtxSynchronize());
            double t = now();
            for (int j = 0; j < n; j++) run(s[j], 1, 2000000, 0, 0);
            C(cuCtxSynchronize());
            v[i] = now() - t;
        }
        row("streams_of_one_2ms_kernel", "total", n, median(v, 5), "us");
        for (int i = 0; i < 5; i++) {   /* two each: a second kernel waits for the first of its stream */
            C(cuCtxSynchronize());
            double t = now();
            for (int j = 0; j < n; j++) { run(s[j], 1, 1000000, 0, 0); run(s[j], 1, 1000000, 0, 0); }
            C(cuCtxSynchronize());
            v[i] = now() - t;
        }
        row("streams_of_two_1ms_kernels", "total_depth_first", n, median(v, 5), "us");
    }
    size_t n = (size_t)16 << 20;
    for (int streams = 1; streams <= 8; streams *= 2)
        for (int breadth = 0; breadth < 2; breadth++) {
            double v[7];
            size_t part = 4 * n / streams;
            for (int i = 0; i < 7; i++) {
                C(cuCtxSynchronize());
                double t = now();
                if (breadth) {
                    for (int j = 0; j < streams; j++) C(cuMemcpyHtoDAsync_v2(device + j * part, pinned + j * part, part, s[j]));
                    for (int j = 0; j < streams; j++) run(s[j], 132, 1600000 / streams, 0, 0);
                    for (int j = 0; j < streams; j++) C(cuMemcpyDtoHAsync_v2(pinned + j * part, device + j * part, part, s[j]));
                } else
                    for (int j = 0; j < streams; j++) {
                        C(cuMemcpyHtoDAsync_v2(device + j * part, pinned + j * part, part, s[j]));
                        run(s[j], 132, 1600000 / streams, 0, 0);
                        C(cuMemcpyDtoHAsync_v2(pinned + j * part, device + j * part, part, s[j]));
                    }
                C(cuCtxSynchronize());
                v[i] = now() - t;
            }
            row("overlap_64MiB_1600us_64MiB", breadth ? "breadth_first" : "depth_first", streams, median(v, 7), "us");
        }
}

int main(int argc, char **argv)
{
    H context, module;
    int device, value;
    char name[100];
    lib = dlopen("libcuda.so.1", RTLD_NOW);
    if (!lib) { fprintf(stderr, "no CUDA driver\n"); return 1; }
    EACH(LOAD)
    C(cuInit(0)); C(cuDeviceGet(&device, 0)); C(cuDevicePrimaryCtxRetain(&context, device)); C(cuCtxSetCurrent(context));
    C(cuModuleLoadData(&module, PTX)); C(cuModuleGetFunction(&spin, module, "spin")); C(cuModuleGetFunction(&empty, module, "empty"));
    D memory, times; char *pinned, *pageable;
    size_t n = (size_t)256 << 20;
    C(cuMemAlloc_v2(&memory, 2 * n)); C(cuMemAlloc_v2(&times, 4096)); C(cuMemHostAlloc((void **)&pinned, n, 0));
    pageable = malloc(n); memset(pageable, 1, n); memset(pinned, 1, n);
    if (argc > 1 && !strcmp(argv[1], "queues")) { queues(memory, pinned); return 0; }
    C(cuDeviceGetName(name, 100, device)); C(cuDriverGetVersion(&value));
    printf("# %s; CUDA %d\nsection,name,parameter,value,unit\n", name, value);
    for (int i = 1; i < 150; i++) if (!cuDeviceGetAttribute(&value, i, device)) row("attribute", "CUdevice_attribute", i, value, "");
    calls(memory, pinned, times);
    copies(memory, pinned, pageable);
    both_ways(memory, pinned);
    blocking(memory, pinned, pageable);
    queues(memory, pinned);
    return 0;
}
