/* Nodes of all kinds by one structure: of the runtime, or, built with DRIVER, of the driver. */
#include "scaling.h"

struct launch { void *function; unsigned grid[3], block[3], shared_bytes; void **arguments, **extra; void *more[2]; };
struct set { void *to; size_t pitch; unsigned value, element_bytes; size_t width, height; void *context; };
struct box {
    size_t source_x, source_y, source_z, source_level; int source_kind; const void *source_host; void *source_device, *source_array, *none;
    size_t source_pitch, source_rows, x, y, z, level; int kind; void *host, *device, *array, *nothing; size_t pitch, rows, width, height, depth;
};
struct node {
    int type, reserved[3];
    union {
        long long padding[29];
        struct launch kernel;
        struct { int flags, reserved; void *context; union { struct parms parms; struct box box; }; } copy;
        struct set set;
        struct { void (*function)(void *); void *data; } host;
        struct { void *graph; int ownership; } child;
        struct { void *event; } event;
    };
    long long reserved_2;
};
#ifdef DRIVER
int cuInit(unsigned), cuModuleLoadData(void **, const void *), cuModuleGetFunction(void **, void *, const char *);
int cuGraphAddNode_v2(void **, void *, void **, const void *, size_t, struct node *), cuGraphNodeSetParams(void *, struct node *);
int cuGraphExecNodeSetParams(void *, void *, struct node *);
#define ADD(out, graph, waits, count, node) cuGraphAddNode_v2(out, graph, waits, 0, count, node)
#define SET cuGraphNodeSetParams
#define SET_EXEC cuGraphExecNodeSetParams
enum { FACTOR = 1 };                                /* the module's own variable, which nobody has set */
#else
#ifdef EDGES
int cudaGraphAddNode(void **, void *, void **, const void *, size_t, struct node *);
#define ADD(out, graph, waits, count, node) cudaGraphAddNode(out, graph, waits, 0, count, node)
#else
int cudaGraphAddNode(void **, void *, void **, size_t, struct node *);
#define ADD cudaGraphAddNode
#endif
int cudaGraphNodeSetParams(void *, struct node *), cudaGraphExecNodeSetParams(void *, void *, struct node *);
#define SET cudaGraphNodeSetParams
#define SET_EXEC cudaGraphExecNodeSetParams
enum { FACTOR = 2 };
#endif
int cudaGraphInstantiate(void **, void *, unsigned long long), cudaGraphLaunch(void *, void *), cudaGraphNodeGetType(void *, int *);

enum { N = 32, BYTES = N * sizeof(int) };
#define EXPECT(what) do { if (!(what)) { printf("wrong: %s\n", #what); exit(3); } } while (0)
static int numbers[N], got[N], called;
static void count(void *by) { called += *(int *)by; }

static struct node copy_to(void *there)
{
    struct node made = {.type = 1};
#ifdef DRIVER
    made.copy.box = (struct box){.source_kind = 1, .source_host = numbers, .source_pitch = BYTES, .kind = 2, .device = there, .pitch = BYTES,
                                 .width = BYTES, .height = 1, .depth = 1};
#else
    made.copy.parms = (struct parms){.srcPtr = {numbers, BYTES, BYTES, 1}, .dstPtr = {there, BYTES, BYTES, 1}, .extent = {BYTES, 1, 1}, .kind = ToDevice};
#endif
    return made;
}

int main(void)
{
    static const int types[] = {1, 0, 2, 5, 4, 7};
    int two = 2, three = 3, type;
    void *graph, *child, *executable, *nodes[8], *function = (void *)scale, *event, *there, *other;
    CHECK(cudaMalloc(&there, BYTES));
    CHECK(cudaMalloc(&other, BYTES));
    CHECK(cudaMemcpyToSymbol(&factor, &two, sizeof two, 0, ToDevice));
    CHECK(cudaEventCreate(&event));
#ifdef DRIVER
    void *module;
    CHECK(cuInit(0));
    CHECK(cuModuleLoadData(&module, device_code));
    CHECK(cuModuleGetFunction(&function, module, "scale"));
#endif
    for (int i = 0; i < N; ++i)
        numbers[i] = i;
    CHECK(cudaGraphCreate(&graph, 0));
    CHECK(cudaGraphCreate(&child, 0));
    void *given[] = {&there};
    struct node copy = copy_to(there), kernel = {.type = 0, .kernel = {function, {1, 1, 1}, {N, 1, 1}, 0, given}},
                set = {.type = 2, .set = {other, 0, 5, 4, N, 1}}, host = {.type = 3, .host = {count, &three}}, inside = {.type = 4, .child = {child}},
                empty = {.type = 5}, record = {.type = 7, .event = {event}}, condition = {.type = 13}, unknown = {.type = 99};
    CHECK(ADD(&nodes[6], child, 0, 0, &host));
    CHECK(ADD(&nodes[0], graph, 0, 0, &copy));
    CHECK(ADD(&nodes[1], graph, &nodes[0], 1, &kernel));
    CHECK(ADD(&nodes[2], graph, 0, 0, &set));
    CHECK(ADD(&nodes[3], graph, &nodes[1], 1, &empty));
    CHECK(ADD(&nodes[4], graph, &nodes[3], 1, &inside));
    CHECK(ADD(&nodes[5], graph, &nodes[4], 1, &record));
    for (int i = 0; i < 6; ++i) {
        CHECK(cudaGraphNodeGetType(nodes[i], &type));
        EXPECT(type == types[i]);
    }
    EXPECT(ADD(&nodes[6], graph, 0, 0, &condition) == 1 && ADD(&nodes[6], graph, 0, 0, &unknown) == 1);
    inside.child.ownership = 1;
    EXPECT(ADD(&nodes[6], graph, 0, 0, &inside) == 801);
    EXPECT(SET(nodes[3], &empty) == 801 && SET(nodes[2], &kernel) == 1);
    set.set.value = 6;
    CHECK(SET(nodes[2], &set));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaEventSynchronize(event));
    CHECK(cudaDeviceSynchronize());
    EXPECT(called == 3);
    CHECK(cudaMemcpy(got, there, BYTES, ToHost));
    for (int i = 0; i < N; ++i)
        EXPECT(got[i] == FACTOR * i);
    CHECK(cudaMemcpy(got, other, BYTES, ToHost));
    EXPECT(got[0] == 6 && got[N - 1] == 6);
    copy = copy_to(other);
    CHECK(SET_EXEC(executable, nodes[0], &copy));
    copy.copy.flags = 1;
    EXPECT(SET_EXEC(executable, nodes[0], &copy) == 1);
    set.set.to = there;
    CHECK(SET_EXEC(executable, nodes[2], &set));
    CHECK(cudaGraphLaunch(executable, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(got, other, BYTES, ToHost));
    EXPECT(got[3] == 3 && called == 6);
    puts("PASSED");
    return 0;
}
