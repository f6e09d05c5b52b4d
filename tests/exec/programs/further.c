/* Calls that few programs use: what nodes of graphs and streams are asked and told, advice on managed memory, batches of copies, libraries, flags. */
#include "cuda_few.h"

typedef void *cudaGraph_t, *cudaGraphNode_t, *cudaGraphExec_t, *cudaLibrary_t, *cudaKernel_t;
struct kernel_node { void *function; dim3 grid, block; unsigned shared_bytes; void **arguments, **packed; };
struct set_node { void *to; size_t pitch; unsigned value, element_bytes; size_t width, height; };
struct location { int kind, number; };
struct copy_attributes { int order; struct location from, to; unsigned flags; };
union attribute { char pad[64]; int number; struct { void *base; size_t bytes; float ratio; int hit, miss; } window; unsigned cluster[3]; };
int cudaGraphDestroy(cudaGraph_t), cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long), cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
int cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct kernel_node *);
int cudaGraphKernelNodeSetParams(cudaGraphNode_t, const struct kernel_node *);
int cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct set_node *);
int cudaGraphAddChildGraphNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaGraph_t);
int cudaGraphAddEventRecordNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaEvent_t);
int cudaGraphAddEventWaitNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaEvent_t);
int cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t, cudaEvent_t *), cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t, cudaEvent_t);
int cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t, cudaEvent_t *), cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t, cudaEvent_t);
int cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t), cudaEventQuery(cudaEvent_t);
int cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t), cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, void *, void *);
int cudaGraphKernelNodeSetAttribute(cudaGraphNode_t, int, const union attribute *), cudaGraphKernelNodeGetAttribute(cudaGraphNode_t, int, union attribute *);
int cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t, cudaGraphNode_t), cudaGraphDebugDotPrint(cudaGraph_t, const char *, unsigned);
int cudaGraphGetId(cudaGraph_t, unsigned *), cudaGraphExecGetId(cudaGraphExec_t, unsigned *), cudaGraphNodeGetLocalId(cudaGraphNode_t, unsigned *);
int cudaGraphNodeGetToolsId(cudaGraphNode_t, unsigned long long *);
int cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const void *, const void *, size_t, size_t, int);
int cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *, const void *, size_t, size_t, int);
int cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t, cudaGraphNode_t, const void *, const void *, size_t, size_t, int);
int cudaStreamSetAttribute(cudaStream_t, int, const union attribute *), cudaStreamGetAttribute(cudaStream_t, int, union attribute *);
int cudaStreamCopyAttributes(cudaStream_t, cudaStream_t), cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
int cudaCtxResetPersistingL2Cache(void), cudaSetDeviceFlags(unsigned), cudaGetDeviceFlags(unsigned *);
int cudaMemAdvise(const void *, size_t, int, int), cudaMemPrefetchAsync(const void *, size_t, int, cudaStream_t);
int cudaMemRangeGetAttribute(void *, size_t, int, const void *, size_t), cudaMemRangeGetAttributes(void **, size_t *, int *, size_t, const void *, size_t);
int cudaMemcpyBatchAsync(void **, void **, size_t *, size_t, struct copy_attributes *, size_t *, size_t, size_t *, cudaStream_t);
int cudaMemcpyBatchAsync_ptsz(void **, void **, size_t *, size_t, struct copy_attributes *, size_t *, size_t, size_t *, cudaStream_t);
int cudaMemcpyWithAttributesAsync(void *, const void *, size_t, struct copy_attributes *, cudaStream_t);
int cudaLibraryLoadData(cudaLibrary_t *, const void *, int *, void **, unsigned, int *, void **, unsigned), cudaLibraryUnload(cudaLibrary_t);
int cudaLibraryGetKernel(cudaKernel_t *, cudaLibrary_t, const char *), cudaLibraryGetKernelCount(unsigned *, cudaLibrary_t);
int cudaLibraryEnumerateKernels(cudaKernel_t *, unsigned, cudaLibrary_t), cudaLibraryGetGlobal(void **, size_t *, cudaLibrary_t, const char *);
int cudaKernelSetAttributeForDevice(cudaKernel_t, int, int, int), cudaGetKernel(cudaKernel_t *, const void *);
int cudaFuncGetParamInfo(const void *, size_t, size_t *, size_t *), cudaFuncGetParamCount(const void *, size_t *);

