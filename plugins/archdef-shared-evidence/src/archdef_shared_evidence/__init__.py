"""Kernels that the evidence of several machines has in common, in the folder ``data``."""
