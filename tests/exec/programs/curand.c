/* Calls cuRAND by its ABI; prints every number. Arguments: the generator, where (h: the host), its seed, its offset; or "wrong", or
   "directions", or "sobol" and where. */
#include <sys/mman.h>
#include "cuda_few.h"

int curandCreateGenerator(void **, int), curandCreateGeneratorHost(void **, int), curandDestroyGenerator(void *);
int curandSetPseudoRandomGeneratorSeed(void *, unsigned long long), curandSetGeneratorOffset(void *, unsigned long long);
int curandSetGeneratorOrdering(void *, int), curandSetStream(void *, void *), curandGenerateSeeds(void *);
int curandGenerate(void *, unsigned *, size_t), curandGenerateUniform(void *, float *, size_t), curandGenerateUniformDouble(void *, double *, size_t);
int curandGenerateNormal(void *, float *, size_t, float, float), curandGenerateNormalDouble(void *, double *, size_t, double, double);
int curandGeneratePoisson(void *, unsigned *, size_t, double);

int curandGetDirectionVectors32(unsigned (**)[32], int), curandGetDirectionVectors64(unsigned long long (**)[64], int);

int curandSetQuasiRandomGeneratorDimensions(void *, unsigned);

static int on_host;

static void *room(size_t bytes)
{
    void *found = 0;
    if (on_host)
        found = malloc(bytes);
    else
        CHECK(cudaMalloc(&found, bytes));
    return found;
}

static void *brought(const void *from, size_t bytes)
{
    void *here = malloc(bytes);
    if (on_host)
        memcpy(here, from, bytes);
    else
        CHECK(cudaMemcpy(here, from, bytes, ToHost));
    return here;
}

#define SHOW(T, format, what, n, call) \
    do { \
        T *there = room((n) * sizeof(T)), *here; \
        CHECK(call); \
        here = brought(there, (n) * sizeof(T)); \
        printf(what); \
        for (int i = 0; i < (n); ++i) \
            printf(" " format, here[i]); \
        printf("\n"); \
    } while (0)

