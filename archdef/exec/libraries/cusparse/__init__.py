"""cuSPARSE: sparse matrices with vectors, dense matrices and each other. Reference: cusparse.h of CUDA."""
from archdef.exec.libraries.cusparse import descriptions, products, sparse_products, sums, transposes, vectors

__all__ = ["descriptions", "products", "sparse_products", "sums", "transposes", "vectors"]
