/* Calls cuBLASLt by its ABI; prints every result, which the test compares with numpy's. Arguments: "products", "double", "epilogues", "types", "half", or "wrong". */
#include "cuda_few.h"

typedef struct { uint64_t algorithm[8]; size_t workspace; int state; float waves; int reserved[4]; } result_t;
int cublasLtCreate(void **), cublasLtDestroy(void *), cublasLtMatmulDescCreate(void **, int, int), cublasLtMatmulDescDestroy(void *);
int cublasLtMatmulDescInit_internal(void *, size_t, int, int), cublasLtMatrixLayoutInit_internal(void *, size_t, int, uint64_t, uint64_t, int64_t);
int cublasLtMatmulPreferenceInit_internal(void *, size_t);
int cublasLtMatmulDescSetAttribute(void *, int, const void *, size_t), cublasLtMatmulDescGetAttribute(void *, int, void *, size_t, size_t *);
int cublasLtMatrixLayoutCreate(void **, int, uint64_t, uint64_t, int64_t), cublasLtMatrixLayoutDestroy(void *);
int cublasLtMatrixLayoutSetAttribute(void *, int, const void *, size_t), cublasLtMatrixLayoutGetAttribute(void *, int, void *, size_t, size_t *);
int cublasLtMatmulPreferenceCreate(void **), cublasLtMatmulPreferenceSetAttribute(void *, int, const void *, size_t), cublasLtMatmulPreferenceDestroy(void *);
int cublasLtMatmulPreferenceGetAttribute(void *, int, void *, size_t, size_t *);
int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *, void *, void *, int, result_t *, int *);
int cublasLtMatmul(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *, void *, void *, void *, const void *,
                   void *, size_t, void *);
int cublasLtMatrixTransform(void *), cublasCreate_v2(void **);
const char *cublasLtGetStatusName(int), *cublasLtGetStatusString(int);
enum { ORDER = 1, BATCHES = 5, STRIDE, POINTERS = 2, TURNED_A, TURNED_B, EPILOGUE = 7, BIAS, BIAS_STRIDE = 10, AUX, AUX_LEADING, AUX_STRIDE, BIAS_TYPE = 26 };
enum { SINGLE, DOUBLE, HALF, BYTE = 3, WORD = 10, BFLOAT = 14, MOST = 4096 };
static void *lt;

static double number(int i, int of) { return (i * 7 + of * 5) % 23 / 8.0 - 1.25; }     /* the test makes the same numbers: few bits hold them */

static int size_of(int type) { return type == DOUBLE ? 8 : type == BYTE ? 1 : type == SINGLE || type == WORD ? 4 : 2; }

static void put(void *to, int i, int type, double value)
{
    float single = value;
    unsigned bits;
    memcpy(&bits, &single, 4);
    if (type == SINGLE)
        ((float *)to)[i] = single;
    else if (type == DOUBLE)
        ((double *)to)[i] = value;
    else if (type == BYTE)
        ((signed char *)to)[i] = (int)(8 * value);
    else if (type == WORD)
        ((int *)to)[i] = (int)(8 * value);
    else if (type == BFLOAT)
        ((unsigned short *)to)[i] = bits >> 16;
    else
        ((unsigned short *)to)[i] = value == 0 ? 0 : bits >> 16 & 0x8000 | ((bits >> 23 & 255) - 112) << 10 | bits >> 13 & 1023;
}

static double got(const void *from, int i, int type)
{
    unsigned short half = ((unsigned short *)from)[i];
    unsigned bits = type == BFLOAT ? (unsigned)half << 16 : (half & 0x8000u) << 16 | ((half >> 10 & 31) + 112u) << 23 | (half & 1023u) << 13;
    float single;
    memcpy(&single, &bits, 4);
    return type == SINGLE ? ((float *)from)[i] : type == DOUBLE ? ((double *)from)[i] : type == WORD ? ((int *)from)[i] : half & 0x7fff ? single : 0;
}

static void *numbers(int n, int type, int of)
{
    static double here[MOST];
    void *to;
    for (int i = 0; i < n; ++i)
        put(here, i, type, number(i, of));
    CHECK(cudaMalloc(&to, n * size_of(type)));
    CHECK(cudaMemcpy(to, here, n * size_of(type), ToDevice));
    return to;
}

