"""The CUDA runtime as programs call it; the parameters of each function are those of CUDA's headers, in their order."""
from archdef.exec.cuda_runtime import (
    advice, arrays, attributes, batches, boxes, capture, conditions, devices, errors, events, graph_memory, graph_tools, graphs, launches, memory, nodes,
    others, pools, references, registration, symbols, textures, user_objects)

__all__ = ["advice", "arrays", "attributes", "batches", "boxes", "capture", "conditions", "devices", "errors", "events", "graph_memory", "graph_tools",
           "graphs", "launches", "memory", "nodes", "others", "pools", "references", "registration", "symbols", "textures",
           "user_objects"]
