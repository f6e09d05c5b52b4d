/* What the stand-in and nvJitLink's link-time optimisation have in common. */
#include <stdint.h>

__attribute__((visibility("hidden"))) void standin_note_nvjitlink(const char *name, void *function);
__attribute__((visibility("hidden"))) uint64_t standin_link_lto(uint64_t request, uint64_t, uint64_t, uint64_t);
