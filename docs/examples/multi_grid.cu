// Turns of unequal work on several devices; with `wait`, nobody begins a turn before all grids have ended the one before.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void turns(float *x, int steps, int turns, bool wait)
{
    cg::multi_grid_group all = cg::this_multi_grid();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = x[i];
    for (int turn = 0; turn < turns; turn++) {
        bool long_turn = turn % all.num_grids() == all.grid_rank();     // each device has its turn
        for (int k = 0; k < (long_turn ? 8 * steps : steps); k++)
            a = 0.5f * a + 1.0f;
        if (wait)
            all.sync();
    }
    x[i] = a;
}
