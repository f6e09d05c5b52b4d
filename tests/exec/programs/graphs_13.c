/* Graphs as CUDA 12 and 13 declare their functions: flags of an instantiation, data of edges, results in structures. */
#include "cuda_few.h"

typedef void *cudaGraph_t, *cudaGraphNode_t, *cudaGraphExec_t;
struct edge { unsigned char from_port, to_port, type, reserved[5]; };
struct update { int result; cudaGraphNode_t node, before; };
struct making { unsigned long long flags; cudaStream_t upload; cudaGraphNode_t wrong; int result; };
int cudaGraphAddEmptyNode(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t), cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
int cudaGraphExecUpdate(cudaGraphExec_t, cudaGraph_t, struct update *), cudaGraphExecGetFlags(cudaGraphExec_t, unsigned long long *);
int cudaGraphInstantiateWithParams(cudaGraphExec_t *, cudaGraph_t, struct making *), cudaGraphDestroyNode(cudaGraphNode_t), cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
#ifdef EDGES
#define WITH(edges) edges,
int cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, const struct edge *, size_t);
int cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, struct edge *, size_t *);
int cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t *, struct edge *, size_t *);
int cudaStreamGetCaptureInfo(cudaStream_t, int *, unsigned long long *, cudaGraph_t *, const cudaGraphNode_t **, const struct edge **, size_t *);
#else
#define WITH(edges)
int cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
int cudaGraphGetEdges(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, size_t *);
int cudaGraphNodeGetDependencies(cudaGraphNode_t, cudaGraphNode_t *, size_t *);
#endif

REGISTERS()

int main(void)
{
    cudaGraph_t graph, other;
    cudaGraphNode_t one, two, from[2] = {0}, to[2] = {0};
    cudaGraphExec_t exec, second;
    struct update updated = {9, 0, 0};
    struct making making = {8, 0, (void *)1, 9};
    unsigned long long flags = 0;
    size_t count = 2;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&other, 0));
    CHECK(cudaGraphAddEmptyNode(&one, graph, 0, 0));
    CHECK(cudaGraphAddEmptyNode(&two, graph, 0, 0));
    CHECK(cudaGraphAddDependencies(graph, &one, &two, WITH(0) 1));
    CHECK(cudaGraphGetEdges(graph, from, to, WITH(0) &count));
    expect(count == 1 && from[0] == one && to[0] == two && !from[1], "edges");
    CHECK(cudaGraphNodeGetDependencies(two, from, WITH(0) &count));
    expect(count == 1 && from[0] == one, "dependencies");
    CHECK(cudaGraphInstantiate(&exec, graph, 1));
    CHECK(cudaGraphExecGetFlags(exec, &flags));
    expect(flags == 1 && cudaGraphInstantiate(&second, graph, 4) == 801 && cudaGraphInstantiate(&second, graph, 1 << 20) == 1, "flags");
    CHECK(cudaGraphInstantiateWithParams(&second, graph, &making));
    expect(making.result == 0 && making.wrong == 0, "what an instantiation says");
    CHECK(cudaGraphExecUpdate(exec, graph, &updated));
    expect(updated.result == 0 && !updated.node, "an update");
    expect(cudaGraphExecUpdate(exec, other, &updated) == 910 && updated.result == 2, "an update that does not fit");
    CHECK(cudaGraphLaunch(exec, 0));
#ifdef EDGES
    struct edge edges[2] = {{1, 1, 1}}, programmatic = {0, 0, 1};
    const struct edge *given = (void *)1;
    const cudaGraphNode_t *nodes = (void *)1;
    cudaStream_t stream;
    int state = -1;
    count = 2;
    CHECK(cudaGraphGetEdges(graph, from, to, edges, &count));
    expect(edges[0].from_port == 0 && edges[0].type == 0, "data of edges");
    expect(cudaGraphAddDependencies(other, &one, &two, &programmatic, 1) == 801, "edges on part of a kernel");
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamGetCaptureInfo(stream, &state, &flags, &other, &nodes, &given, &count));
    expect(state == 0 && !other && !nodes && !given && count == 0, "no capture");
#endif
    CHECK(cudaGraphAddDependencies(graph, &two, &one, WITH(0) 1));
    expect(cudaGraphInstantiateWithParams(&second, graph, &making) == 1 && making.result == 2, "a circle");
    puts("PASSED");
    return 0;
}
