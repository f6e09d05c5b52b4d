/* Graphs whose nodes decide which graphs run: while, if and else, switch, one within another, and wrong calls. */
#include "cuda_few.h"
#include <unistd.h>

typedef void *cudaGraph_t, *cudaGraphNode_t, *cudaGraphExec_t;
typedef unsigned long long cudaGraphConditionalHandle;
struct kernel_node { void *function; dim3 grid, block; unsigned shared_bytes; void **arguments, **packed; };
struct any_node { int kind, none[3]; union { char pad[232]; struct { cudaGraphConditionalHandle handle; int kind; unsigned size; cudaGraph_t *graphs; void *context; } condition; }; };
struct update { int result; cudaGraphNode_t node, from; };
int cudaGraphKernelNodeSetParams(cudaGraphNode_t, const struct kernel_node *);
int cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, struct update *, int *);
int cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long), cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
int cudaGraphAddKernelNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const struct kernel_node *);
int cudaGraphAddEventRecordNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaEvent_t);
int cudaGraphAddChildGraphNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, cudaGraph_t), cudaGraphNodeGetType(cudaGraphNode_t, int *);
int cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t, cudaGraph_t *), cudaGraphDestroy(cudaGraph_t);
int cudaGraphAddHostNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, const void *);
int cudaGraphAddNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t, struct any_node *), cudaGraphClone(cudaGraph_t *, cudaGraph_t);
int cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *, cudaGraph_t, unsigned, unsigned);
int cudaStreamBeginCaptureToGraph(cudaStream_t, cudaGraph_t, const cudaGraphNode_t *, const void *, size_t, int);
int cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);

void counts(void) {}
void sets(void) {}
enum { CONDITIONAL = 13, IF = 0, WHILE, SWITCH, ASSIGN_DEFAULT = 1 };

REGISTERS(KERNEL(counts), KERNEL(sets))

#define FAILS(wanted, call) do { const char *got = cudaGetErrorName(call); if (strcmp(got, wanted)) { printf("%s: %s\n", #call, got); exit(4); } } while (0)

static unsigned *there, here[8];

/* counts(p, by): *p += by; sets(handle, p): the condition is *p */
static cudaGraphNode_t kernel(cudaGraph_t graph, const cudaGraphNode_t *after, void *function, const void *first, const void *second)
{
    void *given[] = {(void *)first, (void *)second};
    struct kernel_node launched = {function, {1, 1, 1}, {1, 1, 1}, 0, given};
    cudaGraphNode_t node;
    CHECK(cudaGraphAddKernelNode(&node, graph, after, after != 0, &launched));
    return node;
}

static cudaGraphNode_t counting(cudaGraph_t graph, const cudaGraphNode_t *after, unsigned *at, int by) { return kernel(graph, after, counts, &at, &by); }

static cudaGraphNode_t setting(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle, unsigned *at)
{
    return kernel(graph, after, sets, &handle, &at);
}

static cudaGraphNode_t deciding(cudaGraph_t graph, const cudaGraphNode_t *after, cudaGraphConditionalHandle handle, int kind, unsigned size, cudaGraph_t **graphs)
{
    struct any_node any = {CONDITIONAL};
    cudaGraphNode_t node;
    int found;
    any.condition.handle = handle, any.condition.kind = kind, any.condition.size = size;
    CHECK(cudaGraphAddNode(&node, graph, after, after != 0, &any));
    CHECK(cudaGraphNodeGetType(node, &found));
    expect(found == CONDITIONAL, "the kind of a node");
    *graphs = any.condition.graphs;
    return node;
}

static void put(unsigned first)
{
    unsigned fresh[8] = {first};
    CHECK(cudaMemcpy(there, fresh, sizeof fresh, ToDevice));
}

static void launched(cudaGraph_t graph)
{
    static cudaGraphExec_t executable;
    static cudaGraph_t known;
    if (known != graph)
        CHECK(cudaGraphInstantiate(&executable, graph, 0));
    known = graph;
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
}

static cudaGraph_t empty(void)
{
    cudaGraph_t graph;
    if (!there)
        CHECK(cudaMalloc((void **)&there, sizeof here));
    CHECK(cudaGraphCreate(&graph, 0));
    return graph;
}

static void loops(void)
{
    cudaGraph_t graph = empty(), *body;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, ASSIGN_DEFAULT));
    cudaGraphNode_t first = counting(graph, 0, there + 2, 1), loop = deciding(graph, &first, handle, WHILE, 1, &body), down;
    down = counting(body[0], 0, there, -1);
    counting(body[0], 0, there + 1, 1);
    setting(body[0], &down, handle, there);
    counting(graph, &loop, there + 2, 10);
    for (int i = 3; i <= 6; i += 3) {                                           /* a second launch begins with the default again */
        put(i);
        launched(graph);
        expect(here[0] == 0 && here[1] == i && here[2] == 11, "a loop");
    }
}

