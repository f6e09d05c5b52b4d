"""Several copies by one call."""
from __future__ import annotations

from archdef.exec.calls import Thread
from archdef.exec.cuda_driver.calls import answers
from archdef.exec.cuda_runtime.batches import batch


@answers("cuMemcpyBatchAsync")
def copies(thread: Thread, to: int, source: int, sizes: int, count: int, attributes: int, firsts: int, number: int, failed_out: int, stream: int) -> None:
    """Copy, as CUDA 12.8 did, and say which copy failed."""
    batch(thread, (to, source, sizes), count, attributes, firsts, number, stream, failed_out)


@answers("cuMemcpyBatchAsync_v2")
def copies_2(thread: Thread, to: int, source: int, sizes: int, count: int, attributes: int, firsts: int, number: int, stream: int) -> None:
    """Copy."""
    batch(thread, (to, source, sizes), count, attributes, firsts, number, stream)
