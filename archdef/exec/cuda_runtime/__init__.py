"""The CUDA runtime as programs call it; the parameters of each function are those of CUDA's headers, in their order."""
from archdef.exec.cuda_runtime import devices, errors, events, launches, memory, registration, symbols

__all__ = ["devices", "errors", "events", "launches", "memory", "registration", "symbols"]
