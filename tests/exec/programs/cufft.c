/* Calls cuFFT by its ABI. Arguments: type (hexadecimal), direction, 1 for in place, batch, lengths; prints what comes out. "many", "wrong": see below. */
#include "cuda_few.h"

int cufftPlan1d(int *, int, int, int), cufftPlan2d(int *, int, int, int), cufftPlan3d(int *, int, int, int, int);
int cufftPlanMany(int *, int, int *, int *, int, int, int *, int, int, int, int), cufftCreate(int *), cufftDestroy(int), cufftSetStream(int, void *);
int cufftXtMakePlanMany(int, int, long long *, long long *, long long, long long, int, long long *, long long, long long, int, long long, size_t *, int);
int cufftMakePlan1d(int, int, int, int, size_t *), cufftXtSetCallback(int, void **, int, void **), cufftGetSize(int, size_t *);
int cufftExecC2C(int, void *, void *, int), cufftExecR2C(int, void *, void *), cufftExecC2R(int, void *, void *);
int cufftExecZ2Z(int, void *, void *, int), cufftExecD2Z(int, void *, void *), cufftExecZ2D(int, void *, void *);

static double next(void)        /* the test makes the same numbers */
{
    static uint32_t state = 1;
    state = state * 1664525u + 1013904223u;
    return (state >> 8) / 16777216.0 - 0.5;
}

static void *filled(int numbers, int is_double)
{
    void *host = malloc(numbers * 8), *device;
    for (int i = 0; i < numbers; ++i)
        if (is_double)
            ((double *)host)[i] = next();
        else
            ((float *)host)[i] = (float)next();
    CHECK(cudaMalloc(&device, numbers * (is_double ? 8 : 4)));
    CHECK(cudaMemcpy(device, host, numbers * (is_double ? 8 : 4), ToDevice));
    return device;
}

static void show(const void *device, int numbers, int is_double)
{
    void *host = malloc(numbers * 8);
    CHECK(cudaMemcpy(host, device, numbers * (is_double ? 8 : 4), ToHost));
    for (int i = 0; i < numbers; ++i)
        printf("%.17g ", is_double ? ((double *)host)[i] : ((float *)host)[i]);
    printf("\n");
}

static void many(void)      /* 3 transforms of 4 x 6 points, two numbers from one point to the next, in arrays of 5 x 7 */
{
    int n[] = {4, 6}, in[] = {5, 7}, out[] = {4, 8}, plan;
    void *from = filled(2 * 3 * 80, 0), *to;
    CHECK(cudaMalloc(&to, 8 * 3 * 32));
    CHECK(cudaMemset(to, 0, 8 * 3 * 32));
    CHECK(cufftPlanMany(&plan, 2, n, in, 2, 80, out, 1, 32, 0x29, 3));
    CHECK(cufftExecC2C(plan, from, to, -1));
    show(to, 2 * 3 * 32, 0);
    CHECK(cufftDestroy(plan));
    long long n_64[] = {4, 6}, in_64[] = {5, 7}, out_64[] = {4, 8};
    size_t bytes;
    CHECK(cufftCreate(&plan));
    CHECK(cufftXtMakePlanMany(plan, 2, n_64, in_64, 2, 80, 4, out_64, 1, 32, 4, 3, &bytes, 4));
    CHECK(cufftExecC2C(plan, from, to, -1));
    show(to, 2 * 3 * 32, 0);
}

static void wrong(void)
{
    int plan, other;
    size_t bytes;
    void *data = filled(64, 0);
    CHECK(cufftPlan1d(&plan, 8, 0x29, 1));
    CHECK(cufftCreate(&other));
    printf("type %d\n", cufftPlan1d(&plan + 0, 8, 0x77, 1));
    printf("size %d\n", cufftPlan1d(&plan + 0, 0, 0x29, 1));
    printf("negative %d\n", cufftPlan2d(&plan + 0, 8, -8, 0x29));
    printf("null %d\n", cufftPlan1d(0, 8, 0x29, 1));
    printf("handle %d\n", cufftExecC2C(7, data, data, -1));
    printf("direction %d\n", cufftExecC2C(plan, data, data, 2));
    printf("data %d\n", cufftExecC2C(plan, 0, data, 1));
    printf("other %d\n", cufftExecR2C(plan, data, data));
    printf("unmade %d\n", cufftExecC2C(other, data, data, 1));
    printf("made %d\n", cufftMakePlan1d(other, 8, 0x29, 2, &bytes));
    printf("twice %d\n", cufftMakePlan1d(other, 8, 0x29, 2, &bytes));
    printf("stream %d\n", cufftSetStream(plan, (void *)0x777777));
    printf("missing %d\n", cufftXtSetCallback(plan, 0, 0, 0));
    printf("destroy %d\n", cufftDestroy(plan));
    printf("destroyed %d\n", cufftDestroy(plan));
}

int main(int count, char **arguments)
{
    if (!strcmp(arguments[1], "many") || !strcmp(arguments[1], "wrong")) {
        (arguments[1][0] == 'm' ? many : wrong)();
        return 0;
    }
    int type = strtol(arguments[1], 0, 16), direction = atoi(arguments[2]), in_place = atoi(arguments[3]), batch = atoi(arguments[4]), n[3], plan;
    int rank = count - 5, is_double = type > 0x60, outer = batch;
    for (int i = 0; i < rank; ++i)
        n[i] = atoi(arguments[5 + i]);
    for (int i = 0; i < rank - 1; ++i)
        outer *= n[i];
    int last = n[rank - 1], half = last / 2 + 1, kind = type & 0xf;     /* 9: complex; a: to half; c: to real */
    if (is_double)
        kind = type == 0x69 ? 9 : type == 0x6a ? 10 : 12;
    int in = outer * (kind == 9 ? 2 * last : kind == 10 && !in_place ? last : 2 * half);
    int out = outer * (kind == 9 ? 2 * last : kind == 12 && !in_place ? last : 2 * half);
    void *from = filled(in, is_double), *to = from;
    if (!in_place)
        CHECK(cudaMalloc(&to, out * 8));
    if (batch > 1 && rank > 1)
        CHECK(cufftPlanMany(&plan, rank, n, 0, 1, 0, 0, 1, 0, type, batch));
    else
        CHECK(rank == 1 ? cufftPlan1d(&plan, n[0], type, batch) : rank == 2 ? cufftPlan2d(&plan, n[0], n[1], type) : cufftPlan3d(&plan, n[0], n[1], n[2], type));
    if (is_double)
        CHECK(kind == 9 ? cufftExecZ2Z(plan, from, to, direction) : kind == 10 ? cufftExecD2Z(plan, from, to) : cufftExecZ2D(plan, from, to));
    else
        CHECK(kind == 9 ? cufftExecC2C(plan, from, to, direction) : kind == 10 ? cufftExecR2C(plan, from, to) : cufftExecC2R(plan, from, to));
    show(to, out, is_double);
    CHECK(cufftDestroy(plan));
    return 0;
}
