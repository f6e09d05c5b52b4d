"""Registers by liveness and by ptxas on all example kernels: ``python tests/run/register_differences.py`` refreshes the page."""
from __future__ import annotations

import re
from pathlib import Path

import attrs

from archdef import Device, registry
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
    """Give the installed architecture that is most like ptxas's oldest target: 64-bit addresses, 32-lane warps."""
    able = [a for a in registry.all().values() if a.isa.pointer_bits == 64]
    return min(able or registry.all().values(), key=lambda a: (a.warp.size != 32, a.name))


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
    mean = sum(r.liveness - r.ptxas for r in rows) / len(rows)
    return "\n".join([*lines, f"| mean of {len(rows)} | | | | {mean:+.1f} |"])


if __name__ == "__main__":
    found = table(differences())
    PAGE.write_text(BLOCK.sub(lambda match: match[1] + found, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(found)
