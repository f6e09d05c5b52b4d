#include <cuda_fp16.h>
extern "C" {
struct Shape { float x, y; int n; };
__constant__ float weights[5] = {0.5f, 1.0f, 2.0f, -1.0f, 0.25f};
__constant__ short grid2[2][3] = {{1, 2}, {4, 5, 6}};
__device__ double total = 1.5;
__device__ int table[4] = {1, -2, 3, 4};
__device__ int *pointer = table + 2;
__device__ const char text[] = "hello";
__device__ float4 quad = {1, 2, 3, 4};
__device__ __managed__ int managed_counter;
__device__ __noinline__ float helper(float a, Shape s) { return a * s.x + s.y * s.n; }
__device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int op0(int a) { return a + 1; }
__device__ int op1(int a) { return a * 3; }
__device__ int (*ops[2])(int) = {op0, op1};
__global__ void __launch_bounds__(256, 2) features(float *out, const float *in, Shape s, int n, unsigned long long tex) {
    extern __shared__ float dyn[];
    __shared__ int fixed[4][33];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float local[8];
    for (int k = 0; k < 8; k++) local[k] = in[i + k] * weights[k % 5];
    dyn[threadIdx.x] = local[n & 7];
    fixed[threadIdx.y][threadIdx.x] = grid2[n & 1][i % 3];
    __syncthreads();
    float v = helper(dyn[(threadIdx.x + 1) & 31], s);
    switch (n % 7) {
        case 0: v += 1; break; case 1: v *= in[0]; break; case 2: v -= 3; break;
        case 3: v = sinf(v); break; case 4: v = in[7] / v; break; case 5: v = sqrtf(v); break;
    }
    unsigned m = __ballot_sync(~0u, v > 0);
    v += __shfl_down_sync(m, v, 1);
    if (i == 0) printf("%d %s %f\n", i, text, v);
    atomicAdd(&total, (double)v); atomicMax(pointer, (int)v + fixed[0][i & 31]); managed_counter++;
    v += fib(n & 7) + ops[n & 1](i) + quad.x;
    half2 h = __floats2half2_rn(v, v); h = __hfma2(h, h, h); v += __low2float(h);
    asm volatile("{ .reg .pred p; .reg .u32 t<2>; setp.ne.u32 p, %1, 0; @p mov.u32 t1, %1; @!p mov.u32 t1, 5; cvt.rn.f32.u32 %0, t1; }" : "=f"(v) : "r"(n));
    asm volatile("{\n .reg .pred p;\n WAIT: setp.ne.u32 p, %0, 0;\n @p bra WAIT;\n }" :: "r"(m));
    asm volatile("{\n .reg .pred p;\n WAIT: setp.ne.u32 p, %0, 1;\n @p bra WAIT;\n }" :: "r"(m));
    float r; asm("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %2}];" : "=f"(r) : "l"(tex), "f"(v));
    *(float4 *)(out + 4 * i) = make_float4(v, r, v, warpSize);
}
}
