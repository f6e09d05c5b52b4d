"""Triton programs on simulated devices, launched as they are: ``kernel[grid](x, y, n, BLOCK=1024)``, with autotuning in simulated time.

``with archdef.triton.use("h100"):`` makes a simulated device the one that Triton launches on. Tensors lie in host memory: torch's on the CPU, or numpy
arrays and device arrays by `tensor`. Triton compiles by its own passes, to PTX.
"""
from archdef.triton.active import Simulated, use
from archdef.triton.tensors import Tensor, tensor

__all__ = ["Simulated", "Tensor", "tensor", "use"]