static void wrong(void)
{
    void *made, *host, *there = 0, *stream = (void *)0x777777;
    float five[5];
    CHECK(curandCreateGenerator(&made, 101));
    CHECK(curandCreateGeneratorHost(&host, 161));
    CHECK(cudaMalloc(&there, 64));
    printf("kind %d\n", curandCreateGenerator(&made + 0, 9999));
    printf("sobol %d\n", curandCreateGenerator(&made + 0, 202));
    printf("null %d\n", curandCreateGenerator(0, 101));
    printf("handle %d\n", curandGenerate((void *)5, there, 4));
    printf("output %d\n", curandGenerateUniform(made, 0, 4));
    printf("odd %d\n", curandGenerateNormal(made, there, 5, 0.0f, 1.0f));
    printf("odd_philox %d\n", curandGenerateNormal(host, five, 5, 0.0f, 1.0f));
    printf("dimensions %d\n", curandSetQuasiRandomGeneratorDimensions(made, 2));
    printf("order %d\n", curandSetGeneratorOrdering(made, 7));
    printf("stream %d\n", curandSetStream(made, stream));
    printf("host %d\n", curandGenerate(host, (unsigned *)16, 4));
    unsigned *few = mmap(0, 2 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(few + (1 << 18), 1 << 20, PROT_NONE);
    printf("room %d\n", curandGenerate(host, few, (size_t)1 << 50));
    printf("missing %d\n", curandGeneratePoisson(made, there, 4, 2.0));
    printf("none %d\n", curandGenerate(made, 0, 0));
    printf("destroy %d\n", curandDestroyGenerator(made));
    printf("destroyed %d\n", curandDestroyGenerator(made));
}

static void sobol(int doubles)
{
    enum { MANY = 140001 };         /* more than the host makes at a time */
    void *made;
    float few[4];
    CHECK((on_host ? curandCreateGeneratorHost : curandCreateGenerator)(&made, 201));
    printf("dimensions %d %d\n", curandSetQuasiRandomGeneratorDimensions(made, 0), curandSetQuasiRandomGeneratorDimensions(made, 20001));
    printf("others %d %d %d %d\n", curandSetPseudoRandomGeneratorSeed(made, 3), curandSetGeneratorOrdering(made, 100), curandSetGeneratorOrdering(made, 201),
           curandGenerateNormal(made, few, 4, 0.0f, 1.0f));
    CHECK(curandSetQuasiRandomGeneratorDimensions(made, 3));
    CHECK(curandSetGeneratorOffset(made, 0xfffffffd));
    printf("odd %d\n", curandGenerate(made, (unsigned *)few, 4));
    SHOW(unsigned, "%u", "bits", 12, curandGenerate(made, there, 12));
    SHOW(unsigned, "%u", "bits", 9, curandGenerate(made, there, 9));
    SHOW(float, "%.9g", "uniform", 6, curandGenerateUniform(made, there, 6));
    if (doubles)
        SHOW(double, "%.17g", "uniform_double", 6, curandGenerateUniformDouble(made, there, 6));
    CHECK(curandSetQuasiRandomGeneratorDimensions(made, 2));
    SHOW(unsigned, "%u", "bits", 4, curandGenerate(made, there, 4));
    CHECK(curandSetQuasiRandomGeneratorDimensions(made, 1));
    SHOW(unsigned, "%u", "bits", MANY, curandGenerate(made, there, MANY));
    CHECK(curandDestroyGenerator(made));
}

static void directions(void)
{
    unsigned (*vectors)[32] = 0, (*again)[32] = 0, of[2][32], *there;
    unsigned long long (*long_vectors)[64] = 0;
    printf("null %d\n", curandGetDirectionVectors32(0, 101));
    printf("scrambled %d %d\n", curandGetDirectionVectors32(&vectors, 102), curandGetDirectionVectors64(&long_vectors, 104));
    printf("other %d %d %d\n", curandGetDirectionVectors32(&vectors, 103), curandGetDirectionVectors64(&long_vectors, 101), curandGetDirectionVectors32(&vectors, 7));
    printf("none %d\n", vectors || long_vectors);
    int status = curandGetDirectionVectors32(&vectors, 101), long_status = curandGetDirectionVectors64(&long_vectors, 103);
    printf("status %d %d\n", status, long_status);
    if (status)
        return;
    static const int shown[] = {0, 1, 2, 9999, 19999};
    for (int i = 0; i < 5; ++i) {
        printf("vectors");
        for (int j = 0; j < 32; ++j)
            printf(" %u", vectors[shown[i]][j]);
        printf("\nlong_vectors");
        for (int j = 0; j < 64; ++j)
            printf(" %llu", long_vectors[shown[i]][j]);
        printf("\n");
    }
    CHECK(curandGetDirectionVectors32(&again, 101));
    CHECK(cudaMalloc((void **)&there, sizeof of));
    CHECK(cudaMemcpy(there, vectors[1], sizeof of, ToDevice));
    CHECK(cudaMemcpy(of, there, sizeof of, ToHost));
    printf("same %d %d\n", again == vectors, !memcmp(of, vectors[1], sizeof of));
}

int main(int count, char **arguments)
{
    void *made;
    if (count == 2 && !strcmp(arguments[1], "directions")) {
        directions();
        return 0;
    }
    if (count > 2 && !strcmp(arguments[1], "sobol")) {
        on_host = arguments[2][0] == 'h';
        sobol(count < 4);
        return 0;
    }
    if (count < 5) {
        wrong();
        return 0;
    }
    on_host = arguments[2][0] == 'h';
    CHECK((on_host ? curandCreateGeneratorHost : curandCreateGenerator)(&made, atoi(arguments[1])));
    CHECK(curandSetPseudoRandomGeneratorSeed(made, strtoull(arguments[3], 0, 0)));
    CHECK(curandSetGeneratorOffset(made, strtoull(arguments[4], 0, 0)));
    SHOW(unsigned, "%u", "bits", 301, curandGenerate(made, there, 301));
    SHOW(unsigned, "%u", "bits", 5000, curandGenerate(made, there, 5000));
    SHOW(float, "%.9g", "uniform", 300, curandGenerateUniform(made, there, 300));
    SHOW(float, "%.9g", "normal", 300, curandGenerateNormal(made, there, 300, 2.0f, 0.5f));
    if (count > 5)
        return 0;
    SHOW(double, "%.17g", "uniform_double", 300, curandGenerateUniformDouble(made, there, 300));
    SHOW(double, "%.17g", "normal_double", 300, curandGenerateNormalDouble(made, there, 300, 2.0, 0.5));
    CHECK(curandDestroyGenerator(made));
    return 0;
}
