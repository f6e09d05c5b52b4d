"""Memory that graphs allocate: where it lies, how long it lives, what it takes of the device, and every wrong call."""
import numpy as np
import pytest
from expectations import ON_A_MACHINE, refused

from archdef.host.graph_memory import GraphAllocation
from archdef.runtime import cuda

pytestmark = [ON_A_MACHINE, pytest.mark.usefixtures("device")]
MB, GB = 1 << 20, 1 << 30


def used():
    return cuda.cudaDeviceGetGraphMemAttribute(0, cuda.cudaGraphMemAttrUsedMemCurrent)


def reserved():
    return cuda.cudaDeviceGetGraphMemAttribute(0, cuda.cudaGraphMemAttrReservedMemCurrent)


def allocating(size=MB, frees=True, value=None, flags=0):
    """A graph that allocates, may set and may free: its executable graph, and the address."""
    graph = cuda.cudaGraphCreate()
    node, pointer = cuda.cudaGraphAddMemAllocNode(graph, [], size)
    if value is not None:
        node = cuda.cudaGraphAddMemsetNode(graph, [node], pointer, value)
    if frees:
        cuda.cudaGraphAddMemFreeNode(graph, [node], pointer)
    executable = cuda.cudaGraphInstantiate(graph, flags)
    cuda.cudaGraphDestroy(graph)
    return executable, pointer


def contents(pointer, count, stream=None):
    out = np.zeros(count, "u1")
    cuda.cudaMemcpyAsync(out, pointer, count, stream=stream)
    cuda.cudaStreamSynchronize(stream)
    return set(out.tolist())


def test_an_address_is_used_again_behind_its_free_and_nowhere_else():
    graph, other = cuda.cudaGraphCreate(), cuda.cudaGraphCreate()
    first, here = cuda.cudaGraphAddMemAllocNode(graph, [], MB)
    freed = cuda.cudaGraphAddMemFreeNode(graph, [first], here)
    behind = cuda.cudaGraphAddEmptyNode(graph, [freed])
    assert cuda.cudaGraphAddMemAllocNode(graph, [], MB)[1] != here
    assert cuda.cudaGraphAddMemAllocNode(graph, [behind], 2 * MB)[1] != here
    assert cuda.cudaGraphAddMemAllocNode(other, [], MB)[1] != here
    second, again = cuda.cudaGraphAddMemAllocNode(graph, [behind], MB - 1)
    assert again == here and cuda.cudaGraphMemAllocNodeGetParams(second) == (0, here) and cuda.cudaGraphMemAllocNodeGetParams(second)[1].left == MB - 1
    assert cuda.cudaGraphMemFreeNodeGetParams(freed) == here
    assert [cuda.cudaGraphNodeGetType(node) for node in (first, freed)] == [cuda.cudaGraphNodeTypeMemAlloc, cuda.cudaGraphNodeTypeMemFree]
    assert cuda.cudaGraphAddMemAllocNode(graph, [behind], MB)[1] != here, "it is allocated again"


def test_memory_is_taken_from_the_device_by_launches_and_given_back_by_a_trim():
    free, stream = cuda.cudaMemGetInfo()[0], cuda.cudaStreamCreate()
    graphs = [allocating(value=3)[0] for _ in range(3)]
    assert used() == reserved() == 0 and cuda.cudaMemGetInfo()[0] == free
    for executable in (*graphs, *graphs):           # one behind the other, so they share it
        cuda.cudaGraphLaunch(executable, stream)
        assert used() == reserved() == MB and cuda.cudaMemGetInfo()[0] == free - MB
    cuda.cudaDeviceGraphMemTrim(0)                  # it is in use
    assert used() == MB
    cuda.cudaStreamSynchronize(stream)
    for executable in graphs:
        cuda.cudaGraphExecDestroy(executable)
    assert (used(), reserved()) == (0, MB), "no graph has it any more"
    cuda.cudaDeviceGraphMemTrim(0)
    assert reserved() == 0 and cuda.cudaMemGetInfo()[0] == free
    for high, now in ((cuda.cudaGraphMemAttrUsedMemHigh, 0), (cuda.cudaGraphMemAttrReservedMemHigh, 0)):
        assert cuda.cudaDeviceGetGraphMemAttribute(0, high) == MB
        cuda.cudaDeviceSetGraphMemAttribute(0, high, 0)
        assert cuda.cudaDeviceGetGraphMemAttribute(0, high) == now


