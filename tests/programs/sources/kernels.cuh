#pragma once
#ifdef __CUDACC__
#define EVERYWHERE __host__ __device__
#else
#define EVERYWHERE
#endif

EVERYWHERE inline int twice(int x) { return 2 * x; }

#ifdef __CUDACC__
template <typename T> __global__ void fill(T *data, T value) { data[threadIdx.x] = value; }
#endif

float first_of_filled(float value);
int side_of_the_file();
