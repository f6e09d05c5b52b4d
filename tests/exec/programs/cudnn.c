/* Calls cuDNN by its ABI; prints every result, which the test compares with numpy's. Arguments: "single", "double" or "wrong". */
#include "cuda_few.h"

typedef struct { int algorithm, status; float time; size_t memory; int determinism, math, reserved[3]; } found_t;
int cudnnCreate(void **), cudnnDestroy(void *), cudnnSetStream(void *, void *), cudnnGetStream(void *, void **), cudnnGetProperty(int, int *);
size_t cudnnGetVersion(void);
const char *cudnnGetErrorString(int);
int cudnnCreateTensorDescriptor(void **), cudnnDestroyTensorDescriptor(void *), cudnnSetTensor4dDescriptor(void *, int, int, int, int, int, int);
int cudnnSetTensor4dDescriptorEx(void *, int, int, int, int, int, int, int, int, int);
int cudnnGetTensor4dDescriptor(void *, int *, int *, int *, int *, int *, int *, int *, int *, int *);
int cudnnCreateFilterDescriptor(void **), cudnnDestroyFilterDescriptor(void *), cudnnSetFilter4dDescriptor(void *, int, int, int, int, int, int);
int cudnnCreateConvolutionDescriptor(void **), cudnnDestroyConvolutionDescriptor(void *);
int cudnnSetConvolution2dDescriptor(void *, int, int, int, int, int, int, int, int), cudnnSetConvolutionGroupCount(void *, int);
int cudnnGetConvolution2dDescriptor(void *, int *, int *, int *, int *, int *, int *, int *, int *);
int cudnnSetConvolutionMathType(void *, int), cudnnGetConvolutionMathType(void *, int *), cudnnGetConvolutionGroupCount(void *, int *);
int cudnnGetConvolution2dForwardOutputDim(void *, void *, void *, int *, int *, int *, int *);
int cudnnGetConvolutionForwardAlgorithmMaxCount(void *, int *);
int cudnnFindConvolutionForwardAlgorithm(void *, void *, void *, void *, void *, int, int *, found_t *);
int cudnnGetConvolutionForwardAlgorithm_v7(void *, void *, void *, void *, void *, int, int *, found_t *);
int cudnnGetConvolutionForwardWorkspaceSize(void *, void *, void *, void *, void *, int, size_t *);
int cudnnConvolutionForward(void *, const void *, void *, const void *, void *, const void *, void *, int, void *, size_t, const void *, void *, void *);
int cudnnConvolutionBackwardData(void *);

enum { MOST = 8192 };
static void *dnn;

