/* Calls cuBLAS by its ABI; prints every result, which the test compares with numpy's. Arguments: what to do. */
#include "cuda_few.h"
#include <stdint.h>

typedef void *handle_t;
int cublasCreate_v2(handle_t *), cublasDestroy_v2(handle_t), cublasSetStream_v2(handle_t, void *), cublasSetPointerMode_v2(handle_t, int);
int cublasGetPointerMode_v2(handle_t, int *), cublasSetMathMode(handle_t, int), cublasGetVersion_v2(handle_t, int *);
const char *cublasGetStatusString(int);
int cublasSetVector(int, int, const void *, int, void *, int), cublasGetVector(int, int, const void *, int, void *, int);
int cublasSetMatrix(int, int, int, const void *, int, void *, int), cublasGetMatrix(int, int, int, const void *, int, void *, int);
#define LEVELS(S, T) \
    int cublas##S##gemm_v2(handle_t, int, int, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int); \
    int cublas##S##gemmStridedBatched(handle_t, int, int, int, int, int, const T *, const T *, int, long long, const T *, int, long long, const T *, T *, int, \
                                      long long, int); \
    int cublas##S##gemmBatched(handle_t, int, int, int, int, int, const T *, const T *const *, int, const T *const *, int, const T *, T *const *, int, int); \
    int cublas##S##gemv_v2(handle_t, int, int, int, const T *, const T *, int, const T *, int, const T *, T *, int); \
    int cublas##S##ger_v2(handle_t, int, int, const T *, const T *, int, const T *, int, T *, int); \
    int cublas##S##geam(handle_t, int, int, int, int, const T *, const T *, int, const T *, const T *, int, T *, int); \
    int cublas##S##trsm_v2(handle_t, int, int, int, int, int, int, const T *, const T *, int, T *, int); \
    int cublas##S##getrfBatched(handle_t, int, T *const *, int, int *, int *, int); \
    int cublas##S##scal_v2(handle_t, int, const T *, T *, int), cublas##S##axpy_v2(handle_t, int, const T *, const T *, int, T *, int); \
    int cublas##S##copy_v2(handle_t, int, const T *, int, T *, int), cublas##S##swap_v2(handle_t, int, T *, int, T *, int); \
    int cublas##S##dot_v2(handle_t, int, const T *, int, const T *, int, T *), cublas##S##nrm2_v2(handle_t, int, const T *, int, T *); \
    int cublas##S##asum_v2(handle_t, int, const T *, int, T *);
LEVELS(S, float)
LEVELS(D, double)
int cublasIsamax_v2(handle_t, int, const float *, int, int *), cublasIsamin_v2(handle_t, int, const float *, int, int *);
int cublasGemmEx(handle_t, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int, const void *, void *, int, int, int, int);
int cublasDotEx(handle_t, int, const void *, int, int, const void *, int, int, void *, int, int), cublasNrm2Ex(handle_t, int, const void *, int, int, void *, int, int);
int cublasScalEx(handle_t, int, const void *, int, void *, int, int, int);
int cublasAxpyEx(handle_t, int, const void *, int, const void *, int, int, void *, int, int, int);
int cublasSsyrk_v2(handle_t, int, int, int, int, const float *, const float *, int, const float *, float *, int);
int cublasInit(void), cublasGetError(void), cublasShutdown(void), cublasAlloc(int, int, void **), cublasFree(void *);
void cublasSgemm(char, char, int, int, int, float, const float *, int, const float *, int, float, float *, int);
void cublasSaxpy(int, float, const float *, int, float *, int);
float cublasSdot(int, const float *, int, const float *, int);
double cublasDdot(int, const double *, int, const double *, int);

static handle_t blas;
static uint32_t state = 1;

static double next(void)        /* the test makes the same numbers */
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
}