void scale(void) {}
static int factor;
enum { N = 64, COOPERATIVE = 2, WINDOW = 1, WAITING = 3, PRIORITY = 8, IN_STREAM = 1, DURING_CALL = 2 };
static const dim3 BLOCK = {N, 1, 1}, GRID = {1, 1, 1};

REGISTERS(KERNEL(scale), VARIABLE(factor))

#define EXPECT(what) do { if (!(what)) { printf("wrong: %s\n", #what); exit(3); } } while (0)
#define FAILS(wanted, call) do { const char *got = cudaGetErrorName(call); if (strcmp(got, wanted)) { printf("%s: %s\n", #call, got); exit(4); } } while (0)

static int *there, here[N];
static struct kernel_node launched = {scale, {1, 1, 1}, {N, 1, 1}};
static void *given[] = {&there};

static void prepare(void)
{
    int value = 2;
    CHECK(cudaMalloc((void **)&there, sizeof here));
    CHECK(cudaMemcpyToSymbol(&factor, &value, sizeof value, 0, ToDevice));
    launched.arguments = given;
}

static int first(void)
{
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
    return here[0];
}

static void drawing(void)
{
    char text[4096] = "";
    cudaGraph_t graph, child;
    cudaGraphNode_t set, kernel, inner;
    struct set_node ones = {there, 0, 1, 4, N, 1};
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddMemsetNode(&set, graph, 0, 0, &ones));
    CHECK(cudaGraphAddKernelNode(&kernel, child, 0, 0, &launched));
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, &set, 1, child));
    CHECK(cudaGraphDebugDotPrint(graph, "graph.dot", 1));
    FILE *file = fopen("graph.dot", "r");
    EXPECT(file && fread(text, 1, sizeof text - 1, file));
    EXPECT(!strncmp(text, "digraph", 7) && strstr(text, "memset") && strstr(text, "scale") && strstr(text, "->") && strstr(text, "block (64, 1, 1)"));
    CHECK(cudaGraphDebugDotPrint(graph, "graph.dot", 0));
    rewind(file = freopen("graph.dot", "r", file));
    memset(text, 0, sizeof text);
    EXPECT(fread(text, 1, sizeof text - 1, file) && strstr(text, "scale") && !strstr(text, "block (64"));
    FAILS("cudaErrorInvalidValue", cudaGraphDebugDotPrint(graph, "no/such/folder/graph.dot", 0));
    FAILS("cudaErrorInvalidValue", cudaGraphDebugDotPrint(graph, "graph.dot", 1 << 30));
    FAILS("cudaErrorInvalidValue", cudaGraphDebugDotPrint(there, "graph.dot", 0));
}

static void numbers(void)
{
    cudaGraph_t graphs[2];
    cudaGraphNode_t nodes[2];
    cudaGraphExec_t executable;
    unsigned number[3], local[2];
    unsigned long long tools[2];
    for (int i = 0; i < 2; ++i) {
        CHECK(cudaGraphCreate(&graphs[i], 0));
        CHECK(cudaGraphAddKernelNode(&nodes[i], graphs[0], 0, 0, &launched));
        CHECK(cudaGraphGetId(graphs[i], &number[i]));
        CHECK(cudaGraphNodeGetLocalId(nodes[i], &local[i]));
        CHECK(cudaGraphNodeGetToolsId(nodes[i], &tools[i]));
    }
    CHECK(cudaGraphInstantiate(&executable, graphs[0], 0));
    CHECK(cudaGraphExecGetId(executable, &number[2]));
    EXPECT(number[0] != number[1] && number[0] != number[2] && number[1] != number[2] && local[0] != local[1] && tools[0] != tools[1]);
    FAILS("cudaErrorInvalidValue", cudaGraphGetId(nodes[0], number));
}

static void events(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t kernel, record, wait;
    cudaGraphExec_t executable;
    cudaEvent_t one, other, got;
    float before, behind;
    CHECK(cudaEventCreate(&one));
    CHECK(cudaEventCreate(&other));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, 0, 0, &launched));
    CHECK(cudaGraphAddEventRecordNode(&record, graph, &kernel, 1, one));
    CHECK(cudaGraphAddEventWaitNode(&wait, graph, 0, 0, other));
    CHECK(cudaGraphEventRecordNodeGetEvent(record, &got));
    EXPECT(got == one);
    CHECK(cudaGraphEventWaitNodeGetEvent(wait, &got));
    EXPECT(got == other);
    FAILS("cudaErrorInvalidValue", cudaGraphEventWaitNodeGetEvent(record, &got));
    FAILS("cudaErrorInvalidValue", cudaGraphEventWaitNodeSetEvent(kernel, one));
    FAILS("cudaErrorInvalidResourceHandle", cudaGraphEventRecordNodeSetEvent(record, there));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphExecEventRecordNodeSetEvent(executable, record, other));
    CHECK(cudaEventRecord(one, 0));
    CHECK(cudaEventRecord(other, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&before, one, other));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventElapsedTime(&behind, one, other));
    EXPECT(behind > before);                                                    /* the launch recorded the other one anew */
    CHECK(cudaEventDestroy(one));
    FAILS("cudaErrorInvalidResourceHandle", cudaEventRecord(one, 0));
}

