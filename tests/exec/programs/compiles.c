/* Compiles a kernel by NVRTC, for a real architecture or for the one that is named, and loads the machine code. */
#include <dlfcn.h>
#include "cuda_few.h"

int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);
int nvrtcCompileProgram(void *, int, const char *const *), nvrtcGetCUBINSize(void *, size_t *), nvrtcGetCUBIN(void *, char *);

int main(int count, char **arguments)
{
    const char *options[] = {count > 2 ? arguments[2] : "--gpu-architecture=sm_60"}, *text = "extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = 3 * threadIdx.x; }";
    void *compiler = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) : 0, *program, *module, *kernel, *there, *given[] = {&there};
    size_t bytes = 0;
    int here[32];
    expect(compiler != 0, "the compiler");
    int (*create)() = dlsym(compiler, "nvrtcCreateProgram");
    CHECK(create(&program, text, "k.cu", 0, NULL, NULL));
    CHECK(nvrtcCompileProgram(program, 1, options));
    int (*size)() = nvrtcGetCUBINSize, (*get)() = nvrtcGetCUBIN;
    if (count > 3) {        /* by address, as Python's packages do */
        size = dlsym(compiler, "nvrtcGetCUBINSize");
        get = dlsym(compiler, "nvrtcGetCUBIN");
        expect(size != (int (*)())nvrtcGetCUBINSize, "two addresses");
    }
    CHECK(size(program, &bytes));
    char *code = malloc(bytes);
    CHECK(get(program, code));
    CHECK(cudaMalloc(&there, sizeof here));
    CHECK(cuModuleLoadData(&module, code));
    CHECK(cuModuleGetFunction(&kernel, module, "k"));
    CHECK(cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, NULL, given, NULL));
    CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
    for (int i = 0; i < 32; ++i)
        expect(here[i] == 3 * i, "what the kernel writes");
    puts("PASSED");
    return 0;
}
