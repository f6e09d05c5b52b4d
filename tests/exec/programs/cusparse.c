/* Calls cuSPARSE by its ABI; prints what comes out. Arguments: "single", "double" or "wrong". */
#include "device_arrays.h"

int cusparseCreate(void **), cusparseDestroy(void *), cusparseSetStream(void *, void *), cusparseSetPointerMode(void *, int);
int cusparseCreateCsr(void **, Long, Long, Long, void *, void *, void *, int, int, int, int), cusparseCreateDnVec(void **, Long, void *, int);
int cusparseCreateCoo(void **, Long, Long, Long, void *, void *, void *, int, int, int), cusparseDestroySpMat(void *), cusparseDestroyDnVec(void *);
int cusparseCreateDnMat(void **, Long, Long, Long, void *, int, int), cusparseDestroyDnMat(void *), cusparseSpMatGetSize(void *, Long *, Long *, Long *);
int cusparseSpMV_bufferSize(void *, int, const void *, void *, void *, const void *, void *, int, int, size_t *);
int cusparseSpMV(void *, int, const void *, void *, void *, const void *, void *, int, int, void *);
int cusparseSpMM(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *);
int cusparseCreateMatDescr(void **), cusparseSetMatType(void *, int), cusparseSetMatIndexBase(void *, int), cusparseDestroyMatDescr(void *);
int cusparseScsrmv(void *, int, int, int, int, const float *, void *, const float *, const int *, const int *, const float *, const float *, float *);
int cusparseCreateSpVec(void **, Long, Long, void *, void *, int, int, int), cusparseAxpby(void *, const void *, void *, const void *, void *);
int cusparseGather(void *, void *, void *), cusparseScatter(void *, void *, void *), cusparseSpSV_updateMatrix(void *, void *, void *, int);
const char *cusparseGetErrorString(int);

enum { ROWS = 5, COLUMNS = 7, COUNT = 9 };
static int starts[] = {0, 3, 3, 4, 8, 9}, row_of[] = {0, 0, 0, 2, 3, 3, 3, 3, 4}, places[] = {0, 2, 6, 1, 0, 3, 4, 5, 6};
static void *sparse;

#define COMPUTE(T, name, type) \
    SHOWS(T, name) \
    static void name(void) \
    { \
        T values[COUNT], numbers[64], alpha = 2, beta = -1, zero = 0; \
        int based[COUNT]; \
        Long wide[ROWS + 1]; \
        void *a, *coo, *x, *y, *b, *b_rows, *c, *few, *memory, *on_device; \
        size_t bytes = 1; \
        for (int i = 0; i < 64; ++i) \
            numbers[i] = (T)(i % 11) - 4; \
        for (int i = 0; i < COUNT; ++i) \
            values[i] = i + 1, based[i] = places[i] + 1; \
        for (int i = 0; i <= ROWS; ++i) \
            wide[i] = starts[i]; \
        void *v = brought(values, sizeof values), *to = brought(numbers, sizeof numbers); \
        CHECK(cusparseCreateCsr(&a, ROWS, COLUMNS, COUNT, brought(wide, sizeof wide), brought(places, sizeof places), v, 3, 2, 0, type)); \
        for (int i = 0; i < COUNT; ++i) \
            row_of[i] += 1; \
        CHECK(cusparseCreateCoo(&coo, ROWS, COLUMNS, COUNT, brought(row_of, sizeof row_of), brought(based, sizeof based), v, 2, 1, type)); \
        CHECK(cusparseCreateDnVec(&x, COLUMNS, brought(numbers, sizeof numbers), type)); \
        CHECK(cusparseCreateDnVec(&y, ROWS, to, type)); \
        CHECK(cusparseSpMV_bufferSize(sparse, 0, &alpha, a, x, &beta, y, type, 0, &bytes)); \
        printf("bytes %zu\n", bytes); \
        CHECK(cusparseSpMV(sparse, 0, &alpha, a, x, &beta, y, type, 0, 0)); \
        show_##name("csr", to, ROWS); \
        CHECK(cudaMemset(to, 0xff, ROWS * sizeof(T)));       /* NaN, which beta = 0 does not read */ \
        CHECK(cusparseSpMV(sparse, 0, &alpha, coo, x, &zero, y, type, 0, 0)); \
        show_##name("coo", to, ROWS); \
        T factors[] = {alpha, zero}; \
        on_device = brought(factors, sizeof factors); \
        CHECK(cusparseSetPointerMode(sparse, 1)); \
        CHECK(cusparseSpMV(sparse, 0, on_device, a, x, (T *)on_device + 1, y, type, 0, 0)); \
        CHECK(cusparseSetPointerMode(sparse, 0)); \
        show_##name("device", to, ROWS); \
        memory = brought(numbers, sizeof numbers); \
        CHECK(cusparseCreateDnMat(&b, COLUMNS, 3, COLUMNS, memory, type, 1)); \
        CHECK(cusparseCreateDnMat(&b_rows, 3, COLUMNS, 8, memory, type, 2)); \
        to = brought(numbers, sizeof numbers); \
        CHECK(cusparseCreateDnMat(&c, ROWS, 3, 6, to, type, 1)); \
        CHECK(cusparseSpMM(sparse, 0, 0, &alpha, a, b, &beta, c, type, 0, 0)); \
        show_##name("spmm", to, 18); \
        CHECK(cusparseSpMM(sparse, 0, 1, &alpha, a, b_rows, &zero, c, type, 0, 0)); \
        show_##name("turned", to, 18); \
        to = brought(numbers, sizeof numbers); \
        CHECK(cusparseCreateDnVec(&y, 12, to, type)); \
        CHECK(cusparseCreateSpVec(&few, 12, COUNT - 5, brought(places + 4, 16), v, 2, 0, type)); \
        CHECK(cusparseAxpby(sparse, &alpha, few, &beta, y)); \
        show_##name("axpby", to, 12); \
        CHECK(cusparseScatter(sparse, few, y)); \
        show_##name("scatter", to, 12); \
        CHECK(cudaMemset(to, 0, 12 * sizeof(T))); \
        CHECK(cusparseGather(sparse, y, few)); \
        show_##name("gather", v, COUNT); \
        CHECK(cusparseDestroySpMat(a)); \
        CHECK(cusparseDestroyDnVec(x)); \
        CHECK(cusparseDestroyDnMat(b)); \
    }
