// Kernels of Professional CUDA C Programming (Cheng, Grossman, McKercher 2014), chapters 3 and 4, written anew after its descriptions.

// Chapter 3: a sum of matrices, one element a thread.
__global__ void sum_matrix(const float *a, const float *b, float *c, int width, int height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned index = y * width + x;
    if (x < width && y < height)
        c[index] = a[index] + b[index];
}

// Chapter 4: reads that begin `offset` elements into the arrays.
__global__ void read_offset(const float *a, const float *b, float *c, int n, int offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned k = i + offset;
    if (k < n)
        c[i] = a[k] + b[k];
}

// Chapter 4: structures in an array, the two members read and written one by one.
struct Pair {
    float x, y;
};

__global__ void array_of_structures(const Pair *data, Pair *result, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        volatile const Pair *from = data + i;
        volatile Pair *to = result + i;
        float x = from->x, y = from->y;
        to->x = x + 10.f;
        to->y = y + 20.f;
    }
}

// Chapter 4: the members in arrays of their own.
__global__ void structure_of_arrays(const float *x, const float *y, float *to_x, float *to_y, int n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to_x[i] = x[i] + 10.f;
        to_y[i] = y[i] + 20.f;
    }
}

// Chapter 4: the bounds of a transpose: both sides along rows, both along columns.
__global__ void copy_row(float *out, const float *in, int width, int height)
{
    unsigned x = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = in[y * width + x];
}

__global__ void copy_column(float *out, const float *in, int width, int height)
{
    unsigned x = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned y = blockDim.y * blockIdx.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[x * height + y];
}

// Chapter 3: a branch by thread, and one by warp.
__global__ void by_thread(float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    if (i % 2 == 0)
        a = 100.f;
    else
        b = 200.f;
    c[i] = a + b;
}

__global__ void by_warp(float *c)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0, b = 0;
    if (i / warpSize % 2 == 0)
        a = 100.f;
    else
        b = 200.f;
    c[i] = a + b;
}