#define ALL(T, name, type) \
    static void *numbers_##name(int n, int of) \
    { \
        static T here[MOST]; \
        void *to; \
        for (int i = 0; i < n; ++i) \
            here[i] = (i * 7 + of * 5) % 23 / 8.0 - 1.25;       /* the test makes the same: few bits hold them */ \
        CHECK(cudaMalloc(&to, n * sizeof(T))); \
        CHECK(cudaMemcpy(to, here, n * sizeof(T), ToDevice)); \
        return to; \
    } \
    static void convolve_##name(int pad, int stride, int dilation, int mode, int groups, int interleaved, int gap) \
    { \
        static T here[MOST]; \
        void *x, *f, *y, *about, *to; \
        T alpha = 2, beta = -1; \
        int n, c, h, w, count, most; \
        size_t bytes; \
        found_t found[8]; \
        CHECK(cudnnCreateTensorDescriptor(&x)); \
        CHECK(cudnnCreateTensorDescriptor(&y)); \
        CHECK(cudnnCreateFilterDescriptor(&f)); \
        CHECK(cudnnCreateConvolutionDescriptor(&about)); \
        CHECK(cudnnSetTensor4dDescriptor(x, interleaved, type, 2, 4, 11, 13)); \
        CHECK(cudnnSetFilter4dDescriptor(f, type, interleaved, 6, 4 / groups, 3, 2)); \
        CHECK(cudnnSetConvolution2dDescriptor(about, pad, pad + 1, stride, stride + 1, dilation, dilation, mode, type)); \
        CHECK(cudnnSetConvolutionGroupCount(about, groups)); \
        CHECK(cudnnGetConvolution2dForwardOutputDim(about, x, f, &n, &c, &h, &w)); \
        if (gap) \
            CHECK(cudnnSetTensor4dDescriptorEx(y, type, n, c, h, w, c * h * (w + gap), h * (w + gap), w + gap, 1)); \
        else \
            CHECK(cudnnSetTensor4dDescriptor(y, interleaved, type, n, c, h, w)); \
        CHECK(cudnnGetConvolutionForwardAlgorithmMaxCount(dnn, &most)); \
        CHECK((gap ? cudnnGetConvolutionForwardAlgorithm_v7 : cudnnFindConvolutionForwardAlgorithm)(dnn, x, f, about, y, most, &count, found)); \
        if (count != 1 || found->status || found->memory || found->determinism != 1) \
            exit(3); \
        CHECK(cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, about, y, found->algorithm, &bytes)); \
        to = numbers_##name(n * c * h * (w + gap), 2); \
        CHECK(cudnnConvolutionForward(dnn, &alpha, x, numbers_##name(2 * 4 * 11 * 13, 0), f, numbers_##name(6 * 4 / groups * 3 * 2, 1), about, \
                                      found->algorithm, 0, bytes, &beta, y, to)); \
        CHECK(cudaMemcpy(here, to, n * c * h * (w + gap) * sizeof(T), ToHost)); \
        printf("%d %d %d %d", n, c, h, w); \
        for (int i = 0; i < n * c * h * (w + gap); ++i) \
            printf(" %.17g", (double)here[i]); \
        printf("\n"); \
        CHECK(cudnnDestroyTensorDescriptor(x)); \
        CHECK(cudnnDestroyTensorDescriptor(y)); \
        CHECK(cudnnDestroyFilterDescriptor(f)); \
        CHECK(cudnnDestroyConvolutionDescriptor(about)); \
    }
ALL(float, single, 0)
ALL(double, double, 1)

