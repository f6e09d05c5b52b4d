"""The CUDA runtime as programs call it; the parameters of each function are those of CUDA's headers, in their order."""
from archdef.exec.cuda_runtime import capture, devices, errors, events, graphs, launches, memory, others, pools, registration, symbols

__all__ = ["capture", "devices", "errors", "events", "graphs", "launches", "memory", "others", "pools", "registration", "symbols"]
