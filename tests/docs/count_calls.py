"""Count the programs of public suites that use each function of CUDA's runtime and of its driver, and write runtime_calls.csv and driver_calls.csv.

python tests/docs/count_calls.py cuda-samples=PATH.git Rodinia=PATH.git SHOC=PATH.git HeCBench=PATH.git \\
    numba-cuda=PATH.git PyCUDA=PATH.git CuPy=PATH.git cuda-python=PATH.git

Each is a git repository whose HEAD is read. A program is a folder, or in Python's packages a file; it uses a function whose name stands in one of its
sources, comments included. Only the driver's functions are counted in Python's packages, without the bindings that declare all of them.
"""
import csv
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = {"runtime": Path(__file__).with_name("runtime_calls.csv"), "driver": Path(__file__).with_name("driver_calls.csv")}
_EVERY = (ROOT / "archdef/exec/functions.txt").read_text(encoding="ascii").split()
NAMES = {"runtime": frozenset(name for name in _EVERY if name.startswith("cuda")),
         "driver": frozenset(re.sub(r"(_v\d)?(_pt[ds][sz])?$", "", name) for name in _EVERY if re.match("cu[A-Z]", name))}
"""Of the driver's functions, whose versions a header gives one name, that one."""
PROGRAMS = {"cuda-samples": r"Samples/[^/]+/([^/]+)/", "Rodinia": r"cuda/([^/]+)/", "SHOC": r"src/cuda/level\d/([^/]+)/", "HeCBench": r"src/([^/]+-cuda)/"}
"""Suite → where its programs are."""
PYTHON = {"numba-cuda": r"(numba_cuda/.*\.py)", "PyCUDA": r"((?:pycuda|src|test|examples)/.*\.(?:py|cpp|hpp))", "CuPy": r"((?:cupy|cupyx|tests|examples)/.*\.(?:pyx?|pxi))",
          "cuda-python": r"((?:cuda_core|cuda_bindings/(?:tests|examples))/.*\.(?:pyx?|pxi))"}
"""The same of packages for Python."""
IN_HEADERS = {"cudaLaunchKernelEx": "cudaLaunchKernelExC", "cudaOccupancyMaxPotentialBlockSize": "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags",
              "cudaOccupancyMaxPotentialBlockSizeVariableSMem": "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "<<<": "cudaLaunchKernel"}
"""What is not a function of the library → the one that it comes to."""
SOURCES = ("*.cu", "*.cuh", "*.h", "*.hpp", "*.cpp", "*.cc", "*.c")
PYTHON_SOURCES = ("*.py", "*.pyx", "*.pxi", "*.cpp", "*.hpp")


def git(repository: str, *arguments: str) -> str:
    """Give what git prints."""
    return subprocess.run(["git", f"--git-dir={repository}", *arguments], capture_output=True, encoding="utf-8", errors="replace", check=True).stdout


def counted(suite: str, repository: str, interface: str) -> tuple[set[str], dict[str, set[str]]]:
    """Give the programs of a suite, and for each function of an interface those that use it."""
    program, sources = re.compile((PROGRAMS | PYTHON)[suite]), PYTHON_SOURCES if suite in PYTHON else SOURCES
    endings = tuple(each[1:] for each in sources if suite in PYTHON or each not in ("*.h", "*.hpp"))
    found = {match[1] for path in git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines() if (match := program.match(path)) and path.endswith(endings)}
    uses = defaultdict(set)
    for line in git(repository, "grep", "-o", "-I", "-E", r"\bcu(da)?[A-Z][A-Za-z0-9_]*\b|<<<", "HEAD", "--", *sources).splitlines():
        _, path, name = line.split(":", 2)
        name = IN_HEADERS.get(name, name)
        if name in NAMES[interface] and (match := program.match(path)):
            uses[name].add(match[1])
    return found, uses


def write(repositories: dict[str, str], suites: list[str], interface: str) -> None:
    """Count an interface's functions in some suites, and write."""
    counts = {suite: counted(suite, repositories[suite], interface) for suite in suites}
    rows = [["commit", *(git(repositories[suite], "rev-parse", "HEAD").strip() for suite in suites)],
            ["programs", *(len(found) for found, _ in counts.values())]]
    for name in sorted({name for _, uses in counts.values() for name in uses}):
        rows.append([name, *(len(uses.get(name, ())) for _, uses in counts.values())])
    with DATA[interface].open("w", encoding="ascii", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([["function", *suites], *rows])


def main() -> None:
    """Count, and write."""
    repositories = dict(argument.split("=", 1) for argument in sys.argv[1:])
    write(repositories, list(PROGRAMS), "runtime")
    write(repositories, [*PROGRAMS, *PYTHON], "driver")


if __name__ == "__main__":
    main()
