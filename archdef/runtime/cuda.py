"""The runtime under CUDA's names: ``cudaMalloc``, ``cudaStreamCreate`` …; what they do is in `archdef.runtime.api.Runtime`.

>>> from archdef.runtime import cuda                                        # doctest: +SKIP
>>> cuda.use("k40", "p2000"); cuda.cudaGetDeviceProperties(0).warpSize                 # doctest: +SKIP
"""
from archdef.runtime.names import vocabulary

_NAMES = vocabulary("cuda", "cu", also={})
globals().update(_NAMES)
__all__ = sorted(_NAMES)  # noqa: PLE0605  a list
