/* Goes on with handles of libraries behind a reset of their device; prints the statuses. Argument: "one" device or "two". */
#include "cuda_few.h"

int cudaDeviceReset(void);
int cublasCreate_v2(void **), cublasDestroy_v2(void *), cublasSdot_v2(void *, int, const float *, int, const float *, int, float *);
int cublasInit(void), cublasShutdown(void), cublasGetError(void);
float cublasSdot(int, const float *, int, const float *, int);
int curandCreateGenerator(void **, int), curandCreateGeneratorHost(void **, int), curandDestroyGenerator(void *), curandGenerate(void *, unsigned *, size_t);
int cufftPlan1d(int *, int, int, int), cufftExecC2C(int, void *, void *, int), cufftDestroy(int);
int cusparseCreate(void **), cusparseDestroy(void *), cusparseSetStream(void *, void *);
int cusolverDnCreate(void **), cusolverDnSetStream(void *, void *), cudnnCreate(void **), cudnnSetStream(void *, void *);

enum { COUNT = 1000 };

static float *ones(void)
{
    static float here[2 * COUNT];
    void *there;
    for (int i = 0; i < 2 * COUNT; ++i)
        here[i] = 1;
    CHECK(cudaMalloc(&there, sizeof here));
    CHECK(cudaMemcpy(there, here, sizeof here, ToDevice));
    return there;
}

static void one(void)
{
    void *blas, *sparse, *random, *random_host, *solver, *dnn;
    int plan;
    unsigned some[4];
    float *x = ones(), sum = 0;
    CHECK(cublasCreate_v2(&blas));
    CHECK(cublasInit());
    CHECK(cusparseCreate(&sparse));
    CHECK(cusolverDnCreate(&solver));
    CHECK(cudnnCreate(&dnn));
    CHECK(curandCreateGenerator(&random, 101));
    CHECK(curandCreateGeneratorHost(&random_host, 161));
    CHECK(cufftPlan1d(&plan, COUNT, 0x29, 1));
    CHECK(cublasSdot_v2(blas, COUNT, x, 1, x, 1, &sum));
    printf("before %g %g\n", sum, cublasSdot(COUNT, x, 1, x, 1));
    CHECK(curandGenerate(random, (unsigned *)x, 4));
    CHECK(curandGenerate(random_host, some, 4));
    CHECK(cufftExecC2C(plan, x, x, -1));
    CHECK(cudaDeviceReset());
    for (int i = 0; i < 64; ++i)        /* where the libraries had their memory */
        x = ones();
    sum = 0;
    printf("dot %d %g\n", cublasSdot_v2(blas, COUNT, x, 1, x, 1, &sum), sum);
    cublasSdot(COUNT, x, 1, x, 1);
    printf("older %d\n", cublasGetError());
    printf("sparse %d\n", cusparseSetStream(sparse, 0));
    printf("solver %d\n", cusolverDnSetStream(solver, 0));
    printf("dnn %d\n", cudnnSetStream(dnn, 0));
    printf("random %d\n", curandGenerate(random, (unsigned *)x, 4));
    printf("random_host %d\n", curandGenerate(random_host, some, 4));
    printf("plan %d\n", cufftExecC2C(plan, x, x, -1));
    printf("destroyed %d %d %d %d %d\n", cublasDestroy_v2(blas), cusparseDestroy(sparse), curandDestroyGenerator(random), cufftDestroy(plan),
           curandDestroyGenerator(random_host));
    CHECK(cublasCreate_v2(&blas));
    CHECK(cublasInit());
    CHECK(cublasSdot_v2(blas, COUNT, x, 1, x, 1, &sum));
    printf("anew %g %g\n", sum, cublasSdot(COUNT, x, 1, x, 1));
    printf("end %d %d\n", cublasDestroy_v2(blas), cublasShutdown());
}

static void two(void)
{
    void *blas;
    int plan;
    float *x, sums[2];
    CHECK(cublasCreate_v2(&blas));
    CHECK(cufftPlan1d(&plan, COUNT, 0x29, 1));
    for (int i = 0; i < 2; ++i) {       /* the handle is of the other device than that which is reset */
        CHECK(cudaSetDevice(1));
        x = ones();
        CHECK(cublasSdot_v2(blas, COUNT, x, 1, x, 1, &sums[i]));
        printf("plan %d\n", cufftExecC2C(plan, x, x, -1));
        CHECK(cudaDeviceReset());
    }
    CHECK(cudaSetDevice(0));
    x = ones();
    printf("plan %d\n", cufftExecC2C(plan, x, x, -1));
    printf("sums %g %g\n", sums[0], sums[1]);
    printf("destroyed %d %d\n", cublasDestroy_v2(blas), cufftDestroy(plan));
}

int main(int count, char **arguments)
{
    (arguments[1][0] == 'o' ? one : two)();
    return 0;
}