static void show(const char *what, const void *from, int n, int type)
{
    static double here[MOST];
    CHECK(cudaMemcpy(here, from, n * size_of(type), ToHost));
    printf("%s", what);
    for (int i = 0; i < n; ++i)
        printf(" %.17g", got(here, i, type));
    printf("\n");
}

static void set(void *product, int attribute, int64_t value, size_t bytes) { CHECK(cublasLtMatmulDescSetAttribute(product, attribute, &value, bytes)); }

static void *layout(int type, int rows, int columns, int by_rows, int more, int batches)
{
    void *made;
    int64_t stride = (rows + more) * (columns + more);
    CHECK(cublasLtMatrixLayoutCreate(&made, type, rows, columns, (by_rows ? columns : rows) + more));
    CHECK(cublasLtMatrixLayoutSetAttribute(made, ORDER, &by_rows, 4));
    CHECK(cublasLtMatrixLayoutSetAttribute(made, BATCHES, &batches, 4));
    CHECK(cublasLtMatrixLayoutSetAttribute(made, STRIDE, &stride, 8));
    return made;
}

static void multiply(void *product, const void *alpha, const void *a, void *of_a, const void *b, void *of_b, const void *beta, const void *c, void *of_c,
                     void *d, void *of_d)
{
    void *preference;
    size_t room = 1 << 20;
    result_t found;
    int count = 0;
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatmulPreferenceSetAttribute(preference, 1, &room, 8));
    CHECK(cublasLtMatmulAlgoGetHeuristic(lt, product, of_a, of_b, of_c, of_d, preference, 1, &found, &count));
    if (count != 1 || found.state || found.workspace > room || found.waves <= 0)
        exit(3);
    CHECK(cublasLtMatmul(lt, product, alpha, a, of_a, b, of_b, beta, c, of_c, d, of_d, &found.algorithm, 0, 0, 0));
    CHECK(cublasLtMatmulPreferenceDestroy(preference));
}

/* every order of A, B and D, each of A and B transposed or not, two at once; C and D are apart */
static void products(int type, int m, int n, int k)
{
    float alpha = 1.5, beta = -0.5;
    double wide_alpha = 1.5, wide_beta = -0.5;
    for (int which = 0; which < 32; ++which) {
        int of_a = which & 1, of_b = which >> 1 & 1, rows_a = which >> 2 & 1, rows_b = which >> 3 & 1, rows_d = which >> 4;
        void *product, *a = layout(type, of_a ? k : m, of_a ? m : k, rows_a, 1, 2), *b = layout(type, of_b ? n : k, of_b ? k : n, rows_b, 2, 2);
        void *c = layout(type, m, n, rows_d, 3, 2), *d = layout(type, m, n, rows_d, 1, 2), *to = numbers(2 * (m + 1) * (n + 1), type, 3);
        CHECK(cublasLtMatmulDescCreate(&product, type == DOUBLE ? 70 : 68, type));
        set(product, TURNED_A, of_a, 4), set(product, TURNED_B, of_b, 4);
        multiply(product, type == DOUBLE ? (void *)&wide_alpha : &alpha, numbers(2 * (m + 1) * (k + 1), type, 0), a, numbers(2 * (n + 2) * (k + 2), type, 1), b,
                 type == DOUBLE ? (void *)&wide_beta : &beta, numbers(2 * (m + 3) * (n + 3), type, 2), c, to, d);
        show("product", to, 2 * (m + 1) * (n + 1), type);
        CHECK(cublasLtMatmulDescDestroy(product));
    }
}

static void epilogues(int type, int m, int n, int k)
{
    static const int which[] = {1, 2, 4, 6, 32, 36, 160, 164, 192, 256, 512};
    float one = 1, zero = 0;
    for (int i = 0; i < sizeof which / sizeof *which; ++i) {
        uint64_t product[32] = {0}, of_a[8] = {0}, of_b[8] = {0}, of_d[8] = {0};        /* the program's own */
        void *d = numbers(m * n, type, 3), *bias = numbers(m + n, type, 4), *aux = numbers((m + 1) * n, type, 5);
        CHECK(cublasLtMatmulDescInit_internal(product, sizeof product, 68, SINGLE));
        CHECK(cublasLtMatrixLayoutInit_internal(of_a, sizeof of_a, type, k, m, k));
        CHECK(cublasLtMatrixLayoutInit_internal(of_b, sizeof of_b, type, k, n, k));
        CHECK(cublasLtMatrixLayoutInit_internal(of_d, sizeof of_d, type, m, n, m));
        set(product, TURNED_A, 1, 4), set(product, EPILOGUE, which[i], 4), set(product, BIAS, (int64_t)bias, 8), set(product, BIAS_TYPE, type, 4);
        set(product, AUX, (int64_t)aux, 8), set(product, AUX_LEADING, m + 1, 8);
        multiply(product, &one, numbers(m * k, type, 0), of_a, numbers(n * k, type, 1), of_b, &zero, d, of_d, d, of_d);
        printf("epilogue %d\n", which[i]);
        show("d", d, m * n, type);
        show("bias", bias, m + n, type);
        show("aux", aux, (m + 1) * n, type);
    }
}

