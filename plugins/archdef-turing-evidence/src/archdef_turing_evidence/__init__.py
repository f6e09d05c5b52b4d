"""What an RTX 2080 Ti was measured by: the cases of ``archdef validate``."""
