"""Libraries that programs are linked with, over archdef's own kernels; what is not answered is refused by the status that the library has for it."""
from archdef.exec.calls import REFUSALS
from archdef.exec.libraries import cublas, cublaslt, cudnn, cufft, curand, cusolver, cusparse, nvjitlink

REFUSALS.update({"nccl": 5, "npp": -9999})
REFUSALS.update(dict.fromkeys(("cudnnGetErrorString", "ncclGetErrorString", "nppiMalloc",      # these give addresses
                               "cudnnGetVersion", "cudnnGetCudartVersion",    # and these numbers
                               "cudnnGetMaxDeviceVersion"), 0))
__all__ = ["cublas", "cublaslt", "cudnn", "cufft", "curand", "cusolver", "cusparse", "nvjitlink"]
