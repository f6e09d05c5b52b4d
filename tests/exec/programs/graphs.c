/* Graphs: built node by node, captured, changed, launched again, and every wrong call. The structures are those of CUDA's headers. */
#include "cuda_few.h"

typedef void *cudaGraph_t, *cudaGraphNode_t, *cudaGraphExec_t;
struct kernel_node { void *function; dim3 grid, block; unsigned shared_bytes; void **arguments, **packed; };
struct set_node { void *to; size_t pitch; unsigned value, element_bytes; size_t width, height; };
struct host_node { void (*function)(void *); void *data; };
struct copy_node { void *from_array; struct place from_at; struct pitched from; void *to_array; struct place to_at; struct pitched to; struct place extent; int kind; };
int cudaGraphDestroy(cudaGraph_t), cudaGraphClone(cudaGraph_t *, cudaGraph_t), cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
int cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct kernel_node *);
int cudaGraphAddMemcpyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct copy_node *);
int cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, void *, const void *, size_t, int);
int cudaGraphAddMemsetNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct set_node *);
int cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct host_node *);
int cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
int cudaGraphAddChildGraphNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaGraph_t);
int cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
int cudaGraphGetNodes(cudaGraph_t, cudaGraphNode_t *, size_t *), cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, size_t *);
int cudaGraphGetRootNodes(cudaGraph_t, cudaGraphNode_t *, size_t *), cudaGraphNodeGetType(cudaGraphNode_t, int *), cudaGraphDestroyNode(cudaGraphNode_t);
int cudaGraphKernelNodeGetParams(cudaGraphNode_t, struct kernel_node *), cudaGraphExecKernelNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const struct kernel_node *);
int cudaGraphMemsetNodeGetParams(cudaGraphNode_t, struct set_node *), cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, const struct set_node *);
int cudaGraphLaunch(cudaGraphExec_t, cudaStream_t), cudaGraphUpload(cudaGraphExec_t, cudaStream_t), cudaGraphExecDestroy(cudaGraphExec_t);
int cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *, int *), cudaGraphNodeFindInClone(cudaGraphNode_t *, cudaGraphNode_t, cudaGraph_t);
int cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, cudaGraph_t *), cudaStreamIsCapturing(cudaStream_t, int *);
int cudaStreamGetCaptureInfo_v2(cudaStream_t, int *, unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, size_t *);
int cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned), cudaLaunchHostFunc(cudaStream_t, void (*)(void *), void *), cudaMemsetAsync(void *, int, size_t, cudaStream_t);
int cudaThreadExchangeStreamCaptureMode(int *), cudaEventQuery(cudaEvent_t);

void scale(void) {}
static int factor;
enum { N = 512 };
static const dim3 BLOCK = {128, 1, 1}, GRID = {N / 128, 1, 1};

REGISTERS(KERNEL(scale), VARIABLE(factor))

static int calls, sum;
static void add_up(void *data)
{
    ++calls;
    for (sum = 0; sum >= 0 && calls && data; data = 0)
        for (int i = 0; i < N; ++i)
            sum += ((int *)data)[i];
}

static void set_factor(int value) { CHECK(cudaMemcpyToSymbol(&factor, &value, sizeof value, 0, ToDevice)); }