def test_graphs_that_may_run_at_a_time_have_memory_of_their_own():
    streams = [cuda.cudaStreamCreateWithFlags(cuda.cudaStreamNonBlocking) for _ in range(2)]
    graphs = [allocating(64 * MB, value=5)[0] for _ in range(3)]
    for executable, stream in zip(graphs, streams, strict=False):
        cuda.cudaGraphLaunch(executable, stream)
    assert used() == 128 * MB
    cuda.cudaDeviceSynchronize()
    cuda.cudaGraphLaunch(graphs[2], streams[0])     # nothing runs any more
    assert reserved() == 128 * MB
    cuda.cudaGraphLaunch(graphs[0], streams[0])
    cuda.cudaGraphLaunch(graphs[0], streams[1])     # a launch waits for the one before, so its memory is free
    assert reserved() == 128 * MB


@pytest.mark.parametrize("how", ["Free", "FreeAsync", "graph"])
def test_what_outlives_its_graph_is_freed_outside_before_it_is_launched_again(how):
    stream = cuda.cudaStreamCreate()
    executable, pointer = allocating(frees=False, value=7)
    if how == "graph":
        freeing = cuda.cudaGraphCreate()
        cuda.cudaGraphAddMemFreeNode(freeing, [], pointer)
        other = cuda.cudaGraphInstantiate(freeing)
        free = lambda: cuda.cudaGraphLaunch(other, stream)      # noqa: E731
    else:
        free = {"Free": lambda: cuda.cudaFree(pointer), "FreeAsync": lambda: cuda.cudaFreeAsync(pointer, stream)}[how]
    for _ in range(2):
        with refused("InvalidValue"):
            free()                                  # nothing is allocated
        cuda.cudaGraphLaunch(executable, stream)
        with refused("InvalidValue"):
            cuda.cudaGraphLaunch(executable, stream)
        assert contents(pointer, MB, stream) == {7}
        cuda.cudaDeviceGraphMemTrim(0)
        assert used() == MB
        free()
        cuda.cudaStreamSynchronize(stream)
        cuda.cudaDeviceGraphMemTrim(0)
        assert used() == reserved() == 0


def test_a_graph_that_frees_by_itself_is_launched_again_and_keeps_the_last_allocation():
    executable, pointer = allocating(frees=False, value=9, flags=cuda.cudaGraphInstantiateFlagAutoFreeOnLaunch)
    for _ in range(3):
        cuda.cudaGraphLaunch(executable)
    assert used() == MB and contents(pointer, MB) == {9}
    cuda.cudaGraphExecDestroy(executable)
    assert used() == MB and contents(pointer, MB) == {9}
    cuda.cudaFree(pointer)
    assert used() == 0
    with refused("InvalidValue"):
        cuda.cudaFree(pointer)


def test_allocations_of_a_captured_stream_become_nodes():
    one, two = cuda.cudaStreamCreate(), cuda.cudaStreamCreate()
    fork, join, out = cuda.cudaEventCreate(), cuda.cudaEventCreate(), np.zeros(64, "u1")
    cuda.cudaStreamBeginCapture(one)
    first = cuda.cudaMallocAsync(64, one)
    kept = cuda.cudaMallocFromPoolAsync(64, cuda.cudaDeviceGetDefaultMemPool(0), one)
    cuda.cudaMemsetAsync(first, 4, 64, one)
    cuda.cudaMemcpyAsync(kept, first, 64, stream=one)
    cuda.cudaEventRecord(fork, one)
    cuda.cudaStreamWaitEvent(two, fork)
    cuda.cudaFreeAsync(first, two)
    cuda.cudaEventRecord(join, two)
    cuda.cudaMemcpyAsync(out, kept, 64, stream=one)
    cuda.cudaStreamWaitEvent(one, join)
    again = cuda.cudaMallocAsync(64, one)
    cuda.cudaFreeAsync(again, one)
    graph = cuda.cudaStreamEndCapture(one)
    assert again == first != kept
    assert [cuda.cudaGraphNodeGetType(node) for node in cuda.cudaGraphGetNodes(graph)] == [10, 10, 2, 1, 11, 1, 10, 11]
    executable = cuda.cudaGraphInstantiate(graph)
    cuda.cudaGraphLaunch(executable, two)
    cuda.cudaStreamSynchronize(two)
    assert set(out.tolist()) == {4} == contents(kept, 64)
    with refused("InvalidValue"):
        cuda.cudaFreeAsync(first)                   # its own graph frees it
    cuda.cudaFreeAsync(kept)


