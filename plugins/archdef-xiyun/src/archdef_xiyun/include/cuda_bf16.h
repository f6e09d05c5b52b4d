// The toolkit's header, whose own shuffles keep their names to themselves: those of maca/wave.h take 16-bit numbers too.
#pragma once
#include <maca/no_names.h>
#include_next <cuda_bf16.h>
#include <maca/names.h>
