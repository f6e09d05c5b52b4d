/* Calls those functions of cuSPARSE by their ABI that solve triangular systems and make incomplete factors; prints what comes out.
   Arguments: "single", "double" or "wrong". */
#include "device_arrays.h"

int cusparseCreate(void **), cusparseSetPointerMode(void *, int), cusparseCreateMatDescr(void **), cusparseSetMatIndexBase(void *, int);
int cusparseSetMatFillMode(void *, int), cusparseSetMatDiagType(void *, int), cusparseSetMatType(void *, int);
int cusparseCreateCsr(void **, Long, Long, Long, void *, void *, void *, int, int, int, int), cusparseCreateDnMat(void **, Long, Long, Long, void *, int, int);
int cusparseCreateCoo(void **, Long, Long, Long, void *, void *, void *, int, int, int), cusparseCreateDnVec(void **, Long, void *, int);
int cusparseSpMatSetAttribute(void *, int, void *, size_t), cusparseSpMatGetAttribute(void *, int, void *, size_t);
int cusparseSpSV_createDescr(void **), cusparseSpSV_destroyDescr(void *), cusparseSpSM_createDescr(void **), cusparseSpSM_destroyDescr(void *);
int cusparseSpSV_bufferSize(void *, int, const void *, void *, void *, void *, int, int, void *, size_t *);
int cusparseSpSV_analysis(void *, int, const void *, void *, void *, void *, int, int, void *, void *);
int cusparseSpSV_solve(void *, int, const void *, void *, void *, void *, int, int, void *), cusparseSpSV_updateMatrix(void *, void *, void *, int);
int cusparseSpSM_bufferSize(void *, int, int, const void *, void *, void *, void *, int, int, void *, size_t *);
int cusparseSpSM_analysis(void *, int, int, const void *, void *, void *, void *, int, int, void *, void *);
int cusparseSpSM_solve(void *, int, int, const void *, void *, void *, void *, int, int, void *);
int cusparseCreateCsrilu02Info(void **), cusparseDestroyCsrilu02Info(void *), cusparseXcsrilu02_zeroPivot(void *, void *, int *);
int cusparseCreateCsrsv2Info(void **), cusparseDestroyCsrsv2Info(void *), cusparseXcsrsv2_zeroPivot(void *, void *, int *);
#define OLDER(letter, T) \
    int cusparse##letter##csrilu02_bufferSize(void *, int, int, void *, T *, const int *, const int *, void *, int *); \
    int cusparse##letter##csrilu02_analysis(void *, int, int, void *, const T *, const int *, const int *, void *, int, void *); \
    int cusparse##letter##csrilu02(void *, int, int, void *, T *, const int *, const int *, void *, int, void *); \
    int cusparse##letter##csrsv2_bufferSize(void *, int, int, int, void *, T *, const int *, const int *, void *, int *); \
    int cusparse##letter##csrsv2_analysis(void *, int, int, int, void *, const T *, const int *, const int *, void *, int, void *); \
    int cusparse##letter##csrsv2_solve(void *, int, int, int, const T *, void *, const T *, const int *, const int *, void *, const T *, T *, int, void *);
OLDER(S, float)
OLDER(D, double)

enum { N = 150, MOST = 8192 };
static void *sparse;
static int count, row_of[MOST], column_of[MOST], starts[N + 1];
static double value_of[MOST];

/* The test makes the same matrix: rows whose number leaves 1 when divided by 11 have nothing but the diagonal. */
static void make(void)
{
    for (int i = 0; i < N; ++i) {
        starts[i] = count;
        for (int j = 0; j < N; ++j)
            if (i == j || ((3 * i + 5 * j) % 17 == 0 && i % 11 != 1)) {
                row_of[count] = i, column_of[count] = j;
                value_of[count++] = i == j ? 4 + i % 3 : ((i * N + j) % 9 - 4) / 16.0;
            }
    }
    starts[N] = count;
}

static void *indices(const int *from, int n, int base, int wide)
{
    static Long longs[MOST];
    static int ints[MOST];
    for (int i = 0; i < n; ++i)
        longs[i] = ints[i] = from[i] + base;
    return wide ? brought(longs, 8 * n) : brought(ints, 4 * n);
}

