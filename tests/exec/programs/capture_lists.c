/* What captures wait for, asked over and over: the lists are right, stay while they may be read, and take no more memory with every question. */
#include "cuda_few.h"

int cudaStreamBeginCapture(cudaStream_t, int), cudaStreamEndCapture(cudaStream_t, void **), cudaGraphDestroy(void *), cudaGraphAddEmptyNode(void **, void *, void **, size_t);
int cudaStreamGetCaptureInfo_v2(cudaStream_t, int *, unsigned long long *, void **, void ***, size_t *);
int cudaStreamUpdateCaptureDependencies(cudaStream_t, void **, size_t, unsigned);
enum { CAPTURES = 20, QUESTIONS = 200, NODES = 40, ADDED = 0 };

int main(void)
{
    cudaStream_t stream, other;
    void *graph, *graphs[2], **list, **first = 0, **others, *nodes[NODES];
    int state;
    size_t count;
    unsigned long long number;
    CHECK(cudaStreamCreate(&stream));
    CHECK(cudaStreamCreate(&other));
    for (int turn = 0; turn < CAPTURES; ++turn) {
        CHECK(cudaStreamBeginCapture(stream, 2));
        CHECK(cudaStreamBeginCapture(other, 2));
        CHECK(cudaStreamGetCaptureInfo_v2(stream, &state, &number, &graph, &list, &count));
        expect(state == 1 && count == 0, "nothing to wait for");
        for (int i = 0; i < NODES; ++i)
            CHECK(cudaGraphAddEmptyNode(&nodes[i], graph, 0, 0));
        CHECK(cudaStreamUpdateCaptureDependencies(stream, nodes, NODES, ADDED));
        CHECK(cudaStreamGetCaptureInfo_v2(stream, &state, &number, &graph, &list, &count));
        CHECK(cudaStreamGetCaptureInfo_v2(other, &state, &number, &graph, &others, &count));
        CHECK(cudaGraphAddEmptyNode(&graphs[0], graph, 0, 0));
        CHECK(cudaStreamUpdateCaptureDependencies(other, graphs, 1, ADDED));
        for (int i = 0; i < QUESTIONS; ++i) {
            CHECK(cudaStreamGetCaptureInfo_v2(other, &state, &number, 0, &others, &count));
            expect(count == 1 && others[0] == graphs[0] && others != list, "the other capture's list");
            void **again;
            CHECK(cudaStreamGetCaptureInfo_v2(stream, &state, &number, &graph, &again, &count));
            expect(count == NODES && again == list && !memcmp(list, nodes, sizeof nodes), "the list");
        }
        first = first ? first : list;
        expect(list == first, "memory that is used again");
        CHECK(cudaStreamEndCapture(stream, &graphs[0]));
        CHECK(cudaStreamEndCapture(other, &graphs[1]));
        CHECK(cudaGraphDestroy(graphs[0]));
        CHECK(cudaGraphDestroy(graphs[1]));
    }
    puts("PASSED");
    return 0;
}
