"""What reference cases of Tesla run beside archdef's own experiments."""
from importlib.resources import as_file, files

import numpy as np

from archdef import Device
from archdef.errors import ReferenceCaseError
from archdef.host import Host

NUMBERS_OF_A_BLOCK = 512


def scan(device, *, elements: int) -> dict[str, float]:
    """Scan so many floats, a power of two, as ``scan_study.cu`` does: time from before the first launch to after the last, on the device.

    Raises ReferenceCaseError if the sums are wrong.
    """
    own = Device(device.architecture, host=Host())
    with as_file(files("archdef_tesla_evidence") / "data" / "scan_study.cu") as source:
        module = own.compile(source, compiler="shipped")
    numbers, stream = own.to_device(np.ones(elements, "f4")), own.stream()
    scanned = own.empty((elements,), "f4")
    start = stream.record()
    _launch(module, own, stream, scanned, numbers, elements)
    end = stream.record()
    own.synchronize()
    if not np.array_equal(scanned.to_host(), np.arange(elements, dtype="f4")):
        raise ReferenceCaseError(f"scan: the sums of {elements} numbers are wrong")
    return {"elapsed_ms": end.elapsed_since(start) * 1e3}


def _launch(module, device, stream, out, numbers, elements) -> None:
    """Scan blocks, then, if there are several, their sums, and add these."""
    of_a_block = min(elements, NUMBERS_OF_A_BLOCK)
    blocks, threads, shared_bytes = elements // of_a_block, of_a_block // 2, 4 * (of_a_block + of_a_block // 16)
    if blocks == 1:
        module["scan_blocks"][(1,), (threads,), shared_bytes, stream](out, numbers, 0, of_a_block)
        return
    sums, before = device.empty((blocks,), "f4"), device.empty((blocks,), "f4")
    module["scan_blocks"][(blocks,), (threads,), shared_bytes, stream](out, numbers, sums, of_a_block)
    _launch(module, device, stream, before, sums, blocks)
    module["add_sums"][(blocks,), (threads,), 0, stream](out, before)
