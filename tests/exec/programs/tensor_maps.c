/* Maps of tensors: made by the driver, and used by a kernel that copies a tile. */
#include "driver_few.h"

typedef struct { uint64_t words[16]; } __attribute__((aligned(64))) CUtensorMap;
int cuTensorMapEncodeTiled(CUtensorMap *, int, unsigned, void *, const uint64_t *, const uint64_t *, const unsigned *, const unsigned *, int, int, int, int);
int cuTensorMapEncodeIm2col(CUtensorMap *, int, unsigned, void *, const uint64_t *, const uint64_t *, const int *, const int *, unsigned, unsigned,
                            const unsigned *, int, int, int, int);
int cuTensorMapReplaceAddress(CUtensorMap *, void *);
enum { WORDS = 2, COLUMNS = 32, ROWS = 16, SIDE = 4, FLOATS = 7 };

int main(void)
{
    CUtensorMap map, pixels;
    CUcontext context;
    CUmodule module;
    CUfunction tile;
    CUdeviceptr from, other, to;
    uint64_t dims[] = {COLUMNS, ROWS}, strides[] = {4 * COLUMNS}, image[] = {16, 8, 8, 2}, image_strides[] = {64, 512, 4096};
    unsigned box[] = {SIDE, SIDE}, ones[] = {1, 1, 1, 1}, picture[ROWS][COLUMNS], got[SIDE][SIDE];
    int lower[] = {0, 0}, upper[] = {0, 0};
    CHECK(cuInit(0));
    CHECK(cuCtxCreate(&context, 0, 0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&tile, module, "tile"));
    CHECK(cuMemAlloc(&from, sizeof picture));
    CHECK(cuMemAlloc(&other, sizeof picture));
    CHECK(cuMemAlloc(&to, sizeof got));
    for (int y = 0; y < ROWS; ++y)
        for (int x = 0; x < COLUMNS; ++x)
            picture[y][x] = 100 * y + x;
    CHECK(cuMemcpyHtoD(from, picture, sizeof picture));
    CHECK(cuMemsetD32(other, 7, ROWS * COLUMNS));
    CHECK(cuTensorMapEncodeTiled(&map, WORDS, 2, (void *)from, dims, strides, box, ones, 0, 0, 0, 0));
    void *given[] = {&map, &to};
    CHECK(cuLaunchKernel(tile, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    CHECK(cuMemcpyDtoH(got, to, sizeof got));
    for (int y = 0; y < SIDE; ++y)
        for (int x = 0; x < SIDE; ++x)
            EXPECT(got[y][x] == 100 * (y + 2) + x + 8);
    CHECK(cuTensorMapReplaceAddress(&map, (void *)other));
    CHECK(cuLaunchKernel(tile, 1, 1, 1, 1, 1, 1, 0, 0, given, 0));
    CHECK(cuMemcpyDtoH(got, to, sizeof got));
    EXPECT(got[0][0] == 7 && got[SIDE - 1][SIDE - 1] == 7);
    CHECK(cuTensorMapEncodeIm2col(&pixels, FLOATS, 4, (void *)from, image, image_strides, lower, upper, 16, 8, ones, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapEncodeTiled(&map, WORDS, 6, (void *)from, dims, strides, box, ones, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapEncodeTiled(&map, 99, 2, (void *)from, dims, strides, box, ones, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapEncodeTiled(&map, WORDS, 2, (void *)(from + 4), dims, strides, box, ones, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapEncodeTiled(&map, WORDS, 2, (void *)from, dims, strides, box, ones, 9, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapEncodeTiled((CUtensorMap *)((char *)&map + 8), WORDS, 2, (void *)from, dims, strides, box, ones, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapEncodeIm2col(&pixels, FLOATS, 2, (void *)from, image, image_strides, lower, upper, 16, 8, ones, 0, 0, 0, 0));
    FAILS("CUDA_ERROR_INVALID_VALUE", cuTensorMapReplaceAddress(&map, (void *)(from + 8)));
    printf("PASSED\n");
    return 0;
}
