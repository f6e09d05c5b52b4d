// Factors of dense matrices, and systems that are solved by them, as LAPACK defines them. A block makes the factors of a matrix, column by column; systems
// have a block for each column of the right-hand side. The compiler is told REAL and NAME, which the kernels' names begin with.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

typedef REAL Real;
typedef long long Long;

constexpr int WIDTH = 16, HEIGHT = 8, THREADS = WIDTH * HEIGHT;

// A matrix: elements from one row to the next, and from one column to the next.
struct View {
    Real *data;
    Long row, column;
    __device__ Real &at(Long i, Long j) const { return data[i * row + j * column]; }
    __device__ View transposed() const { return {data, column, row}; }
};

__device__ int thread() { return threadIdx.y * WIDTH + threadIdx.x; }

#define EACH(i, first, end) for (Long i = (first) + thread(); i < (end); i += THREADS)
#define EACH_OF_BOTH(i, j, first, end_i, end_j) \
    for (Long j = (first) + threadIdx.y; j < (end_j); j += HEIGHT) \
        for (Long i = (first) + threadIdx.x; i < (end_i); i += WIDTH)

__device__ void leave(int *info, Long value)
{
    if (!thread())
        *info = (int)value;
}

// The sum of what the threads of a block have.
__device__ Real added_up(Real part)
{
    __shared__ Real kept[THREADS];
    __syncthreads();
    kept[thread()] = part;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        if (thread() < half)
            kept[thread()] += kept[thread() + half];
    }
    __syncthreads();
    return kept[0];
}

// L of A = L L', whose lower half alone is read and written.
extern "C" __global__ void KERNEL(NAME, potrf)(View a, Long n, int *info)
{
    for (Long k = 0; k < n; ++k) {
        Real pivot = a.at(k, k);
        if (!(pivot > 0)) {
            leave(info, k + 1);
            return;
        }
        __syncthreads();
        Real root = sqrt(pivot);
        EACH(i, k, n)
            a.at(i, k) = i == k ? root : a.at(i, k) / root;
        __syncthreads();
        EACH_OF_BOTH(i, j, k + 1, n, n)
            if (i >= j)
                a.at(i, j) -= a.at(i, k) * a.at(j, k);
        __syncthreads();
    }
    leave(info, 0);
}

// The row from `first` on that has the largest element of a column, and of several the first.
__device__ Long largest(View a, Long first, Long m, Long column)
{
    __shared__ Real sizes[THREADS];
    __shared__ Long rows[THREADS];
    Real size = -1;
    Long row = first;
    EACH(i, first, m)
        if (fabs(a.at(i, column)) > size)
            size = fabs(a.at(i, column)), row = i;
    sizes[thread()] = size, rows[thread()] = row;
    for (int half = THREADS / 2; half; half /= 2) {
        __syncthreads();
        int other = thread() + half;
        if (thread() < half && (sizes[other] > sizes[thread()] || (sizes[other] == sizes[thread()] && rows[other] < rows[thread()])))
            sizes[thread()] = sizes[other], rows[thread()] = rows[other];
    }
    __syncthreads();
    row = rows[0];
    __syncthreads();
    return row;
}

__device__ void swap(Real &a, Real &b)
{
    Real kept = a;
    a = b;
    b = kept;
}

// P, L and U of A = P L U; without `pivots` rows stay where they are.
extern "C" __global__ void KERNEL(NAME, getrf)(View a, Long m, Long n, int *pivots, int *info)
{
    Long wrong = 0;
    for (Long k = 0; k < min(m, n); ++k) {
        Long row = pivots ? largest(a, k, m, k) : k;
        if (pivots && !thread())
            pivots[k] = (int)(row + 1);
        if (row != k)
            EACH(j, 0, n)
                swap(a.at(k, j), a.at(row, j));
        __syncthreads();
        Real pivot = a.at(k, k);
        if (pivot == 0) {
            wrong = wrong ? wrong : k + 1;
            continue;
        }
        EACH(i, k + 1, m)
            a.at(i, k) /= pivot;
        __syncthreads();
        EACH_OF_BOTH(i, j, k + 1, m, n)
            a.at(i, j) -= a.at(i, k) * a.at(k, j);
        __syncthreads();
    }
    leave(info, wrong);
}

