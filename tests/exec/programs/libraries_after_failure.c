/* What libraries and the driver return once a kernel of the program has failed. */
#include "cuda_few.h"

int cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSetStream_v2(void *, void *), cublasSetVector(int, int, const void *, int, void *, int);
int cublasSgemm_v2(void *, int, int, int, int, int, const float *, const void *, int, const void *, int, const float *, void *, int);
int cublasSdot_v2(void *, int, const void *, int, const void *, int, float *);
int cusolverDnCreate(void **), cusolverDnSpotrf(void *, int, int, void *, int, void *, int, int *);
int cusparseCreate(void **), cusparseCreateIdentityPermutation(void *, int, int *), cusparseCreateDnVec(void **, int64_t, int64_t, void *, int);
int cufftPlan1d(int *, int, int, int), cufftExecC2C(int, void *, void *, int);
int curandCreateGenerator(void **, int), curandGenerate(void *, void *, size_t);
int cudnnCreate(void **), cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

void faults(void) {}

REGISTERS(KERNEL(faults), KERNEL(faults))

#define S(name, ...) printf("%s %d\n", #name, name(__VA_ARGS__))

int main(void)
{
    const dim3 one = {1, 1, 1};
    void *blas, *solver, *sparse, *random, *made, *module, *function, *p, *nowhere = (void *)16, *given[] = {&nowhere};
    int plan, other;
    float factor = 1, here[8] = {0};
    CHECK(cudaMalloc(&p, 1024));
    CHECK(cublasCreate_v2(&blas));
    CHECK(cusolverDnCreate(&solver));
    CHECK(cusparseCreate(&sparse));
    CHECK(cufftPlan1d(&plan, 8, 0x29, 1));
    CHECK(curandCreateGenerator(&random, 100));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&function, module, "faults"));
    CHECK(cudaLaunchKernel(faults, one, one, given, 0, 0));
    S(cudaDeviceSynchronize);
    S(cublasSgemm_v2, blas, 0, 0, 2, 2, 2, &factor, p, 2, p, 2, &factor, p, 2), S(cublasSdot_v2, blas, 8, p, 1, p, 1, &factor);
    S(cublasSetVector, 4, 4, here, 1, p, 1), S(cublasSetVector, 4, 4, here, 2, p, 1);
    S(cusolverDnSpotrf, solver, 0, 2, p, 2, p, 1, p), S(cusparseCreateIdentityPermutation, sparse, 4, p);
    S(cufftExecC2C, plan, p, p, 1), S(cufftPlan1d, &other, 8, 0x29, 1), S(curandGenerate, random, p, 8);
    S(cublasCreate_v2, &made), S(cusolverDnCreate, &made), S(cusparseCreate, &made), S(cudnnCreate, &made);
    S(cuLaunchKernel, function, 1, 1, 1, 1, 1, 1, 0, 0, given, 0);
    S(cublasSetStream_v2, blas, 0), S(cublasDestroy_v2, blas);
    return 0;
}
