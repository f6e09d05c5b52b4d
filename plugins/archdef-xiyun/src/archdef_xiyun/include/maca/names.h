// The names of MXMACA, and of CUDA, for what maca/wave.h defines. Without a guard: headers that define such names themselves are read
// between maca/no_names.h and this one.
#define __syncwave __mx_syncwave
#define __syncwarp __mx_syncwave
#define __activemask __mx_activemask
#define __ballot_sync __mx_ballot_sync
#define __any_sync __mx_any_sync
#define __all_sync __mx_all_sync
#define __uni_sync __mx_uni_sync
#define __ballot __mx_ballot
#define __any __mx_any
#define __all __mx_all
#define __shfl_sync __mx_shfl_sync
#define __shfl_up_sync __mx_shfl_up_sync
#define __shfl_down_sync __mx_shfl_down_sync
#define __shfl_xor_sync __mx_shfl_xor_sync
#define __shfl __mx_shfl
#define __shfl_up __mx_shfl_up
#define __shfl_down __mx_shfl_down
#define __shfl_xor __mx_shfl_xor
#define __match_any_sync __mx_match_any_sync
#define __match_all_sync __mx_match_all_sync
#define __reduce_add_sync __mx_reduce_add_sync
#define __reduce_min_sync __mx_reduce_min_sync
#define __reduce_max_sync __mx_reduce_max_sync
#define __reduce_and_sync __mx_reduce_and_sync
#define __reduce_or_sync __mx_reduce_or_sync
#define __reduce_xor_sync __mx_reduce_xor_sync
