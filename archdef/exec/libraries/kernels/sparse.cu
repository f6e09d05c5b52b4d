// Sparse matrices with vectors, dense matrices and each other. The compiler is told REAL and NAME, which the kernels' names begin with.
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

// The first of `count` places of which `beyond` is true, as it is of all that follow.
template <class Beyond> __device__ Long first_of(Long count, Beyond beyond)
{
    Long first = 0, end = count;
#pragma unroll 1
    while (first < end) {
        Long middle = (first + end) / 2;
        if (beyond(middle))
            end = middle;
        else
            first = middle + 1;
    }
    return first;
}

struct Strides { Long starts, elements; };      // of a batch, the next matrix is so far on

// Rows begin at `starts` (CSR); or `starts` has the row of each element, in order (COO). Indices are of 32 or 64 bits and begin at `base`.
struct Matrix {
    Long rows, columns, count;
    void *starts, *places;
    Real *values;
    int wide_starts, wide_places, base, by_element;
    __device__ static Long read(const void *from, int wide, Long i) { return wide ? ((const Long *)from)[i] : ((const int *)from)[i]; }
    __device__ static void write(void *to, int wide, Long i, Long value)
    {
        if (wide)
            ((Long *)to)[i] = value;
        else
            ((int *)to)[i] = (int)value;
    }
    __device__ Long start(Long row) const
    {
        if (!by_element)
            return read(starts, wide_starts, row) - base;
        return first_of(count, [=](Long i) { return read(starts, wide_starts, i) - base >= row; });
    }
    __device__ Long row(Long element) const
    {
        if (by_element)
            return read(starts, wide_starts, element) - base;
        return first_of(rows, [=](Long i) { return read(starts, wide_starts, i + 1) - base > element; });
    }
    __device__ Long column(Long element) const { return read(places, wide_places, element) - base; }
    __device__ void put_start(Long row, Long element) { write(starts, wide_starts, row, element + base); }
    __device__ void put_column(Long element, Long column) { write(places, wide_places, element, column + base); }
    __device__ Matrix of(Long batch, Strides next) const
    {
        Matrix found = *this;
        found.starts = (char *)starts + batch * next.starts * (wide_starts ? 8 : 4);
        found.places = (char *)places + batch * next.elements * (wide_places ? 8 : 4);
        found.values = values + batch * next.elements;
        return found;
    }
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

struct Dense {
    Real *data;
    Long row, column, next;     // elements from one row to the next, from one column to the next, and from one matrix of a batch to the next
    __device__ Real &at(Long batch, Long i, Long j) const { return data[batch * next + i * row + j * column]; }
};

// C = alpha A B + beta C for each of a batch, a thread for each element of C.
extern "C" __global__ void KERNEL(NAME, spmm)(Matrix each, Scalar alpha, Dense b, Scalar beta, Dense c, Long columns, Long batches, Strides next)
{
    Real by = alpha.get(), old = beta.get();
    for (Long batch = blockIdx.y; batch < batches; batch += gridDim.y) {
        Matrix a = each.of(batch, next);
        for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < a.rows * columns; i += gridDim.x * (Long)blockDim.x) {
            Long row = i % a.rows, column = i / a.rows, end = a.start(row + 1);
            Real sum = 0;
            for (Long k = a.start(row); k < end; ++k)
                sum += a.values[k] * b.at(batch, a.column(k), column);
            Real &to = c.at(batch, row, column);
            to = old == 0 ? by * sum : by * sum + old * to;
        }
    }
}

