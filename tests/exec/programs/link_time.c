/* nvJitLink as far as link-time optimisation goes: its versioned functions make PTX of a text that begins with LTO: if they are told -lto -ptx -arch=sm_60.
   The other names end the program: they must not be reached. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct link { char text[4096]; const char *error; };
enum { INCOMPATIBLE_OPTIONS = 11, NVVM_COMPILE = 5 };

int __nvJitLinkCreate_13_0(struct link **link, uint32_t count, const char *const *options)
{
    int found = 0;
    for (uint32_t k = 0; k < count; ++k)
        found |= !strcmp(options[k], "-lto") | !strcmp(options[k], "-ptx") << 1 | !strcmp(options[k], "-arch=sm_60") << 2;
    return found == 7 && (*link = calloc(1, sizeof **link)) ? 0 : INCOMPATIBLE_OPTIONS;
}

int __nvJitLinkAddData_13_0(struct link *link, int kind, const void *data, size_t bytes, const char *name)
{
    if (kind != 3 || bytes < 4 || memcmp(data, "LTO:", 4) || strcmp(name, "optimised"))
        return (link->error = "this is no LTO-IR"), 0;
    return memcpy(link->text, (const char *)data + 4, bytes - 4), 0;
}

int __nvJitLinkComplete_13_0(struct link *link) { return link->error ? NVVM_COMPILE : 0; }
int __nvJitLinkGetLinkedPtxSize_13_0(struct link *link, size_t *bytes) { return (*bytes = strlen(link->text) + 1), 0; }
int __nvJitLinkGetLinkedPtx_13_0(struct link *link, char *text) { return strcpy(text, link->text), 0; }
int __nvJitLinkGetErrorLogSize_13_0(struct link *link, size_t *bytes) { return (*bytes = strlen(link->error) + 1), 0; }
int __nvJitLinkGetErrorLog_13_0(struct link *link, char *text) { return strcpy(text, link->error), 0; }
int __nvJitLinkDestroy_13_0(struct link **link) { return free(*link), 0; }

#define NEVER(name) int nvJitLink##name(void) { abort(); }
NEVER(Create) NEVER(Destroy) NEVER(AddData) NEVER(AddFile) NEVER(Complete) NEVER(GetLinkedCubinSize) NEVER(GetLinkedCubin) NEVER(GetLinkedPtxSize)
NEVER(GetLinkedPtx) NEVER(GetErrorLogSize) NEVER(GetErrorLog) NEVER(GetInfoLogSize) NEVER(GetInfoLog) NEVER(GetLinkedLTOIR)
