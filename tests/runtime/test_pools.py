"""Memory in the order of streams: is it never shared by two at a time, does it come back, and is every wrong call refused?"""
import numpy as np
import pytest
from expectations import ON_A_MACHINE, refused

from archdef.runtime import cuda

pytestmark = [ON_A_MACHINE, pytest.mark.usefixtures("device")]
MB = 1 << 20


def reserved(pool):
    return cuda.cudaMemPoolGetAttribute(pool, cuda.cudaMemPoolAttrReservedMemCurrent)


def test_freed_memory_is_used_again_in_its_stream_and_elsewhere_only_when_nobody_uses_it():
    one, two = (cuda.cudaStreamCreateWithFlags(cuda.cudaStreamNonBlocking) for _ in range(2))
    first = cuda.cudaMallocAsync(MB, one)
    cuda.cudaMemsetAsync(first, 1, MB, one)
    cuda.cudaFreeAsync(first, one)
    other = cuda.cudaMallocAsync(MB, two)       # the set may still go on
    same = cuda.cudaMallocAsync(MB, one)
    assert int(other) != int(first) == int(same)
    cuda.cudaMemsetAsync(other, 2, MB, two)
    cuda.cudaMemsetAsync(same, 3, MB, one)
    for pointer, stream, value in ((other, two, 2), (same, one, 3)):
        out = np.zeros(MB, "u1")
        cuda.cudaMemcpyAsync(out, pointer, MB, stream=stream)
        cuda.cudaStreamSynchronize(stream)
        assert (out == value).all()


def test_what_is_freed_goes_back_to_the_device_when_it_is_waited_for_and_stays_below_the_threshold():
    free, pool = cuda.cudaMemGetInfo()[0], cuda.cudaDeviceGetDefaultMemPool(0)
    for threshold in (0, 2 * MB):
        cuda.cudaMemPoolSetAttribute(pool, cuda.cudaMemPoolAttrReleaseThreshold, threshold)
        pointers = [cuda.cudaMallocAsync(MB) for _ in range(4)]
        assert reserved(pool) == 4 * MB == cuda.cudaMemPoolGetAttribute(pool, cuda.cudaMemPoolAttrUsedMemCurrent)
        for pointer in pointers:
            cuda.cudaFreeAsync(pointer)
        assert reserved(pool) == 4 * MB and cuda.cudaMemPoolGetAttribute(pool, cuda.cudaMemPoolAttrUsedMemCurrent) == 0
        cuda.cudaDeviceSynchronize()
        assert reserved(pool) == threshold
    assert free - cuda.cudaMemGetInfo()[0] == 2 * MB
    cuda.cudaMemPoolTrimTo(pool, MB)
    assert reserved(pool) == MB
    assert cuda.cudaMemPoolGetAttribute(pool, cuda.cudaMemPoolAttrReservedMemHigh) == 4 * MB
    cuda.cudaMemPoolSetAttribute(pool, cuda.cudaMemPoolAttrReservedMemHigh, 0)
    assert cuda.cudaMemPoolGetAttribute(pool, cuda.cudaMemPoolAttrReservedMemHigh) == MB
    cuda.cudaDeviceReset()
    assert cuda.cudaMemGetInfo()[0] == free


def test_a_loop_that_never_waits_does_not_run_out_of_memory(device):
    stream, most = cuda.cudaStreamCreate(), cuda.cudaMemGetInfo()[0]
    part = most // 3
    for number in range(6):
        pointer = cuda.cudaMallocAsync(part - number * 4096, stream)      # never the same size
        cuda.cudaMemsetAsync(pointer, number, 64, stream)
        cuda.cudaFreeAsync(pointer, stream)
    with refused("MemoryAllocation"):
        cuda.cudaMallocAsync(2 * most, stream)


def test_free_takes_memory_of_pools_and_waits():
    pointer = cuda.cudaMallocAsync(MB)
    cuda.cudaMemsetAsync(pointer, 1, MB)
    cuda.cudaFree(pointer)
    with refused("InvalidValue"):
        cuda.cudaFree(pointer)


def test_a_pool_of_its_own_is_bounded_chosen_and_given_up():
    pool = cuda.cudaMemPoolCreate(0, 2 * MB)
    pointer = cuda.cudaMallocFromPoolAsync(MB, pool)
    cuda.cudaDeviceSetMemPool(0, pool)
    assert cuda.cudaDeviceGetMemPool(0) is pool is not cuda.cudaDeviceGetDefaultMemPool(0)
    second = cuda.cudaMallocAsync(MB)
    with refused("MemoryAllocation"):
        cuda.cudaMallocAsync(1)
    cuda.cudaFreeAsync(second)
    third = cuda.cudaMallocAsync(1)                 # what was freed makes room
    cuda.cudaMemPoolDestroy(pool)
    assert cuda.cudaDeviceGetMemPool(0) is cuda.cudaDeviceGetDefaultMemPool(0)
    for each in (pointer, third):
        cuda.cudaFreeAsync(each)
    for call in (cuda.cudaMemPoolDestroy, lambda p: cuda.cudaMallocFromPoolAsync(1, p), lambda p: cuda.cudaDeviceSetMemPool(0, p)):
        with refused("InvalidValue"):
            call(pool)


def test_wrong_calls_are_refused():
    pool, plain, pooled, stream = cuda.cudaDeviceGetDefaultMemPool(0), cuda.cudaMalloc(64), cuda.cudaMallocAsync(64), cuda.cudaStreamCreate()
    cuda.cudaFreeAsync(pooled)
    for call in (lambda: cuda.cudaFreeAsync(plain), lambda: cuda.cudaFreeAsync(pooled), lambda: cuda.cudaMallocAsync(-1),
                 lambda: cuda.cudaMemPoolDestroy(pool), lambda: cuda.cudaMemPoolGetAttribute(pool, 99), lambda: cuda.cudaMemPoolSetAttribute(pool, 7, 1),
                 lambda: cuda.cudaMemPoolSetAttribute(pool, 8, 1), lambda: cuda.cudaMemPoolSetAccess(pool, 0, cuda.cudaMemAccessFlagsProtNone)):
        with refused("InvalidValue"):
            call()
    cuda.cudaStreamBeginCapture(stream, cuda.cudaStreamCaptureModeRelaxed)
    with refused("InvalidValue"):
        cuda.cudaFreeAsync(cuda.cudaMallocAsync(64), stream)
    cuda.cudaStreamEndCapture(stream)


def test_allocating_in_a_stream_makes_the_host_wait_for_nothing():
    stream = cuda.cudaStreamCreate()
    pointer = cuda.cudaMallocAsync(64 * MB, stream)
    for _ in range(4):
        cuda.cudaMemsetAsync(pointer, 1, 64 * MB, stream)
    cuda.cudaFreeAsync(pointer, stream)
    assert not cuda.cudaStreamQuery(stream)
