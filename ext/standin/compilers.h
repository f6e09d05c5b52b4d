/* What the stand-in and its parts for compilers have in common. */
#include <stdint.h>

__attribute__((visibility("hidden"))) void standin_note_nvjitlink(const char *name, void *function);
__attribute__((visibility("hidden"))) uint64_t standin_link_lto(uint64_t request, uint64_t, uint64_t, uint64_t);

/* One of the stand-in's own functions; NULL if it has none of that name. */
__attribute__((visibility("hidden"))) void *standin_function(const char *name);
