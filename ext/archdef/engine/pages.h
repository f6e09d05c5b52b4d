/* Memory on large pages: what the multiprocessors of a big machine touch in turn is more than the host's address translation covers. */
#ifndef ARCHDEF_PAGES_H
#define ARCHDEF_PAGES_H

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE
#endif
#include <stdlib.h>
#if defined(__linux__)
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

#define LARGE_PAGE ((size_t)1 << 21)

/* Ask for large pages: a wish, without it everything works a little slower. */
static inline void pages_large(void *place, size_t bytes)
{
#if defined(MADV_HUGEPAGE)
    if (bytes >= LARGE_PAGE)
        madvise(place, bytes, MADV_HUGEPAGE);
#else
    (void)place, (void)bytes;
#endif
}

/* Aligned memory, on large pages if it holds some; NULL if there is none. */
static inline void *pages_take(size_t alignment, size_t bytes)
{
    const size_t unit = bytes < LARGE_PAGE ? alignment : LARGE_PAGE;
    void *place = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (place != NULL)
        pages_large(place, bytes);
    return place;
}

/* A file descriptor of memory that reads zero and that other processes can map; -1 if there is none. */
static inline int shared_pages(const char *name, size_t bytes)
{
#if defined(MFD_CLOEXEC)
    int descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor >= 0 && ftruncate(descriptor, (off_t)bytes) < 0) {
        close(descriptor);
        return -1;
    }
    return descriptor;
#else
    (void)name, (void)bytes;
    return -1;
#endif
}

/* Let such a file have so many bytes; -1 if it cannot. */
static inline int shared_pages_grow(int descriptor, size_t bytes)
{
#if defined(MFD_CLOEXEC)
    return ftruncate(descriptor, (off_t)bytes);
#else
    (void)descriptor, (void)bytes;
    return -1;
#endif
}

/* Give pages of such a file back to the host: they read zero from then on. -1 if they stay. */
static inline int shared_pages_drop(int descriptor, size_t first, size_t bytes)
{
#if defined(MFD_CLOEXEC) && defined(FALLOC_FL_PUNCH_HOLE)
    return fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)first, (off_t)bytes);
#else
    (void)descriptor, (void)first, (void)bytes;
    return -1;
#endif
}
#endif
