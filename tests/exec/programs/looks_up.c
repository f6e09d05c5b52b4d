/* Has a function and variables of the names of the driver's functions, which it looks up, as a loader of its own does. */
#include <dlfcn.h>
#include <stdio.h>

int (*cuDeviceGetCount)(int *);

__attribute__((noinline)) int cuInit(unsigned flags, int version)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*begin)(unsigned) = (int (*)(unsigned))(driver ? dlsym(driver, "cuInit") : 0);
    cuDeviceGetCount = (int (*)(int *))(driver ? dlsym(driver, "cuDeviceGetCount") : 0);
    return begin && version == 13000 ? begin(flags) : -1;
}

int main(void)
{
    int count = 0, status = cuInit(0, 13000);
    if (!status && cuDeviceGetCount)
        status = cuDeviceGetCount(&count);
    printf("%d %d\n", status, count);
    return 0;
}
