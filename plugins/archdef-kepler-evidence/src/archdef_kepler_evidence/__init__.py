"""What Kepler's GPUs were measured by: the cases of ``archdef validate``."""
