/* Calls those functions of cuSPARSE by their ABI that make sparse matrices of others; prints what comes out. Arguments: "single", "double" or "wrong". */
#include "device_arrays.h"

int cusparseCreate(void **), cusparseSetPointerMode(void *, int), cusparseDestroySpMat(void *), cusparseCreateMatDescr(void **);
int cusparseCreateCsr(void **, Long, Long, Long, void *, void *, void *, int, int, int, int), cusparseCreateDnMat(void **, Long, Long, Long, void *, int, int);
int cusparseCreateCoo(void **, Long, Long, Long, void *, void *, void *, int, int, int), cusparseCsrSetPointers(void *, void *, void *, void *);
int cusparseSpMatGetSize(void *, Long *, Long *, Long *), cusparseSetMatIndexBase(void *, int);
int cusparseDnMatSetStridedBatch(void *, int, Long), cusparseCsrSetStridedBatch(void *, int, Long, Long), cusparseSpMatGetStridedBatch(void *, int *);
int cusparseSDDMM_bufferSize(void *, int, int, const void *, void *, void *, const void *, void *, int, int, size_t *);
int cusparseSDDMM(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *);
int cusparseSpMM(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *);
int cusparseSpMV(void *, int, const void *, void *, void *, const void *, void *, int, int, void *), cusparseCreateDnVec(void **, Long, void *, int);
int cusparseSpGEMM_createDescr(void **), cusparseSpGEMM_destroyDescr(void *), cusparseSpGEMM_getNumProducts(void *, Long *);
int cusparseSpGEMM_workEstimation(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *, size_t *, void *);
int cusparseSpGEMM_compute(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *, size_t *, void *);
int cusparseSpGEMM_estimateMemory(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *, float, size_t *, void *, size_t *);
int cusparseSpGEMM_copy(void *, int, int, const void *, void *, void *, const void *, void *, int, int, void *);
int cusparseCsr2cscEx2_bufferSize(void *, int, int, int, const void *, const int *, const int *, void *, int *, int *, int, int, int, int, size_t *);
int cusparseCsr2cscEx2(void *, int, int, int, const void *, const int *, const int *, void *, int *, int *, int, int, int, int, void *);
int cusparseSpGEMMreuse_nnz(void *), cusparseCcsrgeam2(void *);
int cusparseXcsrgeam2Nnz(void *, int, int, void *, int, const int *, const int *, void *, int, const int *, const int *, void *, int *, int *, void *);
#define SUM(letter, T) \
    int cusparse##letter##csrgeam2(void *, int, int, const T *, void *, int, const T *, const int *, const int *, const T *, void *, int, const T *, \
                                   const int *, const int *, void *, T *, int *, int *, void *); \
    int cusparse##letter##csrgeam2_bufferSizeExt(void *, int, int, const T *, void *, int, const T *, const int *, const int *, const T *, void *, int, \
                                                 const T *, const int *, const int *, void *, const T *, const int *, const int *, size_t *);
SUM(S, float)
SUM(D, double)

enum { MOST = 4096 };
static void *sparse;

/* Rows whose number leaves 3 when divided by 4 are empty; an element's value tells where it is. */
struct pattern { int rows, columns, count, starts[80], places[MOST]; double values[MOST]; };

