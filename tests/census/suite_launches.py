"""Launch every kernel of a folder of PTX once on several machines, with arguments made up: ``python tests/census/suite_launches.py PTX_FOLDER CSV``.

The folder is what ``suite_ptx.py`` made of a suite; its name is the suite's. Each kernel runs in a process of its own, with a budget and a time
limit. A launch that faults is tried again with smaller sizes and blocks, since most faults come of arguments; what was tried, and what the first
try came to, stays in the table. Rows that the table has are not run again.
"""
from __future__ import annotations

import csv
import hashlib
import json
import os
import re
import signal
import sys
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import archdef
from archdef.errors import ArchdefError, BudgetExceeded, GuestFault, LaunchError, MissingFeature, PtxError
from archdef.ptx import ir, parse
from archdef.run import names
from suite_arguments import Arguments, block_of

COMMITS = {"cuda-samples": "NVIDIA/cuda-samples c94ff366", "rodinia": "yuhc/gpu-rodinia 9c10d3ea", "polybenchGpu": "sgrauerg/polybenchGpu 5584aaa7",
           "PolyBench-ACC": "cavazos-lab/PolyBench-ACC 70ea4ca9", "Parboil": "abduld/Parboil a4c63da2", "BabelStream": "UoB-HPC/BabelStream 57637d57",
           "gpu-app-collection": "accel-sim/gpu-app-collection 52c11fbc"}
"""Suites of the committed table → repository and commit."""
MACHINES = ("k40", "v100", "h100")
COLUMNS = ("suite", "file", "kernel", "code", "machine", "outcome", "grid", "block", "size", "instructions", "cycles", "memory", "first", "detail")
TRIES = ((64, 1), (16, 1), (64, 4), (16, 4), (4, 4), (64, 8), (1, 8), (0, 8))
"""Value of every whole number, and by how much a block is smaller, in order."""
MOST_INSTRUCTIONS = 2_000_000
LIMIT_S = 240
"""For one kernel on all machines."""
PER_NAME, PER_FILE = 2, 12
"""Instances of one template, and kernels of one file, of which launches differ little."""
DYNAMIC_SHARED = 16 << 10