// x = A^-1 x, where A has its lower or its upper half.
__device__ void substitute(View a, Long n, bool lower, bool unit, Real *x)
{
    for (Long step = 0; step < n; ++step) {
        Long k = lower ? step : n - 1 - step;
        Real value = unit ? x[k] : x[k] / a.at(k, k);
        __syncthreads();
        if (!thread())
            x[k] = value;
        EACH(i, lower ? k + 1 : 0, lower ? n : k)
            x[i] -= a.at(i, k) * value;
        __syncthreads();
    }
}

extern "C" __global__ void KERNEL(NAME, potrs)(View a, Long n, View b, Long columns, int *info)
{
    for (Long column = blockIdx.x; column < columns; column += gridDim.x) {
        substitute(a, n, true, false, &b.at(0, column));
        substitute(a.transposed(), n, false, false, &b.at(0, column));
    }
    if (!blockIdx.x)
        leave(info, 0);
}

extern "C" __global__ void KERNEL(NAME, getrs)(View a, Long n, int transposed, const int *pivots, View b, Long columns, int *info)
{
    for (Long column = blockIdx.x; column < columns; column += gridDim.x) {
        Real *x = &b.at(0, column);
        if (transposed) {
            substitute(a.transposed(), n, true, false, x);
            substitute(a.transposed(), n, false, true, x);
        }
        if (pivots && !thread())
            for (Long step = 0; step < n; ++step) {
                Long k = transposed ? n - 1 - step : step;
                swap(x[k], x[pivots[k] - 1]);
            }
        __syncthreads();
        if (!transposed) {
            substitute(a, n, true, true, x);
            substitute(a, n, false, false, x);
        }
    }
    if (!blockIdx.x)
        leave(info, 0);
}

// R of A = Q R, and below it the vectors of the reflections I - tau v v' whose product is Q; the first element of each, 1, is left out.
extern "C" __global__ void KERNEL(NAME, geqrf)(View a, Long m, Long n, Real *tau, int *info)
{
    for (Long k = 0; k < min(m, n); ++k) {
        Real size = fabs(a.at(largest(a, k, m, k), k)), squares = 0, alpha = a.at(k, k);
        EACH(i, k + 1, size == 0 ? 0 : m) {
            Real part = a.at(i, k) / size;      // whose square neither overflows nor vanishes beside those of the others
            squares += part * part;
        }
        squares = added_up(squares);
        Real length = size * sqrt(alpha / size * (alpha / size) + squares), beta = alpha < 0 ? length : -length;
        Real by = squares == 0 ? 0 : (beta - alpha) / beta;
        EACH(i, k, m)
            if (squares != 0)
                a.at(i, k) = i == k ? beta : a.at(i, k) / (alpha - beta);
        if (!thread())
            tau[k] = by;
        __syncthreads();
        EACH(j, k + 1, n) {
            Real sum = a.at(k, j);
            for (Long i = k + 1; i < m; ++i)
                sum += a.at(i, k) * a.at(i, j);
            sum *= by;
            a.at(k, j) -= sum;
            for (Long i = k + 1; i < m; ++i)
                a.at(i, j) -= a.at(i, k) * sum;
        }
        __syncthreads();
    }
    leave(info, 0);
}

// C = Q C, or Q' C: the reflections of geqrf, one after the other, of each column.
extern "C" __global__ void KERNEL(NAME, ormqr)(View a, Long m, Long k, const Real *tau, int transposed, View c, Long columns, int *info)
{
    for (Long column = blockIdx.x; column < columns; column += gridDim.x) {
        for (Long step = 0; step < k; ++step) {
            Long which = transposed ? step : k - 1 - step;
            Real sum = 0;
            EACH(i, which, m)
                sum += (i == which ? 1 : a.at(i, which)) * c.at(i, column);
            sum = added_up(sum) * tau[which];
            EACH(i, which, m)
                c.at(i, column) -= (i == which ? 1 : a.at(i, which)) * sum;
            __syncthreads();    // the rows of the next reflection begin elsewhere, and so go to other threads
        }
    }
    if (!blockIdx.x)
        leave(info, 0);
}
