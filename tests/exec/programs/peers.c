/* Two devices of one program: whose memory is an address, and who may access it? */
#include "scaling.h"

struct attributes { int kind, device; void *on_device, *on_host; };
int cudaPointerGetAttributes(struct attributes *, const void *), cudaMemcpyPeer(void *, int, const void *, int, size_t);
int cudaMemcpy3DPeer(const void *), cudaMemcpy3DPeerAsync(const void *, cudaStream_t);
int cudaDeviceCanAccessPeer(int *, int, int), cudaDeviceEnablePeerAccess(int, unsigned), cudaDeviceDisablePeerAccess(int), cudaDeviceReset(void);

enum { N = 256, BYTES = N * sizeof(int) };
static int numbers[N], got[N], *on[2];

#define EXPECT(what) do { if (!(what)) { printf("wrong: %s\n", #what); exit(3); } } while (0)

static void allocate(void)
{
    for (int i = 0; i < N; ++i)
        numbers[i] = i + 1;
    for (int device = 0; device < 2; ++device) {
        CHECK(cudaSetDevice(device));
        CHECK(cudaMalloc((void **)&on[device], BYTES));
        CHECK(cudaMemset(on[device], 0, BYTES));
    }
}

static int scaled(int device, int *data, int by)
{
    void *given[] = {&data};
    CHECK(cudaSetDevice(device));
    CHECK(cudaMemcpyToSymbol(&factor, &by, sizeof by, 0, ToDevice));
    CHECK(cudaLaunchKernel(scale, (dim3){1, 1, 1}, (dim3){N, 1, 1}, given, 0, 0));
    return cudaDeviceSynchronize();
}

static void expect_times(const int *where, int times)
{
    CHECK(cudaMemcpy(got, where, BYTES, ToHost));
    for (int i = 0; i < N; ++i)
        EXPECT(got[i] == times * (i + 1));
}

/* With unified addressing: wherever the program stands, an address is enough. */
static void unified(void)
{
    struct attributes found;
    int *managed, *pinned;
    EXPECT(on[0] != on[1]);
    for (int device = 0; device < 2; ++device) {
        CHECK(cudaPointerGetAttributes(&found, on[device] + 3));
        EXPECT(found.kind == 2 && found.device == device && found.on_device == on[device] + 3);
    }
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpy(on[1], numbers, BYTES, Default));
    CHECK(cudaMemcpy(on[0], on[1], BYTES, Default));
    EXPECT(scaled(1, on[1], 3) == 0);
    CHECK(cudaSetDevice(0));
    expect_times(on[1], 3);
    expect_times(on[0], 1);
    CHECK(cudaMallocHost((void **)&pinned, BYTES));     /* one address for both */
    memcpy(pinned, numbers, BYTES);
    EXPECT(scaled(0, pinned, 2) == 0 && scaled(1, pinned, 5) == 0);
    for (int i = 0; i < N; ++i)
        EXPECT(pinned[i] == 10 * (i + 1));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaSetDevice(1));
    CHECK(cudaFree(on[0]));
    EXPECT(cudaMemcpy(got, on[0], BYTES, ToHost) == 1);
    CHECK(cudaFree(on[1]));
}

/* Without: an address is that of the current device. */
static void separate(void)
{
    int other[N];
    EXPECT(on[0] == on[1]);
    for (int i = 0; i < N; ++i)
        other[i] = 7 * numbers[i];
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpy(on[0], numbers, BYTES, ToDevice));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMemcpy(on[1], other, BYTES, ToDevice));
    EXPECT(scaled(1, on[1], 2) == 0);
    expect_times(on[1], 14);
    CHECK(cudaSetDevice(0));
    expect_times(on[0], 1);
    CHECK(cudaMemcpyPeer(on[0], 0, on[1], 1, BYTES));
    expect_times(on[0], 14);
    CHECK(cudaFree(on[0]));
    EXPECT(cudaFree(on[0]) == 1);
    CHECK(cudaSetDevice(1));
    expect_times(on[1], 14);
    CHECK(cudaFree(on[1]));
}

static void peers(void)
{
    int can, *late;
    CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
    EXPECT(can);
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(cudaDeviceEnablePeerAccess(1, 0) == 704);
    CHECK(cudaMemcpy(on[1], numbers, BYTES, Default));
    EXPECT(scaled(0, on[1], 4) == 0);
    expect_times(on[1], 4);
    CHECK(cudaSetDevice(1));                            /* what the peer allocates later is seen, too */
    CHECK(cudaMalloc((void **)&late, BYTES));
    CHECK(cudaMemcpy(late, numbers, BYTES, Default));
    EXPECT(scaled(0, late, 6) == 0);
    expect_times(late, 6);
    CHECK(cudaFree(late));
    EXPECT(scaled(0, late, 1) == 700);
}

