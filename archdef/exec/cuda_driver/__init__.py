"""The CUDA driver as programs call it; the parameters of each function are those of CUDA's headers, in their order."""
from archdef.exec.cuda_driver import contexts, devices, entry_points, errors, launches, libraries, linking, memory, modules, pointers, same, set_up, streams

__all__ = ["contexts", "devices", "entry_points", "errors", "launches", "libraries", "linking", "memory", "modules", "pointers", "same", "set_up", "streams"]