static void children(void)
{
    cudaGraph_t graph, child, longer;
    cudaGraphNode_t set, kernel, inner, more;
    cudaGraphExec_t executable;
    struct set_node ones = {there, 0, 1, 4, N, 1}, sevens = {there, 0, 7, 4, N, 1};
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphCreate(&longer, 0));
    CHECK(cudaGraphAddMemsetNode(&set, child, 0, 0, &ones));
    CHECK(cudaGraphAddChildGraphNode(&inner, graph, 0, 0, child));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &inner, 1, &launched));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    EXPECT(first() == 2);
    CHECK(cudaGraphDestroy(child));
    CHECK(cudaGraphCreate(&child, 0));
    CHECK(cudaGraphAddMemsetNode(&set, child, 0, 0, &sevens));
    CHECK(cudaGraphExecChildGraphNodeSetParams(executable, inner, child));
    CHECK(cudaGraphLaunch(executable, 0));
    EXPECT(first() == 14);
    CHECK(cudaGraphAddMemsetNode(&more, child, &set, 1, &ones));
    FAILS("cudaErrorInvalidValue", cudaGraphExecChildGraphNodeSetParams(executable, inner, child));
    FAILS("cudaErrorInvalidValue", cudaGraphExecChildGraphNodeSetParams(executable, kernel, child));
    int result;
    CHECK(cudaGraphExecUpdate(executable, graph, &more, &result));              /* whose child still sets ones */
    CHECK(cudaGraphLaunch(executable, 0));
    EXPECT(first() == 2 && result == 0);
    CHECK(cudaGraphAddChildGraphNode(&inner, longer, 0, 0, child));
    CHECK(cudaGraphAddKernelNode(&kernel, longer, &inner, 1, &launched));
    FAILS("cudaErrorGraphExecUpdateFailure", cudaGraphExecUpdate(executable, longer, &more, &result));
    EXPECT(more == inner && result);
}

static void variables(void)
{
    int *five = malloc(sizeof *five), *nine = malloc(sizeof *nine), *got = calloc(1, sizeof *got);
    cudaGraph_t graph;
    cudaGraphNode_t to, from, kernel;
    cudaGraphExec_t executable;
    *five = 5, *nine = 9;
    CHECK(cudaMemset(there, 1, sizeof here));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddMemcpyNodeToSymbol(&to, graph, 0, 0, &factor, five, sizeof *five, 0, ToDevice));
    CHECK(cudaGraphAddMemcpyNodeFromSymbol(&from, graph, &to, 1, got, &factor, sizeof *got, 0, ToHost));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &to, 1, &launched));
    FAILS("cudaErrorInvalidValue", cudaGraphAddMemcpyNodeToSymbol(&to, graph, 0, 0, &factor, five, 8, 0, ToDevice));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    EXPECT(first() == 5 * 0x01010101 && *got == 5);
    CHECK(cudaGraphExecMemcpyNodeSetParamsToSymbol(executable, to, &factor, nine, sizeof *nine, 0, ToDevice));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    EXPECT(*got == 9);
}

