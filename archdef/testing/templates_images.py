"""Kernels around one texture or surface instruction."""
