"""Graphs under the runtime's names: what nodes do, what is asked of them, and every refusal."""
import itertools

import numpy as np
import pytest
from expectations import MACHINE, ON_A_MACHINE, refused

from archdef import registry
from archdef.runtime import cuda, maca

pytestmark = ON_A_MACHINE
PTX = """.version 6.0
.target sm_30
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 n)
{ .reg .b64 %rd<4>; .reg .b32 %r<8>; mov.u32 %r1, %tid.x; ld.param.u64 %rd1, [p]; ld.param.u32 %r2, [n]; mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3]; add.s32 %r4, %r3, %r2; st.global.u32 [%rd3], %r4; ret; }
"""
N = 32


@pytest.fixture
def add():
    (device,) = cuda.use(MACHINE)
    yield device.compile(PTX)["add"]
    cuda.use()


def test_every_kind_of_node_does_its_work(add):
    there, copy, out, called = cuda.cudaMalloc(4 * N), cuda.cudaMalloc(4 * N), np.zeros(N, "i4"), []
    start, end = cuda.cudaEventCreate(), cuda.cudaEventCreate()
    graph, inner = cuda.cudaGraphCreate(), cuda.cudaGraphCreate()
    cuda.cudaGraphAddKernelNode(inner, [], add, 1, N, (there, 5))
    nodes = [cuda.cudaGraphAddEventRecordNode(graph, [], start)]
    nodes.append(cuda.cudaGraphAddMemsetNode(graph, nodes[-1:], there, 7, 4, N))
    nodes.append(cuda.cudaGraphAddChildGraphNode(graph, nodes[-1:], inner))
    nodes.append(cuda.cudaGraphAddMemcpyNode1D(graph, nodes[-1:], copy, there))
    nodes.append(cuda.cudaGraphAddEmptyNode(graph, nodes[-1:]))
    nodes.append(cuda.cudaGraphAddMemcpyNode1D(graph, nodes[-1:], out, copy))
    nodes.append(cuda.cudaGraphAddHostNode(graph, nodes[-1:], lambda: called.append(out.tolist())))
    nodes.append(cuda.cudaGraphAddEventRecordNode(graph, nodes[-1:], end))
    nodes.append(cuda.cudaGraphAddEventWaitNode(graph, nodes[-1:], end))
    assert cuda.cudaGraphGetNodes(graph) == nodes and cuda.cudaGraphGetRootNodes(graph) == nodes[:1]
    assert cuda.cudaGraphGetEdges(graph) == list(itertools.pairwise(nodes))
    assert [cuda.cudaGraphNodeGetType(node) for node in nodes] == [7, 2, 4, 1, 5, 1, 3, 7, 6]
    assert cuda.cudaGraphNodeGetDependencies(nodes[1]) == nodes[:1] and cuda.cudaGraphNodeGetDependentNodes(nodes[1]) == nodes[2:3]
    executable = cuda.cudaGraphInstantiate(graph)
    kernels = cuda.cudaGraphLaunch(executable)
    cuda.cudaDeviceSynchronize()
    assert called == [[12] * N] and cuda.cudaEventElapsedTime(start, end) > 0
    assert [launch.result().kernel for launch in kernels] == ["add"]


def test_sets_of_rows_and_of_elements_of_every_size():
    cuda.use(MACHINE)
    pointer, out = cuda.cudaMalloc(64), np.zeros(64, "u1")
    for size, value, expected in ((1, 0xAB, [0xAB] * 3), (2, 0x1234, [0x34, 0x12] * 3), (4, 0x01020304, [4, 3, 2, 1] * 3)):
        cuda.cudaMemset(pointer, 0)
        graph = cuda.cudaGraphCreate()
        cuda.cudaGraphAddMemsetNode(graph, [], pointer, value, size, 3, 2, 20)
        cuda.cudaGraphLaunch(cuda.cudaGraphInstantiate(graph))
        cuda.cudaMemcpy(out, pointer)
        row = (expected + [0] * 20)[:20]
        assert out[:40].tolist() == row * 2 and not out[40:].any()
    cuda.use()


def test_parameters_that_change_and_nodes_that_are_left_out(add):
    there, out = cuda.cudaMalloc(4 * N), np.zeros(N, "i4")
    graph = cuda.cudaGraphCreate()
    fill = cuda.cudaGraphAddMemsetNode(graph, [], there, 0, 4, N)
    kernel = cuda.cudaGraphAddKernelNode(graph, [fill], add, 1, N, (there, 1))
    executable = cuda.cudaGraphInstantiateWithFlags(graph)

    def result():
        cuda.cudaGraphUpload(executable)
        cuda.cudaGraphLaunch(executable)
        cuda.cudaMemcpy(out, there)
        return int(out[3])
    assert result() == 1
    cuda.cudaGraphExecKernelNodeSetParams(executable, kernel, add, 1, N, (there, 10))
    cuda.cudaGraphExecMemsetNodeSetParams(executable, fill, there, 100, 4, N)
    assert result() == 110
    cuda.cudaGraphNodeSetEnabled(executable, fill, 0)
    assert cuda.cudaGraphNodeGetEnabled(executable, fill) == 0 and result() == 120
    cuda.cudaGraphKernelNodeSetParams(kernel, add, 1, N, (there, 3))
    cuda.cudaGraphExecUpdate(executable, graph)
    assert result() == 123                      # the update says nothing of what is left out
    clone = cuda.cudaGraphClone(graph)
    cuda.cudaGraphDestroyNode(cuda.cudaGraphNodeFindInClone(kernel, clone))
    with refused("GraphExecUpdateFailure"):
        cuda.cudaGraphExecUpdate(executable, clone)
    assert len(cuda.cudaGraphGetNodes(graph)) == 2 and len(cuda.cudaGraphGetNodes(clone)) == 1