static void attributes(void)
{
    union attribute set = {0}, got;
    cudaStream_t one, other;
    cudaGraph_t graph;
    cudaGraphNode_t kernel, copy, zero;
    cudaGraphExec_t executable;
    struct set_node zeros = {there, 0, 0, 4, N, 1};
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&other));
    CHECK(cudaStreamGetAttribute(one, WAITING, &got));
    EXPECT(got.number == 1);
    set.window.base = there, set.window.bytes = 256, set.window.ratio = 0.5f, set.window.hit = 2;
    CHECK(cudaStreamSetAttribute(one, WINDOW, &set));
    CHECK(cudaStreamGetAttribute(one, WINDOW, &got));
    EXPECT(!memcmp(&set, &got, sizeof got));
    CHECK(cudaStreamGetAttribute(other, WINDOW, &got));
    EXPECT(got.window.bytes == 0);
    CHECK(cudaStreamCopyAttributes(other, one));
    CHECK(cudaStreamGetAttribute(other, WINDOW, &got));
    EXPECT(!memcmp(&set, &got, sizeof got));
    CHECK(cudaCtxResetPersistingL2Cache());
    set.number = -5;
    CHECK(cudaStreamSetAttribute(one, PRIORITY, &set));
    CHECK(cudaStreamGetAttribute(one, PRIORITY, &got));
    EXPECT(got.number == 0);                                                    /* there is one priority */
    FAILS("cudaErrorInvalidValue", cudaStreamSetAttribute(one, COOPERATIVE, &set));
    FAILS("cudaErrorInvalidValue", cudaStreamGetAttribute(one, 99, &got));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, 0, 0, &launched));
    CHECK(cudaGraphAddKernelNode(&copy, graph, &kernel, 1, &launched));
    CHECK(cudaGraphKernelNodeGetAttribute(kernel, COOPERATIVE, &got));
    EXPECT(got.number == 0);
    set.number = 1;
    CHECK(cudaGraphKernelNodeSetAttribute(kernel, COOPERATIVE, &set));
    CHECK(cudaGraphKernelNodeCopyAttributes(copy, kernel));
    CHECK(cudaGraphKernelNodeGetAttribute(copy, COOPERATIVE, &got));
    EXPECT(got.number == 1);
    struct kernel_node many = launched;
    many.grid.x = 1 << 20;                                                      /* more than are resident, which a cooperative launch may not have */
    FAILS("cudaErrorCooperativeLaunchTooLarge", cudaGraphKernelNodeSetParams(copy, &many));
    set.number = 0;
    CHECK(cudaGraphKernelNodeSetAttribute(copy, COOPERATIVE, &set));
    CHECK(cudaGraphKernelNodeSetParams(copy, &launched));
    CHECK(cudaGraphAddMemsetNode(&zero, graph, 0, 0, &zeros));
    FAILS("cudaErrorInvalidValue", cudaGraphKernelNodeSetAttribute(zero, COOPERATIVE, &set));
    FAILS("cudaErrorInvalidValue", cudaGraphKernelNodeGetAttribute(kernel, WAITING, &got));
    FAILS("cudaErrorNotSupported", cudaGraphKernelNodeSetAttribute(kernel, 13, &set));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
}

static int asked(int attribute, const char *from, size_t bytes)
{
    int got;
    CHECK(cudaMemRangeGetAttribute(&got, sizeof got, attribute, from, bytes));
    return got;
}

