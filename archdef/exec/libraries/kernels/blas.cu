// Vectors, and matrices with vectors, as BLAS defines them. The compiler is told REAL and NAME, which the kernels' names begin with.
// With NARROW, Half or Bfloat, vectors have such elements, REAL is what is computed in, and there are only the kernels that such vectors need.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

constexpr int THREADS = 128, SIDE = 16;
typedef REAL Real;
typedef long long Long;

#ifdef NARROW
struct Half { unsigned short bits; };
struct Bfloat { unsigned short bits; };
typedef NARROW Element;
#else
typedef Real Element;
__device__ Real wide(Real value) { return value; }
#endif
#ifdef HALF
__device__ Real wide(Half value)
{
    float wider;
    asm("cvt.f32.f16 %0, %1;" : "=f"(wider) : "h"(value.bits));
    return wider;
}
#elif defined(NARROW)
__device__ Real wide(Bfloat value) { return __int_as_float((int)value.bits << 16); }
#endif

__device__ Element narrow(Real value)
{
#ifdef HALF
    Half rounded;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(rounded.bits) : "f"(value));
    return rounded;
#elif defined(NARROW)
    unsigned bits = __float_as_uint(value);
    bool number = (bits & 0x7fffffff) <= 0x7f800000;
    return {(unsigned short)(number ? (bits + 0x7fff + (bits >> 16 & 1)) >> 16 : 0x7fff)};
#else
    return value;
#endif
}

// A factor: a value, or where the device has it.
struct Scalar {
    const Real *device;
    Real value;
    __device__ Real get() const { return device ? *device : value; }
};

// A vector; one with a negative distance begins at its end.
struct Vector {
    Element *data;
    Long distance;
    __device__ Element &at(int n, int i) const { return data[(distance < 0 ? i - (n - 1) : i) * distance]; }
    __device__ Real get(int n, int i) const { return wide(at(n, i)); }
};

#define EACH(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)

extern "C" __global__ void KERNEL(NAME, scal)(int n, Scalar alpha, Vector x)
{
    Real by = alpha.get();
    EACH(i, n)
        x.at(n, i) = narrow(x.get(n, i) * by);
}

extern "C" __global__ void KERNEL(NAME, axpy)(int n, Scalar alpha, Vector x, Vector y)
{
    Real by = alpha.get();
    if (by == 0)        // x is not read
        return;
    EACH(i, n)
        y.at(n, i) = narrow(y.get(n, i) + by * x.get(n, i));
}

#ifndef NARROW
extern "C" __global__ void KERNEL(NAME, copy)(int n, Vector x, Vector y)
{
    EACH(i, n)
        y.at(n, i) = x.at(n, i);
}

extern "C" __global__ void KERNEL(NAME, swap)(int n, Vector x, Vector y)
{
    EACH(i, n) {
        Real kept = x.at(n, i);
        x.at(n, i) = y.at(n, i);
        y.at(n, i) = kept;
    }
}

extern "C" __global__ void KERNEL(NAME, rot)(int n, Vector x, Vector y, Scalar c, Scalar s)
{
    Real cosine = c.get(), sine = s.get();
    EACH(i, n) {
        Real a = x.at(n, i), b = y.at(n, i);
        x.at(n, i) = cosine * a + sine * b;
        y.at(n, i) = cosine * b - sine * a;
    }
}
#endif

// What is left of a block's numbers. A launch leaves one of each block, and one block more makes the result of these.
template <class Part> __device__ Part reduced(Part part)
{
    __shared__ Part kept[THREADS];
    __syncthreads();
    kept[threadIdx.x] = part;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            kept[threadIdx.x] = kept[threadIdx.x].with(kept[threadIdx.x + half]);
    }
    __syncthreads();
    return kept[0];
}

template <class Part> __device__ void leave(Part part, Part *parts)
{
    part = reduced(part);
    if (!threadIdx.x)
        parts[blockIdx.x] = part;
}

template <class Part, class Result> __device__ void finish(const Part *parts, int count, Result *result)
{
    Part whole = Part();
    for (int i = threadIdx.x; i < count; i += THREADS)
        whole = whole.with(parts[i]);
    whole = reduced(whole);
    if (!threadIdx.x)
        *result = whole.result();
}

struct Sum {
    Real sum, unused;
    __device__ Sum with(Sum other) const { return {sum + other.sum, 0}; }
    __device__ Element result() const { return narrow(sum); }
};

