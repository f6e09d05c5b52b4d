"""Print what parsing and lowering take by size: ``python tests/bench/lowering_table.py [--sizes 10000,40000] [--shapes straight,mixed] [--machines v100]``.

Every program has a process of its own, so that its peak of memory is its own.
"""
import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "unit"))
from program_shapes import SHAPES

from archdef import registry
from archdef.lower import Options, lower
from archdef.ptx import parse


def one(shape: str, size: int, machine: str) -> dict:
    """Lower one program; instructions, processor seconds and the peak of this process in MiB."""
    text, architecture = SHAPES[shape](size), registry.get(machine)
    lower(parse(SHAPES["straight"](20)), "k", architecture)     # what is found out once for all programs
    start = time.process_time()
    module = parse(text)
    program = lower(module, "k", architecture, options=Options(max_instructions=10 * size + 10_000))
    seconds = time.process_time() - start
    return {"instructions": sum(len(f.body) for f in module.functions.values()), "spilled": program.spilled_registers, "seconds": seconds,
            "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="10000,40000")
    parser.add_argument("--shapes", default="straight,mixed,ifs,functions,pressure,wide_pressure")
    parser.add_argument("--machines", default="v100,h100")
    parser.add_argument("--one", nargs=3, metavar=("SHAPE", "SIZE", "MACHINE"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        print(json.dumps(one(asked.one[0], int(asked.one[1]), asked.one[2])))
        return
    print(f"{'shape':16}{'machine':10}{'instructions':>14}{'spilled':>9}{'s':>9}{'s/1000':>9}{'MiB':>7}")
    for shape in asked.shapes.split(","):
        for machine in asked.machines.split(","):
            for size in asked.sizes.split(","):
                command = [sys.executable, __file__, "--one", shape, size, machine]
                row = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                print(f"{shape:16}{machine:10}{row['instructions']:14,}{row['spilled']:9}{row['seconds']:9.2f}"
                      f"{1000 * row['seconds'] / row['instructions']:9.3f}{row['mib']:7}", flush=True)


if __name__ == "__main__":
    main()
