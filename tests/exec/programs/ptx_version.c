/* Asks for the attributes of a kernel. */
#include "cuda_few.h"

struct attributes { size_t shared, constant, local; int threads, registers, ptx, binary, more[64]; };
int cudaFuncGetAttributes(struct attributes *, const void *);

void vector_add(void) {}

int main(void)
{
    struct attributes found;
    void **handle = registered();
    KERNEL(vector_add);
    CHECK(cudaFuncGetAttributes(&found, vector_add));
    printf("%d %d\n", found.ptx, found.binary);
    return 0;
}