// scale² * squares is the sum of squares: nothing overflows that the result does not.
struct Squares {
    Real scale, squares;
    __device__ Squares with(Squares other) const
    {
        bool mine = !(scale < other.scale);
        Real large = mine ? scale : other.scale, small = mine ? other.scale : scale;
        Real of_large = mine ? squares : other.squares, of_small = mine ? other.squares : squares;
        if (small == large || small == 0)
            return {large, of_large + of_small};
        Real ratio = small / large;
        return {large, of_large + of_small * ratio * ratio};
    }
    __device__ Element result() const { return narrow(scale * sqrt(squares)); }
};

// A magnitude; what is no number gets one that comes behind all numbers, or its place would depend on the order of comparisons.
__device__ Real magnitude(Real value, Real behind) { return value == value ? fabs(value) : behind; }

struct Largest {
    Real size;
    int place;                  // 0: of nothing; the first is 1
    __device__ Largest with(Largest other) const
    {
        bool mine = !other.place || (place && (size > other.size || (size == other.size && place < other.place)));
        return mine ? *this : other;
    }
    __device__ int result() const { return place; }
};

struct Smallest {
    Real size;
    int place;
    __device__ Smallest with(Smallest other) const
    {
        bool mine = !other.place || (place && (size < other.size || (size == other.size && place < other.place)));
        return mine ? *this : other;
    }
    __device__ int result() const { return place; }
};

extern "C" __global__ void KERNEL(NAME, dot)(int n, Vector x, Vector y, Sum *parts)
{
    Real sum = 0;
    EACH(i, n)
        sum += x.get(n, i) * y.get(n, i);
    leave(Sum{sum, 0}, parts);
}

#ifndef NARROW
extern "C" __global__ void KERNEL(NAME, asum)(int n, Vector x, Sum *parts)
{
    Real sum = 0;
    EACH(i, n)
        sum += fabs(x.at(n, i));
    leave(Sum{sum, 0}, parts);
}
#endif

extern "C" __global__ void KERNEL(NAME, sum_end)(const Sum *parts, int count, Element *result) { finish(parts, count, result); }

extern "C" __global__ void KERNEL(NAME, nrm2)(int n, Vector x, Squares *parts)
{
    Squares sum = {0, 0};
    EACH(i, n) {
        Real size = fabs(x.get(n, i));
        if (size != 0)
            sum = sum.with(Squares{size, 1});
    }
    leave(sum, parts);
}

extern "C" __global__ void KERNEL(NAME, nrm2_end)(const Squares *parts, int count, Element *result) { finish(parts, count, result); }

#ifndef NARROW
extern "C" __global__ void KERNEL(NAME, amax)(int n, Vector x, Largest *parts)
{
    Largest found = {0, 0};
    EACH(i, n)
        found = found.with(Largest{magnitude(x.at(n, i), -1), i + 1});
    leave(found, parts);
}

extern "C" __global__ void KERNEL(NAME, amax_end)(const Largest *parts, int count, int *result) { finish(parts, count, result); }

extern "C" __global__ void KERNEL(NAME, amin)(int n, Vector x, Smallest *parts)
{
    Smallest found = {0, 0};
    EACH(i, n)
        found = found.with(Smallest{magnitude(x.at(n, i), __int_as_float(0x7f800000)), i + 1});
    leave(found, parts);
}

extern "C" __global__ void KERNEL(NAME, amin_end)(const Smallest *parts, int count, int *result) { finish(parts, count, result); }

// What a factor makes of a sum. Nothing is read of y where beta is 0, nor of A and x where alpha is.
__device__ void put(Real &to, Real by, Real sum, Real old) { to = old == 0 ? by * sum : by * sum + old * to; }

// y = alpha A x + beta y, a thread for each row.
extern "C" __global__ void KERNEL(NAME, gemv_n)(int m, int n, Scalar alpha, const Real *a, Long lda, Vector x, Scalar beta, Vector y)
{
    Real by = alpha.get(), old = beta.get();
    EACH(i, m) {
        Real sum = 0;
        for (int j = 0; j < n && by != 0; ++j)
            sum += a[i + j * lda] * x.at(n, j);
        put(y.at(m, i), by, sum, old);
    }
}

// y = alpha A' x + beta y, a block for each column.
extern "C" __global__ void KERNEL(NAME, gemv_t)(int m, int n, Scalar alpha, const Real *a, Long lda, Vector x, Scalar beta, Vector y)
{
    Real by = alpha.get(), old = beta.get();
    for (int j = blockIdx.x; j < n; j += gridDim.x) {
        Real sum = 0;
        for (int i = threadIdx.x; i < m && by != 0; i += THREADS)
            sum += a[i + j * lda] * x.at(m, i);
        sum = reduced(Sum{sum, 0}).sum;
        if (!threadIdx.x)
            put(y.at(n, j), by, sum, old);
    }
}

