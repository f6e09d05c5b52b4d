"""cuSOLVER: factors of dense matrices, and systems that are solved by them. Reference: cusolverDn.h of CUDA."""
from archdef.exec.libraries.cusolver import factors, handles, systems

__all__ = ["factors", "handles", "systems"]
