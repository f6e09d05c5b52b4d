/* What a compiler of CUDA writes into a program, in plain C: the device code, its registration, and launches. Declarations are those of CUDA's headers. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { unsigned x, y, z; } dim3;
typedef void *cudaStream_t, *cudaEvent_t;
enum { ToHost = 2, ToDevice = 1, Default = 4 };

void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *, int *);
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int), cudaMemset(void *, int, size_t);
int cudaMemcpyAsync(void *, const void *, size_t, int, cudaStream_t), cudaMallocHost(void **, size_t), cudaFreeHost(void *);
int cudaMallocManaged(void **, size_t, unsigned), cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int), cudaMallocPitch(void **, size_t *, size_t, size_t);
int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int), cudaMemGetInfo(size_t *, size_t *);
int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, cudaStream_t), cudaDeviceSynchronize(void);
int cudaStreamCreate(cudaStream_t *), cudaStreamSynchronize(cudaStream_t), cudaStreamDestroy(cudaStream_t), cudaStreamQuery(cudaStream_t);
int cudaStreamAddCallback(cudaStream_t, void (*)(cudaStream_t, int, void *), void *, unsigned);
int cudaEventCreate(cudaEvent_t *), cudaEventRecord(cudaEvent_t, cudaStream_t), cudaEventSynchronize(cudaEvent_t), cudaEventDestroy(cudaEvent_t), cudaEventQuery(cudaEvent_t);
int cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t), cudaGetLastError(void), cudaPeekAtLastError(void), cudaGetDeviceCount(int *);
int cudaGetDevice(int *), cudaSetDevice(int), cudaDeviceGetAttribute(int *, int, int), cudaGetDeviceProperties_v2(void *, int);
int cudaGraphCreate(void **, unsigned), cudaGraphicsMapResources(int, void **, cudaStream_t);
const char *cudaGetErrorString(int), *cudaGetErrorName(int);

int cudaHostAlloc(void **, size_t, unsigned), cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
int cudaHostGetDevicePointer(void **, void *, unsigned), cudaHostGetFlags(unsigned *, void *);
/* Arrays, textures and surfaces. */
struct format { int x, y, z, w, f; };
struct extent { size_t width, height, depth; };
struct place { size_t x, y, z; };
struct pitched { void *ptr; size_t pitch, xsize, ysize; };
struct parms {
    void *srcArray; struct place srcPos; struct pitched srcPtr;
    void *dstArray; struct place dstPos; struct pitched dstPtr;
    struct extent extent; int kind;
};
struct resource {
    int kind;
    union {
        struct { void *array; } array;
        struct { void *pointer; struct format format; size_t bytes; } linear;
        struct { void *pointer; struct format format; size_t width, height, pitch; } rows;
        int reserved[32];
    };
    unsigned flags;
};
struct texture {
    int address[3], filter, read, srgb;
    float border[4];
    int normalized; unsigned anisotropy;
    int mipmap_filter;
    float bias, least, most;
    int plain, seamless;
};
void __cudaRegisterTexture(void **, const void *, const void **, const char *, int, int, int);
int cudaMalloc3D(struct pitched *, struct extent), cudaMemcpy3D(const struct parms *), cudaMemcpy3DAsync(const struct parms *, cudaStream_t);
int cudaMemcpy2DAsync(void *, size_t, const void *, size_t, size_t, size_t, int, cudaStream_t), cudaMemset2D(void *, size_t, int, size_t, size_t);
int cudaMemset3D(struct pitched, int, struct extent), cudaMallocArray(void **, const struct format *, size_t, size_t, unsigned);
int cudaMalloc3DArray(void **, const struct format *, struct extent, unsigned), cudaFreeArray(void *);
int cudaMallocMipmappedArray(void **, const struct format *, struct extent, unsigned, unsigned);
int cudaFreeMipmappedArray(void *), cudaGetMipmappedArrayLevel(void **, const void *, unsigned);
int cudaArrayGetInfo(struct format *, struct extent *, unsigned *, void *), cudaGetChannelDesc(struct format *, const void *);
int cudaMemcpy2DToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, int);
int cudaMemcpy2DFromArray(void *, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpy2DArrayToArray(void *, size_t, size_t, const void *, size_t, size_t, size_t, size_t, int);
int cudaMemcpyToArray(void *, size_t, size_t, const void *, size_t, int), cudaMemcpyFromArray(void *, const void *, size_t, size_t, size_t, int);
struct format cudaCreateChannelDesc(int, int, int, int, int);
int cudaCreateTextureObject(unsigned long long *, const struct resource *, const struct texture *, const void *);
int cudaDestroyTextureObject(unsigned long long), cudaGetTextureObjectResourceDesc(struct resource *, unsigned long long);
int cudaGetTextureObjectTextureDesc(struct texture *, unsigned long long), cudaCreateSurfaceObject(unsigned long long *, const struct resource *);
int cudaDestroySurfaceObject(unsigned long long), cudaGetSurfaceObjectResourceDesc(struct resource *, unsigned long long);
int cudaBindTextureToArray(const void *, const void *, const struct format *), cudaUnbindTexture(const void *);
int cudaBindTexture2D(size_t *, const void *, const void *, const struct format *, size_t, size_t, size_t);

extern const unsigned char device_code[];                           /* a fat binary, which the test writes */
static struct { int magic, version; const void *data; void *file; } wrapper = {0x466243b1, 1, device_code, 0};

static void **registered(void) { return __cudaRegisterFatBinary(&wrapper); }
#define KERNEL(name) __cudaRegisterFunction(handle, (const char *)name, #name, #name, -1, 0, 0, 0, 0, 0)
#define VARIABLE(name) __cudaRegisterVar(handle, (char *)&name, #name, #name, 0, sizeof name, 0, 0)
/* What the compiler lets run before main: kernels, variables and textures of the device code, with commas between. */
#define REGISTERS(...) \
    __attribute__((constructor)) static void set_up(void) \
    { \
        void **handle = registered(); \
        __VA_ARGS__; \
        __cudaRegisterFatBinaryEnd(handle); \
    }

#define CHECK(call) do { int status = (call); if (status) { printf("%s: %s\n", #call, cudaGetErrorName(status)); exit(1); } } while (0)
#define SAY(call) printf("%s\n", cudaGetErrorName(call))

static void expect(int right, const char *what)
{
    if (!right) {
        printf("wrong: %s\n", what);
        exit(3);
    }
}

/* A program of parts, {name, function}, of which an argument names the one to run. */
#define PARTS(...) \
    int main(int count, char **arguments) \
    { \
        static const struct { const char *name; void (*run)(void); } parts[] = {__VA_ARGS__}; \
        for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) \
            if (count > 1 && !strcmp(parts[i].name, arguments[1])) { \
                parts[i].run(); \
                puts("PASSED"); \
                return 0; \
            } \
        return 4; \
    }