// Elements of a matrix, in steps of the grid, which a machine may not take as large as the matrix is.
#define EACH_ELEMENT(i, j, m, n) \
    for (int i = blockIdx.x * SIDE + threadIdx.x; i < m; i += gridDim.x * SIDE) \
        _Pragma("unroll 1") for (int j = blockIdx.y * SIDE + threadIdx.y; j < n; j += gridDim.y * SIDE)

// A += alpha x y'.
extern "C" __global__ void KERNEL(NAME, ger)(int m, int n, Scalar alpha, Vector x, Vector y, Real *a, Long lda)
{
    Real by = alpha.get();
    if (by == 0)        // x and y are not read
        return;
    EACH_ELEMENT(i, j, m, n)
        a[i + j * lda] += by * x.at(m, i) * y.at(n, j);
}

// C = alpha op(A) + beta op(B).
extern "C" __global__ void KERNEL(NAME, geam)(int m, int n, int transposed_a, int transposed_b, Scalar alpha, const Real *a, Long lda,
                                              Scalar beta, const Real *b, Long ldb, Real *c, Long ldc)
{
    Real of_a = alpha.get(), of_b = beta.get();
    EACH_ELEMENT(i, j, m, n) {
        Real sum = 0;
        if (of_a != 0)
            sum += of_a * a[transposed_a ? j + i * lda : i + j * lda];
        if (of_b != 0)
            sum += of_b * b[transposed_b ? j + i * ldb : i + j * ldb];
        c[i + j * ldc] = sum;
    }
}

// Solve M x = alpha b for every column of b, a block for each; M is triangular, solved from its first or its last row on.
extern "C" __global__ void KERNEL(NAME, trsm)(int size, int columns, int forward, int transposed, int unit, Scalar alpha, const Real *a, Long lda,
                                              Real *b, Long row, Long column)
{
    __shared__ Real solved;
    Real by = alpha.get();
    for (int number = blockIdx.x; number < columns; number += gridDim.x) {
        Real *x = b + number * column;
        for (int i = threadIdx.x; i < size; i += THREADS)
            x[i * row] = by == 0 ? 0 : x[i * row] * by;
        for (int step = 0; step < size && by != 0; ++step) {     // nothing is read of A where alpha is 0
            int i = forward ? step : size - 1 - step;
            __syncthreads();
            if (!threadIdx.x) {
                solved = unit ? x[i * row] : x[i * row] / a[i + i * lda];
                x[i * row] = solved;
            }
            __syncthreads();
            for (int left = threadIdx.x; left < size - 1 - step; left += THREADS) {
                int k = forward ? i + 1 + left : left;
                x[k * row] -= solved * a[transposed ? i + k * lda : k + i * lda];
            }
        }
        __syncthreads();
    }
}

// L and U of each of many small matrices, in their place: a block for each. `info` is the first column without a pivot, or 0.
extern "C" __global__ void KERNEL(NAME, getrf)(int n, Real *const *matrices, int lda, int *pivots, int *info, int batch)
{
    for (int number = blockIdx.x; number < batch; number += gridDim.x) {
        Real *a = matrices[number];
        int singular = 0;
        for (int k = 0; k < n; ++k) {
            int chosen = k;
            if (pivots) {
                Largest best = {0, 0};
                for (int i = k + threadIdx.x; i < n; i += THREADS)
                    best = best.with(Largest{magnitude(a[i + k * lda], -1), i + 1});
                chosen = reduced(best).place - 1;
                if (!threadIdx.x)
                    pivots[number * n + k] = chosen + 1;
                if (chosen != k)
                    for (int j = threadIdx.x; j < n; j += THREADS) {
                        Real kept = a[k + j * lda];
                        a[k + j * lda] = a[chosen + j * lda];
                        a[chosen + j * lda] = kept;
                    }
                __syncthreads();
            }
            Real pivot = a[k + k * lda];
            if (pivot == 0) {
                singular = singular ? singular : k + 1;
                __syncthreads();
                continue;
            }
            for (int i = k + 1 + threadIdx.x; i < n; i += THREADS)
                a[i + k * lda] /= pivot;
            __syncthreads();
            for (int element = threadIdx.x; element < (n - 1 - k) * (n - 1 - k); element += THREADS) {
                int i = k + 1 + element % (n - 1 - k), j = k + 1 + element / (n - 1 - k);
                a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
            }
            __syncthreads();
        }
        if (!threadIdx.x && info)
            info[number] = singular;
    }
}
#endif
