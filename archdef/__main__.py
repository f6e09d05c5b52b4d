"""``python -m archdef`` is the command ``archdef``."""
from archdef.cli import main

if __name__ == "__main__":
    main(prog_name="archdef")
