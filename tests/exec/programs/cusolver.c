/* Calls cuSOLVER by its ABI; prints every result, which the test compares with numpy's. Arguments: "single", "double" or "wrong". */
#include "device_arrays.h"

int cusolverDnCreate(void **), cusolverDnDestroy(void *), cusolverDnSetStream(void *, void *), cusolverDnGetStream(void *, void **), cusolverGetVersion(int *);
int cusolverDnCpotrf(void *);
#define FUNCTIONS(S, T) \
    int cusolverDn##S##potrf_bufferSize(void *, int, int, T *, int, int *), cusolverDn##S##potrf(void *, int, int, T *, int, T *, int, int *); \
    int cusolverDn##S##potrs(void *, int, int, int, const T *, int, T *, int, int *); \
    int cusolverDn##S##getrf_bufferSize(void *, int, int, T *, int, int *), cusolverDn##S##getrf(void *, int, int, T *, int, T *, int *, int *); \
    int cusolverDn##S##getrs(void *, int, int, int, const T *, int, const int *, T *, int, int *); \
    int cusolverDn##S##geqrf_bufferSize(void *, int, int, T *, int, int *), cusolverDn##S##geqrf(void *, int, int, T *, int, T *, T *, int, int *); \
    int cusolverDn##S##ormqr_bufferSize(void *, int, int, int, int, int, const T *, int, const T *, const T *, int, int *); \
    int cusolverDn##S##ormqr(void *, int, int, int, int, int, const T *, int, const T *, T *, int, T *, int, int *);
FUNCTIONS(S, float)
FUNCTIONS(D, double)

enum { N = 37, MOST = 8192 };
static void *solver;
static int *info;

static double number(int i) { return (i * 37 + i / 7 * 11) % 41 / 20.0 - 1; }     /* the test makes the same */

static void say(const char *what, const void *from, int n)
{
    int here[MOST];
    CHECK(cudaMemcpy(here, from, n * 4, ToHost));
    printf("%s", what);
    for (int i = 0; i < n; ++i)
        printf(" %d", here[i]);
    printf("\n");
}

