"""The CUDA runtime as programs call it; the parameters of each function are those of CUDA's headers, in their order."""
from archdef.exec.cuda_runtime import (
    arrays, boxes, capture, devices, errors, events, graph_memory, graphs, launches, memory, nodes, others, pools, references, registration, stream_attributes,
    symbols, textures, user_objects)

__all__ = ["arrays", "boxes", "capture", "devices", "errors", "events", "graph_memory", "graphs", "launches", "memory", "nodes", "others", "pools",
           "references", "registration", "stream_attributes", "symbols", "textures", "user_objects"]
