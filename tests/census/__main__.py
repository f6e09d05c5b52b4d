"""Print which rows of the census lower: ``python tests/census [--write]``; ``--write`` renews the committed list."""
import sys

from census import UNCOVERED, listing, report

if "--write" in sys.argv:
    UNCOVERED.write_text(listing())
print(report())
