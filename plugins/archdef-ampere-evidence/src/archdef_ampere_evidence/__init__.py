"""What an A100 was measured by: the cases of ``archdef validate``."""
