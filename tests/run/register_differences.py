"""Registers by liveness and by ptxas on all example kernels: ``python tests/run/register_differences.py`` refreshes the page."""
from __future__ import annotations

import re
from pathlib import Path

import attrs

from archdef import Device, ptxas, registry
from archdef.examples import workloads

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "registers.md"
BLOCK = re.compile(r"(<!-- table: differences -->\n).*?(?=\n\n|\Z)", re.DOTALL)


@attrs.frozen
class Row:
    """One kernel."""

    workload: str
    kernel: str
    liveness: int
    ptxas: int
    assembler: str
    compiler: str


def machine():
    """Give the installed architecture that ptxas knows best: one of its own targets, else 64-bit addresses and 32-lane warps."""
    targets = {f"{target // 10}.{target % 10}" for assembler in ptxas.assemblers() for target in assembler.targets}
    able = [a for a in registry.all().values() if a.isa.pointer_bits == 64]
    return min(able or registry.all().values(), key=lambda a: (a.compute_capability not in targets, a.warp.size != 32, a.name))


def differences() -> list[Row]:
    """Compile every example once, and count its kernels' registers both ways."""
    device, rows = Device(machine()), []
    for workload in workloads():
        module, assembled = (device.compile(workload.source, registers=how) for how in ("liveness", "ptxas"))
        rows += [Row(workload.name, name, taken.registers, assembled[name].registers, assembled[name].resources.registers_from,
                     module.compiled.compiler) for name, taken in module.resources.items()]
    return rows


def table(rows: list[Row]) -> str:
    """Lay the rows out as Markdown."""
    lines = [f"| example | kernel | liveness | {rows[0].assembler} | difference |", "|---|---|---:|---:|---:|"]
    lines += [f"| {r.workload} | {r.kernel} | {r.liveness} | {r.ptxas} | {r.liveness - r.ptxas:+d} |" for r in rows]
    apart = [r.liveness - r.ptxas for r in rows]
    lines += [f"| mean of {len(rows)} | | | | {sum(apart) / len(rows):+.1f} |", f"| mean absolute | | | | {sum(map(abs, apart)) / len(rows):.1f} |"]
    return "\n".join(lines)


if __name__ == "__main__":
    found = table(differences())
    PAGE.write_text(BLOCK.sub(lambda match: match[1] + found, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(found)
