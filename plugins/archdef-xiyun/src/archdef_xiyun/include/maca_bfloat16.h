// bfloat16: functions are those of CUDA, types have names of their own.
#pragma once
#include <cuda_bf16.h>
typedef __nv_bfloat16 __maca_bfloat16;
typedef __nv_bfloat162 __maca_bfloat162;
typedef __nv_bfloat16 maca_bfloat16;
typedef __nv_bfloat162 maca_bfloat162;
