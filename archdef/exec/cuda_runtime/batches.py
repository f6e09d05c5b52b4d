"""Several copies by one call. Reference: cudaMemcpyAttributes of driver_types.h."""
from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from archdef.exec.calls import Thread, answers
from archdef.exec.cuda_runtime.memory import copy
from archdef.runtime.ends import DEFAULT
from archdef.runtime.status import Refusal

_ATTRIBUTES: Final = struct.Struct("<i4iI")
"""cudaMemcpyAttributes: in which order the source is read, hints about places, flags."""
_IN_STREAM, _DURING_CALL, _ANY = 1, 2, 3
_OVERLAP: Final = 1
_LEGACY: Final = 1
_MOST: Final = 1 << 16
_FAILED_TOLD_UNTIL: Final = 13
"""The version of CUDA from which on no function says which copy failed."""
NONE_OF_THEM: Final = (1 << 64) - 1
"""The number of the copy that failed, where that is none of them."""


def _order(thread: Thread, address: int) -> int:
    """Read in which order a source is to be read. Raises Refusal."""
    order, *_, flags = _ATTRIBUTES.unpack(thread.memory.get(address, _ATTRIBUTES.size))
    if order not in (_IN_STREAM, _DURING_CALL, _ANY) or flags & ~_OVERLAP:
        raise Refusal("InvalidValue", f"a copy with the order {order} and the flags {flags:#x}")
    return int(order)


def _words(thread: Thread, address: int, count: int) -> tuple[int, ...]:
    return struct.unpack(f"<{count}Q", thread.memory.get(address, 8 * count))


def _check_stream(thread: Thread, stream: int) -> None:
    if stream == _LEGACY or not stream and not thread.per_thread:
        raise Refusal("InvalidValue", "a batch of copies in the legacy default stream")


def batch(thread: Thread, ends: Sequence[int], count: int, attributes: int, firsts: int, number: int, stream: int, failed_out: int = 0) -> None:
    """Put copies into a stream. A source that is to be read before the call returns lets it wait.

    ends       : addresses of the destinations, the sources and the sizes.
    failed_out : where the number of the copy that fails is wanted, 0: nowhere.
    """
    if failed_out:
        thread.memory.put_word(failed_out, NONE_OF_THEM)
    _check_stream(thread, stream)
    if not 0 < number <= count <= _MOST:
        raise Refusal("InvalidValue", f"{count} copies with {number} attributes")
    first = _words(thread, firsts, number)
    if first[0] or list(first) != sorted(set(first)) or first[-1] >= count:
        raise Refusal("InvalidValue", f"attributes of copies from {list(first)} on, of {count}")
    orders = [_order(thread, attributes + each * _ATTRIBUTES.size) for each in range(number)]
    for place, (to, source, nbytes) in enumerate(zip(*(_words(thread, end, count) for end in ends), strict=True)):
        try:
            copy(thread, to, source, nbytes, DEFAULT, stream, wait=False)
        except Refusal:
            if failed_out:
                thread.memory.put_word(failed_out, place)
            raise
    if _DURING_CALL in orders and not thread.runtime.StreamIsCapturing(thread.session.stream(stream)):
        thread.runtime.StreamSynchronize(thread.session.stream(stream))


@answers("cudaMemcpyBatchAsync", "cudaMemcpyBatchAsync_ptsz")
def copies(thread: Thread, to: int, source: int, sizes: int, count: int, attributes: int, firsts: int, number: int, stream: int, last: int) -> None:
    """Copy; before CUDA 13 the stream came behind the place for the number of a copy that failed."""
    where, failed_out = (stream, 0) if thread.session.cuda >= _FAILED_TOLD_UNTIL else (last, stream)
    batch(thread, (to, source, sizes), count, attributes, firsts, number, where, failed_out)


@answers("cudaMemcpyWithAttributesAsync", "cudaMemcpyWithAttributesAsync_ptsz")
def copy_with_attributes(thread: Thread, to: int, source: int, nbytes: int, attributes: int, stream: int) -> None:
    """Copy once."""
    _check_stream(thread, stream)
    order = _order(thread, attributes)
    copy(thread, to, source, nbytes, DEFAULT, stream, wait=False)
    if order == _DURING_CALL and not thread.runtime.StreamIsCapturing(thread.session.stream(stream)):
        thread.runtime.StreamSynchronize(thread.session.stream(stream))
