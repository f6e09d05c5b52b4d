// Products of matrices that lie column by column: C = alpha op(A) op(B) + beta C.
// The compiler is told IN and OUT, the types of the elements; SUM, in which products are added up; and NAME, which the kernels' names begin with.
// With EPILOGUE what cuBLASLt does to a product before it is written is there, too; with ACTIVATIONS, where SUM is float, all of it.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

struct Half { unsigned short bits; };
struct Bfloat { unsigned short bits; };

template <class T> __device__ SUM read(T value) { return (SUM)value; }
#ifdef HALF
__device__ SUM read(Half value)
{
    float wide;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
    return wide;
}
#endif
__device__ SUM read(Bfloat value) { return (SUM)__int_as_float((int)value.bits << 16); }

template <class T> __device__ void write(T *to, SUM value) { *to = (T)value; }
#ifdef HALF
__device__ void write(Half *to, SUM value) { asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to->bits) : "f"((float)value)); }
#endif
__device__ void write(Bfloat *to, SUM value)
{
    unsigned bits = __float_as_uint((float)value);
    bool number = (bits & 0x7fffffff) <= 0x7f800000;
    to->bits = number ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fff;
}

// A factor: a value, or where the device has it.
struct Scalar {
    const SUM *device;
    SUM value;
    __device__ SUM get() const { return device ? *device : value; }
};

struct Product {
    int m, n, k, batch;
    const void *a, *b;          // matrices, or arrays of their addresses
    void *c;
    long long lda, ldb, ldc;    // elements from one column to the next
    long long stride_a, stride_b, stride_c;     // elements from one matrix to the next
    int transposed_a, transposed_b, addresses, unused;
    Scalar alpha, beta;
};

#ifdef EPILOGUE
enum { NOTHING, RELU, GELU, KEEPING_GELU, GELU_GRADIENT };

struct Epilogue {
    const OUT *old;             // C, of which D need not take the place
    long long ld, stride;
    const OUT *bias;
    long long stride_bias;
    OUT *aux;                   // what GELU is taken of
    long long ld_aux, stride_aux;
    int activation, by_column;  // whether the bias is for columns: then D is transposed

#ifdef ACTIVATIONS
    // 1 / (1 + exp(-2 u)) makes GELU of x, with tanh as it is, without its differences of close numbers.
    __device__ static float gate(float x) { return 1 / (1 + __expf(-1.5957691216f * (x + 0.044715f * x * x * x))); }
    __device__ static float gradient(float x)
    {
        float open = gate(x);
        return open + x * open * (1 - open) * 1.5957691216f * (1 + 0.134145f * x * x);
    }
    __device__ float activated(float value, OUT *kept) const
    {
        if (activation == RELU)
            return value > 0 || value != value ? value : 0;
        if (activation == GELU_GRADIENT)
            return value * gradient(read(*kept));
        if (activation == KEEPING_GELU)
            write(kept, value);
        return activation == NOTHING ? value : value * gate(value);
    }
#endif
    __device__ SUM finished(SUM value, SUM beta, int number, int y, int x) const
    {
        if (beta != (SUM)0)
            value += beta * read(old[number * stride + y + x * ld]);
        if (bias)
            value += read(bias[number * stride_bias + (by_column ? x : y)]);
#ifdef ACTIVATIONS
        value = activated(value, aux + number * stride_aux + y + x * ld_aux);
#endif
        return value;
    }
};
#define AND_EPILOGUE , Epilogue e
#define EPILOGUE_TOO , const Epilogue &e
#define GIVEN_TOO , e
#else
#define AND_EPILOGUE
#define EPILOGUE_TOO
#define GIVEN_TOO
#endif

template <class T> __device__ T *matrix(const void *base, long long stride, int number, int addresses)
{
    return addresses ? ((T *const *)base)[number] : (T *)base + stride * number;
}

