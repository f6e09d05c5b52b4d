"""Bytes spilled by archdef and by ptxas under register limits: ``python tests/run/spill_differences.py`` refreshes the page."""
from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import attrs

from archdef import ptxas, registry
from archdef.frontends import Options, nvrtc
from archdef.lower import lower
from archdef.ptx import parse

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "registers.md"
BLOCK = re.compile(r"(<!-- table: spills -->\n).*?(?=\n\n|\Z)", re.DOTALL)
SOURCE = Path(__file__).with_name("many_values.cu")
LIMITS = (16, 24, 32)
CAPABILITY = "9.0"


@attrs.frozen
class Row:
    """One kernel under one limit: what each keeps in registers, stores and loads."""

    kernel: str
    limit: int
    ours: tuple[int, int, int]
    theirs: tuple[int, int, int]
    assembler: str


def differences() -> list[Row]:
    """Compile once; lower and assemble under each limit. No architecture is asked for but one that ptxas knows."""
    ptx = nvrtc.compile(SOURCE.read_text(encoding="utf-8"), SOURCE.name, None, Options(capability=CAPABILITY)).ptx
    assembler = next(a for a in ptxas.assemblers() if 90 in a.targets)
    machine = next(a for a in registry.all().values() if a.compute_capability == CAPABILITY)
    module, rows = parse(ptx, SOURCE.name), []
    for limit in LIMITS:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "k.ptx").write_text(ptx, encoding="utf-8")
            log = subprocess.run([str(assembler.path), "--verbose", "--gpu-name=sm_90", f"--maxrregcount={limit}", "-o", "k.cubin", "k.ptx"],
                                 cwd=folder, capture_output=True, text=True, check=True).stderr
        for kernel, facts in ptxas.read(log).items():
            program = lower(module, kernel, machine.evolve({"limits.registers_per_thread": max(limit, facts["registers"])}))
            rows.append(Row(kernel, limit, (program.registers, program.spill_store_bytes, program.spill_load_bytes),
                            (facts["registers"], facts["spill_store_bytes"], facts["spill_load_bytes"]), str(assembler)))
    return sorted(rows, key=lambda r: (r.kernel, r.limit))


def table(rows: list[Row]) -> str:
    """Lay the rows out as Markdown."""
    lines = [f"| kernel | -maxrregcount | archdef: registers, stored, loaded | {rows[0].assembler} | difference, stored and loaded |",
             "|---|---:|---:|---:|---:|"]
    for r in rows:
        apart = sum(r.ours[1:]) - sum(r.theirs[1:])
        lines.append(f"| {r.kernel} | {r.limit} | {r.ours[0]}, {r.ours[1]} B, {r.ours[2]} B | {r.theirs[0]}, {r.theirs[1]} B, {r.theirs[2]} B | "
                     f"{apart:+d} B |")
    return "\n".join(lines)


if __name__ == "__main__":
    found = table(differences())
    PAGE.write_text(BLOCK.sub(lambda match: match[1] + found, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(found)
