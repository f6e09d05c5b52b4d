// What suites call and CUDA 13 no longer has, by its present name; included before each file.
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#define cudaThreadSynchronize cudaDeviceSynchronize
#define cudaThreadExit cudaDeviceReset
#define CUT_DEVICE_INIT(...)
#define CUT_EXIT(...)
#define CUT_CHECK_ERROR(...)
#define CUT_SAFE_CALL(...) __VA_ARGS__
#define CUDA_SAFE_CALL(...) __VA_ARGS__
#define CUDA_SAFE_CALL_NO_SYNC(...) __VA_ARGS__
#define __shfl(...) __shfl_sync(~0u, __VA_ARGS__)
#define __shfl_up(...) __shfl_up_sync(~0u, __VA_ARGS__)
#define __shfl_down(...) __shfl_down_sync(~0u, __VA_ARGS__)
#define __shfl_xor(...) __shfl_xor_sync(~0u, __VA_ARGS__)
#define __ballot(...) __ballot_sync(~0u, __VA_ARGS__)
