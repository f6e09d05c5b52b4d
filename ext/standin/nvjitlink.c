/* nvJitLink's own link-time optimisation.

   archdef answers nvJitLink, since what programs want of it is machine code. Pieces that come as LTO-IR only the library itself can read: it is asked for PTX
   then, by the names that bear its version, which lead into the library while the others lead to archdef. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "compilers.h"

enum { LTO_IR = 3, INTERNAL_ERROR = 6 };

static struct {
    int (*create)(void **, uint32_t, const char *const *), (*add)(void *, int, const void *, size_t, const char *), (*complete)(void *), (*destroy)(void **);
    int (*ptx_bytes)(void *, size_t *), (*ptx)(void *, char *), (*log_bytes)(void *, size_t *), (*log)(void *, char *);
} library;

void standin_note_nvjitlink(const char *name, void *function)
{
    static const char prefix[] = "__nvJitLink";
    static const struct { const char *name; void **kept; } wanted[] = {
        {"Create_", (void **)&library.create}, {"AddData_", (void **)&library.add}, {"Complete_", (void **)&library.complete},
        {"Destroy_", (void **)&library.destroy}, {"GetLinkedPtxSize_", (void **)&library.ptx_bytes}, {"GetLinkedPtx_", (void **)&library.ptx},
        {"GetErrorLogSize_", (void **)&library.log_bytes}, {"GetErrorLog_", (void **)&library.log}};
    if (strncmp(name, prefix, sizeof prefix - 1))
        return;
    for (size_t k = 0; k < sizeof wanted / sizeof *wanted; ++k)
        if (!strncmp(name + sizeof prefix - 1, wanted[k].name, strlen(wanted[k].name)))
            *wanted[k].kept = function;
}

/* What archdef lays out in the program's memory; the text is the PTX, or what the library says against it, and is freed by a second call. */
struct request { uint64_t options, option_count, pieces, piece_count, text, bytes; };
struct piece { uint64_t data, bytes, name; };

static int text_of(void *link, int (*size)(void *, size_t *), int (*get)(void *, char *), struct request *to)
{
    size_t bytes = 0;
    int status = size(link, &bytes);
    if (status || !bytes)
        return status;
    char *text = malloc(bytes);
    if (!text)
        return INTERNAL_ERROR;
    status = get(link, text);
    to->text = (uint64_t)text;
    to->bytes = bytes;
    return status;
}

uint64_t standin_link_lto(uint64_t address, uint64_t unused, uint64_t unused_2, uint64_t unused_3)
{
    struct request *request = (struct request *)address;
    const struct piece *pieces = (const struct piece *)request->pieces;
    void *link = NULL;
    (void)unused, (void)unused_2, (void)unused_3;
    if (request->text) {
        free((void *)request->text);
        request->text = 0;
        return 0;
    }
    if (!library.create || !library.add || !library.complete || !library.destroy || !library.ptx_bytes || !library.ptx || !library.log_bytes || !library.log)
        return INTERNAL_ERROR;
    int status = library.create(&link, (uint32_t)request->option_count, (const char *const *)request->options);
    if (status)
        return (uint64_t)status;
    for (uint64_t k = 0; k < request->piece_count && !status; ++k)
        status = library.add(link, LTO_IR, (const void *)pieces[k].data, pieces[k].bytes, (const char *)pieces[k].name);
    if (!status)
        status = library.complete(link);
    if (!status)
        status = text_of(link, library.ptx_bytes, library.ptx, request);
    else
        text_of(link, library.log_bytes, library.log, request);
    library.destroy(&link);
    return (uint64_t)status;
}
