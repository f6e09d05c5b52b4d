"""What a Quadro P2000 and a Tesla P100 were measured by: the cases of ``archdef validate``."""
