"""Count the programs of public suites that use each function of CUDA's runtime, and write runtime_calls.csv.

python tests/docs/count_calls.py cuda-samples=PATH.git Rodinia=PATH.git SHOC=PATH.git HeCBench=PATH.git

Each is a git repository whose HEAD is read. A program is a folder; it uses a function whose name stands in one of its sources, comments included.
"""
import csv
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).with_name("runtime_calls.csv")
NAMES = frozenset(name for name in (ROOT / "archdef/exec/functions.txt").read_text(encoding="ascii").split() if name.startswith("cuda"))
PROGRAMS = {"cuda-samples": r"Samples/[^/]+/([^/]+)/", "Rodinia": r"cuda/([^/]+)/", "SHOC": r"src/cuda/level\d/([^/]+)/", "HeCBench": r"src/([^/]+-cuda)/"}
"""Suite → where its programs are."""
IN_HEADERS = {"cudaLaunchKernelEx": "cudaLaunchKernelExC", "cudaOccupancyMaxPotentialBlockSize": "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
              "cudaOccupancyMaxPotentialBlockSizeVariableSMem": "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "<<<": "cudaLaunchKernel"}
"""What is not a function of the library → the one that it comes to."""
SOURCES = ("*.cu", "*.cuh", "*.h", "*.hpp", "*.cpp", "*.cc", "*.c")


def git(repository: str, *arguments: str) -> str:
    """Give what git prints."""
    return subprocess.run(["git", f"--git-dir={repository}", *arguments], capture_output=True, encoding="utf-8", errors="replace", check=True).stdout


def counted(suite: str, repository: str) -> tuple[set[str], dict[str, set[str]]]:
    """Give the programs of a suite, and for each function those that use it."""
    program = re.compile(PROGRAMS[suite])
    found = {match[1] for path in git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
             if (match := program.match(path)) and path.endswith((".cu", ".cuh", ".cpp", ".cc", ".c"))}
    uses = defaultdict(set)
    for line in git(repository, "grep", "-o", "-I", "-E", r"\bcuda[A-Z][A-Za-z0-9_]*\b|<<<", "HEAD", "--", *SOURCES).splitlines():
        _, path, name = line.split(":", 2)
        name = IN_HEADERS.get(name, name)
        if name in NAMES and (match := program.match(path)):
            uses[name].add(match[1])
    return found, uses


def main() -> None:
    """Count, and write."""
    repositories = dict(argument.split("=", 1) for argument in sys.argv[1:])
    counts = {suite: counted(suite, repositories[suite]) for suite in PROGRAMS}
    rows = [["commit", *(git(repositories[suite], "rev-parse", "HEAD").strip() for suite in PROGRAMS)],
            ["programs", *(len(found) for found, _ in counts.values())]]
    for name in sorted({name for _, uses in counts.values() for name in uses}):
        rows.append([name, *(len(uses.get(name, ())) for _, uses in counts.values())])
    with DATA.open("w", encoding="ascii", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["function", *PROGRAMS], *rows])


if __name__ == "__main__":
    main()