#define ALL(S, T) \
    SHOWS(T, S) \
    static T *made_##S(int leading, int columns, double diagonal, double by) \
    { \
        static T here[MOST]; \
        T *to = room(MOST * sizeof(T)); \
        for (int i = 0; i < leading * columns; ++i) \
            here[i] = (number(i) + (i % (leading + 1) == 0 ? diagonal : 0)) * by; \
        CHECK(cudaMemcpy(to, here, leading * columns * sizeof(T), ToDevice)); \
        return to; \
    } \
    static T *matrix_##S(int leading, int columns, double diagonal) { return made_##S(leading, columns, diagonal, 1); } \
    static void solve_##S(void) \
    { \
        int size, m = 45, n = 20, *pivots = room(4 * N); \
        T *a, *b, *c, *tau = room(N * sizeof(T)), *work; \
        for (int upper = 0; upper < 2; ++upper) { \
            a = matrix_##S(N + 2, N, 20), b = matrix_##S(N + 1, 3, 0); \
            CHECK(cusolverDn##S##potrf_bufferSize(solver, upper, N, a, N + 2, &size)); \
            work = room(size * sizeof(T)); \
            CHECK(cusolverDn##S##potrf(solver, upper, N, a, N + 2, work, size, info)); \
            say("info", info, 1); \
            show_##S("potrf", a, (N + 2) * N); \
            CHECK(cusolverDn##S##potrs(solver, upper, N, 3, a, N + 2, b, N + 1, info)); \
            show_##S("potrs", b, (N + 1) * 3); \
        } \
        a = matrix_##S(N, N, 0); \
        CHECK(cusolverDn##S##potrf(solver, 0, N, a, N, work, size, info)); \
        say("negative", info, 1); \
        for (int which = 0; which < 3; ++which) {       /* as it is, transposed, without pivots */ \
            int *rows = which < 2 ? pivots : 0; \
            a = matrix_##S(N + 2, N, which < 2 ? 0 : 20), b = matrix_##S(N + 1, 3, 0); \
            CHECK(cusolverDn##S##getrf_bufferSize(solver, N, N, a, N + 2, &size)); \
            CHECK(cusolverDn##S##getrf(solver, N, N, a, N + 2, room(size * sizeof(T)), rows, info)); \
            say("info", info, 1); \
            show_##S("getrf", a, (N + 2) * N); \
            say("pivots", pivots, N); \
            CHECK(cusolverDn##S##getrs(solver, which == 1, N, 3, a, N + 2, rows, b, N + 1, info)); \
            show_##S("getrs", b, (N + 1) * 3); \
        } \
        a = matrix_##S(4, 4, 0); \
        CHECK(cudaMemset(a + 4, 0, 4 * sizeof(T))); \
        CHECK(cusolverDn##S##getrf(solver, 4, 4, a, 4, 0, pivots, info)); \
        say("singular", info, 1); \
        a = matrix_##S(m + 1, n, 0); \
        CHECK(cusolverDn##S##geqrf_bufferSize(solver, m, n, a, m + 1, &size)); \
        CHECK(cusolverDn##S##geqrf(solver, m, n, a, m + 1, tau, room(size * sizeof(T)), size, info)); \
        say("info", info, 1); \
        show_##S("geqrf", a, (m + 1) * n); \
        show_##S("tau", tau, n); \
        for (int which = 0; which < 4; ++which) { \
            int right = which & 1, turned = which >> 1, rows = right ? 7 : m, columns = right ? m : 7; \
            c = matrix_##S(rows, columns, 0); \
            CHECK(cusolverDn##S##ormqr_bufferSize(solver, right, turned, rows, columns, n, a, m + 1, tau, c, rows, &size)); \
            CHECK(cusolverDn##S##ormqr(solver, right, turned, rows, columns, n, a, m + 1, tau, c, rows, room(size * sizeof(T)), size, info)); \
            show_##S("ormqr", c, rows * columns); \
        } \
        say("info", info, 1); \
        for (int large = 0; large < 2; ++large) { \
            T by = sizeof(T) == 4 ? (large ? 1e30 : 1e-30) : (large ? 1e250 : 1e-250); \
            a = made_##S(m + 1, n, 0, by); \
            CHECK(cusolverDn##S##geqrf(solver, m, n, a, m + 1, tau, room(size * sizeof(T)), size, info)); \
            show_##S("scaled", a, (m + 1) * n); \
            show_##S("tau", tau, n); \
        } \
    }
ALL(S, float)
ALL(D, double)

static void wrong(void)
{
    float *a = matrix_S(4, 4, 0);
    int size;
    printf("create %d\n", cusolverDnCreate(0));
    printf("handle %d\n", cusolverDnSpotrf((void *)3, 0, 4, a, 4, a, 1, info));
    printf("fill %d\n", cusolverDnSpotrf(solver, 2, 4, a, 4, a, 1, info));
    printf("negative %d\n", cusolverDnSpotrf(solver, 0, -1, a, 4, a, 1, info));
    printf("leading %d\n", cusolverDnSpotrf(solver, 0, 4, a, 3, a, 1, info));
    printf("null %d\n", cusolverDnSpotrf(solver, 0, 4, 0, 4, a, 1, info));
    printf("info %d\n", cusolverDnSgetrf(solver, 4, 4, a, 4, a, 0, 0));
    printf("size %d\n", cusolverDnSgetrf_bufferSize(solver, 4, 4, a, 4, 0));
    printf("rows %d\n", cusolverDnSgeqrf(solver, 5, 4, a, 4, a, a, 1, info));
    printf("tau %d\n", cusolverDnSgeqrf(solver, 4, 4, a, 4, 0, a, 1, info));
    printf("operation %d\n", cusolverDnSgetrs(solver, 3, 4, 1, a, 4, 0, a, 4, info));
    printf("side %d\n", cusolverDnSormqr_bufferSize(solver, 2, 0, 4, 4, 4, a, 4, a, a, 4, &size));
    printf("reflections %d\n", cusolverDnSormqr(solver, 0, 0, 4, 4, 5, a, 4, a, a, 4, a, 1, info));
    printf("stream %d\n", cusolverDnSetStream(solver, (void *)0x777777));
    printf("complex %d\n", cusolverDnCpotrf(solver));
    printf("empty %d\n", cusolverDnSpotrf(solver, 0, 0, 0, 1, 0, 0, info));
    say("empty_info", info, 1);
}

int main(int argc, char **argv)
{
    void *stream, *same;
    int version = 0;
    CHECK(cusolverDnCreate(&solver));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cusolverDnSetStream(solver, stream));
    CHECK(cusolverDnGetStream(solver, &same));
    CHECK(cusolverGetVersion(&version));
    if (same != stream || version < 1000)
        return 3;
    CHECK(cusolverDnSetStream(solver, 0));
    info = room(4);
    if (!strcmp(argv[1], "single"))
        solve_S();
    else if (!strcmp(argv[1], "double"))
        solve_D();
    else
        wrong();
    CHECK(cusolverDnDestroy(solver));
    return 0;
}
