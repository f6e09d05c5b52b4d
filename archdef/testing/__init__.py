"""What plugin authors and tests import: the reference interpreter, and comparisons of an architecture with it.

``equals_reference(architecture, launch)`` runs one kernel on both. `forms` makes a kernel per instruction form, `kernels` (needs
hypothesis) random ones.
"""
from archdef.testing.compare import Launch, Mismatch, Seen, equals_reference, with_warp_size

__all__ = ["Launch", "Mismatch", "Seen", "equals_reference", "with_warp_size"]
