"""cuBLASLt: products of matrices that are described piece by piece. Reference: cublasLt.h of CUDA."""
from archdef.exec.libraries.cublaslt import descriptions, handles, products

__all__ = ["descriptions", "handles", "products"]