def test_addresses_and_memory_come_back_when_graphs_go():
    free = cuda.cudaMemGetInfo()[0]
    for _ in range(40):                             # more than there are addresses for graphs at a time
        executable, _ = allocating(4 * GB)
        cuda.cudaGraphLaunch(executable)
        cuda.cudaDeviceSynchronize()
        cuda.cudaGraphExecDestroy(executable)
    assert reserved() == 4 * GB
    executable, pointer = allocating(free - GB, frees=False)
    cuda.cudaGraphLaunch(executable)                # what is not in use makes room
    assert reserved() == free - GB
    second, _ = allocating(2 * GB)
    with refused("MemoryAllocation"):
        cuda.cudaGraphLaunch(second)
    cuda.cudaDeviceReset()
    assert cuda.cudaMemGetInfo()[0] == free and used() == 0
    with refused("InvalidValue"):
        cuda.cudaFree(pointer)


def test_wrong_calls_are_refused():
    graph, other, plain, pooled = cuda.cudaGraphCreate(), cuda.cudaGraphCreate(), cuda.cudaMalloc(64), cuda.cudaMallocAsync(64)
    node, pointer = cuda.cudaGraphAddMemAllocNode(graph, [], 64)
    freed = cuda.cudaGraphAddMemFreeNode(graph, [], pointer)
    for call in (lambda: cuda.cudaGraphAddMemAllocNode(graph, [], 0), lambda: cuda.cudaGraphAddMemAllocNode(other, [node], 64),
                 lambda: cuda.cudaGraphAddMemFreeNode(graph, [], pointer), lambda: cuda.cudaGraphAddMemFreeNode(other, [], pointer),
                 lambda: cuda.cudaGraphAddMemFreeNode(other, [], pointer + 4), lambda: cuda.cudaGraphAddMemFreeNode(other, [], plain),
                 lambda: cuda.cudaGraphAddMemFreeNode(other, [], pooled), lambda: cuda.cudaGraphMemAllocNodeGetParams(freed),
                 lambda: cuda.cudaGraphMemFreeNodeGetParams(node), lambda: cuda.cudaFree(pointer), lambda: cuda.cudaFreeAsync(pointer),
                 lambda: cuda.cudaDeviceGetGraphMemAttribute(0, 4), lambda: cuda.cudaDeviceSetGraphMemAttribute(0, 0, 0),
                 lambda: cuda.cudaDeviceSetGraphMemAttribute(0, 1, 1), lambda: cuda.cudaGraphInstantiate(graph)):     # the free does not wait
        with refused("InvalidValue"):
            call()
    for call in (lambda: cuda.cudaGraphDestroyNode(node), lambda: cuda.cudaGraphDestroyNode(freed), lambda: cuda.cudaGraphClone(graph),
                 lambda: cuda.cudaGraphAddChildGraphNode(other, [], graph)):
        with refused("NotSupported"):       # as on an H200, like a second executable graph
            call()
    cuda.cudaGraphAddDependencies(graph, [node], [freed])
    with refused("NotSupported"):
        cuda.cudaGraphRemoveDependencies(graph, [node], [freed])
    executable = cuda.cudaGraphInstantiate(graph)
    with refused("NotSupported"):
        cuda.cudaGraphInstantiate(graph)
    cuda.cudaGraphExecDestroy(executable)
    executable, stream = cuda.cudaGraphInstantiate(graph), cuda.cudaStreamCreate()
    cuda.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeRelaxed)
    with refused("StreamCaptureUnsupported"):
        cuda.cudaGraphLaunch(executable, stream)
    with refused("StreamCaptureInvalidated"):
        cuda.cudaStreamEndCapture(stream)
    cuda.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeRelaxed)
    with refused("InvalidValue"):
        cuda.cudaFreeAsync(pooled, stream)          # graphs free what graphs have allocated; the capture goes on, as on an H200
    assert not cuda.cudaGraphGetNodes(cuda.cudaStreamEndCapture(stream))


def test_an_allocation_that_another_graph_frees_is_not_freed_by_its_own():
    graph, other = cuda.cudaGraphCreate(), cuda.cudaGraphCreate()
    node, pointer = cuda.cudaGraphAddMemAllocNode(graph, [], 64)
    cuda.cudaGraphAddMemFreeNode(other, [], pointer)
    for each in (graph, other):
        with refused("InvalidValue"):
            cuda.cudaGraphAddMemFreeNode(each, [node] if each is graph else [], pointer)


def test_an_address_is_looked_up_while_another_thread_allocates(device):
    class Address(int):
        """One that another thread comes between, when it is compared."""

        def __le__(self, other):
            memory._allocations.setdefault(8, GraphAllocation(known.graph, 8, (), 0))
            return int(self) <= other

    _, pointer = allocating(frees=False)
    memory = device.context.graph_memory
    known = memory.at(int(pointer))
    between = GraphAllocation(known.graph, Address(16), (), 0)
    memory._allocations[between.address] = between
    assert memory.at(1 << 60) is None and 8 in memory._allocations
    for each in (8, 16):
        del memory._allocations[each]