static void advice(void)
{
    enum { PAGE = 4096, READ_MOSTLY = 1, PREFERRED, ACCESSED_BY, PREFETCHED, PREFERRED_KIND, PREFERRED_NUMBER, HOST = -1, NOWHERE = -2 };
    char *managed;
    int got, several[3], number[2] = {READ_MOSTLY, PREFERRED};
    CHECK(cudaMallocManaged((void **)&managed, 4 * PAGE, 1));
#define ASKED(attribute, from, bytes) asked(attribute, managed + (from), bytes)
    EXPECT(ASKED(READ_MOSTLY, 0, 4 * PAGE) == 0 && ASKED(PREFERRED, 0, PAGE) == NOWHERE && ASKED(PREFETCHED, 0, PAGE) == NOWHERE);
    CHECK(cudaMemAdvise(managed, 2 * PAGE, 1, 0));
    CHECK(cudaMemAdvise(managed, 4 * PAGE, 3, 0));
    CHECK(cudaMemAdvise(managed + PAGE, PAGE, 3, HOST));
    CHECK(cudaMemAdvise(managed, 4 * PAGE, 5, 0));
    CHECK(cudaMemAdvise(managed, 1, 5, HOST));
    EXPECT(ASKED(READ_MOSTLY, 0, 2 * PAGE) == 1 && ASKED(READ_MOSTLY, 0, 2 * PAGE + 1) == 0 && ASKED(READ_MOSTLY, PAGE + 7, 9) == 1);
    EXPECT(ASKED(PREFERRED, 0, PAGE) == 0 && ASKED(PREFERRED, PAGE, PAGE) == HOST && ASKED(PREFERRED, 0, 2 * PAGE) == NOWHERE);
    EXPECT(ASKED(PREFERRED_KIND, 0, PAGE) == 1 && ASKED(PREFERRED_KIND, PAGE, PAGE) == 2 && ASKED(PREFERRED_KIND, 0, 2 * PAGE) == 0);
    CHECK(cudaMemRangeGetAttribute(several, sizeof several, ACCESSED_BY, managed, PAGE));
    EXPECT(several[0] == HOST && several[1] == 0 && several[2] == NOWHERE);
    CHECK(cudaMemRangeGetAttribute(several, sizeof several, ACCESSED_BY, managed, 2 * PAGE));
    EXPECT(several[0] == 0 && several[1] == NOWHERE);
    CHECK(cudaMemAdvise(managed, PAGE, 2, 0));
    CHECK(cudaMemAdvise(managed, 2 * PAGE, 4, 0));
    CHECK(cudaMemPrefetchAsync(managed + PAGE, PAGE, 0, 0));
    EXPECT(ASKED(READ_MOSTLY, 0, PAGE) == 0 && ASKED(READ_MOSTLY, PAGE, PAGE) == 1 && ASKED(PREFERRED, 0, 2 * PAGE) == NOWHERE);
    EXPECT(ASKED(PREFETCHED, PAGE, PAGE) == 0 && ASKED(PREFETCHED, 0, 2 * PAGE) == NOWHERE);
    void *outs[] = {&several[0], &several[1]};
    size_t sizes[] = {4, 4};
    CHECK(cudaMemRangeGetAttributes(outs, sizes, number, 2, managed + PAGE, PAGE));
    EXPECT(several[0] == 1 && several[1] == NOWHERE);
    FAILS("cudaErrorInvalidValue", cudaMemAdvise(managed, PAGE, 7, 0));
    FAILS("cudaErrorInvalidDevice", cudaMemAdvise(managed, PAGE, 3, 9));
    FAILS("cudaErrorInvalidValue", cudaMemRangeGetAttribute(&got, 8, READ_MOSTLY, managed, PAGE));
    FAILS("cudaErrorInvalidValue", cudaMemRangeGetAttribute(&got, 4, 99, managed, PAGE));
    FAILS("cudaErrorInvalidValue", cudaMemRangeGetAttribute(&got, 4, READ_MOSTLY, managed, 0));
    FAILS("cudaErrorInvalidValue", cudaMemRangeGetAttribute(&got, 4, READ_MOSTLY, there, 4));
    FAILS("cudaErrorInvalidValue", cudaMemRangeGetAttribute(&got, 4, READ_MOSTLY, managed, 8 * PAGE));
    CHECK(cudaFree(managed));
    CHECK(cudaMallocManaged((void **)&managed, 4 * PAGE, 1));
    EXPECT(ASKED(READ_MOSTLY, PAGE, PAGE) == 0);
}

static void batches(void)
{
    int words[3] = {3, 4, 5}, got[3] = {0};
    void *to[] = {there, there + 1, there + 2}, *from[] = {words, words + 1, words + 2};
    size_t failed = 7, sizes[] = {4, 4, 4}, firsts[] = {0, 2}, wrong[] = {0, 3}, later[] = {1};
    struct copy_attributes how[] = {{IN_STREAM}, {DURING_CALL}}, none[] = {{0}};
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaMemcpyBatchAsync(to, from, sizes, 3, how, firsts, 2, 0, stream));
    CHECK(cudaMemcpyBatchAsync(from, to, sizes, 0 + 3, how, firsts, 1, 0, stream));
    CHECK(cudaMemcpyWithAttributesAsync(got, there, sizeof got, how, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(got[0] == 3 && got[1] == 4 && got[2] == 5);
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 3, how, firsts, 2, 0, 0));
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 3, how, wrong, 2, 0, stream));
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 3, how, later, 1, 0, stream));
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 3, none, firsts, 1, 0, stream));
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 1, how, firsts, 2, 0, stream));
    CHECK(cudaMemcpyBatchAsync_ptsz(to, from, sizes, 3, how, firsts, 2, 0, 0));         /* none is the thread's own stream */
    CHECK(cudaMemcpyBatchAsync(to, from, sizes, 3, how, firsts, 2, &failed, stream));
    EXPECT(failed == SIZE_MAX);
    to[1] = (void *)0x123;
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 3, how, firsts, 2, &failed, stream));
    EXPECT(failed == 1);
    FAILS("cudaErrorInvalidValue", cudaMemcpyBatchAsync(to, from, sizes, 3, how, wrong, 2, &failed, stream));
    EXPECT(failed == SIZE_MAX);                                                         /* no copy in particular */
}

extern const unsigned char device_code[];

