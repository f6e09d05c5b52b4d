/* Goes on calling while its simulator is no longer there. */
#include "cuda_few.h"

int main(void)
{
    int failed = 0;
    CHECK(cudaDeviceSynchronize());
    puts("ready");
    fflush(stdout);
    getchar();
    for (int i = 0; i < 100; ++i)
        failed += cudaDeviceSynchronize() != 0;
    printf("%d failed\n", failed);
    return 0;
}