static void typed(int from, int to, int compute, int scale)
{
    unsigned char factors[32] = {0};
    void *product, *a = layout(from, 3, 3, 0, 0, 1), *d = layout(to, 3, 3, 0, 0, 1), *result = numbers(9, to, 3), *factor;
    put(factors, 0, scale, scale == WORD ? .25 : 2);
    put(factors + 16, 0, scale, 0);
    CHECK(cudaMalloc(&factor, 32));
    CHECK(cudaMemcpy(factor, factors, 32, ToDevice));
    CHECK(cublasLtMatmulDescCreate(&product, compute, scale));
    multiply(product, factors, numbers(9, from, 0), a, numbers(9, from, 1), a, factors + 16, result, d, result, d);
    show("typed", result, 9, to);
    if (scale != HALF) {
        put(factors, 0, scale, scale == WORD ? .125 : 1);
        CHECK(cudaMemcpy(factor, factors, 32, ToDevice));
        set(product, POINTERS, 1, 4);
        multiply(product, factor, numbers(9, from, 0), a, numbers(9, from, 1), a, (char *)factor + 16, result, d, result, d);
        show("device", result, 9, to);
    }
}

static int set_to(void *product, int attribute, int64_t value, size_t bytes) { return cublasLtMatmulDescSetAttribute(product, attribute, &value, bytes); }

