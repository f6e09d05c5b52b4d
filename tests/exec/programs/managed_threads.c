/* Threads that allocate managed memory, use it and give it back, all at once: each has its own, wherever that lies. */
#include <pthread.h>
#include "cuda_few.h"

enum { THREADS = 4, TURNS = 200, BYTES = 1 << 16 };

static void *uses(void *number)
{
    for (int turn = 0; turn < TURNS; ++turn) {
        char *there;
        CHECK(cudaMallocManaged((void **)&there, BYTES, 1));
        memset(there, (int)(size_t)number, BYTES);
        for (int i = 0; i < BYTES; ++i)
            expect(there[i] == (char)(size_t)number, "managed memory of one thread");
        CHECK(cudaFree(there));
    }
    return 0;
}

int main(void)
{
    pthread_t threads[THREADS];
    CHECK(cudaFree(0));
    for (size_t i = 0; i < THREADS; ++i)
        expect(!pthread_create(&threads[i], 0, uses, (void *)(i + 1)), "a thread");
    for (int i = 0; i < THREADS; ++i)
        pthread_join(threads[i], 0);
    puts("PASSED");
    return 0;
}
