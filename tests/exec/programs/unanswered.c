/* Asks how many devices there are, and what the answer is called. */
#include "cuda_few.h"

int main(void)
{
    int count, status = cudaGetDeviceCount(&count);
    printf("%d %s\n", status, cudaGetErrorName(status));
    return 0;
}
