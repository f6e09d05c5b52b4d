// Sparse triangular systems and factors, level by level: the rows of a level need only those of levels before it. A block goes through all levels,
// with a barrier behind each, so that no thread waits for another. The compiler is told REAL and NAME, which the kernels' names begin with.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

typedef REAL Real;
typedef long long Long;

constexpr int THREADS = 128;

// A factor: a value, or where the device has it.
struct Scalar {
    const Real *device;
    Real value;
    __device__ Real get() const { return device ? *device : value; }
};

struct Dense {
    Real *data;
    Long row, column, next;     // elements from one row to the next, from one column to the next, and from one matrix of a batch to the next
    __device__ Real &at(Long i, Long j) const { return data[i * row + j * column]; }
};

// Rows in the order of their levels, and where these begin in it; of each row what it needs: columns, and where their elements are. Without a
// diagonal element that is -1.
struct Plan {
    Long *pivot;                // the first row whose diagonal element is 0 or not there, or -1
    const Long *order, *bounds, *starts, *diagonals, *columns, *elements;
    Long rows, levels;
};

// Leaves the first of the rows that the threads of a block have found.
__device__ void leave(const Plan &p, Long row)
{
    __shared__ Long found[THREADS];
    found[threadIdx.x] = row;
    __syncthreads();
    if (threadIdx.x)
        return;
    for (int i = 1; i < THREADS; ++i)
        row = min(row, found[i]);
    *p.pivot = row < p.rows ? row : -1;
}

// C = alpha A^-1 B, a block for each column.
extern "C" __global__ void KERNEL(NAME, solved)(Plan p, const Real *values, Scalar alpha, int unit, Dense b, Dense c, Long columns)
{
    Real by = alpha.get();
    Long first = p.rows;
    for (Long column = blockIdx.x; column < columns; column += gridDim.x) {
        for (Long level = 0; level < p.levels; ++level) {
            for (Long i = p.bounds[level] + threadIdx.x; i < p.bounds[level + 1]; i += THREADS) {
                Long row = p.order[i], end = p.starts[row + 1];
                Real sum = by * b.at(row, column), diagonal = 1;
                for (Long j = p.starts[row]; j < end; ++j)
                    sum -= values[p.elements[j]] * c.at(p.columns[j], column);
                if (!unit) {
                    diagonal = p.diagonals[row] < 0 ? 0 : values[p.diagonals[row]];
                    if (diagonal == 0)
                        first = min(first, row);
                }
                c.at(row, column) = sum / diagonal;
            }
            __syncthreads();
        }
    }
    if (!blockIdx.x)
        leave(p, first);
}

// L and U without the elements that A has not, which take the place of A; the diagonal of L is all 1.
extern "C" __global__ void KERNEL(NAME, factored)(Plan p, Real *values)
{
    Long first = p.rows;
    for (Long level = 0; level < p.levels; ++level) {
        for (Long i = p.bounds[level] + threadIdx.x; i < p.bounds[level + 1]; i += THREADS) {
            Long row = p.order[i], end = p.starts[row + 1];
            for (Long j = p.starts[row]; j < end && p.columns[j] < row; ++j) {
                Long other = p.columns[j], diagonal = p.diagonals[other], to = j + 1;
                if (diagonal < 0)
                    continue;
                Real by = values[j] / values[diagonal];
                values[j] = by;
                for (Long k = diagonal + 1; k < p.starts[other + 1]; ++k) {
                    while (to < end && p.columns[to] < p.columns[k])
                        ++to;
                    if (to < end && p.columns[to] == p.columns[k])
                        values[to] -= by * values[k];
                }
            }
            if (p.diagonals[row] < 0 || values[p.diagonals[row]] == 0)
                first = min(first, row);
        }
        __syncthreads();
    }
    leave(p, first);
}