def main(folder: Path, table: Path) -> None:
    """Add the rows of a suite to a table."""
    known = set()
    if table.exists():
        with table.open(newline="") as file:
            known = {(row["suite"], row["file"], row["kernel"]) for row in csv.DictReader(file)}
    with table.open("a", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if file.tell() == 0:
            writer.writeheader()
        for path in sorted(folder.glob("*.ptx"), key=lambda path: (path.stat().st_size, path.name)):      # what lowers soon comes first
            text = path.read_text()
            if not text:
                continue
            try:
                module = parse(text, path.name, defer=True)
            except PtxError as error:
                print(path.name, error, flush=True)
                continue
            of = path.name.removesuffix(".ptx").replace("@", "/")
            for kernel in _chosen(module):
                if (folder.name, of, kernel) not in known:
                    common = {"suite": folder.name, "file": of, "kernel": kernel, "code": _code(module, kernel)}
                    for row in _apart(text, module, kernel):
                        writer.writerow({**common, **row})
                        print(common["file"], names.readable(kernel), row["machine"], row["outcome"], row.get("detail", "")[:150], flush=True)
                    file.flush()


def _chosen(module) -> list[str]:
    """Take some of each template and of each file."""
    seen: dict[str, int] = {}
    chosen = []
    for name, function in module.functions.items():
        if function.entry and function.defined:
            plain = names.readable(name).partition("<")[0]
            seen[plain] = seen.get(plain, 0) + 1
            if seen[plain] <= PER_NAME:
                chosen.append(name)
    return chosen[:PER_FILE]


def _code(module, kernel: str) -> str:
    """Name what a kernel does, its registers and labels apart: kernels of one code are one kernel."""
    words = [".".join((i.opcode, *i.modifiers)) for i in module.functions[kernel].body]
    return hashlib.sha256(" ".join(words).encode()).hexdigest()[:10]


def _apart(text: str, module, kernel: str) -> list[dict]:
    """Run a kernel on all machines in a process of its own."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        signal.alarm(LIMIT_S)
        with os.fdopen(writer, "w") as pipe:
            for machine in MACHINES:
                pipe.write(json.dumps({"machine": machine, **_run(text, module, kernel, machine)}) + "\n")
                pipe.flush()
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        rows = [json.loads(line) for line in pipe if line.endswith("\n")]
    status = os.waitpid(child, 0)[1]
    ended = {row["machine"] for row in rows}
    why = "time limit" if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM else f"crash ({status})"
    return rows + [{"machine": machine, "outcome": why} for machine in MACHINES if machine not in ended]


def _run(text: str, module, kernel: str, machine: str) -> dict:
    """Launch until a try ends; give the last outcome, and the first if it was another."""
    device, first, row = archdef.Device(machine, max_instructions=MOST_INSTRUCTIONS), None, None
    try:
        made = device.compile(text)
        made[kernel].program                # lowered once for all tries
    except ArchdefError as error:
        return _outcome(error)
    for size, scale in TRIES:
        row = _launch(made, module, kernel, size, scale)
        first = first or row
        if row["outcome"] in ("ended", "deadlock"):     # a deadlock is never a fault of sizes without a reason: it is to be read
            break
    tried = "" if first is row else f"{first['outcome']}: {first['detail']}"
    return {**row, "first": tried}


def _launch(made, module, kernel: str, size: int, scale: int) -> dict:
    entry, device = module.functions[kernel], made.device
    reached = [f for f in module.functions.values() if f.defined and (not f.entry or f is entry)]
    grid, block = block_of(reached, entry, scale)
    row = {"grid": _shape(grid), "block": _shape(block), "size": size}
    dynamic = any(v.extern and v.space == "shared" for v in (*module.variables.values(), *entry.variables.values()))
    try:
        arguments = Arguments(device, size)
        given = arguments.of(entry)
        launcher = made[kernel][grid, block, DYNAMIC_SHARED if dynamic else 0]
        run = launcher.cooperative(*given) if _synchronises_grid(reached) else launcher(*given)
    except ArchdefError as error:
        return {**row, **_outcome(error)}
    except Exception as error:      # noqa: BLE001  what must not be: it gets a row of its own
        return {**row, "outcome": "raw exception", "detail": f"{type(error).__name__}: {_short(error)}"}
    digest = 0
    for array in arguments.arrays:
        digest = zlib.crc32(array.to_host().tobytes(), digest)
    return {**row, "outcome": "ended", "instructions": int(run.counters.instructions), "cycles": int(run.cycles), "memory": f"{digest:08x}",
            "detail": "; ".join(map(str, run.warnings))[:200]}


def _synchronises_grid(functions) -> bool:
    """Say whether code asks for the words in which the launch of a grid that can wait for itself is told."""
    return any(isinstance(o, ir.Special) and o.name in ("%envreg1", "%envreg2") for f in functions for i in f.body for o in i.operands)


def _outcome(error: ArchdefError) -> dict:
    kind = getattr(error, "kind", "")
    if isinstance(error, BudgetExceeded):
        outcome = "budget"
    elif isinstance(error, GuestFault):
        outcome = "deadlock" if "no warp can go on" in str(error) else f"fault: {kind}"
    elif isinstance(error, LaunchError):
        outcome = f"launch: {kind}"
    else:
        outcome = "machine lacks it" if isinstance(error, MissingFeature) else "refused"
    return {"outcome": outcome, "detail": f"{type(error).__name__}: {_short(error)}" if outcome == "refused" else _short(error)}


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _short(error: Exception) -> str:
    """Give a message in one line, files without their folders, without the instruction."""
    text = re.sub(r"(?<![\w.])/[^\s:`]*/", "", " ".join(str(error).split()))
    return re.sub(r"(PTX line \d+) `[^`]*`", r"\1", text)[:200]


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
