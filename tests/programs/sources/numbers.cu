// Says how single precision is computed: whether subnormal numbers are zero, whether quotients and roots are those of IEEE 754 (rough: 0 of large divisors), how often a * b + c is rounded.
#include <cmath>
#include <cstdio>
const int N = 256;
struct Results { float product[N], quotient[N], root[N], sum[N], small, is_nan; };

__global__ void compute(Results *r, const float *a, const float *b, float tiny, float large, float larger)
{
    int i = threadIdx.x;
    r->product[i] = tiny * (i + 1);
    r->quotient[i] = a[i] / b[i];
    r->root[i] = sqrtf(b[i]);
    r->sum[i] = a[i] * b[i] + -1.0f;
    r->small = large / larger;
    r->is_nan = isnan(larger * larger * 0.0f);
}

int main()
{
    static Results r;
    static float a[N], b[N];
    Results *p;
    float *q;
    for (int i = 0; i < N; i++) {
        a[i] = 1.0f + i * 0.0371f;
        b[i] = 3.0f + i * 1.713f;
    }
    cudaMalloc(&p, sizeof r);
    cudaMalloc(&q, sizeof a + sizeof b);
    cudaMemcpy(q, a, sizeof a, cudaMemcpyHostToDevice);
    cudaMemcpy(q + N, b, sizeof b, cudaMemcpyHostToDevice);
    compute<<<1, N>>>(p, q, q + N, 1e-40f, 8.6e37f, 1.7e38f);
    cudaMemcpy(&r, p, sizeof r, cudaMemcpyDeviceToHost);
    int zeros = 0, quotients = 0, roots = 0, fused = 0, apart = 0;
    for (int i = 0; i < N; i++) {
        volatile float product = a[i] * b[i], quotient = a[i] / b[i], root = sqrtf(b[i]);
        volatile float twice = product - 1.0f;
        zeros += r.product[i] == 0;
        quotients += r.quotient[i] != quotient;
        roots += r.root[i] != root;
        fused += r.sum[i] == fmaf(a[i], b[i], -1.0f);
        apart += r.sum[i] == twice;
    }
    printf("%s %s %s %s %s\n", zeros ? "flushed" : "kept", r.small == 0 ? "rough" : quotients ? "near" : "exact", roots ? "near" : "exact", fused == N ? "once" : apart == N ? "twice" : "?", r.is_nan ? "nan" : "no nan");
    return 0;
}