/* Rows of 8 of 16 numbers, of plane 1 on device 0, to rows 1 and 2 of plane 0 on device 1. */
static void boxes(void)
{
    enum { COLUMNS = 16, ROWS = 4 };
    struct {
        void *from_array; struct place from; struct pitched source; int source_device;
        void *to_array; struct place to; struct pitched target; int target_device;
        struct extent extent;
    } copy = {.from = {0, 1, 1}, .source = {on[0], COLUMNS * sizeof(int), COLUMNS, ROWS}, .source_device = 0,
              .to = {4 * sizeof(int), 2, 0}, .target = {on[1], COLUMNS * sizeof(int), COLUMNS, ROWS}, .target_device = 1, .extent = {8 * sizeof(int), 2, 1}};
    int got[N], zeros[N] = {0};
    CHECK(cudaSetDevice(0));
    CHECK(cudaMemcpy(on[0], numbers, BYTES, ToDevice));
    CHECK(cudaSetDevice(1));
    CHECK(cudaMemcpy(on[1], zeros, BYTES, ToDevice));
    CHECK(cudaMemcpy3DPeer(&copy));
    CHECK(cudaMemcpy(got, on[1], BYTES, ToHost));
    for (int i = 0; i < N; ++i) {
        int row = i / COLUMNS, column = i % COLUMNS, copied = (row == 2 || row == 3) && column >= 4 && column < 12;
        EXPECT(got[i] == (copied ? numbers[(ROWS + row - 1) * COLUMNS + column - 4] : 0));
    }
    copy.extent.height = 0;
    CHECK(cudaMemcpy3DPeerAsync(&copy, 0));
    CHECK(cudaDeviceSynchronize());
}

static void strangers(void) { EXPECT(scaled(0, on[1], 1) == 700); }

static void no_longer(void)
{
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(scaled(0, on[1], 1) == 0);
    CHECK(cudaDeviceDisablePeerAccess(1));
    EXPECT(cudaDeviceDisablePeerAccess(1) == 705);
    EXPECT(scaled(0, on[1], 1) == 700);
}

static void doubled(int times, cudaStream_t stream)
{
    void *given[] = {&on[1]};
    for (int i = 0; i < times; ++i)
        CHECK(cudaLaunchKernel(scale, (dim3){1, 1, 1}, (dim3){N, 1, 1}, given, 0, stream));
}

/* Copies and sets of a peer's memory are in the order of the stream that they are put into, which is of the device that the program stands on. */
static void in_order(void)
{
    const int two = 2;
    int *pinned;
    cudaStream_t stream;
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMallocHost((void **)&pinned, BYTES));
    CHECK(cudaMemcpyToSymbol(&factor, &two, sizeof two, 0, ToDevice));
    CHECK(cudaMemcpy(on[1], numbers, BYTES, Default));
    doubled(10, 0);
    expect_times(on[1], 1024);
    memcpy(pinned, numbers, BYTES);
    CHECK(cudaMemcpyAsync(on[1], pinned, BYTES, Default, stream));
    doubled(3, stream);
    CHECK(cudaMemcpyAsync(pinned, on[1], BYTES, ToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    for (int i = 0; i < N; ++i)
        EXPECT(pinned[i] == 8 * (i + 1));
    doubled(5, 0);
    CHECK(cudaMemset(on[1], 0, BYTES));
    expect_times(on[1], 0);
    doubled(5, 0);
    CHECK(cudaMemcpy2D(on[1], BYTES / 4, numbers, BYTES / 4, BYTES / 4, 4, ToDevice));
    doubled(5, 0);
    CHECK(cudaMemcpy2D(got, BYTES / 4, on[1], BYTES / 4, BYTES / 4, 4, ToHost));
    for (int i = 0; i < N; ++i)
        EXPECT(got[i] == 32 * (i + 1));
}

static void one_way(void)
{
    CHECK(cudaSetDevice(0));
    CHECK(cudaDeviceEnablePeerAccess(1, 0));
    EXPECT(scaled(1, on[0], 1) == 700);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*part)(void); } parts[] = {
        {"unified", unified}, {"separate", separate}, {"peers", peers}, {"strangers", strangers}, {"no_longer", no_longer}, {"one_way", one_way},
        {"boxes", boxes}, {"in_order", in_order}};
    allocate();
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!strcmp(arguments[1], parts[i].name))
            parts[i].part();
    puts("PASSED");
    return 0;
}