/* set to 1, doubled `times` times, to ordinary memory of the host, added up there */
static void built(void)
{
    int *there, *other, *here = malloc(N * sizeof(int)), kind = -1, result = -1;
    cudaGraph_t graph, clone;
    cudaGraphNode_t set, kernel, again, copy, host, empty, all[8], from[8], to[8], wrong;
    cudaGraphExec_t exec;
    size_t count = 0;
    set_factor(2);
    CHECK(cudaMalloc((void **)&there, N * sizeof(int)));
    CHECK(cudaMalloc((void **)&other, N * sizeof(int)));
    CHECK(cudaGraphCreate(&graph, 0));
    struct set_node ones = {there, 0, 1, 4, N, 1};
    CHECK(cudaGraphAddMemsetNode(&set, graph, 0, 0, &ones));
    void *given[] = {&there};
    struct kernel_node launch = {scale, GRID, BLOCK, 0, given, 0};
    CHECK(cudaGraphAddKernelNode(&kernel, graph, &set, 1, &launch));
    CHECK(cudaGraphAddKernelNode(&again, graph, &kernel, 1, &launch));
    struct copy_node back = {.from = {there, N * sizeof(int), N, 1}, .to = {here, N * sizeof(int), N, 1}, .extent = {N * sizeof(int), 1, 1}, .kind = ToHost};
    CHECK(cudaGraphAddMemcpyNode(&copy, graph, 0, 0, &back));
    CHECK(cudaGraphAddDependencies(graph, &again, &copy, 1));
    struct host_node call = {add_up, here};
    CHECK(cudaGraphAddHostNode(&host, graph, &copy, 1, &call));
    CHECK(cudaGraphAddEmptyNode(&empty, graph, &host, 1));
    CHECK(cudaGraphGetNodes(graph, 0, &count));
    expect(count == 6, "number of nodes");
    count = 8;
    CHECK(cudaGraphGetNodes(graph, all, &count));
    expect(count == 6 && all[0] == set && all[5] == empty && !all[7], "nodes");
    count = 8;
    CHECK(cudaGraphGetEdges(graph, from, to, &count));
    expect(count == 5 && from[0] == set && to[0] == kernel, "edges");
    count = 1;
    CHECK(cudaGraphGetRootNodes(graph, all, &count));
    expect(count == 1 && all[0] == set, "roots");
    CHECK(cudaGraphNodeGetType(host, &kind));
    expect(kind == 3, "kind of a node");
    struct kernel_node found = {0};
    CHECK(cudaGraphKernelNodeGetParams(kernel, &found));
    expect(found.function == scale && found.grid.x == GRID.x && *(int **)found.arguments[0] == there, "what a kernel node launches");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    CHECK(cudaGraphUpload(exec, 0));
    for (int round = 1; round <= 3; ++round) {
        CHECK(cudaGraphLaunch(exec, 0));
        CHECK(cudaDeviceSynchronize());
        expect(calls == round && sum == 4 * N, "a launch of a graph");
    }
    ones.value = 3;
    CHECK(cudaGraphExecMemsetNodeSetParams(exec, set, &ones));
    given[0] = &other;                      /* doubled once only: the other kernel works elsewhere */
    CHECK(cudaGraphExecKernelNodeSetParams(exec, again, &launch));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect(sum == 6 * N, "an executable graph that was changed");
    CHECK(cudaGraphClone(&clone, graph));
    CHECK(cudaGraphNodeFindInClone(&wrong, set, clone));
    expect(wrong && wrong != set, "a node of a clone");
    CHECK(cudaGraphExecUpdate(exec, clone, &wrong, &result));
    CHECK(cudaGraphLaunch(exec, 0));
    CHECK(cudaDeviceSynchronize());
    expect(result == 0 && sum == 4 * N, "an executable graph that was updated");
    CHECK(cudaGraphDestroyNode(empty));
    expect(cudaGraphExecUpdate(exec, graph, &wrong, &result) == 910 && result != 0, "an update of another shape");
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphLaunch(exec, 0));        /* it lives on */
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaDeviceSynchronize());
    expect(calls == 6, "a graph whose handle has gone");
}

static void captured(void)
{
    int *there, *side, here[N], state = -1, begun = -1;
    unsigned long long number = 0;
    size_t count = 0;
    const cudaGraphNode_t *before;
    cudaStream_t one, two;
    cudaEvent_t fork, join;
    cudaGraph_t graph, inside;
    cudaGraphExec_t exec;
    set_factor(3);
    CHECK(cudaMalloc((void **)&there, N * sizeof(int)));
    CHECK(cudaMalloc((void **)&side, N * sizeof(int)));
    CHECK(cudaStreamCreate(&one));
    CHECK(cudaStreamCreate(&two));
    CHECK(cudaEventCreate(&fork));
    CHECK(cudaEventCreate(&join));
    void *given[] = {&there}, *others[] = {&side};
    CHECK(cudaStreamBeginCapture(one, 0));
    CHECK(cudaMemcpyAsync(there, here, sizeof here, ToDevice, one));
    CHECK(cudaEventRecord(fork, one));
    CHECK(cudaStreamWaitEvent(two, fork, 0));
    CHECK(cudaMemsetAsync(side, 0, sizeof here, two));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, others, 0, two));
    CHECK(cudaEventRecord(join, two));
    CHECK(cudaLaunchKernel(scale, GRID, BLOCK, given, 0, one));
    CHECK(cudaStreamWaitEvent(one, join, 0));
    CHECK(cudaMemcpyAsync(here, there, sizeof here, ToHost, one));
    CHECK(cudaLaunchHostFunc(one, add_up, here));
    CHECK(cudaStreamIsCapturing(two, &state));
    CHECK(cudaStreamGetCaptureInfo_v2(one, &begun, &number, &inside, &before, &count));
    expect(state == 1 && begun == 1 && number && count == 1, "a capture that is going on");
    CHECK(cudaStreamEndCapture(one, &graph));
    expect(inside == graph, "the graph of a capture");
    CHECK(cudaGraphGetNodes(graph, 0, &count));
    expect(count == 6 && calls == 0, "nothing was done");
    CHECK(cudaStreamIsCapturing(two, &state));
    expect(state == 0, "no capture");
    CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < N; ++i)
        here[i] = 1;
    for (int round = 0, expected = 3; round < 3; ++round, expected *= 3) {
        CHECK(cudaGraphLaunch(exec, two));
        CHECK(cudaStreamSynchronize(two));
        expect(sum == expected * N, "a captured graph");
    }
}