def test_a_captured_stream_is_asked_about_and_added_to(add):
    there, stream = cuda.cudaMalloc(4 * N), cuda.cudaStreamCreate()
    graph = cuda.cudaGraphCreate()
    root = cuda.cudaGraphAddMemsetNode(graph, [], there, 0, 4, N)
    assert cuda.cudaStreamGetCaptureInfo(stream) == (0, 0, None, [])
    cuda.cudaStreamBeginCaptureToGraph(stream, graph, [root])
    extra = cuda.cudaGraphAddEmptyNode(graph, [])
    cuda.cudaStreamUpdateCaptureDependencies(stream, [extra], cuda.cudaStreamAddCaptureDependencies)
    status, number, found, after = cuda.cudaStreamGetCaptureInfo(stream)
    assert (status, found, after) == (cuda.cudaStreamCaptureStatusActive, graph, [root, extra]) and number > 0
    node = cuda.cudaLaunchKernel(add, 1, N, (there, 2), 0, stream)
    assert cuda.cudaStreamEndCapture(stream) is graph and cuda.cudaGraphNodeGetDependencies(node) == [root, extra]
    with refused("IllegalState"):
        cuda.cudaStreamUpdateCaptureDependencies(stream, [])


def test_calls_that_may_wait_end_a_capture_unless_it_or_the_thread_allows_them(add):
    stream, pointer = cuda.cudaStreamCreateWithFlags(cuda.cudaStreamNonBlocking), cuda.cudaMalloc(64)
    for call in (lambda: cuda.cudaMalloc(64), lambda: cuda.cudaFree(pointer), lambda: cuda.cudaMemcpy(np.zeros(64, "u1"), pointer)):
        cuda.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeGlobal)
        with refused("StreamCaptureUnsupported"):
            call()
        assert cuda.cudaStreamIsCapturing(stream) == cuda.cudaStreamCaptureStatusInvalidated
        with refused("StreamCaptureInvalidated"):
            cuda.cudaStreamEndCapture(stream)
    cuda.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeRelaxed)
    cuda.cudaFree(cuda.cudaMalloc(64))
    cuda.cudaStreamEndCapture(stream)
    assert cuda.cudaThreadExchangeStreamCaptureMode(cuda.cudaStreamCaptureModeRelaxed) == cuda.cudaStreamCaptureModeGlobal
    cuda.cudaStreamBeginCapture(stream)
    cuda.cudaFree(cuda.cudaMalloc(64))
    cuda.cudaStreamEndCapture(stream)
    assert cuda.cudaThreadExchangeStreamCaptureMode(cuda.cudaStreamCaptureModeGlobal) == cuda.cudaStreamCaptureModeRelaxed


def test_what_was_destroyed_is_no_more(add):
    graph = cuda.cudaGraphCreate()
    node = cuda.cudaGraphAddEmptyNode(graph)
    executable = cuda.cudaGraphInstantiate(graph)
    cuda.cudaGraphDestroyNode(node)
    for call in (lambda: cuda.cudaGraphDestroyNode(node), lambda: cuda.cudaGraphAddEmptyNode(graph, [node]), lambda: cuda.cudaGraphNodeGetType(node),
                 lambda: cuda.cudaGraphInstantiate(graph, 64), lambda: cuda.cudaGraphCreate(1), lambda: cuda.cudaGraphAddChildGraphNode(graph, [], graph)):
        with refused("InvalidValue"):
            call()
    cuda.cudaGraphDestroy(graph)
    cuda.cudaGraphLaunch(executable)
    cuda.cudaGraphExecDestroy(executable)
    for call in (lambda: cuda.cudaGraphDestroy(graph), lambda: cuda.cudaGraphExecDestroy(executable), lambda: cuda.cudaGraphLaunch(executable),
                 lambda: cuda.cudaGraphAddEmptyNode(graph)):
        with refused("InvalidValue"):
            call()
    with refused("NotSupported"):
        cuda.cudaGraphInstantiate(cuda.cudaGraphCreate(), 4)


def test_the_other_vocabulary_has_graphs_too():
    machine = "c500" if "c500" in registry.names() else MACHINE
    maca.use(machine)
    pointer, out = maca.mcMalloc(16), np.zeros(16, "u1")
    graph = maca.mcGraphCreate()
    node = maca.mcGraphAddMemsetNode(graph, [], pointer, 9)
    maca.mcGraphAddMemcpyNode1D(graph, [node], out, pointer)
    maca.mcGraphLaunch(maca.mcGraphInstantiate(graph))
    maca.mcDeviceSynchronize()
    maca.use()
    assert out.tolist() == [9] * 16
