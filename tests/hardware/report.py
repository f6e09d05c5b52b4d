"""Say how far the engine agrees with the hardware: ``python tests/hardware/report.py``."""
from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import engine_textures  # noqa: E402
from compare import KNOWN, approximate, compare, identical  # noqa: E402
from engine import machine  # noqa: E402
from forms import BEYOND, MATRICES, NO_VALUE, WARPGROUPS, every_form, row_of  # noqa: E402
from row_launches import DATA as LAUNCHED  # noqa: E402
from row_launches import launches, rows as rows_tried  # noqa: E402
from matrix_outputs import kernels  # noqa: E402
from outputs import TEXTURES, known  # noqa: E402
from textures import LEFT_OUT, THREADS, cases  # noqa: E402

from archdef.ptx.table import TABLE  # noqa: E402
from archdef.testing.compare import on_engine  # noqa: E402


def main() -> int:
    """Print the report."""
    forms, arch = every_form(), machine()
    measured = [forms[n] for n in known() if n in forms]
    fetches = {n: c for n, c in cases().items() if n in known(TEXTURES)}
    wrong = {name: (m.count, m.text) for name, m in compare(measured, arch).items()}
    for name, got in engine_textures.run(fetches.values(), arch).items():
        text = got if isinstance(got, str) else engine_textures.differ(fetches[name], got, known(TEXTURES)[name][1])
        if text:
            wrong[name] = 1, text
    left = {n: k for n, k in launches().items() if n in known(LAUNCHED)}
    for name, launch in left.items():
        if b"".join(a.tobytes() for a in on_engine(arch, launch)[0]) != known(LAUNCHED)[name][1]:
            wrong[name] = 1, "memory differs"
    rows = {row_of(f.name) for f in measured} | {row_of(c.form) for c in fetches.values()}
    rows |= {row for launch in left.values() for row in rows_tried(launch)} | {r.form for r in TABLE if r.builder in MATRICES | WARPGROUPS}
    excused = Counter(NO_VALUE[r.builder] for r in TABLE if r.builder in NO_VALUE)
    lines = (Path(__file__).parent / "awaiting.txt").read_text().splitlines()
    results = sum(len(f.results) or 1 for f in measured) * 512
    print(f"rows     {sum(r.form in rows for r in TABLE)} of {len(TABLE)} measured; {sum(excused.values())} need no kernel: {dict(excused)}")
    print(*(f"         without a measurement: {line}" for line in lines if line and not line.startswith("#")), sep="\n")
    print(f"forms    {len(measured)} measured, {results:,} results")
    print(f"cases    {len(fetches)} of textures and surfaces, {len(fetches) * THREADS:,} threads")
    print(f"launches {len(left)} of bulk copies, clusters and surfaces, {sum(len(known(LAUNCHED)[n][1]) for n in left):,} bytes")
    print(f"products {len(kernels())} kernels of matrix instructions: pytest tests/hardware/test_matrix_conformance.py")
    print(f"left out {dict(Counter(BEYOND.values()))}", *(f"{what}: {why}" for what, why in LEFT_OUT.items()), sep="\n         ")
    print(f"where    {', '.join(sorted({k[2] for k in (*known().values(), *known(TEXTURES).values())}))}")
    print(f"mismatch {len(wrong)} forms and cases, {sum(count for count, _ in wrong.values())} results; {len(KNOWN)} on the list")
    for name, (_, text) in wrong.items():
        print(f"  {name}: {text}  [{KNOWN.get(name, 'NOT LISTED')}]")
    print("approximations, within their documented error; equal to the bit:")
    for name, (same, total) in identical([f for f in measured if approximate(f.name)], arch).items():
        print(f"  {name:24} {same:4} of {total}")
    return bool(set(wrong) - set(KNOWN))


if __name__ == "__main__":
    sys.exit(main())
