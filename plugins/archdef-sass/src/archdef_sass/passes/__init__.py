"""Passes of this assembler alone; those that others have too are in `archdef.lower.passes`."""