// C = alpha A B + beta C where C has elements, for each of a batch, a thread for each element; `inner`: columns of A.
extern "C" __global__ void KERNEL(NAME, sddmm)(Dense a, Scalar alpha, Dense b, Scalar beta, Matrix each, Long inner, Long batches, Strides next)
{
    Real by = alpha.get(), old = beta.get();
    for (Long batch = blockIdx.y; batch < batches; batch += gridDim.y) {
        Matrix c = each.of(batch, next);
        for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < c.count; i += gridDim.x * (Long)blockDim.x) {
            Long row = c.row(i), column = c.column(i);
            Real sum = 0;
            for (Long k = 0; k < inner; ++k)
                sum += a.at(batch, row, k) * b.at(batch, k, column);
            c.values[i] = old == 0 ? by * sum : by * sum + old * c.values[i];
        }
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

// ---------------------------------------------------------------------------------------- matrices that are made of others
#define FOR_EACH(i, n) _Pragma("unroll 1") for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < (n); i += gridDim.x * (Long)blockDim.x)

// Counts become sums of all up to each, by one block.
constexpr int SUMMED_AT_ONCE = 256;

template <class Count> __device__ void add_up(Long n, Count *counts)
{
    __shared__ Count sums[SUMMED_AT_ONCE];
    Count before = 0;
    for (Long first = 0; first < n; first += SUMMED_AT_ONCE) {
        Long i = first + threadIdx.x;
        sums[threadIdx.x] = i < n ? counts[i] : 0;
        for (int distance = 1; distance < SUMMED_AT_ONCE; distance *= 2) {
            __syncthreads();
            Count more = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
            __syncthreads();
            sums[threadIdx.x] += more;
        }
        if (i < n)
            counts[i] = before + sums[threadIdx.x];
        __syncthreads();
        before += sums[SUMMED_AT_ONCE - 1];
        __syncthreads();
    }
}

extern "C" __global__ void KERNEL(NAME, added_up)(Long n, Long *counts) { add_up(n, counts); }
extern "C" __global__ void KERNEL(NAME, added_up_int)(Long n, int *counts) { add_up(n, counts); }

// One step of a merge sort: of sorted runs of `width`, each two become one. Equal keys keep their order. A place goes with each key.
extern "C" __global__ void KERNEL(NAME, merged)(Long n, Long width, const Long *keys, const Long *places, Long *to_keys, Long *to_places)
{
    FOR_EACH(i, n) {
        Long run = i / width, key = keys[i], mine = run * width, left = run & ~1ll, other = min((run ^ 1) * width, n);
        bool second = run & 1;
        Long before = first_of(min(width, n - other), [=](Long j) { return second ? keys[other + j] > key : keys[other + j] >= key; });
        Long to = left * width + (i - mine) + before;
        to_keys[to] = key;
        to_places[to] = places[i];
    }
}

// Rows begin where the sorted keys reach their number times `step`.
extern "C" __global__ void KERNEL(NAME, row_starts)(Long n, const Long *keys, Long step, Matrix c)
{
    FOR_EACH(row, c.rows + 1)
        c.put_start(row, first_of(n, [=](Long i) { return keys[i] >= row * step; }));
}

// How many products A's elements make with rows of B, behind 0.
extern "C" __global__ void KERNEL(NAME, product_counts)(Matrix a, Matrix b, Long *counts)
{
    FOR_EACH(i, a.count + 1)
        counts[i] = i ? b.start(a.column(i - 1) + 1) - b.start(a.column(i - 1)) : 0;
}

// These products, and where they belong in A B, row by row.
extern "C" __global__ void KERNEL(NAME, products)(Matrix a, Matrix b, Long n, const Long *ends, Long *keys, Long *places, Real *values)
{
    FOR_EACH(i, n) {
        Long of = first_of(a.count, [=](Long j) { return ends[j + 1] > i; }), with = b.start(a.column(of)) + i - ends[of];
        keys[i] = a.row(of) * b.columns + b.column(with);
        places[i] = i;
        values[i] = a.values[of] * b.values[with];
    }
}

// Whether a key is another one than that before it, behind 0.
extern "C" __global__ void KERNEL(NAME, distinct)(Long n, const Long *keys, Long *counts)
{
    FOR_EACH(i, n + 1)
        counts[i] = i && (i == 1 || keys[i - 1] != keys[i - 2]);
}

// The sum for each key, in the order of the products; `counts`: how many keys there are up to each.
extern "C" __global__ void KERNEL(NAME, sums)(Long n, const Long *keys, const Long *places, const Real *values, const Long *counts, Long *to_keys, Real *sums)
{
    FOR_EACH(i, n) {
        if (counts[i] == counts[i + 1])
            continue;
        Real sum = 0;
        for (Long j = i; j < n && keys[j] == keys[i]; ++j)
            sum += values[places[j]];
        to_keys[counts[i]] = keys[i];
        sums[counts[i]] = sum;
    }
}

// C = alpha times these sums + beta C.
extern "C" __global__ void KERNEL(NAME, put_sums)(const Long *keys, const Real *sums, Scalar alpha, Scalar beta, Matrix c)
{
    Real by = alpha.get(), old = beta.get();
    FOR_EACH(i, c.count) {
        c.put_column(i, keys[i] % c.columns);
        c.values[i] = old == 0 ? by * sums[i] : by * sums[i] + old * c.values[i];
    }
}

// What the elements of a matrix are sorted by to transpose it.
extern "C" __global__ void KERNEL(NAME, columns)(Matrix a, Long *keys, Long *places)
{
    FOR_EACH(i, a.count) {
        keys[i] = a.column(i);
        places[i] = i;
    }
}

// The elements of a transposed matrix, of which `places` says where they come from.
extern "C" __global__ void KERNEL(NAME, transposed)(Matrix a, const Long *places, Matrix c, int with_values)
{
    FOR_EACH(i, c.count) {
        c.put_column(i, a.row(places[i]));
        if (with_values)
            c.values[i] = a.values[places[i]];
    }
}

// Goes through the columns that A or B has in a row, in order: `visit` is told the column, and the element of each, or -1.
template <class Visit> __device__ void unite(const Matrix &a, const Matrix &b, Long row, Visit visit)
{
    const Long none = 0x7fffffffffffffffll;
    Long i = a.start(row), j = b.start(row), a_end = a.start(row + 1), b_end = b.start(row + 1);
    while (i < a_end || j < b_end) {
        Long of_a = i < a_end ? a.column(i) : none, of_b = j < b_end ? b.column(j) : none, column = min(of_a, of_b);
        visit(column, of_a == column ? i++ : -1, of_b == column ? j++ : -1);
    }
}

// How many elements the rows of A + B have, behind the first index.
extern "C" __global__ void KERNEL(NAME, union_counts)(Matrix a, Matrix b, int base, int *counts)
{
    FOR_EACH(i, a.rows + 1) {
        int count = i ? 0 : base;
        if (i)
            unite(a, b, i - 1, [&](Long, Long, Long) { ++count; });
        counts[i] = count;
    }
}

extern "C" __global__ void KERNEL(NAME, last_count)(Long n, const int *starts, int *total)
{
    if (!blockIdx.x && !threadIdx.x)
        *total = starts[n] - starts[0];
}

// C = alpha A + beta B, whose rows begin where `union_counts` has said.
extern "C" __global__ void KERNEL(NAME, united)(Matrix a, Scalar alpha, Matrix b, Scalar beta, Matrix c)
{
    Real by_a = alpha.get(), by_b = beta.get();
    FOR_EACH(row, a.rows) {
        Long to = c.start(row);
        unite(a, b, row, [&](Long column, Long i, Long j) {
            c.put_column(to, column);
            c.values[to++] = (i < 0 ? 0 : by_a * a.values[i]) + (j < 0 ? 0 : by_b * b.values[j]);
        });
    }
}

// ---------------------------------------------------------------------------------------- dense matrices, and orders of elements
extern "C" __global__ void KERNEL(NAME, zeros)(Dense b, Long rows, Long columns)
{
    FOR_EACH(i, rows * columns)
        b.at(0, i % rows, i / rows) = 0;
}

extern "C" __global__ void KERNEL(NAME, spread)(Matrix a, Dense b)
{
    FOR_EACH(i, a.count)
        b.at(0, a.row(i), a.column(i)) = a.values[i];
}

__device__ Long in_row(const Dense &a, Long row, Long columns)
{
    Long count = 0;
    for (Long j = 0; j < columns; ++j)
        count += a.at(0, row, j) != 0;
    return count;
}

// How many elements of each row are not 0, behind 0.
extern "C" __global__ void KERNEL(NAME, dense_counts)(Dense a, Long rows, Long columns, Long *counts)
{
    FOR_EACH(i, rows + 1)
        counts[i] = i ? in_row(a, i - 1, columns) : 0;
}

// These elements; `ends`: how many there are up to each row.
extern "C" __global__ void KERNEL(NAME, gathered)(Dense a, const Long *ends, Matrix c)
{
    FOR_EACH(row, c.rows) {
        Long to = ends[row];
        if (!c.by_element) {
            c.put_start(row, to);
            if (row == c.rows - 1)
                c.put_start(c.rows, ends[c.rows]);
        }
        for (Long j = 0; j < c.columns; ++j) {
            Real value = a.at(0, row, j);
            if (value == 0)
                continue;
            if (c.by_element)
                c.put_start(to, row);
            c.put_column(to, j);
            c.values[to++] = value;
        }
    }
}

extern "C" __global__ void KERNEL(NAME, row_counts)(Dense a, Long rows, Long columns, int *counts)
{
    FOR_EACH(row, rows)
        counts[row] = (int)in_row(a, row, columns);
}

// The sum of all counts, by one block.
extern "C" __global__ void KERNEL(NAME, total)(Long n, const int *counts, int *total)
{
    __shared__ int sums[SUMMED_AT_ONCE];
    int sum = 0;
    for (Long i = threadIdx.x; i < n; i += SUMMED_AT_ONCE)
        sum += counts[i];
    sums[threadIdx.x] = sum;
    for (int half = SUMMED_AT_ONCE / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (!threadIdx.x)
        *total = sums[0];
}

extern "C" __global__ void KERNEL(NAME, identity)(Long n, int *places)
{
    FOR_EACH(i, n)
        places[i] = (int)i;
}

// What the elements of a matrix are sorted by.
extern "C" __global__ void KERNEL(NAME, element_keys)(Matrix a, Long *keys, Long *places)
{
    FOR_EACH(i, a.count) {
        keys[i] = a.row(i) * a.columns + a.column(i);
        places[i] = i;
    }
}

extern "C" __global__ void KERNEL(NAME, picked)(Long n, const Long *places, const int *from, Long *to)
{
    FOR_EACH(i, n)
        to[i] = from[places[i]];
}

extern "C" __global__ void KERNEL(NAME, put_sorted)(Matrix a, const Long *keys, const Long *picked, int *places)
{
    FOR_EACH(i, a.count) {
        a.put_column(i, keys[i] % a.columns);
        places[i] = (int)picked[i];
    }
}
