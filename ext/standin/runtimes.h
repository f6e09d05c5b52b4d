#include <stddef.h>
#include <stdint.h>

struct runtime_function { uint16_t number, place; uint8_t window; };     /* places in units of 16 bytes; the window's from the function's on */
struct static_runtime { uint32_t cuda, first, functions, anchor; uint64_t anchor_digest, digest; };
struct found_runtime { const struct static_runtime *runtime; const struct runtime_function *functions; uint64_t text; };     /* where its code is loaded */

#define ALL_RUNTIME_IMPORTS 15u

__attribute__((visibility("hidden"))) unsigned standin_runtime_import(const char *);
__attribute__((visibility("hidden"))) int standin_find_runtime(const uint8_t *, size_t, struct found_runtime *);