enum { WIDTH = 10, HEIGHT = 3, DEPTH = 2, PITCH = 16, PLANE = PITCH * 4, ROOM = PLANE * DEPTH };

static void fill(char *rows, int by)
{
    for (int i = 0; i < ROOM; ++i)
        rows[i] = i % PITCH < WIDTH && i % PLANE < PITCH * HEIGHT ? i + by : -1;
}

static void expect_rows(const char *rows, int by, const char *what)
{
    char wanted[ROOM];
    fill(wanted, by);
    expect(!memcmp(rows, wanted, ROOM), what);
}

/* boxes and rows of memory that is ordinary (0), was page-locked later (1), or is page-locked (2): read and written at each launch */
static void rows(void)
{
    static char room[6][ROOM];
    for (int how = 0; how < 3; ++how) {
        char *from = room[how], *to = room[3 + how], *beside, *there, *flat, start[ROOM];
        cudaStream_t stream;
        cudaGraph_t graph;
        cudaGraphExec_t exec;
        if (how == 2) {
            CHECK(cudaMallocHost((void **)&from, ROOM));
            CHECK(cudaMallocHost((void **)&to, ROOM));
        }
        if (how == 1) {
            CHECK(cudaHostRegister(from, ROOM, 0));
            CHECK(cudaHostRegister(to, ROOM, 0));
        }
        beside = malloc(ROOM);
        CHECK(cudaMalloc((void **)&there, ROOM));
        CHECK(cudaMalloc((void **)&flat, ROOM));
        CHECK(cudaStreamCreate(&stream));
        memset(to, -1, ROOM);
        memset(beside, -1, ROOM);
        memset(start, -1, ROOM);
        struct extent box = {WIDTH, HEIGHT, DEPTH};
        struct parms in = {.srcPtr = {from, PITCH, PITCH, 4}, .dstPtr = {there, PITCH, PITCH, 4}, .extent = box, .kind = ToDevice};
        struct parms out = {.srcPtr = {there, PITCH, PITCH, 4}, .dstPtr = {to, PITCH, PITCH, 4}, .extent = box, .kind = ToHost};
        fill(from, 100);
        CHECK(cudaStreamBeginCapture(stream, 0));
        CHECK(cudaMemcpy3DAsync(&in, stream));
        CHECK(cudaMemcpy3DAsync(&out, stream));
        CHECK(cudaMemcpy2DAsync(flat, WIDTH, from, PITCH, WIDTH, HEIGHT, ToDevice, stream));
        CHECK(cudaMemcpy2DAsync(beside, PITCH, flat, WIDTH, WIDTH, HEIGHT, ToHost, stream));
        CHECK(cudaMemcpy2DAsync(beside + PLANE, PITCH, from + PLANE, PITCH, WIDTH, HEIGHT, 0, stream));
        CHECK(cudaStreamEndCapture(stream, &graph));
        expect(!memcmp(to, start, ROOM) && !memcmp(beside, start, ROOM), "a capture that writes");
        CHECK(cudaGraphInstantiate(&exec, graph, 0));
        for (int round = 1; round < 3; ++round) {
            fill(from, round);
            CHECK(cudaGraphLaunch(exec, stream));
            CHECK(cudaStreamSynchronize(stream));
            expect_rows(to, round, "a box that a graph copies");
            expect_rows(beside, round, "rows that a graph copies");
        }
    }
}

