// Texture and surface references, of every kind that CUDA 11 has for whole programs.
#include <cstdio>

texture<float> line;
texture<float, 2, cudaReadModeElementType> rows(0, cudaFilterModeLinear, cudaAddressModeClamp);
namespace own { texture<unsigned char, 2, cudaReadModeNormalizedFloat> image; }
surface<void, 2> written;
static texture<int> unused, bound;

__global__ void read(float *out)
{
    unsigned i = threadIdx.x;
    out[i] = tex1Dfetch(line, i) + 10 * tex2D(rows, i + 1.0f, 0.5f) + 100 * tex2D(own::image, i + 0.5f, 0.5f) + 1000 * tex1Dfetch(bound, 3 - i);
    surf2Dwrite(float(i), written, 4 * i, 0);
}

int main()
{
    const float numbers[] = {1, 2, 3, 4}, right[] = {4016, 3047, 2078, 1144};
    const unsigned char bytes[] = {0, 51, 102, 255};
    const int integers[] = {1, 2, 3, 4};
    float *in, *out, got[4], back[4];
    int *whole;
    cudaMalloc(&in, 16);
    cudaMalloc(&out, 16);
    cudaMalloc(&whole, 16);
    cudaMemcpy(in, numbers, 16, cudaMemcpyHostToDevice);
    cudaMemcpy(whole, integers, 16, cudaMemcpyHostToDevice);
    cudaArray_t array, image, plane;
    cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>(), chars = cudaCreateChannelDesc<unsigned char>();
    cudaMallocArray(&array, &floats, 4, 1);
    cudaMemcpy2DToArray(array, 0, 0, numbers, 16, 16, 1, cudaMemcpyHostToDevice);
    cudaMallocArray(&image, &chars, 4, 1);
    cudaMemcpy2DToArray(image, 0, 0, bytes, 4, 4, 1, cudaMemcpyHostToDevice);
    cudaMallocArray(&plane, &floats, 4, 1, cudaArraySurfaceLoadStore);
    if (cudaBindTexture(0, line, in, 16) || cudaBindTexture(0, bound, whole, 16) || cudaBindTextureToArray(rows, array)
            || cudaBindTextureToArray(own::image, image, chars) || cudaBindSurfaceToArray(written, plane))
        return puts("FAILED to bind");
    read<<<1, 4>>>(out);
    cudaMemcpy(got, out, 16, cudaMemcpyDeviceToHost);
    cudaMemcpy2DFromArray(back, 16, plane, 0, 0, 16, 1, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        if (got[i] - right[i] > 0.001f || right[i] - got[i] > 0.001f || back[i] != i)
            return printf("FAILED: %d: %f, %f\n", i, got[i], back[i]);
    puts(cudaUnbindTexture(line) || cudaGetLastError() ? "FAILED to unbind" : "PASSED");
}
