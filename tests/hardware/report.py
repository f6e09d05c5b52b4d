"""Say how far the engine agrees with the hardware: ``python tests/hardware/report.py``."""
from __future__ import annotations

import sys
from collections import Counter

from compare import KNOWN, approximate, compare, identical
from engine import machine
from forms import NO_VALUE, every_form
from outputs import known

from archdef.ptx.table import TABLE, find


def row_of(name: str) -> int:
    """Number of the row that a form belongs to."""
    words = name.split("/")[0].split(".")
    return TABLE.index(find(words[0], tuple(words[1:])).row)


def main() -> int:
    """Print the report."""
    forms = every_form()
    measured = [forms[n] for n in known() if n in forms]
    arch = machine()
    wrong = compare(measured, arch)
    rows = {row_of(f.name) for f in measured}
    excused = Counter(NO_VALUE[r.builder] for r in TABLE if r.builder in NO_VALUE)
    print(f"rows     {len(rows)} of {len(TABLE)} measured; {sum(excused.values())} need no kernel: {dict(excused)}")
    print(f"forms    {len(measured)} measured, {sum(len(f.results) or 1 for f in measured) * 512:,} results")
    print(f"where    {', '.join(sorted({k[2] for k in known().values()}))}")
    print(f"mismatch {len(wrong)} forms, {sum(m.count for m in wrong.values())} results; {len(KNOWN)} on the list")
    for name, mismatch in wrong.items():
        print(f"  {name}: {mismatch.text}  [{KNOWN.get(name, 'NOT LISTED')}]")
    print("approximations, within their documented error; equal to the bit:")
    for name, (same, total) in identical([f for f in measured if approximate(f.name)], arch).items():
        print(f"  {name:24} {same:4} of {total}")
    unmeasured = sorted(set(range(len(TABLE))) - rows - {k for k, r in enumerate(TABLE) if r.builder in NO_VALUE})
    print("rows without a measurement:", *(f"\n  {TABLE[k].form}" for k in unmeasured))
    return bool(set(wrong) - set(KNOWN))


if __name__ == "__main__":
    sys.exit(main())