#define COMPUTE(T, name, type, S) \
    SHOWS(T, name) \
    static void *values_##name(const double *from, int n) \
    { \
        static T here[MOST]; \
        for (int i = 0; i < n; ++i) \
            here[i] = from ? from[i] : i % 13 - 6; \
        return brought(here, n * sizeof(T)); \
    } \
    static void *described_##name(int upper, int unit, int base, int wide, int by_element) \
    { \
        void *found, *places = indices(column_of, count, base, wide), *values = values_##name(value_of, count); \
        if (by_element) \
            CHECK(cusparseCreateCoo(&found, N, N, count, indices(row_of, count, base, wide), places, values, wide ? 3 : 2, base, type)); \
        else \
            CHECK(cusparseCreateCsr(&found, N, N, count, indices(starts, N + 1, base, wide), places, values, wide ? 3 : 2, wide ? 3 : 2, base, type)); \
        CHECK(cusparseSpMatSetAttribute(found, 0, &upper, 4)); \
        CHECK(cusparseSpMatSetAttribute(found, 1, &unit, 4)); \
        return found; \
    } \
    static void solve_##name(int upper, int unit, int turned, int which) \
    { \
        T alpha = 2; \
        void *a = described_##name(upper, unit, which & 1, which >> 1 & 1, which >> 2 & 1), *x, *y, *b, *c, *state, *to = room(3 * N * sizeof(T)); \
        size_t bytes; \
        CHECK(cusparseCreateDnVec(&x, N, values_##name(0, N), type)); \
        CHECK(cusparseCreateDnVec(&y, N, to, type)); \
        CHECK(cusparseSpSV_createDescr(&state)); \
        CHECK(cusparseSpSV_bufferSize(sparse, turned, &alpha, a, x, y, type, 0, state, &bytes)); \
        CHECK(cusparseSpSV_analysis(sparse, turned, &alpha, a, x, y, type, 0, state, room(bytes))); \
        CHECK(cusparseSpSV_solve(sparse, turned, &alpha, a, x, y, type, 0, state)); \
        show_##name("vector", to, N); \
        CHECK(cusparseSpSV_destroyDescr(state)); \
        /* B lies by rows, and is taken transposed in half of the cases */ \
        if (turned) \
            CHECK(cusparseCreateDnMat(&b, 3, N, N + 1, values_##name(0, 3 * (N + 1)), type, 2)); \
        else \
            CHECK(cusparseCreateDnMat(&b, N, 3, 4, values_##name(0, 4 * N), type, 2)); \
        CHECK(cusparseCreateDnMat(&c, N, 3, N, to, type, 1)); \
        CHECK(cusparseSpSM_createDescr(&state)); \
        CHECK(cusparseSpSM_bufferSize(sparse, turned, turned, &alpha, a, b, c, type, 0, state, &bytes)); \
        CHECK(cusparseSpSM_analysis(sparse, turned, turned, &alpha, a, b, c, type, 0, state, room(bytes))); \
        CHECK(cusparseSpSM_solve(sparse, turned, turned, &alpha, a, b, c, type, 0, state)); \
        show_##name("matrix", to, 3 * N); \
        CHECK(cusparseSpSM_destroyDescr(state)); \
    } \
    static void factor_##name(int base) \
    { \
        void *about, *state, *work; \
        T *values = values_##name(value_of, count), one = 1, *x = values_##name(0, N), *y = room(N * sizeof(T)); \
        int *from = indices(starts, N + 1, base, 0), *places = indices(column_of, count, base, 0), bytes, position = 7, status; \
        CHECK(cusparseCreateMatDescr(&about)); \
        CHECK(cusparseSetMatIndexBase(about, base)); \
        CHECK(cusparseCreateCsrilu02Info(&state)); \
        CHECK(cusparse##S##csrilu02_bufferSize(sparse, N, count, about, values, from, places, state, &bytes)); \
        work = room(bytes); \
        CHECK(cusparse##S##csrilu02_analysis(sparse, N, count, about, values, from, places, state, 1, work)); \
        CHECK(cusparseXcsrilu02_zeroPivot(sparse, state, &position)); \
        CHECK(cusparse##S##csrilu02(sparse, N, count, about, values, from, places, state, 1, work)); \
        CHECK(cusparseXcsrilu02_zeroPivot(sparse, state, &position)); \
        printf("pivot %d\n", position); \
        show_##name("factors", values, count); \
        CHECK(cusparseDestroyCsrilu02Info(state)); \
        for (int upper = 0; upper < 2; ++upper) { \
            CHECK(cusparseSetMatFillMode(about, upper)); \
            CHECK(cusparseSetMatDiagType(about, !upper)); \
            CHECK(cusparseCreateCsrsv2Info(&state)); \
            CHECK(cusparse##S##csrsv2_bufferSize(sparse, 0, N, count, about, values, from, places, state, &bytes)); \
            work = room(bytes); \
            CHECK(cusparse##S##csrsv2_analysis(sparse, 0, N, count, about, values, from, places, state, 1, work)); \
            CHECK(cusparse##S##csrsv2_solve(sparse, 0, N, count, &one, about, values, from, places, state, upper ? y : x, upper ? x : y, 1, work)); \
            CHECK(cusparseXcsrsv2_zeroPivot(sparse, state, &position)); \
            CHECK(cusparseDestroyCsrsv2Info(state)); \
        } \
        show_##name("solved", x, N); \
        /* a pivot that becomes 0, and one that is not there */ \
        { \
            int few[] = {0, 2, 4}, there[] = {0, 1, 0, 1}, *few_there = indices(few, 3, base, 0), *two = indices(there, 4, base, 0), *on_device = room(4); \
            double same[] = {2, 4, 3, 6}; \
            T *square = values_##name(same, 4); \
            CHECK(cusparseCreateCsrilu02Info(&state)); \
            CHECK(cusparse##S##csrilu02_analysis(sparse, 2, 4, about, square, few_there, two, state, 0, work)); \
            CHECK(cusparse##S##csrilu02(sparse, 2, 4, about, square, few_there, two, state, 0, work)); \
            status = cusparseXcsrilu02_zeroPivot(sparse, state, &position); \
            printf("zero %d %d\n", status, position); \
            few[1] = 1, few[2] = 2, there[1] = 0; \
            few_there = indices(few, 3, base, 0), two = indices(there, 2, base, 0); \
            CHECK(cusparse##S##csrilu02_analysis(sparse, 2, 2, about, square, few_there, two, state, 0, work)); \
            CHECK(cusparseSetPointerMode(sparse, 1)); \
            status = cusparseXcsrilu02_zeroPivot(sparse, state, on_device); \
            CHECK(cusparseSetPointerMode(sparse, 0)); \
            CHECK(cudaMemcpy(&position, on_device, 4, ToHost)); \
            printf("missing %d %d\n", status, position); \
        } \
    }
COMPUTE(float, single, 0, S)
COMPUTE(double, double, 1, D)

static void wrong(void)
{
    void *a = described_single(0, 0, 0, 0, 0), *x, *y, *z, *state, *odd, *info, *about, *to = room(65536), *values = values_single(value_of, count);
    int upper = 1, got = 7, two = 2, *from = indices(starts, N + 1, 0, 0), *places = indices(column_of, count, 0, 0), *back = indices(starts, N + 1, 3, 0);
    const int below[] = {0, 0, 1};      /* row 1 has an element in column 0, and no row one on the diagonal */
    float one = 1;
    size_t bytes;
    CHECK(cusparseCreateDnVec(&x, N, to, 0));
    CHECK(cusparseCreateDnVec(&y, N, to, 0));
    CHECK(cusparseCreateDnVec(&z, N - 1, to, 0));
    CHECK(cusparseCreateCsr(&odd, N, N - 1, count, from, places, values, 2, 2, 0, 0));
    CHECK(cusparseCreateCsrilu02Info(&info));
    CHECK(cusparseCreateMatDescr(&about));
    CHECK(cusparseSpSV_createDescr(&state));
    printf("state %d\n", cusparseSpSV_bufferSize(sparse, 0, &one, a, x, y, 0, 0, a, &bytes));
    printf("size %d\n", cusparseSpSV_bufferSize(sparse, 0, &one, a, x, y, 0, 0, state, 0));
    printf("early %d\n", cusparseSpSV_solve(sparse, 0, &one, a, x, y, 0, 0, state));
    printf("buffer %d\n", cusparseSpSV_analysis(sparse, 0, &one, a, x, y, 0, 0, state, 0));
    printf("host %d\n", cusparseSpSV_analysis(sparse, 0, &one, a, x, y, 0, 0, state, &one));
    printf("type %d\n", cusparseSpSV_analysis(sparse, 0, &one, a, x, y, 1, 0, state, to));
    printf("algorithm %d\n", cusparseSpSV_analysis(sparse, 0, &one, a, x, y, 0, 5, state, to));
    printf("shape %d\n", cusparseSpSV_analysis(sparse, 0, &one, a, z, y, 0, 0, state, to));
    printf("square %d\n", cusparseSpSV_analysis(sparse, 0, &one, odd, x, y, 0, 0, state, to));
    printf("operation %d\n", cusparseSpSV_analysis(sparse, 9, &one, a, x, y, 0, 0, state, to));
    CHECK(cusparseSpSV_analysis(sparse, 0, &one, a, x, y, 0, 0, state, room(8 * (4 * N + 3 + 2 * count))));
    printf("alpha %d\n", cusparseSpSV_solve(sparse, 0, 0, a, x, y, 0, 0, state));
    printf("turned %d\n", cusparseSpSV_solve(sparse, 1, &one, a, x, y, 0, 0, state));
    CHECK(cusparseCreateCsr(&odd, N - 1, N - 1, count, from, places, values, 2, 2, 0, 0));
    printf("other %d\n", cusparseSpSV_solve(sparse, 0, &one, odd, z, z, 0, 0, state));
    printf("attribute %d\n", cusparseSpMatSetAttribute(a, 5, &upper, 4));
    printf("bytes %d\n", cusparseSpMatSetAttribute(a, 0, &upper, 8));
    printf("value %d\n", cusparseSpMatSetAttribute(a, 0, &two, 4));
    CHECK(cusparseSpMatSetAttribute(a, 0, &upper, 4));
    printf("changed %d\n", cusparseSpSV_solve(sparse, 0, &one, a, x, y, 0, 0, state));
    CHECK(cusparseSpMatGetAttribute(a, 0, &got, 4));
    printf("got %d\n", got);
    printf("update %d\n", cusparseSpSV_updateMatrix(sparse, state, values, 0));
    printf("negative %d\n", cusparseScsrilu02_analysis(sparse, -1, count, about, values, from, places, info, 0, to));
    printf("rows %d\n", cusparseScsrilu02_analysis(sparse, N, count, about, values, back, places, info, 0, to));
    printf("columns %d\n", cusparseScsrilu02_analysis(sparse, N, count, about, values, from, values, info, 0, to));
    printf("first %d\n", cusparseScsrilu02(sparse, N, count, about, values, from, places, info, 0, to));
    printf("position %d\n", cusparseXcsrilu02_zeroPivot(sparse, info, 0));
    CHECK(cusparseCreateCsrsv2Info(&info));
    CHECK(cusparseSetMatDiagType(about, 1));
    CHECK(cusparseScsrsv2_analysis(sparse, 0, 2, 1, about, values, indices(below, 3, 0, 0), indices(below, 1, 0, 0), info, 0, to));
    printf("unit %d", cusparseXcsrsv2_zeroPivot(sparse, info, &got));
    printf("%d\n", got);
    CHECK(cusparseSetMatType(about, 3));
    printf("kind %d\n", cusparseScsrilu02_analysis(sparse, N, count, about, values, from, places, info, 0, to));
    CHECK(cusparseSpSV_destroyDescr(state));
    printf("destroyed %d\n", cusparseSpSV_solve(sparse, 0, &one, a, x, y, 0, 0, state));
}

int main(int argc, char **argv)
{
    make();
    CHECK(cusparseCreate(&sparse));
    if (!strcmp(argv[1], "wrong"))
        wrong();
    else
        for (int which = 0; which < 8; ++which) {
            int upper = which & 1, unit = which >> 1 & 1, turned = which >> 2;
            !strcmp(argv[1], "single") ? solve_single(upper, unit, turned, which) : solve_double(upper, unit, turned, which);
        }
    for (int base = 0; base < 2 && strcmp(argv[1], "wrong"); ++base)
        !strcmp(argv[1], "single") ? factor_single(base) : factor_double(base);
    return 0;
}
