// Kernels of chapters 3 and 4 of Cheng, Grossman, McKercher, "Professional CUDA C Programming" (2014), written anew after it, from
// memory: a sum of matrices by blocks of several shapes, reads that are not aligned, copies and transposes by rows and columns.

__global__ void sum_matrix(const float *a, const float *b, float *c, int nx, int ny)
{
    unsigned ix = threadIdx.x + blockIdx.x * blockDim.x;
    unsigned iy = threadIdx.y + blockIdx.y * blockDim.y;
    unsigned idx = iy * nx + ix;
    if (ix < nx && iy < ny)
        c[idx] = a[idx] + b[idx];
}

__global__ void read_offset(const float *a, const float *b, float *c, int n, int offset)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned k = i + offset;
    if (k < n)
        c[i] = a[k] + b[k];
}

__global__ void copy_row(float *out, const float *in, int nx, int ny)
{
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny)
        out[iy * nx + ix] = in[iy * nx + ix];
}

__global__ void copy_column(float *out, const float *in, int nx, int ny)
{
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[ix * ny + iy];
}

// Reads rows, writes columns …
__global__ void transpose_row(float *out, const float *in, int nx, int ny)
{
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny)
        out[ix * ny + iy] = in[iy * nx + ix];
}

// … and the other way round: what L1 keeps of a column is read by other warps.
__global__ void transpose_column(float *out, const float *in, int nx, int ny)
{
    unsigned ix = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned iy = blockDim.y * blockIdx.y + threadIdx.y;
    if (ix < nx && iy < ny)
        out[iy * nx + ix] = in[ix * ny + iy];
}
