/* One pass over the lanes of an access: addresses, and what the checks and the memo of lane patterns need of them. */
#ifndef ARCHDEF_PATTERN_H
#define ARCHDEF_PATTERN_H

#include "lanes.h"

typedef struct Seen {
    uint64_t differ; /* 0: every lane lies where the memo has it */
    uint64_t bits;   /* every bit that any address has */
} Seen;

/* `first` is the lane that `delta` counts from. */
LANES_CLONES static void pattern_64(Seen *seen, uint64_t *address, const uint64_t *row, uint64_t offset, const int64_t *delta, int first, int n)
{
    uint64_t differ = 0, bits = 0;
    const uint64_t base = row[first] + offset;
    for (int i = 0; i < n; i++) {
        const uint64_t a = row[i] + offset;
        address[i] = a;
        differ |= (a - base) ^ (uint64_t)delta[i];
        bits |= a;
    }
    seen->differ = differ;
    seen->bits = bits;
}

LANES_CLONES static void pattern_32(Seen *seen, uint64_t *address, const uint32_t *row, uint32_t offset, const int64_t *delta, int first, int n)
{
    uint64_t differ = 0, bits = 0;
    const uint64_t base = (uint32_t)(row[first] + offset);
    for (int i = 0; i < n; i++) {
        const uint64_t a = (uint32_t)(row[i] + offset);
        address[i] = a;
        differ |= (a - base) ^ (uint64_t)delta[i];
        bits |= a;
    }
    seen->differ = differ;
    seen->bits = bits;
}

/* Of addresses whose lower half counts. */
LANES_CLONES static void pattern_low(Seen *seen, uint64_t *address, const uint64_t *row, uint32_t offset, const int64_t *delta, int first, int n)
{
    uint64_t differ = 0, bits = 0;
    const uint64_t base = (uint32_t)((uint32_t)row[first] + offset);
    for (int i = 0; i < n; i++) {
        const uint64_t a = (uint32_t)((uint32_t)row[i] + offset);
        address[i] = a;
        differ |= (a - base) ^ (uint64_t)delta[i];
        bits |= a;
    }
    seen->differ = differ;
    seen->bits = bits;
}

/* Of addresses that are there already. */
LANES_CLONES static void pattern_of(Seen *seen, const uint64_t *address, const int64_t *delta, int first, int n)
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

/* All lanes of a warp load; `host` + address is the byte in host memory. */
static inline void gather_32(uint32_t *row, const char *host, const uint64_t *address, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(row + i, host + address[i], 4);
}

static inline void gather_64(uint64_t *row, const char *host, const uint64_t *address, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(row + i, host + address[i], 8);
}

/* All lanes store, the highest last. */
static inline void scatter_32(char *host, const uint64_t *address, const uint32_t *row, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(host + address[i], row + i, 4);
}

static inline void scatter_64(char *host, const uint64_t *address, const uint64_t *row, int n)
{
    for (int i = 0; i < n; i++)
        memcpy(host + address[i], row + i, 8);
}
#endif
