// Sparse matrices with vectors and dense matrices. The compiler is told REAL and NAME, which the kernels' names begin with.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

typedef REAL Real;
typedef long long Long;

constexpr int LANES = 32, ROWS = 4;     // threads that share a row, and rows of a block

// A factor: a value, or where the device has it.
struct Scalar {
    const Real *device;
    Real value;
    __device__ Real get() const { return device ? *device : value; }
};

// Rows begin at `starts` (CSR); or `starts` has the row of each element, in order (COO). Indices are of 32 or 64 bits and begin at `base`.
struct Matrix {
    Long rows, columns, count;
    const void *starts, *places;
    const Real *values;
    int wide_starts, wide_places, base, by_element;
    __device__ static Long read(const void *from, int wide, Long i) { return wide ? ((const Long *)from)[i] : ((const int *)from)[i]; }
    __device__ Long start(Long row) const
    {
        if (!by_element)
            return read(starts, wide_starts, row) - base;
        Long first = 0, end = count;
        while (first < end) {           // the first element of this row or a later one
            Long middle = (first + end) / 2;
            if (read(starts, wide_starts, middle) - base < row)
                first = middle + 1;
            else
                end = middle;
        }
        return first;
    }
    __device__ Long column(Long element) const { return read(places, wide_places, element) - base; }
};

// y = alpha A x + beta y.
extern "C" __global__ void KERNEL(NAME, spmv)(Matrix a, Scalar alpha, const Real *x, Scalar beta, Real *y)
{
    __shared__ Real sums[ROWS][LANES];
    Real by = alpha.get(), old = beta.get();
    for (Long first = (Long)blockIdx.x * ROWS; first < a.rows; first += (Long)gridDim.x * ROWS) {
        Long row = first + threadIdx.y;
        Real sum = 0;
        if (row < a.rows) {
            Long end = a.start(row + 1);
            for (Long i = a.start(row) + threadIdx.x; i < end; i += LANES)
                sum += a.values[i] * x[a.column(i)];
        }
        sums[threadIdx.y][threadIdx.x] = sum;
        for (int half = LANES / 2; half; half /= 2) {
            __syncthreads();
            if (threadIdx.x < half)
                sums[threadIdx.y][threadIdx.x] += sums[threadIdx.y][threadIdx.x + half];
        }
        if (!threadIdx.x && row < a.rows)
            y[row] = old == 0 ? by * sums[threadIdx.y][0] : by * sums[threadIdx.y][0] + old * y[row];
        __syncthreads();
    }
}

struct Dense { Real *data; Long row, column; };     // elements from one row to the next, and from one column to the next

// C = alpha A B + beta C, a thread for each element of C.
extern "C" __global__ void KERNEL(NAME, spmm)(Matrix a, Scalar alpha, Dense b, Scalar beta, Dense c, Long columns)
{
    Real by = alpha.get(), old = beta.get();
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < a.rows * columns; i += gridDim.x * (Long)blockDim.x) {
        Long row = i % a.rows, column = i / a.rows, end = a.start(row + 1);
        Real sum = 0;
        for (Long k = a.start(row); k < end; ++k)
            sum += a.values[k] * b.data[a.column(k) * b.row + column * b.column];
        Real &to = c.data[row * c.row + column * c.column];
        to = old == 0 ? by * sum : by * sum + old * to;
    }
}

// y = alpha x + beta y, of which x has few elements.
extern "C" __global__ void KERNEL(NAME, scaled)(Long n, Scalar beta, Real *y)
{
    Real by = beta.get();
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (Long)blockDim.x)
        y[i] = by == 0 ? 0 : by * y[i];
}

extern "C" __global__ void KERNEL(NAME, axpy)(Matrix x, Scalar alpha, Real *y)
{
    Real by = alpha.get();
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < x.count; i += gridDim.x * (Long)blockDim.x)
        y[x.column(i)] += by * x.values[i];
}

extern "C" __global__ void KERNEL(NAME, gather)(Matrix x, const Real *y, Real *values)
{
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < x.count; i += gridDim.x * (Long)blockDim.x)
        values[i] = y[x.column(i)];
}

extern "C" __global__ void KERNEL(NAME, scatter)(Matrix x, Real *y)
{
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < x.count; i += gridDim.x * (Long)blockDim.x)
        y[x.column(i)] = x.values[i];
}
