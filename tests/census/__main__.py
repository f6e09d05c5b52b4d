"""Print which rows of the census lower: ``python tests/census [--write]``; ``--write`` renews the committed list."""
import sys

from census import UNCOVERED, report, uncovered

if "--write" in sys.argv:
    UNCOVERED.write_text("".join(f"{name}\n" for name in sorted(uncovered())))
print(report())