// A block of SIDE * SIDE threads makes a tile of C whose side is SIDE * WORK, SIDE products of each element between two barriers; both operands
// pass through shared memory, where each is used as often as the tile is wide.
template <int SIDE, int WORK> __device__ void make_tile(const Product &p, int number, int row, int column, SUM alpha, SUM beta EPILOGUE_TOO)
{
    constexpr int TILE = SIDE * WORK;
    __shared__ SUM left[SIDE][TILE + 1], right[SIDE][TILE + 1];
    int thread = threadIdx.y * SIDE + threadIdx.x, depth = alpha == (SUM)0 ? 0 : p.k;
    const IN *a = matrix<const IN>(p.a, p.stride_a, number, p.addresses), *b = matrix<const IN>(p.b, p.stride_b, number, p.addresses);
    OUT *c = matrix<OUT>(p.c, p.stride_c, number, p.addresses);
    SUM sums[WORK][WORK] = {};
    for (int base = 0; base < depth; base += SIDE) {
#pragma unroll
        for (int each = 0; each < WORK; ++each) {
            int element = thread + each * SIDE * SIDE;      // neighbours in memory go to neighbouring threads
            int i = p.transposed_a ? element / SIDE : element % TILE, ka = p.transposed_a ? element % SIDE : element / TILE;
            int j = p.transposed_b ? element % TILE : element / SIDE, kb = p.transposed_b ? element / TILE : element % SIDE;
            bool inside_a = row + i < p.m && base + ka < depth, inside_b = column + j < p.n && base + kb < depth;
            long long at_a = p.transposed_a ? base + ka + (row + i) * p.lda : row + i + (base + ka) * p.lda;
            long long at_b = p.transposed_b ? column + j + (base + kb) * p.ldb : base + kb + (column + j) * p.ldb;
            left[ka][i] = inside_a ? read(a[at_a]) : (SUM)0;
            right[kb][j] = inside_b ? read(b[at_b]) : (SUM)0;
        }
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < SIDE; ++k) {
            SUM mine[WORK];
#pragma unroll
            for (int i = 0; i < WORK; ++i)
                mine[i] = left[k][threadIdx.x + i * SIDE];
#pragma unroll
            for (int j = 0; j < WORK; ++j) {
                SUM other = right[k][threadIdx.y + j * SIDE];
#pragma unroll
                for (int i = 0; i < WORK; ++i)
                    sums[i][j] += mine[i] * other;
            }
        }
        __syncthreads();
    }
#pragma unroll
    for (int j = 0; j < WORK; ++j) {
#pragma unroll
        for (int i = 0; i < WORK; ++i) {
            int y = row + threadIdx.x + i * SIDE, x = column + threadIdx.y + j * SIDE;
            if (y >= p.m || x >= p.n)
                continue;
            OUT *to = c + y + x * p.ldc;
#ifdef EPILOGUE
            write(to, e.finished(alpha * sums[i][j], beta, number, y, x));
#else
            write(to, beta == (SUM)0 ? alpha * sums[i][j] : alpha * sums[i][j] + beta * read(*to));     // C is not read where beta is 0
#endif
        }
    }
}

// All tiles of all products, in steps of the grid, which a machine may not take as large as the matrices are.
template <int SIDE, int WORK> __device__ void product(const Product &p EPILOGUE_TOO)
{
    constexpr unsigned TILE = SIDE * WORK;
    SUM alpha = p.alpha.get(), beta = p.beta.get();
    for (unsigned row = blockIdx.x * TILE; row < (unsigned)p.m; row += gridDim.x * TILE)
        for (unsigned column = blockIdx.y * TILE; column < (unsigned)p.n; column += gridDim.y * TILE)
            for (unsigned number = blockIdx.z; number < (unsigned)p.batch; number += gridDim.z)
                make_tile<SIDE, WORK>(p, number, row, column, alpha, beta GIVEN_TOO);
}

extern "C" __global__ void KERNEL(NAME, gemm_8)(Product p AND_EPILOGUE) { product<8, 1>(p GIVEN_TOO); }
extern "C" __global__ void KERNEL(NAME, gemm_16)(Product p AND_EPILOGUE) { product<16, 1>(p GIVEN_TOO); }
#ifndef EPILOGUE
extern "C" __global__ void KERNEL(NAME, gemm_64)(Product p) { product<16, 4>(p); }
#else
// The sum over k of each row or column of many matrices.
extern "C" __global__ void KERNEL(NAME, sums)(const IN *from, long long step, long long next, long long stride, int n, int k, int batch, OUT *to,
                                              long long stride_to)
{
    for (int number = blockIdx.y; number < batch; number += gridDim.y) {
        for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long long)blockDim.x) {
            SUM sum = 0;
            for (int j = 0; j < k; ++j)
                sum += read(from[number * stride + i * step + j * next]);
            write(to + number * stride_to + i, sum);
        }
    }
}
#endif