static void libraries(void)
{
    cudaLibrary_t library;
    cudaKernel_t kernel, every[8] = {0}, own;
    unsigned count;
    size_t bytes, offset;
    int *variable, seven = 7;
    CHECK(cudaMemset(there, 1, sizeof here));
    CHECK(cudaLibraryLoadData(&library, device_code, 0, 0, 0, 0, 0, 0));
    CHECK(cudaLibraryGetKernel(&kernel, library, "scale"));
    CHECK(cudaLibraryGetKernelCount(&count, library));
    CHECK(cudaLibraryEnumerateKernels(every, count, library));
    EXPECT(count == 5 && (every[0] == kernel || every[1] == kernel || every[2] == kernel));
    CHECK(cudaLibraryGetGlobal((void **)&variable, &bytes, library, "factor"));
    EXPECT(bytes == 4);
    CHECK(cudaMemcpy(variable, &seven, sizeof seven, ToDevice));
    CHECK(cudaLaunchKernel(kernel, GRID, BLOCK, given, 0, 0));                  /* the library's own variable, and not the program's */
    EXPECT(first() == 7 * 0x01010101);
    CHECK(cudaFuncGetParamCount(kernel, &bytes));
    EXPECT(bytes == 1);
    CHECK(cudaFuncGetParamInfo(scale, 0, &offset, &bytes));
    EXPECT(offset == 0 && bytes == 8);
    FAILS("cudaErrorInvalidValue", cudaFuncGetParamInfo(scale, 1, &offset, &bytes));
    CHECK(cudaGetKernel(&own, scale));
    CHECK(cudaLaunchKernel(own, GRID, BLOCK, given, 0, 0));
    EXPECT(first() == 14 * 0x01010101);
    CHECK(cudaKernelSetAttributeForDevice(kernel, 8, 1024, 0));
    FAILS("cudaErrorSymbolNotFound", cudaLibraryGetKernel(&kernel, library, "nonesuch"));
    CHECK(cudaLibraryUnload(library));
    FAILS("cudaErrorInvalidDeviceFunction", cudaLaunchKernel(kernel, GRID, BLOCK, given, 0, 0));
    FAILS("cudaErrorInvalidDeviceFunction", cudaGetKernel(&own, there));
}

static void flags(void)
{
    unsigned got;
    CHECK(cudaGetDeviceFlags(&got));
    EXPECT(got == 8);
    CHECK(cudaSetDeviceFlags(4));
    CHECK(cudaGetDeviceFlags(&got));
    EXPECT(got == (4 | 8));
    FAILS("cudaErrorInvalidValue", cudaSetDeviceFlags(1 << 20));
}

static void elsewhere(void)
{
    union attribute set = {.number = 1}, got;
    cudaGraph_t graph;
    cudaGraphNode_t kernel;
    cudaGraphExec_t executable;
    int threes[N], i;
    for (i = 0; i < N; ++i)
        threes[i] = 3;
    CHECK(cudaMemcpy(there, threes, sizeof threes, ToDevice));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, 0, 0, &launched));
    CHECK(cudaSetDevice(1));                                                    /* a node stays on its device, whatever is current */
    CHECK(cudaGraphKernelNodeSetAttribute(kernel, COOPERATIVE, &set));
    CHECK(cudaGraphKernelNodeGetAttribute(kernel, COOPERATIVE, &got));
    EXPECT(got.number == 1);
    CHECK(cudaGetDevice(&i));
    EXPECT(i == 1);
    CHECK(cudaSetDevice(0));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    EXPECT(first() == 6);
}

static void standard_output(void)
{
    cudaGraph_t graph;
    cudaGraphNode_t kernel;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphAddKernelNode(&kernel, graph, 0, 0, &launched));
    CHECK(cudaGraphDebugDotPrint(graph, "/dev/stdout", 0));
    exit(0);
}

int main(int count, char **arguments)
{
    struct { const char *name; void (*part)(void); } parts[] = {{"drawing", drawing}, {"numbers", numbers}, {"events", events}, {"children", children},
        {"variables", variables}, {"attributes", attributes}, {"advice", advice}, {"batches", batches}, {"libraries", libraries}, {"flags", flags},
        {"elsewhere", elsewhere}, {"output", standard_output}};
    prepare();
    for (int i = 0; i < sizeof parts / sizeof *parts; ++i)
        if (!strcmp(arguments[1], parts[i].name)) {
            parts[i].part();
            printf("PASSED\n");
        }
    return 0;
}
