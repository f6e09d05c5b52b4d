"""What a MetaX C500 was measured by: the cases of ``archdef validate``."""
