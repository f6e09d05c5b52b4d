/* Calls functions with something in the upper half of registers and stack where they take 32 bits, as compilers may leave it. */
#include "cuda_few.h"

typedef long long Long;
int cudaDeviceGetLimit(size_t *, Long), cudaEventCreateWithFlags(cudaEvent_t *, Long);
int cudaStreamCreateWithPriority(cudaStream_t *, Long, Long);
int cuDeviceGetAttribute(int *, Long, Long), cuInit(Long), cuDeviceGet(int *, Long), cuDeviceGetName(char *, Long, Long);
int cublasCreate_v2(void **), cublasSdot_v2(void *, Long, const float *, Long, const float *, Long, float *);
int cublasSgemm_v2(void *, Long, Long, Long, Long, Long, const float *, const float *, Long, const float *, Long, const float *, float *, Long);
int cufftPlan1d(int *, Long, Long, Long), cufftExecC2C(Long, void *, void *, Long);
int curandCreateGenerator(void **, Long), curandSetGeneratorOrdering(void *, Long);
int cusparseCreate(void **), cusparseCreateDnVec(void **, Long, void *, Long), cusparseSetPointerMode(void *, Long);
int cusparseCsr2cscEx2_bufferSize(void *, Long, Long, Long, const void *, const int *, const int *, void *, int *, int *, Long, Long, Long, Long, size_t *);

#define WIDE(x) (0x5eadbeef00000000ll | (unsigned)(x))
typedef int Attribute(int *, Long, Long), Malloc(void **, size_t, Long), Set(void *, Long, size_t), Copy(void *, const void *, size_t, Long);

int main(void)
{
    int value = -1;
    size_t size = 0;
    float one = 1, zero = 0, sum = 0, *x, here[16];
    char name[64] = "";
    void *pinned, *blas, *random, *sparse, *vector, *stream, *event;
    int plan;
    CHECK(((Attribute *)cudaDeviceGetAttribute)(&value, WIDE(10), WIDE(0)));
    expect(value == 32 || value == 64, "the attribute of the runtime");
    CHECK(cudaDeviceGetLimit(&size, WIDE(2)));
    CHECK(((int (*)(Long))cudaSetDevice)(WIDE(0)));
    CHECK(((Malloc *)cudaHostAlloc)(&pinned, 64, WIDE(0)));
    CHECK(cudaStreamCreateWithPriority(&stream, WIDE(1), WIDE(-1)));
    CHECK(cudaEventCreateWithFlags(&event, WIDE(2)));
    CHECK(cudaMalloc((void **)&x, 64));
    CHECK(((Set *)cudaMemset)(x, WIDE(0x11), 64));
    CHECK(((Copy *)cudaMemcpy)(here, x, 64, WIDE(ToHost)));
    expect(*(int *)here == 0x11111111, "what was set and copied");
    for (int i = 0; i < 16; ++i)
        here[i] = 1;
    CHECK(((Copy *)cudaMemcpy)(x, here, 64, WIDE(ToDevice)));
    expect(!strcmp(((const char *(*)(Long))cudaGetErrorName)(WIDE(2)), "cudaErrorMemoryAllocation"), "the name");
    CHECK(cuInit(WIDE(0)));
    CHECK(cuDeviceGet(&value, WIDE(0)));
    CHECK(cuDeviceGetAttribute(&value, WIDE(10), WIDE(0)));
    expect(value == 32 || value == 64, "the attribute of the driver");
    CHECK(cuDeviceGetName(name, WIDE(64), WIDE(0)));
    expect(name[0], "the name of the device");
    CHECK(cublasCreate_v2(&blas));
    CHECK(cublasSdot_v2(blas, WIDE(8), x, WIDE(2), x, WIDE(1), &sum));
    expect(sum == 8, "the product of vectors");
    CHECK(cublasSgemm_v2(blas, WIDE(0), WIDE(1), WIDE(2), WIDE(2), WIDE(2), &one, x, WIDE(2), x + 4, WIDE(2), &zero, x + 8, WIDE(2)));
    CHECK(((Copy *)cudaMemcpy)(here, x, 64, WIDE(ToHost)));
    expect(here[8] == 2 && here[11] == 2 && here[12] == 1, "the product of matrices");
    CHECK(cufftPlan1d(&plan, WIDE(8), WIDE(0x29), WIDE(1)));
    CHECK(cufftExecC2C(WIDE(plan), x, x, WIDE(-1)));
    CHECK(curandCreateGenerator(&random, WIDE(101)));
    CHECK(curandSetGeneratorOrdering(random, WIDE(100)));
    CHECK(cusparseCreate(&sparse));
    CHECK(cusparseSetPointerMode(sparse, WIDE(0)));
    CHECK(cusparseCreateDnVec(&vector, 8, x, WIDE(0)));
    CHECK(cusparseCsr2cscEx2_bufferSize(sparse, WIDE(4), WIDE(4), WIDE(3), x, 0, 0, x, 0, 0, WIDE(0), WIDE(1), WIDE(0), WIDE(1), &size));
    expect(size == 96, "the bytes to transpose");
    puts("PASSED");
    return 0;
}
