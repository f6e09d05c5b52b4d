"""What a GTX TITAN X was measured by: the cases of ``archdef validate``."""
