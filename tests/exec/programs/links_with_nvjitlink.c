/* Links device code by nvJitLink, which it looks up in the library that is named, and runs it. */
#include <dlfcn.h>
#include "cuda_few.h"

int cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuFuncGetAttribute(int *, int, void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **);

#define HEAD ".version 6.0\n.target sm_60\n.address_size 64\n"
static const char tripled[] = HEAD ".visible .func (.param .b32 r) tripled(.param .b32 a) { .reg .b32 %r<3>; ld.param.b32 %r1, [a]; mul.lo.s32 %r2, %r1, 3; "
    "st.param.b32 [r], %r2; ret; }\n"
    ".visible .entry many(.param .u64 p) { .reg .b32 %r<8>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [p]; ld.global.u32 %r0, [%rd1+0]; "
    "ld.global.u32 %r1, [%rd1+4]; ld.global.u32 %r2, [%rd1+8]; ld.global.u32 %r3, [%rd1+12]; ld.global.u32 %r4, [%rd1+16]; "
    "ld.global.u32 %r5, [%rd1+20]; ld.global.u32 %r6, [%rd1+24]; ld.global.u32 %r7, [%rd1+28]; bar.sync 0; st.global.u32 "
    "[%rd1+64], %r0; st.global.u32 [%rd1+68], %r1; st.global.u32 [%rd1+72], %r2; st.global.u32 [%rd1+76], %r3; st.global.u32 "
    "[%rd1+80], %r4; st.global.u32 [%rd1+84], %r5; st.global.u32 [%rd1+88], %r6; st.global.u32 [%rd1+92], %r7; ret; }\n";
static const char kernel[] = "LTO:" HEAD ".extern .func (.param .b32 r) tripled(.param .b32 a);\n.visible .entry k(.param .u64 p) { .reg .b32 %r<3>; "
    ".reg .b64 %rd<4>; .param .b32 a; .param .b32 r; ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; mul.wide.s32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; "
    "st.param.b32 [a], %r1; call.uni (r), tripled, (a); ld.param.b32 %r2, [r]; st.global.u32 [%rd3], %r2; ret; }\n";
enum { Ptx = 2, LtoIr = 3, Object = 5, NoArchitecture = 2, BadInput = 3, BadPtx = 4, WrongKind = 12, NoLto = 18 };

int main(int count, char **arguments)
{
    const char *options[] = {"-arch=sm_60", "-lto", "-O3", "-maxrregcount=7"};
    void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW) : 0, *link = 0, *module, *entry, *there, *given[] = {&there};
    size_t bytes = 99;
    char log[500] = "";
    int here[32], registers[2];
    expect(library != 0, "the library");
    int (*create)() = dlsym(library, "nvJitLinkCreate"), (*add)() = dlsym(library, "nvJitLinkAddData"), (*complete)() = dlsym(library, "nvJitLinkComplete"),
        (*size)() = dlsym(library, "nvJitLinkGetLinkedCubinSize"), (*get)() = dlsym(library, "nvJitLinkGetLinkedCubin"),
        (*log_size)() = dlsym(library, "nvJitLinkGetErrorLogSize"), (*get_log)() = dlsym(library, "nvJitLinkGetErrorLog"),
        (*info_size)() = dlsym(library, "nvJitLinkGetInfoLogSize"), (*destroy)() = dlsym(library, "nvJitLinkDestroy"),
        (*lto)() = dlsym(library, "nvJitLinkGetLinkedLTOIR");
    expect(create(&link, 2, options + 1) == NoArchitecture, "no architecture");
    expect(create(0, 1, options) == BadInput && add((void *)77, Ptx, tripled, sizeof tripled, "x") == BadInput, "wrong handles");
    if (count > 2) {        /* what cannot be linked, and why */
        CHECK(create(&link, 3, options));
        expect(complete(link) == BadInput && size(link, &bytes) == BadInput, "nothing to link");
        expect(add(link, Object, kernel, sizeof kernel, "main.o") == WrongKind, "an object");
        expect(get_log(link, log) == 0 && log_size(link, &bytes) == 0 && bytes == strlen(log) + 1 && strstr(log, "main.o is an object"), "why not");
        expect(lto(link, log) == NoLto, "LTO-IR out");
        CHECK(add(link, LtoIr, "junk", 5, "junk"));
        expect(complete(link) == BadPtx && get_log(link, log) == 0 && strstr(log, "this is no LTO-IR"), "bad LTO-IR");
        CHECK(destroy(&link));
        expect(link == 0, "no handle");
        CHECK(create(&link, 1, options));
        CHECK(add(link, Ptx, HEAD ".visible nonsense k() { ret; }", sizeof HEAD ".visible nonsense k() { ret; }", "wrong"));
        expect(complete(link) == BadPtx && get_log(link, log) == 0 && strstr(log, "nonsense"), "wrong PTX");
        CHECK(destroy(&link));
        puts("PASSED");
        return 0;
    }
    CHECK(cudaMalloc(&there, sizeof here));
    for (int limited = 0; limited < 2; ++limited) {
        CHECK(create(&link, 3 + limited, options));
        CHECK(add(link, LtoIr, kernel, sizeof kernel, "optimised"));
        CHECK(add(link, Ptx, tripled, sizeof tripled, "tripled"));
        CHECK(complete(link));
        CHECK(size(link, &bytes));
        char *linked = malloc(bytes);
        CHECK(get(link, linked));
        CHECK(cuModuleLoadData(&module, linked));
        CHECK(cuModuleGetFunction(&entry, module, "many"));
        CHECK(cuFuncGetAttribute(registers + limited, 4, entry));
        if (!limited)
            CHECK(destroy(&link));
    }
    expect(registers[0] > 7 && registers[1] <= 7, "a limit of registers");
    CHECK(info_size(link, &bytes));
    expect(bytes == 0, "no news");
    CHECK(size(link, &bytes));
    char *code = malloc(bytes);
    CHECK(get(link, code));
    CHECK(destroy(&link));
    CHECK(cuModuleLoadData(&module, code));
    CHECK(cuModuleGetFunction(&entry, module, "k"));
    CHECK(cuLaunchKernel(entry, 1, 1, 1, 32, 1, 1, 0, NULL, given, NULL));
    CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
    for (int i = 0; i < 32; ++i)
        expect(here[i] == 3 * i, "what the kernel writes");
    puts("PASSED");
    return 0;
}