static void wrong(void)
{
    void *there, *gone = (void *)0x12345670;
    int here[4], mode = 2;
    cudaGraph_t graph, other;
    cudaGraphNode_t one, two, node;
    cudaGraphExec_t exec;
    cudaStream_t stream, second;
    cudaEvent_t event;
    CHECK(cudaMalloc(&there, 64));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&second));
    CHECK(cudaEventCreate(&event));
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphAddEmptyNode(&one, graph, 0, 0));
    CHECK(cudaGraphAddEmptyNode(&two, graph, &one, 1));
    struct set_node set = {there, 0, 1, 3, 4, 1}, far = {there, 0, 1, 4, 1000, 1};
    struct kernel_node launch = {wrong, GRID, BLOCK, 0, 0, 0}, wide = {scale, GRID, {1 << 20, 1, 1}, 0, (void *[]){&there}, 0};
    struct copy_node arrays = {.from_array = there, .to = {here}, .extent = {4, 1, 1}, .kind = Default};
    SAY(cudaGraphCreate(&node, 1));
    SAY(cudaGraphAddEmptyNode(&node, gone, 0, 0));
    SAY(cudaGraphAddEmptyNode(&node, graph, &gone, 1));
    SAY(cudaGraphAddEmptyNode(&node, other, &one, 1));
    SAY(cudaGraphAddDependencies(graph, &one, &two, 1));
    SAY(cudaGraphAddDependencies(graph, &one, &one, 1));
    SAY(cudaGraphAddMemsetNode(&node, graph, 0, 0, &set));
    SAY(cudaGraphAddMemsetNode(&node, graph, 0, 0, &far));
    SAY(cudaGraphAddKernelNode(&node, graph, 0, 0, &launch));
    SAY(cudaGraphAddKernelNode(&node, graph, 0, 0, &wide));
    SAY(cudaGraphAddMemcpyNode(&node, graph, 0, 0, &arrays));
    SAY(cudaGraphAddMemcpyNode1D(&node, graph, 0, 0, there, here, 1000, ToDevice));
    SAY(cudaGraphAddMemcpyNode1D(&node, graph, 0, 0, there, here, 16, ToHost));
    SAY(cudaGraphAddChildGraphNode(&node, graph, 0, 0, graph));
    SAY(cudaGraphKernelNodeGetParams(one, &launch));
    SAY(cudaGraphAddDependencies(graph, &two, &one, 1));
    SAY(cudaGraphInstantiate(&exec, graph, 0));
    SAY(cudaGraphInstantiate(&exec, other, 0));
    SAY(cudaGraphLaunch(graph, 0));
    SAY(cudaGraphLaunch(exec, gone));
    SAY(cudaGraphExecKernelNodeSetParams(exec, one, &launch));
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphExecDestroy(exec));
    SAY(cudaGraphDestroy(graph));
    SAY(cudaGraphDestroy(graph));
    SAY(cudaGraphDestroyNode(one));
    SAY(cudaStreamBeginCapture(0, 0));
    SAY(cudaStreamBeginCapture(stream, 7));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, 0));
    SAY(cudaStreamBeginCapture(stream, 0));
    SAY(cudaStreamSynchronize(stream));
    SAY(cudaMemsetAsync(there, 0, 4, stream));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, 0));
    SAY(cudaMalloc(&node, 64));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, 0));
    SAY(cudaMemsetAsync(there, 0, 4, 0));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaThreadExchangeStreamCaptureMode(&mode));
    SAY(cudaStreamBeginCapture(stream, 0));
    SAY(cudaMalloc(&node, 64));
    SAY(cudaEventRecord(event, stream));
    SAY(cudaEventQuery(event));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaStreamBeginCapture(stream, 2));
    SAY(cudaEventRecord(event, stream));
    SAY(cudaStreamWaitEvent(second, event, 0));
    SAY(cudaMemsetAsync(there, 0, 4, second));
    SAY(cudaStreamEndCapture(stream, &graph));
    SAY(cudaDeviceSynchronize());
}

PARTS({"built", built}, {"captured", captured}, {"rows", rows}, {"wrong", wrong})
