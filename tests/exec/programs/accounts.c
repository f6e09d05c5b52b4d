/* Programs of which the account says something that they do not look at: launches that fail, managed memory that moves, a device that is reset. */
#include "cuda_few.h"

int cudaDeviceReset(void);
struct attributes { int kind, device; void *on_device, *on_host; };
int cudaPointerGetAttributes(struct attributes *, const void *);

void scale(void) {}
void faults(void) {}
static int factor;
enum { N = 512, PAGES = 4, PAGE = 1 << 16 };
static const dim3 BLOCK = {128, 1, 1}, GRID = {N / 128, 1, 1};

REGISTERS(KERNEL(scale), KERNEL(faults), VARIABLE(factor))

/* two launches are refused, one ends with an error, which the one behind it gets, too; nobody asks */
static void ignored(void)
{
    static const dim3 wide = {1 << 20, 1, 1};
    void *there, *nowhere = (void *)8;
    CHECK(cudaMalloc(&there, N * sizeof(int)));
    cudaLaunchKernel(scale, GRID, wide, (void *[]){&there}, 0, 0);
    cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&there}, 1 << 30, 0);
    cudaLaunchKernel(faults, GRID, BLOCK, (void *[]){&nowhere}, 0, 0);
    cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&there}, 0, 0);
    cudaDeviceSynchronize();
}

static void fault(void)
{
    void *nowhere = (void *)8;
    cudaLaunchKernel(faults, GRID, BLOCK, (void *[]){&nowhere}, 0, 0);
    expect(cudaDeviceSynchronize() == 700, "a fault");
}

/* two of four pages of one allocation are touched, and none of the other, before a kernel has both of them */
static void managed(void)
{
    int *some, *none;
    CHECK(cudaMallocManaged((void **)&some, PAGES * PAGE, 1));
    CHECK(cudaMallocManaged((void **)&none, PAGES * PAGE, 1));
    some[0] = some[3 * PAGE / sizeof(int)] = 1;
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&some}, 0, 0));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&none}, 0, 0));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&some}, 0, 0));
    CHECK(cudaDeviceSynchronize());
    expect(some[0] == 1, "managed memory");
}

static void reset(void)
{
    int *before, *behind, *plain, two = 2;
    struct attributes about;
    for (int round = 0; round < 3; ++round) {
        CHECK(cudaMallocManaged((void **)&before, PAGES * PAGE, 1));
        before[N - 1] = 7;
        CHECK(cudaDeviceReset());
        expect(cudaFree(before) == 1, "memory that a reset has freed");
        CHECK(cudaMalloc((void **)&plain, PAGES * PAGE));
        expect(plain == before, "the address that a reset has freed");
        CHECK(cudaPointerGetAttributes(&about, plain));
        expect(about.kind == 2, "ordinary memory where managed memory was");
        CHECK(cudaFree(plain));
        CHECK(cudaMallocManaged((void **)&behind, PAGES * PAGE, 1));
        expect(behind == before && behind[N - 1] == 0, "managed memory where there was some before a reset");
        CHECK(cudaMemcpyToSymbol(&factor, &two, sizeof two, 0, ToDevice));
        behind[N - 1] = 4;
        CHECK(cudaLaunchKernel(scale, GRID, BLOCK, (void *[]){&behind}, 0, 0));
        CHECK(cudaDeviceSynchronize());
        expect(behind[N - 1] == 8, "managed memory behind a reset");
        CHECK(cudaFree(behind));
    }
}

PARTS({"ignored", ignored}, {"fault", fault}, {"managed", managed}, {"reset", reset})
