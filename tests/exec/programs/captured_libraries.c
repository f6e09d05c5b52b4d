/* Libraries whose first call is captured. Each part calls it in a capture of the mode that the second argument says, then outside, then by the graph twice. */
#include "cuda_few.h"

int cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, void **), cudaGraphInstantiate(void **, void *, unsigned long long);
int cudaGraphLaunch(void *, cudaStream_t);
int cufftPlan1d(int *, int, int, int), cufftSetStream(int, cudaStream_t), cufftExecC2C(int, void *, void *, int);
int curandCreateGenerator(void **, int), curandSetStream(void *, cudaStream_t), curandGenerateUniform(void *, float *, size_t), curandGenerateSeeds(void *);
int cublasCreate_v2(void **), cublasSetStream_v2(void *, cudaStream_t), cublasSetPointerMode_v2(void *, int);
int cublasSdot_v2(void *, int, const float *, int, const float *, int, float *), cublasSetVectorAsync(int, int, const void *, int, void *, int, cudaStream_t);

enum { N = 64 };
static cudaStream_t stream;
static void *graph, *executable, *handle;
static float *in, *out, *host;
static int mode, plan;

static void shown(const char *when, int values)
{
    float got[2 * N];
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemcpy(got, out, values * sizeof *got, ToHost));
    CHECK(cudaMemset(out, 0, values * sizeof *got));
    printf("%s", when);
    for (int i = 0; i < values; ++i)
        printf(" %g", got[i]);
    puts("");
}

static void captured(int (*call)(void), int values)
{
    CHECK(cudaStreamBeginCapture(stream, mode));
    CHECK(call());
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(call());
    shown("outside", values);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int time = 0; time < 2; ++time) {
        for (int i = 0; i < 2 * N; ++i)
            host[i] += 1;
        CHECK(cudaGraphLaunch(executable, stream));
        shown("graph", values);
    }
}

static int transforms(void) { return cufftExecC2C(plan, in, out, -1); }
static int multiplies(void) { return cublasSdot_v2(handle, N, in, 1, in, 1, out); }
static int gathers(void) { return cublasSetVectorAsync(4, sizeof *host, host, 3, out, 1, stream); }

static void fft(void)
{
    CHECK(cufftPlan1d(&plan, N, 0x29, 1));
    CHECK(cufftSetStream(plan, stream));
    captured(transforms, 2 * N);
}

static void dot(void)
{
    CHECK(cublasCreate_v2(&handle));
    CHECK(cublasSetStream_v2(handle, stream));
    CHECK(cublasSetPointerMode_v2(handle, 1));
    captured(multiplies, 1);
}

static void vector(void) { captured(gathers, 4); }

static void numbers(void)
{
    CHECK(curandCreateGenerator(&handle, 100));
    CHECK(curandSetStream(handle, stream));
    CHECK(cudaStreamBeginCapture(stream, mode));
    expect(curandGenerateUniform(handle, out, N) != 0, "states that a graph would make");
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(curandGenerateSeeds(handle));
    CHECK(cudaStreamBeginCapture(stream, mode));
    CHECK(curandGenerateUniform(handle, out, N));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int time = 0; time < 2; ++time) {
        CHECK(cudaGraphLaunch(executable, stream));
        shown("graph", 4);
    }
}

static void quasirandom(void)
{
    CHECK(curandCreateGenerator(&handle, 201));
    CHECK(curandGenerateSeeds(handle));
    CHECK(curandSetStream(handle, stream));
    CHECK(cudaStreamBeginCapture(stream, mode));
    CHECK(curandGenerateUniform(handle, out, 4));
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int time = 0; time < 2; ++time) {
        CHECK(cudaGraphLaunch(executable, stream));
        shown("graph", 4);
    }
    CHECK(curandGenerateUniform(handle, out, 4));
    shown("outside", 4);
}

int main(int count, char **arguments)
{
    static const struct { const char *name; void (*run)(void); } parts[] = {{"fft", fft}, {"dot", dot}, {"vector", vector}, {"numbers", numbers},
                                                                              {"quasirandom", quasirandom}};
    mode = atoi(arguments[2]);
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMalloc((void **)&in, 2 * N * sizeof *in));
    CHECK(cudaMalloc((void **)&out, 2 * N * sizeof *out));
    CHECK(cudaMallocHost((void **)&host, 2 * N * sizeof *host));
    for (int i = 0; i < 2 * N; ++i)
        host[i] = (float)i;
    CHECK(cudaMemcpy(in, host, 2 * N * sizeof *in, ToDevice));
    for (int i = 0; i < 5; ++i)
        if (!strcmp(parts[i].name, arguments[1]))
            parts[i].run();
    return 0;
}
