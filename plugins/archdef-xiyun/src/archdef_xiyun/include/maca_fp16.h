// Half precision: names and functions are those of CUDA.
#pragma once
#include <cuda_fp16.h>
typedef __half maca_half;
