"""Write the structs of components' parameters, `ext/archdef/engine/parameters.pxd`: ``python tests/engine/parameters_header.py``."""
from pathlib import Path

from archdef.parameters import header

HEADER = Path(__file__).parents[2] / "ext" / "archdef" / "engine" / "parameters.pxd"

if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
