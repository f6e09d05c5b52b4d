/* NVRTC, asked for machine code, or for an architecture that it is too new for.

   These stand before NVRTC's in programs that are linked with it. Those that look it up in the library are led to others for cubins (lead_nvrtc), and for
   its compiler get the library's own. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compilers.h"

enum { NVRTC_OUT_OF_MEMORY = 1, NVRTC_INTERNAL_ERROR = 11 };

/* The architecture that an option of NVRTC names, as in `-arch=sm_35`: its number, and what stands before the number; -1 if it names none. A machine of
   another maker may say that it has compute capability 0. */
static int architecture_named(const char *option, int *before)
{
    static const char *const forms[] = {"--gpu-architecture=", "-arch="}, *const kinds[] = {"compute_", "sm_"};
    for (int form = 0; form < 2; ++form)
        for (int kind = 0; kind < 2; ++kind) {
            size_t long_form = strlen(forms[form]), long_kind = strlen(kinds[kind]);
            if (strncmp(option, forms[form], long_form) || strncmp(option + long_form, kinds[kind], long_kind))
                continue;
            const char *digits = option + long_form + long_kind;
            char *end;
            long number = strtol(digits, &end, 10);
            *before = (int)(digits - option);
            return isdigit((unsigned char)*digits) && !*end && number < 10000 ? (int)number : -1;
        }
    return -1;
}

/* The oldest architecture that the program's NVRTC compiles for; 0 if it does not say (before 11.2). */
static int oldest_architecture(void)
{
    int (*how_many)(int *) = dlsym(RTLD_NEXT, "nvrtcGetNumSupportedArchs"), (*which)(int *) = dlsym(RTLD_NEXT, "nvrtcGetSupportedArchs");
    int many = 0, oldest = 0;
    if (!how_many || !which || how_many(&many) || many < 1)
        return 0;
    int *all = calloc((size_t)many, sizeof *all);
    if (all && !which(all)) {
        oldest = all[0];
        for (int k = 1; k < many; ++k)
            oldest = all[k] < oldest ? all[k] : oldest;
    }
    free(all);
    return oldest;
}

/* A program asks for the architecture of its device, and a device can be older than all that its NVRTC knows. The oldest that it knows is compiled for then:
   a machine runs PTX of any target as far as it has what the instructions need. The account says so. */
__attribute__((visibility("default"))) int nvrtcCompileProgram(void *program, int count, const char *const *options)
{
    enum { LONGEST = 64 };
    int (*compile)(void *, int, const char *const *) = dlsym(RTLD_NEXT, "nvrtcCompileProgram"), oldest = 0, before = 0;
    if (!compile)
        return NVRTC_INTERNAL_ERROR;
    if (count < 1 || !options)
        return compile(program, count, options);
    const char **given = calloc((size_t)count, sizeof *given);
    char (*other)[LONGEST] = calloc((size_t)count, sizeof *other);
    int result = NVRTC_OUT_OF_MEMORY;
    if (given && other) {
        for (int k = 0; k < count; ++k) {
            int asked = options[k] ? architecture_named(options[k], &before) : -1;
            given[k] = options[k];
            if (asked < 0 || (!oldest && !(oldest = oldest_architecture())) || asked >= oldest)
                continue;
            snprintf(other[k], LONGEST, "%.*s%d", before, options[k], oldest);
            given[k] = other[k];
            ((int (*)(uint64_t, uint64_t))standin_function("archdefCompilesFor"))((uint64_t)asked, (uint64_t)oldest);
        }
        result = compile(program, count, given);
    }
    free(given);
    free(other);
    return result;
}

/* Machine code is of no use here. NVRTC keeps the PTX that it was made of (seen with 11.8 and 12.9), and what loads the one loads the other. */

__attribute__((visibility("default"))) int nvrtcGetCUBINSize(void *program, size_t *bytes)
{
    int (*ptx_bytes)(void *, size_t *) = dlsym(RTLD_NEXT, "nvrtcGetPTXSize");
    return ptx_bytes ? ptx_bytes(program, bytes) : NVRTC_INTERNAL_ERROR;
}

__attribute__((visibility("default"))) int nvrtcGetCUBIN(void *program, char *code)
{
    int (*ptx)(void *, char *) = dlsym(RTLD_NEXT, "nvrtcGetPTX");
    return ptx ? ptx(program, code) : NVRTC_INTERNAL_ERROR;
}
