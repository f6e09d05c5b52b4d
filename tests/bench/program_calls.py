"""Print what calls of a program take through the stand-in: ``python tests/bench/program_calls.py [machine [launches|calls|copies]]``. Needs a C compiler.

For launches also the time of processors, of the program and of archdef together, which other work on the computer changes less than the time that passes.
"""
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from archdef import exec as programs
from archdef.device import Device
from archdef.exec.server import stand_in
from archdef.frontends import Compiled
from archdef.run.module import Module
from archdef.runtime.api import Runtime

sys.path.insert(0, str(Path(__file__).parents[1] / "exec"))
from fat import HEAD, binary, entry
from guest_kernels import COMPILER

HERE = Path(__file__).parent
FEW, LAUNCHES, ROUNDS = 1000, 8000, 2
AT_ONCE, TIMES = 16, 200     # as program_calls.c has them
KERNELS = HEAD + ".visible .entry empty() { ret; }\n.visible .entry takes_three(.param .u64 p, .param .u32 n, .param .f32 f) { ret; }\n"


def built(folder: Path) -> Path:
    """Compile the program."""
    code = binary(entry(KERNELS.encode()))
    (folder / "code.c").write_text(f"const unsigned char device_code[] __attribute__((aligned(8))) = {{{', '.join(map(str, code))}}};\n")
    (folder / "libcudart.so.12").symlink_to(stand_in())
    subprocess.run([COMPILER, "-O2", "-w", "-o", folder / "calls", HERE / "program_calls.c", folder / "code.c", f"-I{HERE.parent / 'exec' / 'programs'}",
                    "-L", folder, "-l:libcudart.so.12"], check=True)
    return folder / "calls"


def alone_seconds(machine: str) -> float:
    """Launch the empty kernel as the program does, and wait for it, in this process and without a program: the least for each launch."""
    runtime = Runtime({})
    (device,) = runtime.use(Device(machine))
    kernel, least = Module(device, [Compiled(KERNELS, "kernels.ptx")])["empty"], 1.0
    for _ in range(TIMES):
        began = time.perf_counter()
        for _ in range(AT_ONCE):
            runtime.LaunchKernelExC(kernel, (1, 1, 1), (32, 1, 1), [], 0, 0, [])
        runtime.DeviceSynchronize()
        least = min(least, (time.perf_counter() - began) / AT_ONCE)
    return least


def processor_seconds(program: Path, machine: str, kernel: str, launches: int) -> float:
    """Run some launches of a kernel, and give the time of processors that this process and the program's have taken for all."""
    def taken() -> float:
        return sum(each.ru_utime + each.ru_stime for each in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))
    before = taken()
    if not programs.run([str(program), kernel, str(launches)], machine).good:
        sys.exit("a launch failed")
    return taken() - before


def main(machine: str = "v100", part: str = "") -> None:
    with tempfile.TemporaryDirectory() as folder, open(Path(folder) / "told", "w+", encoding="utf-8") as told:
        program = built(Path(folder))
        account = programs.run([str(program), *([part] if part else [])], machine, output=told)
        if not account.good:
            sys.exit(f"{account.ended}: {account.failures}")
        told.seek(0)
        for line in told:
            name, number, unit = line.rstrip("\n").split("|")
            print(f"{name:48}{number:>10} {unit}")
        if part in ("", "launches"):
            print(f"{'launch of an empty kernel without a program':48}{alone_seconds(machine) * 1e6:10.1f} us")
        for kernel in ("empty", "takes_three") if part in ("", "launches") else ():
            least = min(processor_seconds(program, machine, kernel, LAUNCHES + FEW) - processor_seconds(program, machine, kernel, FEW) for _ in range(ROUNDS))
            print(f"{f'time of processors for each launch of {kernel}':48}{least / LAUNCHES * 1e6:10.1f} us")


if __name__ == "__main__":
    main(*sys.argv[1:])
