/* Launches two instances of a template, as a compiler names them, and two overloads. */
#include "cuda_few.h"

void _Z6scalesILi16ELb0EEvPf(void) {}
void _Z6scalesILi16ELb1EEvPf(void) {}
void _Z5storePf(void) {}
void _Z5storePi(void) {}
REGISTERS(KERNEL(_Z6scalesILi16ELb0EEvPf), KERNEL(_Z6scalesILi16ELb1EEvPf), KERNEL(_Z5storePf), KERNEL(_Z5storePi))

int main(void)
{
    const dim3 one = {1, 1, 1};
    void *there, *given[] = {&there}, *kernels[] = {_Z6scalesILi16ELb0EEvPf, _Z6scalesILi16ELb1EEvPf, _Z5storePf, _Z5storePi};
    CHECK(cudaMalloc(&there, 64));
    for (int i = 0; i < 4; ++i)
        for (int times = 0; times <= i; ++times)
            CHECK(cudaLaunchKernel(kernels[i], one, one, given, 0, 0));
    CHECK(cudaDeviceSynchronize());
    return 0;
}