COMPUTE(float, single, 0)
COMPUTE(double, doubles, 1)

static void older(void)
{
    float values[COUNT], x[COLUMNS], one = 1, zero = 0;
    void *about, *y;
    for (int i = 0; i < COUNT; ++i)
        values[i] = i + 1;
    for (int i = 0; i < COLUMNS; ++i)
        x[i] = i;
    CHECK(cusparseCreateMatDescr(&about));
    CHECK(cusparseSetMatType(about, 0));
    CHECK(cusparseSetMatIndexBase(about, 0));
    CHECK(cudaMalloc(&y, ROWS * sizeof(float)));
    CHECK(cusparseScsrmv(sparse, 0, ROWS, COLUMNS, COUNT, &one, about, brought(values, sizeof values), brought(starts, sizeof starts),
                         brought(places, sizeof places), brought(x, sizeof x), &zero, y));
    show_single("older", y, ROWS);
    CHECK(cusparseDestroyMatDescr(about));
}

static void wrong(void)
{
    float one = 1;
    void *a, *x, *short_x, *y, *memory = brought(starts, sizeof starts), *info;
    CHECK(cusparseCreateCsr(&a, ROWS, COLUMNS, COUNT, memory, memory, memory, 2, 2, 0, 0));
    CHECK(cusparseCreateDnVec(&x, COLUMNS, memory, 0));
    CHECK(cusparseCreateDnVec(&short_x, COLUMNS - 1, memory, 0));
    CHECK(cusparseCreateDnVec(&y, ROWS, memory, 0));
    printf("create %d\n", cusparseCreate(0));
    printf("handle %d\n", cusparseSpMV((void *)9, 0, &one, a, x, &one, y, 0, 0, 0));
    printf("matrix %d\n", cusparseSpMV(sparse, 0, &one, x, x, &one, y, 0, 0, 0));
    printf("alpha %d\n", cusparseSpMV(sparse, 0, 0, a, x, &one, y, 0, 0, 0));
    printf("size %d\n", cusparseSpMV(sparse, 0, &one, a, short_x, &one, y, 0, 0, 0));
    printf("operation %d\n", cusparseSpMV(sparse, 7, &one, a, x, &one, y, 0, 0, 0));
    printf("turned %d\n", cusparseSpMV(sparse, 1, &one, a, x, &one, y, 0, 0, 0));
    printf("type %d\n", cusparseSpMV(sparse, 0, &one, a, x, &one, y, 1, 0, 0));
    printf("negative %d\n", cusparseCreateCsr(&a + 0, -1, COLUMNS, COUNT, memory, memory, memory, 2, 2, 0, 0));
    printf("complex %d\n", cusparseCreateDnVec(&info, ROWS, memory, 4));
    printf("base %d\n", cusparseCreateCsr(&info, ROWS, COLUMNS, COUNT, memory, memory, memory, 2, 2, 5, 0));
    printf("stream %d\n", cusparseSetStream(sparse, (void *)0x777777));
    printf("missing %d\n", cusparseSpSV_updateMatrix(sparse, 0, 0, 0));
    printf("text %d %s\n", cusparseDestroy(sparse), cusparseGetErrorString(3));
}

int main(int count, char **arguments)
{
    CHECK(cusparseCreate(&sparse));
    if (!strcmp(arguments[1], "single"))
        single(), older();
    else if (!strcmp(arguments[1], "double"))
        doubles();
    else
        wrong();
    return 0;
}
