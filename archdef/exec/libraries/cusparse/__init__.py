"""cuSPARSE: sparse matrices with vectors, dense matrices and each other. Reference: cusparse.h of CUDA."""
from archdef.exec.libraries.cusparse import (
    conversions, descriptions, factors, orders, products, sparse_products, sums, systems, transposes, vectors)

__all__ = ["conversions", "descriptions", "factors", "orders", "products", "sparse_products", "sums", "systems", "transposes", "vectors"]
