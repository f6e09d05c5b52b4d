"""What NVIDIA's assembler says of PTX: registers, stack, spills, shared memory, constant banks. No GPU is needed.

The assembler knows targets, not architectures: the one nearest to a machine's compute capability is taken, among those that can
run the PTX at all.
"""
from __future__ import annotations

import functools
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import attrs

from archdef.errors import CompileError
from archdef.frontends import cache

INSTALL = "ptxas is not installed; 'pip install archdef[ptxas]' brings it as a wheel (no GPU or driver needed)"
_PLACES = ("nvidia/cuda_nvcc/bin", "nvidia/cu13/bin", "triton/backends/nvidia/bin")
"""Where wheels put it, below site-packages."""
_PATIENCE_S = 600
_LAYOUT = "1"  # part of the cache key: count up when what is kept of ptxas's answer changes


@attrs.frozen
class Assembler:
    """One ptxas."""

    path: Path
    version: str
    targets: tuple[int, ...]
    """Real architectures that it assembles for, ascending: 35 for ``sm_35``."""

    def __str__(self) -> str:
        return f"ptxas {self.version}"


@attrs.frozen
class Usage:
    """What one kernel takes, in ptxas's words."""

    registers: int
    stack_bytes: int
    """Stack frame, the kernel's own and that of the functions it calls as far as ptxas adds them up."""
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int
    constant_banks: dict[int, int]
    """Bank → bytes."""
    barriers: int
    target: str
    """What it was assembled for: ``sm_35``."""
    assembler: str
    """Name and version."""


def assemblers() -> tuple[Assembler, ...]:
    """List the installed ones, the one that reaches back to the oldest target first; ``ARCHDEF_PTXAS`` (a path) alone if set."""
    if chosen := os.environ.get("ARCHDEF_PTXAS"):
        return tuple(a for a in [_probe(Path(chosen))] if a)
    paths = []
    for place in _PLACES:
        package, _, rest = place.partition("/")
        try:
            spec = importlib.util.find_spec(package)
        except (ImportError, ValueError):
            spec = None
        paths += [Path(root) / rest / "ptxas" for root in (spec.submodule_search_locations or ()) if spec] if spec else []
    if found := shutil.which("ptxas"):
        paths.append(Path(found))
    made = [a for path in paths if path.is_file() and (a := _probe(path))]
    return tuple(sorted(made, key=lambda a: a.targets))


def usage(ptx: str, file: str, compute_capability: str | None, most_registers: int | None = None) -> dict[str, Usage]:
    """Assemble PTX for the target nearest to a compute capability, and give what each kernel takes.

    most_registers : registers per thread beyond which values are spilled, or None for the target's own limit.

    Raises CompileError with ptxas's message, or with the way to get it if it is missing.
    """
    found = assemblers()
    if not found:
        raise CompileError(f"{file}: {INSTALL}")
    problem = ""
    for assembler in found:  # a newer one reads newer PTX, an older one knows older targets
        target = nearest_target(ptx, assembler.targets, compute_capability)
        if target is None:
            problem = problem or f"{file}: {assembler} has no target that runs this PTX"
            continue
        flags = ("--verbose", f"--gpu-name={target}")
        answer, error = _assemble(assembler, ptx, flags)
        # A limit changes what ptxas aims at even where it does not bind, so it is named only where it does.
        if answer and most_registers and any(facts["registers"] > most_registers for facts in answer.values()):
            answer, error = _assemble(assembler, ptx, (*flags, f"--maxrregcount={most_registers}"))
        if answer is not None:
            return {name: Usage(**facts, target=target, assembler=str(assembler)) for name, facts in answer.items()}
        if not problem or "Unsupported .version" in problem:
            problem = f"{file} does not assemble ({assembler}, {target}):\n{error}"
    raise CompileError(problem)


def nearest_target(ptx: str, targets: tuple[int, ...], compute_capability: str | None) -> str | None:
    """Give the target nearest to a compute capability (``1.3``) among those that run the PTX; None if none does."""
    declared = re.search(r"^\s*\.target\s+sm_(\d+)([af]?)", ptx, re.MULTILINE)
    oldest = int(declared[1]) if declared else 0
    if declared and declared[2]:
        return f"sm_{declared[1]}{declared[2]}" if oldest in targets else None
    able = [t for t in targets if t >= oldest]
    if not able:
        return None
    match = re.fullmatch(r"(\d+)\.(\d+)", compute_capability or "")
    wanted = 10 * int(match[1]) + int(match[2]) if match else oldest
    return f"sm_{min(able, key=lambda t: (abs(t - wanted), t))}"


def _assemble(assembler: Assembler, ptx: str, flags: tuple[str, ...]) -> tuple[dict[str, dict] | None, str]:
    entry = cache.key("ptxas", _LAYOUT, str(assembler), *flags, ptx)
    if (kept := cache.get(entry)) is not None:
        answer = json.loads(kept)
    else:
        with tempfile.TemporaryDirectory(prefix="archdef-ptxas-") as folder:
            (Path(folder) / "module.ptx").write_text(ptx, encoding="utf-8")
            try:
                done = subprocess.run([str(assembler.path), *flags, "--output-file=module.cubin", "module.ptx"], cwd=folder,
                                      capture_output=True, text=True, errors="replace", timeout=_PATIENCE_S, check=False)
            except (OSError, subprocess.TimeoutExpired) as error:
                return None, str(error)
        if done.returncode:
            return None, (done.stderr or done.stdout).strip()
        answer = read(done.stderr + done.stdout)
        cache.put(entry, json.dumps(answer))
    for facts in answer.values():
        facts["constant_banks"] = {int(bank): size for bank, size in facts["constant_banks"].items()}
    return answer, ""


def read(log: str) -> dict[str, dict]:
    """Read what ``ptxas --verbose`` prints, kernel by kernel."""
    kernels: dict[str, dict] = {}
    frames: dict[str, tuple[int, int, int]] = {}
    name = of = ""
    for line in log.splitlines():
        if found := re.search(r"Compiling entry function '([^']+)'", line):
            name = found[1]
        elif found := re.search(r"Function properties for (\S+)", line):
            of = found[1]
        elif found := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            frames[of] = int(found[1]), int(found[2]), int(found[3])
        elif (found := re.search(r"Used (\d+) registers", line)) and name:
            def number(pattern: str, line: str = line) -> int:
                match = re.search(pattern, line)
                return int(match[1]) if match else 0

            stack, stores, loads = frames.get(name, (0, 0, 0))
            kernels[name] = dict(
                registers=int(found[1]), stack_bytes=max(stack, number(r"(\d+) bytes cumulative stack")),
                spill_store_bytes=stores, spill_load_bytes=loads, shared_bytes=number(r"(\d+) bytes smem"),
                constant_banks={int(bank): int(size) for size, bank in re.findall(r"(\d+) bytes cmem\[(\d+)\]", line)},
                barriers=number(r"used (\d+) barriers"))
    return kernels


@functools.cache
def _probe(path: Path) -> Assembler | None:
    try:
        version, targets = (subprocess.run([str(path), question], capture_output=True, text=True, errors="replace", timeout=60,
                                           check=True).stdout for question in ("--version", "--help"))
    except (OSError, subprocess.SubprocessError):
        return None
    release = re.search(r"release (\d+\.\d+)", version)
    numbers = sorted({int(t) for t in re.findall(r"'sm_(\d+)'", targets)})
    return Assembler(path, release[1], tuple(numbers)) if release and numbers else None
