"""What plugin authors and tests import: the reference interpreter and comparisons with it."""