static void endless(void)
{
    cudaGraph_t once = empty(), graph = empty(), *body;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, ASSIGN_DEFAULT));
    deciding(graph, 0, handle, WHILE, 1, &body);
    counting(body[0], 0, there, 1);
    put(0);
    counting(once, 0, there, 1);
    launched(once);             /* what is compiled by then takes no time of what follows */
    alarm(1);
    launched(graph);
}

static void branches(void)
{
    cudaGraph_t graph = empty(), *bodies;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t set = setting(graph, 0, handle, there), node = deciding(graph, &set, handle, IF, 2, &bodies);
    counting(bodies[0], 0, there + 1, 1);
    counting(bodies[1], 0, there + 2, 1);
    counting(graph, &node, there + 3, 1);
    put(7), launched(graph);
    expect(here[1] == 1 && here[2] == 0 && here[3] == 1, "if");
    put(0), launched(graph);
    expect(here[1] == 0 && here[2] == 1 && here[3] == 1, "else");
}

static void choices(void)
{
    cudaGraph_t graph = empty(), *bodies;
    cudaGraphConditionalHandle handle;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    cudaGraphNode_t set = setting(graph, 0, handle, there);
    deciding(graph, &set, handle, SWITCH, 3, &bodies);
    for (int i = 0; i < 3; ++i)
        counting(bodies[i], 0, there + 1 + i, 1);
    for (int i = 0; i < 5; ++i) {
        put(i), launched(graph);
        for (int k = 0; k < 3; ++k)
            expect(here[1 + k] == (k == i), "a switch");
    }
}

static void nested(void)
{
    cudaGraph_t graph = empty(), *outer, *inner;
    cudaGraphConditionalHandle loop, odd;
    CHECK(cudaGraphConditionalHandleCreate(&loop, graph, 1, ASSIGN_DEFAULT));
    CHECK(cudaGraphConditionalHandleCreate(&odd, graph, 1, ASSIGN_DEFAULT));
    deciding(graph, 0, loop, WHILE, 1, &outer);
    cudaGraphNode_t down = counting(outer[0], 0, there, -1), set = setting(outer[0], &down, loop, there);
    cudaGraphNode_t more = setting(outer[0], &set, odd, there);
    deciding(outer[0], &more, odd, IF, 1, &inner);
    counting(inner[0], 0, there + 1, 1);
    put(4), launched(graph);
    expect(here[0] == 0 && here[1] == 3, "a condition within a loop");
}

static void captured(void)
{
    cudaGraph_t graph = empty(), *body;
    cudaGraphConditionalHandle handle;
    cudaStream_t stream;
    unsigned *at = there, *other = there + 1;
    int down = -1, up = 1;
    void *falls[] = {&at, &down}, *rises[] = {&other, &up}, *tells[] = {&handle, &at};
    const dim3 one = {1, 1, 1};
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, ASSIGN_DEFAULT));
    deciding(graph, 0, handle, WHILE, 1, &body);
    CHECK(cudaStreamBeginCaptureToGraph(stream, body[0], 0, 0, 0, 0));
    CHECK(cudaLaunchKernel(counts, one, one, falls, 0, stream));
    CHECK(cudaLaunchKernel(counts, one, one, rises, 0, stream));
    CHECK(cudaLaunchKernel(sets, one, one, tells, 0, stream));
    CHECK(cudaStreamEndCapture(stream, 0));
    put(4), launched(graph);
    expect(here[0] == 0 && here[1] == 4, "a loop that was captured");
}

