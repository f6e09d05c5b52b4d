/* One pass over the lanes of an access: addresses, and what the checks and the memo of lane patterns need of them. */
#ifndef ARCHDEF_PATTERN_H
#define ARCHDEF_PATTERN_H

#include "lanes.h"

typedef struct Seen {
    uint64_t differ; /* 0: every lane lies where the memo has it */
    uint64_t bits;   /* every bit that any address has */
} Seen;

/* Lanes `n` of rows of 32 or 64-bit lanes; only bits of `mask` count. None of the arrays overlap. */
#define PATTERN_PASS(n)                                                                                                                    \
    do {                                                                                                                                   \
        for (int i = 0; i < (n); i++) {                                                                                                    \
            const uint64_t a = ((uint64_t)row[i] + offset) & mask;                                                                         \
            address[i] = a;                                                                                                                \
            differ |= (a - base) ^ (uint64_t)delta[i];                                                                                     \
            bits |= a;                                                                                                                     \
        }                                                                                                                                  \
    } while (0)

/* `first` is the lane that `delta` counts from. The usual size of a warp has a loop of its own, which needs no rest. */
LANES_INLINE void pattern_wide(Seen *seen, uint64_t *restrict address, const uint64_t *restrict row, uint64_t offset, uint64_t mask,
                               const int64_t *restrict delta, int first, int n)
{
    uint64_t differ = 0, bits = 0;
    const uint64_t base = (row[first] + offset) & mask;
    if (n == 32)
        PATTERN_PASS(32);
    else
        PATTERN_PASS(n);
    seen->differ = differ;
    seen->bits = bits;
}

LANES_CLONES static void pattern_64(Seen *seen, uint64_t *address, const uint64_t *row, uint64_t offset, const int64_t *delta, int first, int n)
{
    pattern_wide(seen, address, row, offset, ~(uint64_t)0, delta, first, n);
}

/* Of addresses whose lower half counts. */
LANES_CLONES static void pattern_low(Seen *seen, uint64_t *address, const uint64_t *row, uint32_t offset, const int64_t *delta, int first, int n)
{
    pattern_wide(seen, address, row, offset, 0xffffffff, delta, first, n);
}

LANES_CLONES static void pattern_32(Seen *seen, uint64_t *restrict address, const uint32_t *restrict row, uint32_t offset,
                                    const int64_t *restrict delta, int first, int n)
{
    uint64_t differ = 0, bits = 0;
    const uint64_t mask = 0xffffffff, base = (uint32_t)(row[first] + offset);
    if (n == 32)
        PATTERN_PASS(32);
    else
        PATTERN_PASS(n);
    seen->differ = differ;
    seen->bits = bits;
}

/* Of addresses that are there already. */
LANES_CLONES static void pattern_of(Seen *seen, const uint64_t *restrict address, const int64_t *restrict delta, int first, int n)
{
    uint64_t differ = 0, bits = 0;
    const uint64_t base = address[first];
    for (int i = 0; i < n; i++) {
        differ |= (address[i] - base) ^ (uint64_t)delta[i];
        bits |= address[i];
    }
    seen->differ = differ;
    seen->bits = bits;
}

/* Words of all lanes, side by side; a whole number of them, mostly 32 of 4 bytes. */
static inline void copy_lanes(char *to, const char *source, size_t bytes)
{
    if (bytes == 128)
        memcpy(to, source, 128);
    else
        memcpy(to, source, bytes);
}

/* All lanes of a warp load; `host` + address is the byte in host memory. */
static inline void gather_32(uint32_t *row, const char *host, const uint64_t *address, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(row + i, host + address[i], 4);
}

/* The same of words that lie together in each group of lanes, or, if the group has its bit in `same`, are one word. */
enum { GROUP_LANES = 8 };

static inline void gather_groups(uint32_t *row, const char *host, const uint64_t *address, int same, int n)
{
    for (int first = 0; first < n; first += GROUP_LANES, same >>= 1) {
        const char *place = host + address[first];
        uint32_t word;
        if (same & 1) {
            memcpy(&word, place, 4);
            for (int i = 0; i < GROUP_LANES; i++)
                row[first + i] = word;
        } else
            memcpy(row + first, place, 4 * GROUP_LANES);
    }
}

static inline void gather_64(uint64_t *row, const char *host, const uint64_t *address, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(row + i, host + address[i], 8);
}

/* Lanes `first` to `end` store, the lowest last. */
static inline void scatter_32(char *host, const uint64_t *address, const uint32_t *row, int first, int end)
{
    for (int i = end - 1; i >= first; i--)
        memcpy(host + address[i], row + i, 4);
}

static inline void scatter_64(char *host, const uint64_t *address, const uint64_t *row, int first, int end)
{
    for (int i = end - 1; i >= first; i--)
        memcpy(host + address[i], row + i, 8);
}
#endif
