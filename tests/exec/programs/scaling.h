/* The kernel `scale` and its variable `factor`, registered before the program begins. */
#include "cuda_few.h"

void scale(void) {}
static char factor;

__attribute__((constructor)) static void set_up(void)
{
    void **handle = registered();
    KERNEL(scale);
    __cudaRegisterVar(handle, &factor, "factor", "factor", 0, sizeof(int), 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
}