static void wrong(void)
{
    cudaGraph_t graph = empty(), other = empty(), *bodies;
    cudaGraphConditionalHandle handle, second;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    cudaEvent_t event;
    cudaStream_t stream;
    struct any_node any = {CONDITIONAL};
    struct update told;                                                         /* in CUDA 12; before, the node and the result */
    int result;
    CHECK(cudaEventCreate(&event));
    FAILS("cudaErrorInvalidValue", cudaGraphConditionalHandleCreate(&handle, graph, 0, 2));
    FAILS("cudaErrorInvalidValue", cudaGraphConditionalHandleCreate(&handle, there, 0, 0));
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 0, 0));
    CHECK(cudaGraphConditionalHandleCreate(&second, graph, 0, 0));
    any.condition.handle = handle, any.condition.kind = WHILE, any.condition.size = 2;
    FAILS("cudaErrorInvalidValue", cudaGraphAddNode(&node, graph, 0, 0, &any));
    any.condition.size = 1;
    FAILS("cudaErrorInvalidValue", cudaGraphAddNode(&node, other, 0, 0, &any));
    any.condition.handle = 0x1234;
    FAILS("cudaErrorInvalidValue", cudaGraphAddNode(&node, graph, 0, 0, &any));
    any.condition.handle = handle, any.condition.kind = 3;
    FAILS("cudaErrorInvalidValue", cudaGraphAddNode(&node, graph, 0, 0, &any));
    deciding(graph, 0, handle, IF, 1, &bodies);
    any.condition.kind = IF;
    FAILS("cudaErrorInvalidValue", cudaGraphAddNode(&node, graph, 0, 0, &any));         /* the condition has its node */
    FAILS("cudaErrorNotSupported", cudaGraphClone(&other, graph));
    FAILS("cudaErrorNotSupported", cudaGraphAddChildGraphNode(&node, other, 0, 0, graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphExecUpdate(executable, graph, &told, &result));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, 0));
    FAILS("cudaErrorStreamCaptureUnsupported", cudaGraphLaunch(executable, stream));
    FAILS("cudaErrorStreamCaptureInvalidated", cudaStreamEndCapture(stream, &other));
    CHECK(cudaGraphAddEventRecordNode(&node, bodies[0], 0, 0, event));
    FAILS("cudaErrorInvalidValue", cudaGraphInstantiate(&executable, graph, 0));
}

static void updated(void)
{
    cudaGraph_t graph = empty(), *body;
    cudaGraphConditionalHandle handle;
    cudaGraphExec_t executable;
    struct update told;                                                         /* in CUDA 12; before, the node and the result */
    int result;
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, ASSIGN_DEFAULT));
    deciding(graph, 0, handle, WHILE, 1, &body);
    cudaGraphNode_t down = counting(body[0], 0, there, -1), tally = counting(body[0], 0, there + 1, 1);
    setting(body[0], &down, handle, there);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (int by = 1; by <= 5; by += 4) {
        unsigned *at = there + 1;
        void *given[] = {&at, &by};
        struct kernel_node changed = {counts, {1, 1, 1}, {1, 1, 1}, 0, given};
        CHECK(cudaGraphKernelNodeSetParams(tally, &changed));
        CHECK(cudaGraphExecUpdate(executable, graph, &told, &result));
        put(3);
        CHECK(cudaGraphLaunch(executable, 0));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(here, there, sizeof here, ToHost));
        expect(here[0] == 0 && here[1] == 3 * by, "a loop whose graph was changed");
    }
}

static void within_a_child(void)
{
    cudaGraph_t parent = empty(), graph = empty(), inside, *body;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    cudaStream_t stream;
    CHECK(cudaGraphAddChildGraphNode(&node, parent, 0, 0, graph));
    CHECK(cudaGraphChildGraphNodeGetGraph(node, &inside));
    CHECK(cudaGraphConditionalHandleCreate(&handle, inside, 1, ASSIGN_DEFAULT));
    deciding(inside, 0, handle, WHILE, 1, &body);
    cudaGraphNode_t down = counting(body[0], 0, there, -1);
    counting(body[0], 0, there + 1, 1);
    setting(body[0], &down, handle, there);
    for (int i = 3; i <= 6; i += 3) {
        put(i), launched(parent);
        expect(here[0] == 0 && here[1] == i, "a loop in a graph that is a node");
    }
    CHECK(cudaGraphInstantiate(&executable, parent, 0));
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamBeginCapture(stream, 0));
    FAILS("cudaErrorStreamCaptureUnsupported", cudaGraphLaunch(executable, stream));
}

static void calls_back(void *nothing) {}

static void wrong_within_a_body(void)
{
    cudaGraph_t graph = empty(), child = empty(), *body;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaGraphExec_t executable;
    struct { void (*function)(void *); void *given; } called = {calls_back};
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0));
    deciding(graph, 0, handle, IF, 1, &body);
    CHECK(cudaGraphAddHostNode(&node, child, 0, 0, &called));
    CHECK(cudaGraphAddChildGraphNode(&node, body[0], 0, 0, child));
    FAILS("cudaErrorInvalidValue", cudaGraphInstantiate(&executable, graph, 0));
}

static void many(void)
{
    for (int i = 0; i < 50; ++i) {
        cudaGraph_t graph = empty(), *body;
        cudaGraphConditionalHandle handle;
        CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, 0));
        deciding(graph, 0, handle, SWITCH, 3, &body);
        counting(body[2], 0, there, 1);
        CHECK(cudaGraphDestroy(graph));
    }
}

PARTS({"loops", loops}, {"endless", endless}, {"updated", updated}, {"branches", branches}, {"choices", choices}, {"nested", nested}, {"captured", captured}, {"wrong", wrong},
      {"within_a_child", within_a_child}, {"wrong_within_a_body", wrong_within_a_body}, {"many", many})