static void wrong(void)
{
    void *x, *f, *y, *odd, *about, *none, *memory = numbers_single(4096, 0), *stream, *same;
    float one = 1, zero = 0;
    int n, c, h, w, count, kind, steps[4];
    found_t found[2];
    size_t bytes;
    CHECK(cudnnCreateTensorDescriptor(&x));
    CHECK(cudnnCreateTensorDescriptor(&y));
    CHECK(cudnnCreateTensorDescriptor(&odd));
    CHECK(cudnnCreateTensorDescriptor(&none));
    CHECK(cudnnCreateFilterDescriptor(&f));
    CHECK(cudnnCreateConvolutionDescriptor(&about));
    CHECK(cudnnSetTensor4dDescriptor(x, 0, 0, 1, 2, 5, 5));
    CHECK(cudnnSetTensor4dDescriptor(y, 0, 0, 1, 3, 3, 3));
    CHECK(cudnnSetTensor4dDescriptor(odd, 0, 0, 1, 3, 5, 5));
    CHECK(cudnnSetFilter4dDescriptor(f, 0, 0, 3, 2, 3, 3));
    CHECK(cudnnSetConvolution2dDescriptor(about, 0, 0, 1, 1, 1, 1, 1, 0));
#define FORWARD(dnn, x, f, y, data) cudnnConvolutionForward(dnn, &one, x, memory, f, memory, about, 0, 0, 0, &zero, y, data)
    printf("create %d\n", cudnnCreate(0));
    printf("handle %d\n", FORWARD((void *)3, x, f, y, memory));
    printf("tensor %d\n", FORWARD(dnn, f, f, y, memory));
    printf("empty %d\n", FORWARD(dnn, none, f, y, memory));
    printf("null %d\n", FORWARD(dnn, x, f, y, 0));
    printf("result %d\n", FORWARD(dnn, x, f, odd, memory));
    printf("channels %d\n", FORWARD(dnn, odd, f, y, memory));
    printf("alpha %d\n", cudnnConvolutionForward(dnn, 0, x, memory, f, memory, about, 0, 0, 0, &zero, y, memory));
    printf("algorithm %d\n", cudnnConvolutionForward(dnn, &one, x, memory, f, memory, about, 8, 0, 0, &zero, y, memory));
    printf("size %d\n", cudnnGetConvolutionForwardWorkspaceSize(dnn, x, f, about, y, 0, 0));
    printf("found %d\n", cudnnFindConvolutionForwardAlgorithm(dnn, x, f, about, y, 0, &count, found));
    printf("format %d\n", cudnnSetTensor4dDescriptor(none, 2, 0, 1, 4, 5, 5));
    printf("type %d\n", cudnnSetTensor4dDescriptor(none, 0, 2, 1, 4, 5, 5));
    printf("large %d\n", cudnnSetTensor4dDescriptor(none, 0, 0, 1 << 12, 1 << 12, 1 << 12, 1));
    printf("negative %d\n", cudnnSetTensor4dDescriptor(none, 0, 0, 1, -4, 5, 5));
    printf("stride %d\n", cudnnSetConvolution2dDescriptor(about, 0, 0, 0, 1, 1, 1, 1, 0));
    printf("mode %d\n", cudnnSetConvolution2dDescriptor(about, 0, 0, 1, 1, 1, 1, 2, 0));
    CHECK(cudnnSetConvolution2dDescriptor(about, 0, 0, 1, 1, 9, 1, 1, 0));
    printf("dilated %d\n", cudnnGetConvolution2dForwardOutputDim(about, x, f, &n, &c, &h, &w));
    CHECK(cudnnGetConvolution2dDescriptor(about, &n, &c, &h, &w, steps, steps + 1, steps + 2, steps + 3));
    printf("window %d\n", steps[0] * 10 + steps[2]);
    CHECK(cudnnGetTensor4dDescriptor(x, &kind, &n, &c, &h, &w, steps, steps + 1, steps + 2, steps + 3));
    printf("read %d\n", c * 1000 + h * 100 + steps[1]);
    CHECK(cudnnSetConvolutionMathType(about, 1));
    CHECK(cudnnGetConvolutionMathType(about, &n));
    printf("math %d\n", n);
    printf("backward %d\n", cudnnConvolutionBackwardData(dnn));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudnnSetStream(dnn, stream));
    CHECK(cudnnGetStream(dnn, &same));
    printf("stream %d\n", same != stream || cudnnSetStream(dnn, (void *)0x777777) != 1001);
    CHECK(cudnnGetProperty(0, &n));
    printf("version %d\n", (int)cudnnGetVersion() / 10000 - n);
    printf("text %d\n", strcmp(cudnnGetErrorString(3000), "CUDNN_STATUS_NOT_SUPPORTED"));
    CHECK(cudnnDestroyTensorDescriptor(none));
    printf("destroyed %d\n", cudnnSetTensor4dDescriptor(none, 0, 0, 1, 4, 5, 5));
}

int main(int argc, char **argv)
{
    static const int cases[][7] = {{0, 1, 1, 1, 1, 0, 0}, {1, 2, 1, 0, 1, 0, 0}, {2, 1, 2, 1, 2, 0, 3}, {0, 1, 1, 1, 2, 1, 0}, {1, 1, 2, 0, 1, 1, 2}};
    CHECK(cudnnCreate(&dnn));
    if (!strcmp(argv[1], "wrong"))
        wrong();
    else
        for (int i = 0; i < 5; ++i) {
            const int *c = cases[i];
            (!strcmp(argv[1], "single") ? convolve_single : convolve_double)(c[0], c[1], c[2], c[3], c[4], c[5], c[6]);
        }
    CHECK(cudnnDestroy(dnn));
    return 0;
}
