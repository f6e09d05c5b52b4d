/* Calls those functions of cuSPARSE by their ABI that convert, count and sort; prints what comes out. Arguments: "single", "double" or "wrong". */
#include "device_arrays.h"

int cusparseCreate(void **), cusparseSetPointerMode(void *, int), cusparseCreateMatDescr(void **), cusparseSetMatIndexBase(void *, int);
int cusparseCreateCsr(void **, Long, Long, Long, void *, void *, void *, int, int, int, int), cusparseCreateDnMat(void **, Long, Long, Long, void *, int, int);
int cusparseCreateCoo(void **, Long, Long, Long, void *, void *, void *, int, int, int), cusparseCsrSetPointers(void *, void *, void *, void *);
int cusparseCooSetPointers(void *, void *, void *, void *);
int cusparseSpMatGetSize(void *, Long *, Long *, Long *);
int cusparseSparseToDense_bufferSize(void *, void *, void *, int, size_t *), cusparseSparseToDense(void *, void *, void *, int, void *);
int cusparseDenseToSparse_bufferSize(void *, void *, void *, int, size_t *), cusparseDenseToSparse_analysis(void *, void *, void *, int, void *);
int cusparseDenseToSparse_convert(void *, void *, void *, int, void *);
int cusparseSnnz(void *, int, int, int, void *, const float *, int, int *, int *), cusparseDnnz(void *, int, int, int, void *, const double *, int, int *, int *);
int cusparseCreateIdentityPermutation(void *, int, int *), cusparseXcsrsort_bufferSizeExt(void *, int, int, int, const int *, const int *, size_t *);
int cusparseXcsrsort(void *, int, int, int, void *, const int *, int *, int *, void *);

enum { ROWS = 40, COLUMNS = 50, MOST = 8192 };
static void *sparse;

