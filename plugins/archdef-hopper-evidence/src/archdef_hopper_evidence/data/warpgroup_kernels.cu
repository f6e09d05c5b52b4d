// Products by warpgroups that were measured on an H100. Each part is compiled by itself, for compute_90a.
//: wgmma_direct
typedef unsigned short half_t;
typedef unsigned long long descriptor_t;

__device__ descriptor_t described(unsigned place, unsigned leading, unsigned stride, unsigned long long swizzle) {
  return (descriptor_t)(place >> 4 & 0x3fff) | (descriptor_t)(leading >> 4) << 16 | (descriptor_t)(stride >> 4) << 32 | swizzle << 62;
}
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory"); }
__device__ void shown() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void product64(float (&c)[32], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, "
    "%32, %33, 1, 1, 1, 0, 1;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
    "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
    "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
    "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]) : "l"(a), "l"(b));
}

// c = a b of halves, n x n, by rows: tiles of 64 x 64, one warpgroup, no swizzle; b lies across
extern "C" __global__ void wgmma_direct(const half_t *a, const half_t *b, float *c, int n) {
  __shared__ __align__(128) uint4 left[512], right[512];
  float sum[32] = {};
  int t = threadIdx.x, row = blockIdx.y * 64, column = blockIdx.x * 64;
  unsigned pa = (unsigned)__cvta_generic_to_shared(left), pb = (unsigned)__cvta_generic_to_shared(right);
  for (int k = 0; k < n; k += 64) {
    for (int i = t; i < 512; i += 128) {
      left[i % 8 * 8 + i / 8 % 8 + i / 64 * 64] = *(const uint4 *)(a + (row + i / 8) * n + k + i % 8 * 8);
      right[i % 8 * 64 + i / 8] = *(const uint4 *)(b + (k + i / 8) * n + column + i % 8 * 8);
    }
    shown();
    __syncthreads();
    fence();
    for (int j = 0; j < 4; j++)
      product64(sum, described(pa + 256 * j, 128, 1024, 0), described(pb + 256 * j, 128, 1024, 0));
    commit();
    wait<0>();
    __syncthreads();
  }
  float *out = c + (row + t / 32 * 16 + t % 32 / 4) * n + column + t % 4 * 2;
  for (int i = 0; i < 8; i++) {
    *(float2 *)(out + 8 * i) = make_float2(sum[4 * i], sum[4 * i + 1]);
    *(float2 *)(out + 8 * n + 8 * i) = make_float2(sum[4 * i + 2], sum[4 * i + 3]);
  }
}
//: wgmma_stages
typedef unsigned short half_t;
typedef unsigned long long descriptor_t;

__device__ descriptor_t described(unsigned place, unsigned leading, unsigned stride, unsigned long long swizzle) {
  return (descriptor_t)(place >> 4 & 0x3fff) | (descriptor_t)(leading >> 4) << 16 | (descriptor_t)(stride >> 4) << 32 | swizzle << 62;
}
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("wgmma.wait_group.sync.aligned %0;" :: "n"(N) : "memory"); }
__device__ void shown() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
__device__ void product128(float (&c)[64], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
    "%64, %65, 1, 1, 1, 0, 1;" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
    "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
    "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
    "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
    "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
    "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
    "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
    "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]) : "l"(a), "l"(b));
}

__device__ void copied(unsigned to, const void *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
}

// c = a b of halves, n x n, by rows: tiles of 128 x 128, two warpgroups, two stages, swizzled; b lies across
extern "C" __global__ void wgmma_stages(const half_t *a, const half_t *b, float *c, int n) {
  extern __shared__ __align__(1024) unsigned char stages[];
  float sum[64] = {};
  int t = threadIdx.x, group = t / 128, row = blockIdx.y * 128, column = blockIdx.x * 128;
  unsigned base = (unsigned)__cvta_generic_to_shared(stages);
  auto bring = [&](int k, unsigned place) {
    for (int i = t; i < 1024; i += 256) {
      int r = i / 8, u = i % 8, d = i / 16, v = i % 16;
      copied(place + r * 128 + ((u ^ r % 8) << 4), a + (row + r) * n + k + u * 8);
      copied(place + 16384 + v / 8 * 8192 + d * 128 + ((v % 8 ^ d % 8) << 4), b + (k + d) * n + column + v * 8);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  bring(0, base);
  for (int k = 0; k < n; k += 64) {
    unsigned place = base + (k / 64 & 1) * 32768;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    shown();
    __syncthreads();
    if (k + 64 < n) bring(k + 64, base + (k / 64 + 1 & 1) * 32768);
    fence();
    for (int j = 0; j < 4; j++)
      product128(sum, described(place + group * 8192 + 32 * j, 16, 1024, 1), described(place + 16384 + 2048 * j, 8192, 1024, 1));
    commit();
    wait<0>();
  }
  float *out = c + (row + group * 64 + t % 128 / 32 * 16 + t % 32 / 4) * n + column + t % 4 * 2;
  for (int i = 0; i < 16; i++) {
    *(float2 *)(out + 8 * i) = make_float2(sum[4 * i], sum[4 * i + 1]);
    *(float2 *)(out + 8 * n + 8 * i) = make_float2(sum[4 * i + 2], sum[4 * i + 3]);
  }
}
