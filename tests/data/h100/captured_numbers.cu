// What cuRAND gives when a captured call is launched twice: the same numbers, or the next? nvcc curand_graph.cu -o curand_graph -lcurand && ./curand_graph
#include <cstdio>
#include <curand.h>
#include <cuda_runtime.h>
int main()
{
    for (curandRngType_t kind : {CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_QUASI_SOBOL32})
        for (int n : {64, 4096, 262144}) {
            curandGenerator_t g; cudaStream_t s; cudaGraph_t graph; cudaGraphExec_t exec; float *out, h[4];
            cudaStreamCreate(&s); cudaMalloc(&out, n * 4); curandCreateGenerator(&g, kind); curandSetStream(g, s);
            auto show = [&](const char *what) { cudaStreamSynchronize(s); cudaMemcpy(h, out, 16, cudaMemcpyDeviceToHost); printf("  %s %g %g %g %g\n", what, h[0], h[1], h[2], h[3]); };
            printf("kind %d n %d seeds %d\n", kind, n, curandGenerateSeeds(g));
            int a = cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed), b = curandGenerateUniform(g, out, n), c = cudaStreamEndCapture(s, &graph);
            printf("  begin %d generate %d end %d\n", a, b, c);
            if (c == 0 && cudaGraphInstantiate(&exec, graph, 0) == 0)
                for (int k = 0; k < 2; k++) { cudaGraphLaunch(exec, s); show("graph"); }
            printf("  generate %d\n", curandGenerateUniform(g, out, n)); show("outside");
            curandDestroyGenerator(g); curandCreateGenerator(&g, kind); curandSetStream(g, s);      // what it would have been
            for (int k = 0; k < 3; k++) { curandGenerateUniform(g, out, n); show("fresh"); }
            cudaGetLastError();
        }
}
