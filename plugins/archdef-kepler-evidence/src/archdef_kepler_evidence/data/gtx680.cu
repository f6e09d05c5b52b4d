// A sum of vectors as Volkov (Understanding Latency Hiding on GPUs, section 3.8) times it, and non-local means as a student of Stuttgart has them.
extern "C" {

__global__ void add(const float *a, const float *b, float *out)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[i] = a[i] + b[i];
}

// Compares 3 x 3 neighbourhoods within 11 x 11, in double precision.
__global__ void non_local_means(const unsigned *image, unsigned *out, int width, int height, double strength)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 5 || x >= width - 5 || y < 5 || y >= height - 5)
        return;
    double weights = 0, sum = 0;
    for (int i = -5; i <= 5; ++i)
        for (int j = -5; j <= 5; ++j) {
            double squares = 0;
            for (int m = -1; m <= 1; ++m)
                for (int n = -1; n <= 1; ++n) {
                    double difference = (double)image[(y + m) * width + x + n] - (double)image[min(max(y + i + m, 0), height - 1) * width
                                                                                              + min(max(x + j + n, 0), width - 1)];
                    squares += difference * difference;
                }
            double weight = exp(-(squares * sqrt(squares)) / (strength * strength));
            sum += weight * (double)image[(y + i) * width + x + j];
            weights += weight;
        }
    out[y * width + x] = (unsigned)(sum / weights);
}

}