static void wrong(void)
{
    void *product, *a = layout(SINGLE, 4, 3, 0, 0, 1), *b = layout(SINGLE, 3, 5, 0, 0, 1), *d = layout(SINGLE, 4, 5, 0, 0, 1), *preference, *x = numbers(64, 0, 0);
    void *halves = layout(HALF, 3, 5, 0, 0, 1), *thin = layout(SINGLE, 4, 5, 0, 0, 2), *odd = layout(SINGLE, 4, 5, 0, 0, 1), *low, *high;
    uint64_t garbage[32] = {1, 2, 3};
    int order = 2, value;
    int64_t back = -12;
    float one = 1, zero = 0;
    size_t size;
    result_t found;
    int count = 7;
    CHECK(cublasLtMatmulDescCreate(&product, 68, SINGLE));
    CHECK(cublasLtMatmulPreferenceCreate(&preference));
    CHECK(cublasLtMatrixLayoutSetAttribute(odd, ORDER, &order, 4));
#define MATMUL(A, a, B, b, D, d) cublasLtMatmul(lt, product, &one, A, a, B, b, &zero, D, d, D, d, 0, 0, 0, 0)
    printf("create %d\n", cublasLtCreate(0));
    printf("handle %d\n", cublasLtMatmul((void *)5, product, &one, x, a, x, b, &zero, x, d, x, d, 0, 0, 0, 0));
    printf("null %d\n", MATMUL(0, a, x, b, x, d));
    printf("layout %d\n", MATMUL(x, 0, x, b, x, d));
    printf("garbage %d\n", MATMUL(x, garbage, x, b, x, d));
    printf("kind %d\n", MATMUL(x, product, x, b, x, d));
    printf("alpha %d\n", cublasLtMatmul(lt, product, 0, x, a, x, b, &zero, x, d, x, d, 0, 0, 0, 0));
    printf("shape %d\n", MATMUL(x, a, x, a, x, d));
    printf("types %d\n", MATMUL(x, a, x, halves, x, d));
    printf("batches %d\n", MATMUL(x, a, x, b, x, thin));
    printf("order %d\n", MATMUL(x, a, x, b, x, odd));
    printf("algorithm %d\n", cublasLtMatmul(lt, product, &one, x, a, x, b, &zero, x, d, x, d, garbage, 0, 0, 0));
    printf("leading %d\n", cublasLtMatrixLayoutCreate(&low, SINGLE, 4, 3, 3) || MATMUL(x, low, x, b, x, d) != 7);
    CHECK(cublasLtMatrixLayoutCreate(&low, SINGLE, 4, 3, (int64_t)1 << 40));
    printf("far %d\n", MATMUL(x, low, x, b, x, d));
    CHECK(cublasLtMatrixLayoutCreate(&low, SINGLE, 4, 3, 4));
    CHECK(cublasLtMatrixLayoutSetAttribute(low, STRIDE, &back, 8));
    printf("back %d\n", MATMUL(x, low, x, b, x, d));
    printf("attribute %d\n", set_to(product, 99, 0, 4));
    printf("bytes %d\n", set_to(product, EPILOGUE, 1, 8));
    printf("scale %d\n", set_to(product, 17, (int64_t)x, 8));
    printf("none %d\n", cublasLtMatmulDescSetAttribute(product, EPILOGUE, 0, 4));
    printf("small %d\n", cublasLtMatmulDescInit_internal(garbage, 16, 68, SINGLE));
    printf("compute %d\n", cublasLtMatmulDescCreate(&high, 5, SINGLE) || cublasLtMatmul(lt, high, &one, x, a, x, b, &zero, x, d, x, d, 0, 0, 0, 0) != 7);
    printf("epilogue %d\n", set_to(product, EPILOGUE, 130, 4) || MATMUL(x, a, x, b, x, d) != 15);
    printf("heuristic %d", cublasLtMatmulAlgoGetHeuristic(lt, product, a, b, d, d, preference, 1, &found, &count));
    printf(" %d\n", count);
    printf("bias %d\n", set_to(product, EPILOGUE, 4, 4) || MATMUL(x, a, x, b, x, d) != 7);
    printf("aux %d\n", set_to(product, EPILOGUE, 160, 4) || set_to(product, AUX, (int64_t)x, 8) || set_to(product, AUX_LEADING, 3, 8)
                           || MATMUL(x, a, x, b, x, d) != 7);
    order = 1;
    CHECK(cublasLtMatrixLayoutCreate(&low, SINGLE, 4, 5, 5));
    CHECK(cublasLtMatrixLayoutSetAttribute(low, ORDER, &order, 4));
    printf("by_rows %d\n", set_to(product, AUX_LEADING, 8, 8) || MATMUL(x, a, x, b, x, low) != 15);
    printf("bias_type %d\n", set_to(product, EPILOGUE, 1, 4) || set_to(product, BIAS_TYPE, HALF, 4) || MATMUL(x, a, x, b, x, d) != 15);
    printf("missing %d\n", cublasLtMatrixTransform(lt));
    CHECK(set_to(product, BIAS_TYPE, -1, 4));
    printf("read %d", cublasLtMatmulDescGetAttribute(product, EPILOGUE, &value, 4, &size));
    printf(" %d %zu", value, size);
    printf(" %d", cublasLtMatrixLayoutGetAttribute(a, 2, 0, 0, &size));
    printf(" %zu\n", size);
    CHECK(cublasCreate_v2(&high));
    printf("cublas %d\n", cublasLtMatmul(high, product, &one, x, a, x, b, &zero, x, d, x, d, 0, 0, 0, 0));
    printf("text %s\n", cublasLtGetStatusName(15));
    CHECK(cublasLtMatrixLayoutDestroy(a));
    printf("destroyed %d\n", MATMUL(x, a, x, b, x, d));
}

int main(int argc, char **argv)
{
    CHECK(cublasLtCreate(&lt));
    if (!strcmp(argv[1], "products"))
        products(SINGLE, 9, 6, 5);
    else if (!strcmp(argv[1], "double"))
        products(DOUBLE, 9, 6, 5);
    else if (!strcmp(argv[1], "epilogues"))
        epilogues(SINGLE, 20, 9, 7), epilogues(BFLOAT, 20, 9, 7);
    else if (!strcmp(argv[1], "half"))
        epilogues(HALF, 20, 9, 7), typed(HALF, HALF, 68, SINGLE), typed(HALF, HALF, 64, HALF), typed(HALF, SINGLE, 68, SINGLE);
    else if (!strcmp(argv[1], "types"))
        typed(SINGLE, SINGLE, 77, SINGLE), typed(BFLOAT, BFLOAT, 68, SINGLE), typed(BFLOAT, SINGLE, 68, SINGLE), typed(BYTE, WORD, 72, WORD);
    else
        wrong();
    CHECK(cublasLtDestroy(lt));
    return 0;
}
