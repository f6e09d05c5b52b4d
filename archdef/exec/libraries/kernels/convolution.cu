// Convolutions of images with filters, a thread for each element of the result. The compiler is told REAL and NAME, which the kernels' names begin with.
#define JOINED(a, b) a##b
#define KERNEL(a, b) JOINED(a, b)

typedef REAL Real;
typedef long long Long;

// Images, or filters: how many, of how many channels, rows and columns, and how many elements lie from one of each to the next.
struct Tensor {
    Real *data;
    int sizes[4];
    Long steps[4];
    __device__ Real &at(int n, int c, int h, int w) const { return data[n * steps[0] + c * steps[1] + h * steps[2] + w * steps[3]]; }
};

// How a filter is moved, of rows and of columns; whether it is turned around; and into how many groups channels are parted.
struct Window { int pad[2], stride[2], dilation[2], turned, groups; };

extern "C" __global__ void KERNEL(NAME, convolution)(Tensor x, Tensor f, Tensor y, Window v, Real alpha, Real beta)
{
    Long count = (Long)y.sizes[0] * y.sizes[1] * y.sizes[2] * y.sizes[3];
    int filters = f.sizes[0] / v.groups;
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < count; i += gridDim.x * (Long)blockDim.x) {
        int column = (int)(i % y.sizes[3]), row = (int)(i / y.sizes[3] % y.sizes[2]);
        int k = (int)(i / y.sizes[3] / y.sizes[2] % y.sizes[1]), n = (int)(i / y.sizes[3] / y.sizes[2] / y.sizes[1]);
        int first = k / filters * f.sizes[1];
        Real sum = 0;
        for (int c = 0; c < f.sizes[1]; ++c) {
            for (int r = 0; r < f.sizes[2]; ++r) {
                int h = row * v.stride[0] - v.pad[0] + r * v.dilation[0];
                if (h < 0 || h >= x.sizes[2])
                    continue;
                for (int s = 0; s < f.sizes[3]; ++s) {
                    int w = column * v.stride[1] - v.pad[1] + s * v.dilation[1];
                    if (w >= 0 && w < x.sizes[3])
                        sum += x.at(n, first + c, h, w) * (v.turned ? f.at(k, c, f.sizes[2] - 1 - r, f.sizes[3] - 1 - s) : f.at(k, c, r, s));
                }
            }
        }
        Real &to = y.at(n, k, row, column);
        to = beta == 0 ? alpha * sum : alpha * sum + beta * to;
    }
}
