// Kernels that launch kernels: what tests/children asks of them.
#include <cstdio>

__global__ void nested_hello(int threads, int depth) {
    printf("depth %d: thread %d\n", depth, threadIdx.x);
    if (threads > 1 && threadIdx.x == 0) nested_hello<<<1, threads / 2>>>(threads / 2, depth + 1);
}

// Sums pairs that are half a segment apart, and leaves the rest to a launch of half as many threads.
__global__ void recursive_sum(int *values, int *sum, int count) {
    int *mine = values + blockIdx.x * count;
    int half = count / 2;
    if (threadIdx.x < half) mine[threadIdx.x] += mine[threadIdx.x + half];
    __syncthreads();
    if (half == 1) {
        if (threadIdx.x == 0) sum[blockIdx.x] = mine[0];
        return;
    }
    if (threadIdx.x == 0) recursive_sum<<<1, half / 2>>>(mine, sum + blockIdx.x, half);
}

__global__ void leaf(int *out, int value) { out[blockIdx.x * blockDim.x + threadIdx.x] += value; }

// Each block waits for its child and uses what it wrote.
__global__ void waiting(int *out, int *seen, int *errors) {
    __shared__ int code;
    if (threadIdx.x == 0) {
        leaf<<<2, 16>>>(out + 32 * blockIdx.x, 5);
        code = cudaDeviceSynchronize();
    }
    __syncthreads();
    if (threadIdx.x < 32) seen[32 * blockIdx.x + threadIdx.x] = out[32 * blockIdx.x + threadIdx.x];
    if (threadIdx.x == 0) errors[blockIdx.x] = code;
}

__global__ void wait_deeper(int *errors, int depth, int most) {
    if (depth < most) wait_deeper<<<1, 1>>>(errors, depth + 1, most);
    errors[depth] = cudaDeviceSynchronize();
}

__global__ void note(int *log, int *next, int who) { log[atomicAdd(next, 1)] = who; }

__global__ void spin_note(int *log, int *next, int who, int rounds) {
    volatile int sink = 0;
    for (int i = 0; i < rounds; i++) sink += i;
    log[atomicAdd(next, 1)] = who;
}

// One after the other in a stream, whatever they take.
__global__ void in_order(int *log, int *next) {
    for (int i = 0; i < 4; i++) spin_note<<<1, 1>>>(log, next, i, (4 - i) * 400);
}

// Streams of their own overtake; the event brings order.
__global__ void by_event(int *log, int *next, bool waits) {
    cudaStream_t one, other;
    cudaEvent_t done;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    spin_note<<<1, 1, 0, one>>>(log, next, 0, 20000);
    cudaEventRecord(done, one);
    if (waits) cudaStreamWaitEvent(other, done, 0);
    note<<<1, 1, 0, other>>>(log, next, 1);
    cudaStreamDestroy(one);
    cudaStreamDestroy(other);
    cudaEventDestroy(done);
}

// The tail begins when the grid and all that it launched otherwise are done.
__global__ void with_tail(int *log, int *next) {
    if (threadIdx.x == 0) {
        note<<<1, 1, 0, (cudaStream_t)3>>>(log, next, 100);
        note<<<1, 1, 0, (cudaStream_t)3>>>(log, next, 101);
        spin_note<<<1, 1, 0, (cudaStream_t)4>>>(log, next, 1, 3000);
        note<<<1, 1>>>(log, next, 2);
    }
}

__global__ void moves(unsigned char *memory) {
    cudaMemsetAsync(memory, 7, 64, 0);
    cudaMemcpyAsync(memory + 128, memory + 32, 64, cudaMemcpyDeviceToDevice, 0);
    leaf<<<1, 4>>>((int *)(memory + 128), 1);
}

__global__ void moves_too_far(unsigned char *memory, int bytes) { cudaMemsetAsync(memory, 7, bytes, 0); }

__global__ void hands_shared_memory(int *out) {
    __shared__ int mine[32];
    mine[threadIdx.x] = threadIdx.x;
    leaf<<<1, 32>>>(mine, 1);
    out[threadIdx.x] = mine[threadIdx.x];
}

__global__ void hands_local_memory(int *out) {
    int mine[8];
    for (int i = 0; i < 8; i++) mine[i] = out[i];
    leaf<<<1, 8>>>(mine, 1);
    out[0] = mine[out[1] & 7];
}

__global__ void codes(int *code, int *out) {
    leaf<<<0, 32>>>(out, 1); code[0] = cudaGetLastError();
    leaf<<<1, 2048>>>(out, 1); code[1] = cudaGetLastError();
    leaf<<<1, 32, 1 << 20>>>(out, 1); code[2] = cudaGetLastError();
    leaf<<<1, 32, 0, (cudaStream_t)0x1234567>>>(out, 1); code[3] = cudaPeekAtLastError();
    code[4] = cudaGetLastError();
    code[5] = cudaGetLastError();
    int value = -1;
    code[6] = cudaGetDevice(&value); code[7] = value;
    code[8] = cudaGetDeviceCount(&value); code[9] = value;
    code[10] = cudaDeviceGetAttribute(&value, cudaDevAttrMaxThreadsPerBlock, 0); code[11] = value;
    code[12] = cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0); code[13] = value;
    printf("%s | %s\n", cudaGetErrorString((cudaError_t)9), cudaGetErrorName((cudaError_t)65));
}

__global__ void deeper(int *code, int depth, int most) {
    if (depth < most) { deeper<<<1, 1>>>(code, depth + 1, most); code[depth] = cudaGetLastError(); }
}

__global__ void many(int *out, int *code, int count) {
    code[0] = code[1] = 0;
    for (int i = 0; i < count; i++) {
        spin_note<<<1, 1>>>(out + 2, out, i, 0);
        int error = cudaGetLastError();
        if (error) { code[0] = error; code[1]++; }
    }
}

__global__ void faulty(int *out) { out[1 << 20] = 1; }
__global__ void launches_faulty(int *out) { faulty<<<1, 32>>>(out); }

__global__ void forks() { forks<<<2, 1>>>(); forks<<<2, 1>>>(); }
__global__ void endless() { endless<<<1, 1, 0, (cudaStream_t)3>>>(); }

__global__ void adds(int *sum) { atomicAdd(sum, 1); }
__global__ void many_at_once(int *sum) { adds<<<1, 1>>>(sum); }
__global__ void many_and_look(int *sum, int *code) { adds<<<1, 1>>>(sum); code[blockIdx.x * blockDim.x + threadIdx.x] = cudaGetLastError(); }
__global__ void drops_answers(int *code, int times) {
    code[0] = cudaStreamDestroy((cudaStream_t)0x77);
    for (int i = 0; i < times; i++) cudaEventDestroy((cudaEvent_t)0x77);
}