static struct pattern *made(int rows, int columns, int step, int base)
{
    static struct pattern all[16];
    static int used;
    struct pattern *p = &all[used++];
    p->rows = rows, p->columns = columns;
    for (int i = 0; i < rows; ++i) {
        p->starts[i] = p->count + base;
        for (int j = 0; j < columns && i % 4 != 3; ++j)
            if ((7 * i + 3 * j) % step == 0) {
                p->places[p->count] = j + base;
                p->values[p->count++] = (i * columns + j) % 9 - 4;
            }
    }
    p->starts[rows] = p->count + base;
    return p;
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
    static void *described_##name(const struct pattern *p, int base, int wide) \
    { \
        static Long starts[80], places[MOST]; \
        void *found; \
        for (int i = 0; i <= p->rows; ++i) \
            starts[i] = p->starts[i]; \
        for (int i = 0; i < p->count; ++i) \
            places[i] = p->places[i]; \
        CHECK(cusparseCreateCsr(&found, p->rows, p->columns, p->count, wide ? brought(starts, 8 * (p->rows + 1)) : brought(p->starts, 4 * (p->rows + 1)), \
                                wide ? brought(places, 8 * p->count) : brought(p->places, 4 * p->count), values_##name(p->values, p->count), \
                                wide ? 3 : 2, wide ? 3 : 2, base, type)); \
        return found; \
    } \
    /* C = alpha A B + beta C, first with beta = 0, then again with what is there. */ \
    static void multiply_##name(const char *what, const struct pattern *p, const struct pattern *q, int base, int wide, int algorithm) \
    { \
        T alpha = 2, zero = 0, minus = -1; \
        void *a = described_##name(p, base, wide), *b = described_##name(q, base, wide), *c, *state, *first, *second, *starts, *places, *values; \
        size_t first_bytes = 0, second_bytes = 0, third_bytes = 0; \
        Long rows, columns, count, products; \
        CHECK(cusparseCreateCsr(&c, p->rows, q->columns, 0, 0, 0, 0, wide ? 3 : 2, wide ? 3 : 2, base, type)); \
        CHECK(cusparseSpGEMM_createDescr(&state)); \
        CHECK(cusparseSpGEMM_workEstimation(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state, &first_bytes, 0)); \
        first = room(first_bytes); \
        CHECK(cusparseSpGEMM_workEstimation(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state, &first_bytes, first)); \
        CHECK(cusparseSpGEMM_getNumProducts(state, &products)); \
        if (algorithm > 3) { \
            CHECK(cusparseSpGEMM_estimateMemory(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state, 0.5f, &third_bytes, 0, 0)); \
            CHECK(cusparseSpGEMM_estimateMemory(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state, 0.5f, &third_bytes, room(third_bytes), \
                                                &second_bytes)); \
        } else \
            CHECK(cusparseSpGEMM_compute(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state, &second_bytes, 0)); \
        second = room(second_bytes); \
        CHECK(cusparseSpGEMM_compute(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state, &second_bytes, second)); \
        CHECK(cusparseSpMatGetSize(c, &rows, &columns, &count)); \
        starts = room((rows + 1) * 8), places = room(count * 8), values = room(count * sizeof(T)); \
        CHECK(cusparseCsrSetPointers(c, starts, places, values)); \
        CHECK(cusparseSpGEMM_copy(sparse, 0, 0, &alpha, a, b, &zero, c, type, algorithm, state)); \
        printf("%s_counts %lld %lld %lld %lld\n", what, rows, columns, count, products); \
        show_indices("starts", starts, rows + 1, wide); \
        show_indices("places", places, count, wide); \
        show_##name("values", values, count); \
        CHECK(cusparseSpGEMM_copy(sparse, 0, 0, &alpha, a, b, &minus, c, type, algorithm, state)); \
        show_##name("again", values, count); \
        CHECK(cusparseSpGEMM_destroyDescr(state)); \
        CHECK(cusparseDestroySpMat(c)); \
    } \
    static void transpose_##name(const struct pattern *p, int base, int numeric) \
    { \
        size_t bytes = 0; \
        void *v = values_##name(p->values, p->count), *starts = brought(p->starts, 4 * (p->rows + 1)), *places = brought(p->places, 4 * p->count); \
        void *to = room(p->count * sizeof(T)), *to_starts = room(4 * (p->columns + 1)), *to_places = room(4 * p->count); \
        CHECK(cusparseCsr2cscEx2_bufferSize(sparse, p->rows, p->columns, p->count, v, starts, places, to, to_starts, to_places, type, numeric, base, 1, \
                                            &bytes)); \
        CHECK(cusparseCsr2cscEx2(sparse, p->rows, p->columns, p->count, v, starts, places, to, to_starts, to_places, type, numeric, base, 1, room(bytes))); \
        printf("transpose_counts %d %d %d\n", p->columns, p->rows, p->count); \
        show_indices("starts", to_starts, p->columns + 1, 0); \
        show_indices("places", to_places, p->count, 0); \
        show_##name("values", to, p->count); \
    } \
    static void add_##name(const struct pattern *p, int p_base, const struct pattern *q, int q_base, int base, int on_device) \
    { \
        T alpha = 2, beta = -3; \
        size_t bytes; \
        int count, m = p->rows, n = p->columns; \
        void *of_a, *of_b, *of_c, *total = on_device ? room(4) : &count; \
        void *a = values_##name(p->values, p->count), *a_starts = brought(p->starts, 4 * (m + 1)), *a_places = brought(p->places, 4 * p->count); \
        void *b = values_##name(q->values, q->count), *b_starts = brought(q->starts, 4 * (m + 1)), *b_places = brought(q->places, 4 * q->count); \
        void *c, *c_starts = room(4 * (m + 1)), *c_places, *by_a = &alpha, *by_b = &beta, *buffer; \
        CHECK(cusparseCreateMatDescr(&of_a)); \
        CHECK(cusparseCreateMatDescr(&of_b)); \
        CHECK(cusparseCreateMatDescr(&of_c)); \
        CHECK(cusparseSetMatIndexBase(of_a, p_base)); \
        CHECK(cusparseSetMatIndexBase(of_b, q_base)); \
        CHECK(cusparseSetMatIndexBase(of_c, base)); \
        CHECK(cusparseSetPointerMode(sparse, on_device)); \
        if (on_device) \
            by_a = brought(&alpha, sizeof alpha), by_b = brought(&beta, sizeof beta); \
        CHECK(cusparse##S##csrgeam2_bufferSizeExt(sparse, m, n, by_a, of_a, p->count, a, a_starts, a_places, by_b, of_b, q->count, b, b_starts, b_places, \
                                                  of_c, 0, c_starts, 0, &bytes)); \
        buffer = room(bytes); \
        CHECK(cusparseXcsrgeam2Nnz(sparse, m, n, of_a, p->count, a_starts, a_places, of_b, q->count, b_starts, b_places, of_c, c_starts, total, buffer)); \
        if (on_device) \
            CHECK(cudaMemcpy(&count, total, 4, ToHost)); \
        c = room(count * sizeof(T)), c_places = room(4 * count); \
        CHECK(cusparse##S##csrgeam2(sparse, m, n, by_a, of_a, p->count, a, a_starts, a_places, by_b, of_b, q->count, b, b_starts, b_places, of_c, c, c_starts, \
                                    c_places, buffer)); \
        CHECK(cusparseSetPointerMode(sparse, 0)); \
        printf("sum_counts %d %d %d\n", m, n, count); \
        show_indices("starts", c_starts, m + 1, 0); \
        show_indices("places", c_places, count, 0); \
        show_##name("values", c, count); \
    } \
    /* Three 9 x 6 times 6 x 11 where the three matrices of a batch have elements, of which the first factor is one for all. */ \
    static void batches_##name(const struct pattern *p) \
    { \
        enum { BATCHES = 3 }; \
        T alpha = 2, beta = -1, zero = 0; \
        size_t bytes; \
        int count, m = p->rows, n = p->columns, k = 6, starts[BATCHES * 16], places[BATCHES * 128]; \
        void *a, *b, *c, *x, *y, *to = values_##name(0, BATCHES * p->count), *out = values_##name(0, BATCHES * m * 5); \
        for (int i = 0; i < BATCHES; ++i) { \
            memcpy(starts + i * (m + 1), p->starts, 4 * (m + 1)); \
            memcpy(places + i * p->count, p->places, 4 * p->count); \
        } \
        CHECK(cusparseCreateDnMat(&a, m, k, k, values_##name(0, m * k), type, 2)); \
        CHECK(cusparseCreateDnMat(&b, n, k, n + 1, values_##name(0, BATCHES * 80), type, 1)); \
        CHECK(cusparseDnMatSetStridedBatch(b, BATCHES, 80)); \
        CHECK(cusparseCreateCsr(&c, m, n, p->count, brought(starts, BATCHES * 4 * (m + 1)), brought(places, BATCHES * 4 * p->count), to, 2, 2, 0, type)); \
        CHECK(cusparseCsrSetStridedBatch(c, BATCHES, m + 1, p->count)); \
        CHECK(cusparseSpMatGetStridedBatch(c, &count)); \
        CHECK(cusparseSDDMM_bufferSize(sparse, 0, 1, &alpha, a, b, &beta, c, type, 0, &bytes)); \
        CHECK(cusparseSDDMM(sparse, 0, 1, &alpha, a, b, &beta, c, type, 0, room(bytes))); \
        printf("sddmm_counts %d %d %d %d\n", m, n, p->count, count); \
        show_##name("values", to, BATCHES * p->count); \
        CHECK(cusparseCreateDnMat(&x, n, 5, n, values_##name(0, n * 5), type, 1)); \
        CHECK(cusparseCreateDnMat(&y, m, 5, m, out, type, 1)); \
        CHECK(cusparseDnMatSetStridedBatch(y, BATCHES, m * 5)); \
        CHECK(cusparseSpMM(sparse, 0, 0, &alpha, c, x, &zero, y, type, 0, 0)); \
        show_##name("spmm", out, BATCHES * m * 5); \
    } \
    static void name(void) \
    { \
        struct pattern *a = made(40, 50, 5, 0), *b = made(50, 30, 4, 0), *a1 = made(40, 50, 5, 1), *b1 = made(50, 30, 4, 1), *c1 = made(40, 50, 3, 1); \
        struct pattern *none = made(40, 50, 5000, 0); \
        none->count = 0, memset(none->starts, 0, sizeof none->starts); \
        multiply_##name("plain", a, b, 0, 0, 0); \
        multiply_##name("based", a1, b1, 1, 1, 3); \
        multiply_##name("third", a, b, 0, 0, 5); \
        multiply_##name("none", none, b, 0, 0, 0); \
        transpose_##name(a, 0, 1); \
        transpose_##name(b1, 1, 1); \
        transpose_##name(none, 0, 1); \
        transpose_##name(b, 0, 0); \
        add_##name(a, 0, c1, 1, 1, 0); \
        add_##name(a, 0, a1, 1, 0, 1); \
        add_##name(none, 0, none, 0, 1, 0); \
        batches_##name(made(9, 11, 3, 0)); \
    }
COMPUTE(float, single, 0, S)
COMPUTE(double, doubles, 1, D)

static void wrong(void)
{
    float one = 1, zero = 0;
    size_t bytes = 0, few = 8;
    int total;
    Long products;
    struct pattern *p = made(8, 8, 3, 0);
    void *a = described_single(p, 0, 0), *c, *coo, *other, *state, *memory = room(4096), *dense, *thin, *about, *x;
    CHECK(cusparseCreateCsr(&c, 8, 8, 0, 0, 0, 0, 2, 2, 0, 0));
    CHECK(cusparseCreateCsr(&other, 7, 8, 0, 0, 0, 0, 2, 2, 0, 0));
    CHECK(cusparseCreateCoo(&coo, 8, 8, 1, memory, memory, memory, 2, 0, 0));
    CHECK(cusparseCreateDnMat(&dense, 8, 8, 8, memory, 0, 1));
    CHECK(cusparseCreateDnMat(&thin, 8, 3, 8, memory, 0, 1));
    CHECK(cusparseCreateDnVec(&x, 8, memory, 0));
    CHECK(cusparseCreateMatDescr(&about));
    CHECK(cusparseSpGEMM_createDescr(&state));
    printf("state %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, memory, &bytes, 0));
    printf("size %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, state, 0, 0));
    printf("turned %d\n", cusparseSpGEMM_workEstimation(sparse, 1, 0, &one, a, a, &zero, c, 0, 0, state, &bytes, 0));
    printf("shape %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, other, 0, 0, state, &bytes, 0));
    printf("elements %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, coo, a, &zero, c, 0, 0, state, &bytes, 0));
    printf("type %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, c, 1, 0, state, &bytes, 0));
    printf("algorithm %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, c, 0, 9, state, &bytes, 0));
    printf("compute_first %d\n", cusparseSpGEMM_compute(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, state, &bytes, 0));
    printf("products_first %d\n", cusparseSpGEMM_getNumProducts(state, &products));
    printf("too_little %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, state, &few, memory));
    bytes = 4096;
    printf("estimated %d\n", cusparseSpGEMM_workEstimation(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, state, &bytes, memory));
    printf("compute_little %d\n", cusparseSpGEMM_compute(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, state, &few, memory));
    printf("copy_first %d\n", cusparseSpGEMM_copy(sparse, 0, 0, &one, a, a, &zero, c, 0, 0, state));
    printf("reuse %d\n", cusparseSpGEMMreuse_nnz(sparse));
    printf("batch %d\n", cusparseDnMatSetStridedBatch(dense, 0, 64));
    printf("stride %d\n", cusparseCsrSetStridedBatch(c, 2, -1, 0));
    printf("sddmm_shape %d\n", cusparseSDDMM(sparse, 0, 0, &one, dense, thin, &zero, a, 0, 0, 0));
    CHECK(cusparseDnMatSetStridedBatch(dense, 2, 64));
    printf("sddmm_batches %d\n", cusparseSDDMM(sparse, 0, 0, &one, dense, dense, &zero, a, 0, 0, 0));
    CHECK(cusparseCsrSetStridedBatch(a, 2, 0, 0));
    printf("spmv_batches %d\n", cusparseSpMV(sparse, 0, &one, a, x, &zero, x, 0, 0, 0));
    printf("action %d\n", cusparseCsr2cscEx2(sparse, 8, 8, p->count, memory, memory, memory, memory, memory, memory, 0, 5, 0, 1, memory));
    printf("half %d\n", cusparseCsr2cscEx2(sparse, 8, 8, p->count, memory, memory, memory, memory, memory, memory, 2, 1, 0, 1, memory));
    printf("buffer %d\n", cusparseCsr2cscEx2(sparse, 8, 8, p->count, memory, memory, memory, memory, memory, memory, 0, 1, 0, 1, 0));
    printf("negative %d\n", cusparseXcsrgeam2Nnz(sparse, -8, 8, about, 0, memory, memory, about, 0, memory, memory, about, memory, &total, memory));
    printf("total %d\n", cusparseXcsrgeam2Nnz(sparse, 8, 8, about, 0, memory, memory, about, 0, memory, memory, about, memory, 0, memory));
    printf("complex %d\n", cusparseCcsrgeam2(sparse));
}

int main(int count, char **arguments)
{
    CHECK(cusparseCreate(&sparse));
    if (!strcmp(arguments[1], "single"))
        single();
    else if (!strcmp(arguments[1], "double"))
        doubles();
    else
        wrong();
    return 0;
}
