"""``python -m archdef.cli``."""
from archdef.cli import main

main()
