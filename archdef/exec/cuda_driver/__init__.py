"""The CUDA driver as programs call it; the parameters of each function are those of CUDA's headers, in their order."""
from archdef.exec.cuda_driver import (
    arrays, batches, boxes, contexts, devices, entry_points, errors, graphs, launches, libraries, libraries_of_runtime, linking, memory, modules, pointers,
    references, refused, same, set_up, stream_values, streams, tensor_maps, textures, virtual_memory)

__all__ = ["arrays", "batches", "boxes", "contexts", "devices", "entry_points", "errors", "graphs", "launches", "libraries", "libraries_of_runtime", "linking",
           "memory", "modules", "pointers", "references", "refused", "same", "set_up", "stream_values", "streams", "tensor_maps", "textures", "virtual_memory"]
