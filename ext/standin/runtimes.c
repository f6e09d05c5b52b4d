/* Finds a CUDA runtime that was linked into a file which has no symbols, by its code.

   A runtime is one section of code, which linkers copy as a whole: they change nothing but places that relocations name. Its functions lie where they do in
   NVIDIA's archive. Those that are known are in static_runtimes.h: some bytes by which one is searched (the anchor), and a window of each function, which
   are compared by digests before anything is taken for found. */
#include <elf.h>
#include <string.h>

#include "runtimes.h"
#include "static_runtimes.h"

static uint64_t digest(const uint8_t *code, size_t bytes, uint64_t found)
{
    for (size_t at = 0; at < bytes; at += 8) {
        uint64_t word;
        memcpy(&word, code + at, 8);
        found = (found ^ word) * DIGEST_FACTOR;
        found ^= found >> 29;
    }
    return found;
}

/* A bit for a function of the C library that runtimes call. Files without one of them are not searched: that costs the start of ordinary programs nothing. */
unsigned standin_runtime_import(const char *name)
{
    for (unsigned k = 0; k < sizeof runtime_imports / sizeof *runtime_imports; ++k)
        if (!strcmp(name, runtime_imports[k]))
            return 1u << k;
    return 0;
}

static int is_of(const struct static_runtime *runtime, const uint8_t *text, size_t bytes)
{
    uint64_t found = DIGEST_START;
    const struct runtime_function *function = runtime_functions + runtime->first;
    for (uint32_t k = 0; k < runtime->functions; ++k, ++function) {
        const size_t window = (size_t)UNIT * (function->place + (function->window == NO_WINDOW ? 0 : function->window));
        if (window + WINDOW_BYTES > bytes)
            return 0;
        if (function->window != NO_WINDOW)
            found = digest(text + window, WINDOW_BYTES, found);
    }
    return found == runtime->digest;
}

/* Search code that begins at a multiple of 16 bytes; gives where the runtime begins in it. */
static const struct static_runtime *search(const uint8_t *code, size_t bytes, size_t *text)
{
    uint8_t wanted[256] = {0};      /* by the highest byte of the anchor's digest */
    for (int k = 0; k < RUNTIMES; ++k)
        wanted[static_runtimes[k].anchor_digest >> 56] = 1;
    for (size_t at = 0; at + ANCHOR_BYTES <= bytes; at += UNIT) {
        const uint64_t found = digest(code + at, ANCHOR_BYTES, DIGEST_START);
        if (!wanted[found >> 56])
            continue;
        for (int k = 0; k < RUNTIMES; ++k) {
            const size_t before = (size_t)UNIT * static_runtimes[k].anchor;
            if (found == static_runtimes[k].anchor_digest && before <= at && is_of(static_runtimes + k, code + at - before, bytes - (at - before))) {
                *text = at - before;
                return static_runtimes + k;
            }
        }
    }
    return NULL;
}

/* Whether a file that is mapped has a known runtime in it. */
int standin_find_runtime(const uint8_t *file, size_t size, struct found_runtime *found)
{
    const Elf64_Ehdr *head = (const void *)file;
    if (size < sizeof *head || head->e_phentsize != sizeof(Elf64_Phdr) || head->e_phoff > size || head->e_phnum > (size - head->e_phoff) / sizeof(Elf64_Phdr))
        return 0;
    for (int k = 0; k < head->e_phnum; ++k) {
        Elf64_Phdr part;
        memcpy(&part, file + head->e_phoff + k * sizeof part, sizeof part);
        const size_t skipped = -part.p_vaddr % UNIT;
        size_t text;
        if (part.p_type != PT_LOAD || !(part.p_flags & PF_X) || part.p_offset > size || part.p_filesz > size - part.p_offset || part.p_filesz < skipped)
            continue;
        if ((found->runtime = search(file + part.p_offset + skipped, part.p_filesz - skipped, &text))) {
            found->functions = runtime_functions + found->runtime->first;
            found->text = part.p_vaddr + skipped + text;
            return 1;
        }
    }
    return 0;
}