#define COMPUTE(T, name, type, S) \
    SHOWS(T, name) \
    static void convert_##name(int base, int wide, int by_element, int by_rows) \
    { \
        static T here[MOST]; \
        int lines = by_rows ? ROWS : COLUMNS, leading = (by_rows ? COLUMNS : ROWS) + 3, counts, *per_line = room(4 * COLUMNS), *total = room(4); \
        void *dense, *made, *matrix, *again, *memory, *values, *starts = room(8 * (ROWS * COLUMNS + 1)), *places, *about; \
        size_t bytes; \
        Long rows, columns, count; \
        for (int i = 0; i < ROWS; ++i) \
            for (int j = 0; j < COLUMNS; ++j) \
                here[by_rows ? i * leading + j : j * leading + i] = (7 * i + 3 * j) % 5 == 0 && i % 4 != 3 ? (i * COLUMNS + j) % 9 - 4 : 0; \
        dense = brought(here, sizeof here); \
        CHECK(cusparseCreateDnMat(&made, ROWS, COLUMNS, leading, dense, type, by_rows ? 2 : 1)); \
        if (by_element) \
            CHECK(cusparseCreateCoo(&matrix, ROWS, COLUMNS, 0, 0, 0, 0, wide ? 3 : 2, base, type)); \
        else \
            CHECK(cusparseCreateCsr(&matrix, ROWS, COLUMNS, 0, starts, 0, 0, wide ? 3 : 2, wide ? 3 : 2, base, type)); \
        CHECK(cusparseDenseToSparse_bufferSize(sparse, made, matrix, 0, &bytes)); \
        memory = room(bytes); \
        CHECK(cusparseDenseToSparse_analysis(sparse, made, matrix, 0, memory)); \
        CHECK(cusparseSpMatGetSize(matrix, &rows, &columns, &count)); \
        places = room(8 * count), values = room(count * sizeof(T)); \
        CHECK((by_element ? cusparseCooSetPointers : cusparseCsrSetPointers)(matrix, starts, places, values)); \
        CHECK(cusparseDenseToSparse_convert(sparse, made, matrix, 0, memory)); \
        show_indices("starts", starts, by_element ? count : ROWS + 1, wide); \
        show_indices("places", places, count, wide); \
        show_##name("values", values, count); \
        dense = room(ROWS * (COLUMNS + 1) * sizeof(T)); \
        CHECK(cusparseCreateDnMat(&again, ROWS, COLUMNS, COLUMNS + 1, dense, type, 2)); \
        CHECK(cusparseSparseToDense_bufferSize(sparse, matrix, again, 0, &bytes)); \
        CHECK(cusparseSparseToDense(sparse, matrix, again, 0, room(bytes + 1))); \
        show_##name("dense", dense, ROWS * (COLUMNS + 1)); \
        CHECK(cusparseCreateMatDescr(&about)); \
        dense = brought(here, sizeof here); \
        /* of a matrix by rows the transposed one is counted */ \
        CHECK(cusparse##S##nnz(sparse, by_element, by_rows ? COLUMNS : ROWS, lines, about, dense, leading, per_line, &counts)); \
        show_indices("counts", per_line, by_element ? lines : leading - 3, 0); \
        CHECK(cusparseSetPointerMode(sparse, 1)); \
        CHECK(cusparse##S##nnz(sparse, 0, by_rows ? COLUMNS : ROWS, lines, about, dense, leading, per_line, total)); \
        CHECK(cusparseSetPointerMode(sparse, 0)); \
        printf("total %d", counts); \
        show_indices("", total, 1, 0); \
    }
COMPUTE(float, single, 0, S)
COMPUTE(double, double, 1, D)

static void sort(int base)
{
    int starts[ROWS + 1], places[MOST], count = 0, *order, *from, *columns;
    void *about;
    size_t bytes;
    for (int i = 0; i < ROWS; ++i) {
        starts[i] = count + base;
        for (int j = 0; j < i; ++j)
            places[count++] = (j * 17 + i) % COLUMNS + base;
    }
    starts[ROWS] = count + base;
    from = brought(starts, sizeof starts), columns = brought(places, 4 * count), order = room(4 * count);
    CHECK(cusparseCreateMatDescr(&about));
    CHECK(cusparseSetMatIndexBase(about, base));
    CHECK(cusparseCreateIdentityPermutation(sparse, count, order));
    show_indices("identity", order, count, 0);
    CHECK(cusparseXcsrsort_bufferSizeExt(sparse, ROWS, COLUMNS, count, from, columns, &bytes));
    CHECK(cusparseXcsrsort(sparse, ROWS, COLUMNS, count, about, from, columns, order, room(bytes)));
    show_indices("before", brought(places, 4 * count), count, 0);
    show_indices("sorted", columns, count, 0);
    show_indices("order", order, count, 0);
}

static void wrong(void)
{
    void *dense, *matrix, *about, *wide, *doubles, *memory = room(65536);
    int total;
    size_t bytes;
    CHECK(cusparseCreateDnMat(&dense, 4, 5, 4, memory, 0, 1));
    CHECK(cusparseCreateDnMat(&wide, 4, 6, 4, memory, 0, 1));
    CHECK(cusparseCreateDnMat(&doubles, 4, 5, 4, memory, 1, 1));
    CHECK(cusparseCreateCsr(&matrix, 4, 5, 0, 0, 0, 0, 2, 2, 0, 0));
    CHECK(cusparseCreateMatDescr(&about));
    printf("handle %d\n", cusparseDenseToSparse_bufferSize(matrix, dense, matrix, 0, &bytes));
    printf("size %d\n", cusparseDenseToSparse_bufferSize(sparse, dense, matrix, 0, 0));
    printf("swapped %d\n", cusparseDenseToSparse_bufferSize(sparse, matrix, dense, 0, &bytes));
    printf("shape %d\n", cusparseDenseToSparse_analysis(sparse, wide, matrix, 0, memory));
    printf("type %d\n", cusparseDenseToSparse_analysis(sparse, doubles, matrix, 0, memory));
    printf("algorithm %d\n", cusparseDenseToSparse_analysis(sparse, dense, matrix, 3, memory));
    printf("buffer %d\n", cusparseDenseToSparse_analysis(sparse, dense, matrix, 0, 0));
    printf("unplaced %d\n", cusparseDenseToSparse_convert(sparse, dense, matrix, 0, memory));
    printf("by_rows %d\n", cusparseCooSetPointers(matrix, memory, memory, memory));
    printf("direction %d\n", cusparseSnnz(sparse, 2, 4, 5, about, memory, 4, memory, &total));
    printf("leading %d\n", cusparseSnnz(sparse, 0, 4, 5, about, memory, 3, memory, &total));
    printf("total %d\n", cusparseSnnz(sparse, 0, 4, 5, about, memory, 4, memory, 0));
    printf("negative %d\n", cusparseXcsrsort(sparse, -1, 5, 3, about, memory, memory, memory, memory));
    printf("order %d\n", cusparseXcsrsort(sparse, 4, 5, 3, about, memory, memory, 0, memory));
    printf("permutation %d\n", cusparseCreateIdentityPermutation(sparse, 4, 0));
}

int main(int argc, char **argv)
{
    CHECK(cusparseCreate(&sparse));
    if (!strcmp(argv[1], "wrong"))
        wrong();
    else
        for (int which = 0; which < 4; ++which) {
            int base = which & 1, by_rows = which >> 1;
            !strcmp(argv[1], "single") ? convert_single(base, by_rows, which == 1 || which == 2, by_rows)
                                       : convert_double(base, by_rows, which == 1 || which == 2, by_rows);
        }
    for (int base = 0; base < 2 && !strcmp(argv[1], "single"); ++base)
        sort(base);
    return 0;
}