#define MAKE(T, name) \
    static T *name(int n, T *host) \
    { \
        T *device; \
        for (int i = 0; i < n; ++i) \
            host[i] = (T)next(); \
        CHECK(cudaMalloc((void **)&device, n * sizeof(T))); \
        CHECK(cublasSetVector(n, sizeof(T), host, 1, device, 1)); \
        return device; \
    }
MAKE(float, floats)
MAKE(double, doubles)

#define SHOW(T, name) \
    static void name(const char *what, int n, const T *device) \
    { \
        T *host = malloc(n * sizeof(T)); \
        CHECK(cublasGetVector(n, sizeof(T), device, 1, host, 1)); \
        printf("%s", what); \
        for (int i = 0; i < n; ++i) \
            printf(" %.17g", (double)host[i]); \
        printf("\n"); \
        free(host); \
    }
SHOW(float, show_floats)
SHOW(double, show_doubles)

/* every product of an m x k and a k x n matrix, each transposed or not */
#define PRODUCTS(S, T, make, show) \
    static void products_##S(int m, int n, int k) \
    { \
        T *host = malloc((m * k + k * n + m * n + 3) * sizeof(T)), alpha = 1.5, beta = -0.5, *on_device; \
        for (int a_turned = 0; a_turned < 2; ++a_turned) \
            for (int b_turned = 0; b_turned < 2; ++b_turned) { \
                state = 1; \
                T *a = make(m * k, host), *b = make(k * n, host), *c = make(m * n, host); \
                CHECK(cublas##S##gemm_v2(blas, a_turned, b_turned, m, n, k, &alpha, a, a_turned ? k : m, b, b_turned ? n : k, &beta, c, m)); \
                show("gemm", m * n, c); \
            } \
        T factors[2] = {alpha, 0}; \
        CHECK(cudaMalloc((void **)&on_device, sizeof factors)); \
        CHECK(cudaMemcpy(on_device, factors, sizeof factors, 1)); \
        CHECK(cublasSetPointerMode_v2(blas, 1)); \
        state = 1; \
        T *a = make(m * k, host), *b = make(k * n, host), *c; \
        CHECK(cudaMalloc((void **)&c, m * n * sizeof(T))); \
        CHECK(cudaMemset(c, 0xff, m * n * sizeof(T)));       /* NaN, which beta = 0 does not read */ \
        CHECK(cublas##S##gemm_v2(blas, 0, 0, m, n, k, on_device, a, m, b, k, on_device + 1, c, m)); \
        show("device", m * n, c); \
        CHECK(cublasSetPointerMode_v2(blas, 0)); \
    }
PRODUCTS(S, float, floats, show_floats)
PRODUCTS(D, double, doubles, show_doubles)

static void many(void)
{
    enum { M = 5, N = 4, K = 3, BATCH = 3 };
    float host[M * K * BATCH + 60], alpha = 1, beta = 0, *c;
    float *a = floats(M * K * BATCH, host), *b = floats(K * N * BATCH, host), **places;
    CHECK(cudaMalloc((void **)&c, M * N * BATCH * sizeof(float)));
    CHECK(cublasSgemmStridedBatched(blas, 0, 0, M, N, K, &alpha, a, M, M * K, b, K, K * N, &beta, c, M, M * N, BATCH));
    show_floats("strided", M * N * BATCH, c);
    float *addresses[3 * BATCH];
    for (int i = 0; i < BATCH; ++i)
        addresses[i] = a + i * M * K, addresses[BATCH + i] = b + i * K * N, addresses[2 * BATCH + i] = c + i * M * N;
    CHECK(cudaMalloc((void **)&places, sizeof addresses));
    CHECK(cudaMemcpy(places, addresses, sizeof addresses, 1));
    CHECK(cudaMemset(c, 0, M * N * BATCH * sizeof(float)));
    CHECK(cublasSgemmBatched(blas, 0, 0, M, N, K, &alpha, (const float *const *)places, M, (const float *const *)(places + BATCH), K, &beta,
                             places + 2 * BATCH, M, BATCH));
    show_floats("batched", M * N * BATCH, c);
}

static void types(void)     /* 1.5 is 0x3e00 in half precision and 0x3fc0 in bfloat16 */
{
    enum { N = 3 };
    uint16_t half[N * N], bfloat[N * N];
    signed char bytes[16] = {0};
    float alpha = 2, beta = 0, single[N * N];
    int one = 1, zero = 0;
    void *a, *c;
    for (int i = 0; i < N * N; ++i)
        half[i] = 0x3e00, bfloat[i] = 0x3fc0, bytes[i] = i - 4;
    CHECK(cudaMalloc(&a, sizeof half));
    CHECK(cudaMalloc(&c, sizeof single));
    CHECK(cudaMemcpy(a, half, sizeof half, 1));
    CHECK(cublasGemmEx(blas, 0, 0, N, N, N, &alpha, a, 2, N, a, 2, N, &beta, c, 2, N, 68, -1));
    CHECK(cudaMemcpy(half, c, sizeof half, 2));
    CHECK(cublasGemmEx(blas, 0, 0, N, N, N, &alpha, a, 2, N, a, 2, N, &beta, c, 0, N, 68, -1));
    CHECK(cudaMemcpy(single, c, sizeof single, 2));
    printf("half %#x %g\n", half[4], single[4]);
    CHECK(cudaMemcpy(a, bfloat, sizeof bfloat, 1));
    CHECK(cublasGemmEx(blas, 0, 0, N, N, N, &alpha, a, 14, N, a, 14, N, &beta, c, 14, N, 68, -1));
    CHECK(cudaMemcpy(bfloat, c, sizeof bfloat, 2));
    printf("bfloat %#x\n", bfloat[4]);
    CHECK(cudaMemcpy(a, bytes, N * N, 1));
    CHECK(cublasGemmEx(blas, 0, 0, N, N, N, &one, a, 3, N, a, 3, N, &zero, c, 10, N, 72, -1));
    CHECK(cudaMemcpy(single, c, sizeof single, 2));
    printf("bytes");
    for (int i = 0; i < N * N; ++i)
        printf(" %d", ((int *)single)[i]);
    printf("\n");
}

#define VECTORS(S, T, make, show) \
    static void vectors_##S(int n) \
    { \
        T *host = malloc(n * sizeof(T)), *x = make(n, host), *y = make(n, host), alpha = 0.75, numbers[4], *out; \
        CHECK(cublas##S##axpy_v2(blas, n, &alpha, x, 1, y, 1)); \
        show("axpy", n, y); \
        CHECK(cublas##S##axpy_v2(blas, n / 2, &alpha, x, -2, y, 1)); \
        show("backwards", n, y); \
        CHECK(cublas##S##scal_v2(blas, n / 2, &alpha, y, 2)); \
        show("scal", n, y); \
        CHECK(cublas##S##dot_v2(blas, n, x, 1, y, 1, numbers)); \
        CHECK(cublas##S##nrm2_v2(blas, n, x, 1, numbers + 1)); \
        CHECK(cublas##S##asum_v2(blas, n, x, 1, numbers + 2)); \
        CHECK(cublasSetPointerMode_v2(blas, 1)); \
        CHECK(cudaMalloc((void **)&out, sizeof(T))); \
        CHECK(cublas##S##dot_v2(blas, n, x, 1, y, 1, out)); \
        CHECK(cublasSetPointerMode_v2(blas, 0)); \
        CHECK(cudaMemcpy(numbers + 3, out, sizeof(T), 2)); \
        printf("numbers %.17g %.17g %.17g %.17g\n", (double)numbers[0], (double)numbers[1], (double)numbers[2], (double)numbers[3]); \
        CHECK(cublas##S##swap_v2(blas, n, x, 1, y, 1)); \
        CHECK(cublas##S##copy_v2(blas, n, x, 1, y, 1)); \
        show("swapped", n, y); \
    }
VECTORS(S, float, floats, show_floats)
VECTORS(D, double, doubles, show_doubles)

static void places(void)
{
    float host[301], *x;
    int most, least;
    for (int i = 0; i < 301; ++i)
        host[i] = i == 77 || i == 200 ? -9 : i == 130 || i == 5 ? 0.25 : 1 + i / 301.0f;
    CHECK(cudaMalloc((void **)&x, sizeof host));
    CHECK(cudaMemcpy(x, host, sizeof host, 1));
    CHECK(cublasIsamax_v2(blas, 301, x, 1, &most));
    CHECK(cublasIsamin_v2(blas, 301, x, 1, &least));
    printf("places %d %d\n", most, least);
    host[0] = 3e38f, host[1] = 4e37f;
    CHECK(cudaMemcpy(x, host, 8, 1));
    CHECK(cublasSnrm2_v2(blas, 2, x, 1, host));
    printf("large %.9g\n", host[0]);
}

static void matrices(void)
{
    enum { M = 7, N = 5 };
    float host[M * M + 40], alpha = 2, beta = 0.5;
    float *a = floats(M * N, host), *x = floats(M, host), *y = floats(M, host);
    CHECK(cublasSgemv_v2(blas, 0, M, N, &alpha, a, M, x, 1, &beta, y, 1));
    show_floats("gemv", M, y);
    CHECK(cublasSgemv_v2(blas, 1, M, N, &alpha, a, M, y, 1, &beta, x, 1));
    show_floats("transposed", N, x);
    CHECK(cublasSger_v2(blas, M, N, &alpha, y, 1, x, 1, a, M));
    show_floats("ger", M * N, a);
    float *b = floats(M * N, host), *c;
    CHECK(cudaMalloc((void **)&c, sizeof host));
    CHECK(cublasSgeam(blas, 1, 0, N, M, &alpha, a, M, &beta, b, N, c, N));
    show_floats("geam", M * N, c);
    float *t = floats(M * M, host);
    for (int i = 0; i < M; ++i)
        host[i * M + i] = 3;
    CHECK(cublasSetMatrix(M, M, sizeof(float), host, M, t, M));
    for (int which = 0; which < 16; ++which) {
        state = 7;
        float *right = floats(M * N, host);
        int side = which & 1, upper = which >> 1 & 1, turned = which >> 2 & 1, unit = which >> 3;
        CHECK(cublasStrsm_v2(blas, side, upper, turned, unit, side ? N : M, side ? M : N, &alpha, t, M, right, side ? N : M));
        show_floats("trsm", M * N, right);
    }
    float **places, *made = floats(M * M, host), *address = made;
    int *integers, pivots[M + 1];
    CHECK(cudaMalloc((void **)&places, sizeof address));
    CHECK(cudaMemcpy(places, &address, sizeof address, 1));
    CHECK(cudaMalloc((void **)&integers, sizeof pivots));
    CHECK(cublasSgetrfBatched(blas, M, places, M, integers, integers + M, 1));
    show_floats("getrf", M * M, made);
    CHECK(cudaMemcpy(pivots, integers, sizeof pivots, 2));
    printf("pivots");
    for (int i = 0; i <= M; ++i)
        printf(" %d", pivots[i]);
    printf("\n");
}

/* What a factor of 0 leaves unread is NaN; matrices of more blocks than a small grid has; places beside NaN. */
static void edges(void)
{
    enum { M = 37, N = 35 };
    float host[M * M], zero = 0, half = 0.5f, two = 2, *nothing;
    CHECK(cudaMalloc((void **)&nothing, sizeof host));
    CHECK(cudaMemset(nothing, 0xff, sizeof host));
    float *x = floats(M, host), *y = floats(M, host), *a = floats(M * N, host), *c = floats(M * N, host);
    CHECK(cublasSaxpy_v2(blas, M, &zero, nothing, 1, y, 1));
    show_floats("axpy", M, y);
    CHECK(cublasSgemv_v2(blas, 0, M, N, &zero, nothing, M, nothing, 1, &half, y, -1));
    show_floats("gemv", M, y);
    CHECK(cublasSgemv_v2(blas, 1, N, M, &zero, nothing, N, nothing, 1, &half, y, 1));
    show_floats("transposed", M, y);
    CHECK(cublasSgemv_v2(blas, 0, M, N, &two, a, M, x, -1, &zero, nothing, 1));
    show_floats("written", M, nothing);
    CHECK(cublasSger_v2(blas, M, N, &zero, nothing + M, 1, nothing + M, 1, a, M));
    CHECK(cublasSger_v2(blas, M, N, &two, x, 1, y, -1, a, M));
    show_floats("ger", M * N, a);
    CHECK(cublasSgeam(blas, 1, 0, N, M, &two, a, M, &zero, nothing + M, N, c, N));
    show_floats("geam", M * N, c);
    CHECK(cublasStrsm_v2(blas, 0, 0, 0, 0, N, 3, &zero, nothing + M, N, c, N));
    show_floats("trsm", N * 3, c);
    printf("apart %d %d\nplaces", cublasSger_v2(blas, M, N, &two, x, 0, y, 1, a, M), cublasSger_v2(blas, M, N, &two, x, 1, y, 0, a, M));
    for (int first = 0; first < 3; ++first) {       /* every third is a number */
        int most, least;
        for (int i = 0; i < 300; ++i)
            host[i] = i % 3 == first ? 1 + i % 100 / 128.0f : 0.0f / zero;
        CHECK(cudaMemcpy(nothing, host, 300 * sizeof(float), 1));
        CHECK(cublasIsamax_v2(blas, 300, nothing, 1, &most));
        CHECK(cublasIsamin_v2(blas, 300, nothing, 1, &least));
        printf(" %d %d", most, least);
    }
    printf("\n");
}

/* Vectors of 16-bit numbers of a type, whose bits are arguments, x first. */
static void narrow(int type, int n, char **bits)
{
    uint16_t host[2 * n], results[2], wrong = 0;
    float alpha = 0.75f;
    double wide = 0.75;
    char *x, *y;
    for (int i = 0; i < 2 * n; ++i)
        host[i] = (uint16_t)atoi(bits[i]);
    CHECK(cudaMalloc((void **)&x, sizeof host));
    y = x + 2 * n;
    CHECK(cudaMemcpy(x, host, sizeof host, 1));
    CHECK(cublasDotEx(blas, n, x, type, 1, y, type, 1, results, type, 0));
    CHECK(cublasNrm2Ex(blas, n, x, type, 1, results + 1, type, 0));
    CHECK(cublasAxpyEx(blas, n, &alpha, 0, x, type, 1, y, type, 1, 0));
    CHECK(cublasScalEx(blas, n / 2, &alpha, 0, x, type, 2, 0));
    CHECK(cudaMemcpy(host, x, sizeof host, 2));
    printf("numbers %d %d\nvectors", results[0], results[1]);
    for (int i = 0; i < 2 * n; ++i)
        printf(" %d", host[i]);
    printf("\nrefused %d", cublasDotEx(blas, n, x, type, 1, y, type, 1, &wide, 1, 1));
    printf(" %d %d\n", cublasScalEx(blas, n, &wide, 1, x, type, 1, 0), cublasNrm2Ex(blas, n, x, type, 1, &wrong, type, type));
}

static void legacy(void)
{
    enum { N = 6 };
    float host[N * N], *a, *b;
    size_t before, after, all;
    CHECK(cudaMemGetInfo(&before, &all));
    CHECK(cublasInit());
    CHECK(cublasAlloc(N * N, sizeof(float), (void **)&a));
    for (int i = 0; i < N * N; ++i)
        host[i] = (float)next();
    CHECK(cublasSetMatrix(N, N, sizeof(float), host, N, a, N));
    b = floats(N * N, host);
    cublasSgemm('t', 'N', N, N, N, 2.0f, a, N, a, N, 0.5f, b, N);
    CHECK(cublasGetError());
    show_floats("sgemm", N * N, b);
    cublasSaxpy(N, 0.25f, a, 1, b, 1);
    printf("sdot %.9g\n", cublasSdot(N, a, 1, b, 1));
    cublasSgemm('x', 'N', N, N, N, 2.0f, a, N, a, N, 0.5f, b, N);
    printf("errors %d", cublasGetError());
    printf(" %d\n", cublasGetError());
    CHECK(cublasFree(a));
    CHECK(cublasFree(b));
    CHECK(cublasShutdown());
    CHECK(cudaMemGetInfo(&after, &all));
    printf("kept %d\n", before - after > 1000);        /* the kernels themselves stay */
}

static void wrong(void)
{
    float one = 1, *x;
    void *stream;
    int mode, version;
    CHECK(cudaMalloc((void **)&x, 64));
    CHECK(cudaStreamCreate(&stream));
    printf("create %d\n", cublasCreate_v2(0));
    printf("handle %d\n", cublasSscal_v2((handle_t)77, 4, &one, x, 1));
    printf("negative %d\n", cublasSgemm_v2(blas, 0, 0, -1, 2, 2, &one, x, 2, x, 2, &one, x, 2));
    printf("leading %d\n", cublasSgemm_v2(blas, 0, 0, 4, 2, 2, &one, x, 2, x, 2, &one, x, 4));
    printf("operation %d\n", cublasSgemm_v2(blas, 9, 0, 2, 2, 2, &one, x, 2, x, 2, &one, x, 2));
    printf("alpha %d\n", cublasSgemm_v2(blas, 0, 0, 2, 2, 2, 0, x, 2, x, 2, &one, x, 2));
    printf("null %d\n", cublasSaxpy_v2(blas, 4, &one, 0, 1, x, 1));
    printf("host %d\n", cublasSscal_v2(blas, 4, (float *)16, x, 1));
    printf("type %d\n", cublasGemmEx(blas, 0, 0, 2, 2, 2, &one, x, 0, 2, x, 2, 2, &one, x, 0, 2, 68, -1));
    printf("mode %d\n", cublasSetPointerMode_v2(blas, 2));
    printf("stream %d\n", cublasSetStream_v2(blas, (void *)0x12345));
    printf("missing %d\n", cublasSsyrk_v2(blas, 0, 0, 2, 2, &one, x, 2, &one, x, 2));
    printf("last %d\n", cudaGetLastError());
    CHECK(cublasSetStream_v2(blas, stream));
    CHECK(cublasGetPointerMode_v2(blas, &mode));
    CHECK(cublasGetVersion_v2(blas, &version));
    CHECK(cublasSscal_v2(blas, 0, &one, 0, 1));
    CHECK(cublasSscal_v2(blas, 16, &one, x, 1));
    CHECK(cudaStreamSynchronize(stream));
    printf("right %d %s\n", mode, cublasGetStatusString(7));
    CHECK(cublasDestroy_v2(blas));
    printf("destroyed %d\n", cublasDestroy_v2(blas));
}

int main(int count, char **arguments)
{
    const char *what = arguments[1];
    CHECK(cublasCreate_v2(&blas));
    if (!strcmp(what, "products"))
        (arguments[2][0] == 'D' ? products_D : products_S)(atoi(arguments[3]), atoi(arguments[4]), atoi(arguments[5]));
    else if (!strcmp(what, "vectors"))
        (arguments[2][0] == 'D' ? vectors_D : vectors_S)(atoi(arguments[3]));
    else if (!strcmp(what, "many"))
        many();
    else if (!strcmp(what, "types"))
        types();
    else if (!strcmp(what, "narrow"))
        narrow(atoi(arguments[2]), (count - 3) / 2, arguments + 3);
    else if (!strcmp(what, "places"))
        places();
    else if (!strcmp(what, "matrices"))
        matrices();
    else if (!strcmp(what, "edges"))
        edges();
    else if (!strcmp(what, "legacy"))
        legacy();
    else
        wrong();
    return 0;
}
