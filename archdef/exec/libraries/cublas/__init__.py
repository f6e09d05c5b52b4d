"""cuBLAS: dense linear algebra. Reference: cublas_api.h and cublas.h of CUDA."""
from archdef.exec.libraries.cublas import handles, legacy, matrices, products, transfers, vectors

__all__ = ["handles", "legacy", "matrices", "products", "transfers", "vectors"]
