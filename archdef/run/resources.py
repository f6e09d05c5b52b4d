"""What a kernel takes of a machine, as users of ptxas know it: registers, stack, spills, shared memory, constant banks."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from archdef.spec import FrozenMap
from archdef.values import cut

if TYPE_CHECKING:
    from archdef.lower.program import Program
    from archdef.run.module import Kernel, Module


@attrs.frozen(repr=False)
class Resources:
    """Resources of one kernel on one machine. Values that only an assembler can know are None from liveness."""

    kernel: str
    architecture: str
    registers: int
    """32-bit registers per thread; a 64-bit value takes two."""
    registers_from: str
    """``liveness``, or the assembler, its version and target."""
    spilled_registers: int | None
    """Registers needed beyond what ``.maxnreg``, ``.minnctapersm`` or the machine allows; None from ptxas, which counts bytes."""
    stack_bytes: int
    """Stack frame: local memory per thread, that of spilled values included."""
    spill_store_bytes: int | None
    """Bytes that spilling stores, per thread and pass through the code."""
    spill_load_bytes: int | None
    unspilled_registers: int | None
    """Registers beyond `registers` that no spilling could save; None from ptxas."""
    shared_bytes: int
    """Static shared memory per block."""
    dynamic_shared: bool
    """Whether the launch adds to it."""
    parameter_bytes: int
    constant_bytes: int
    """Constant variables of the module."""
    constant_banks: FrozenMap[int, int] | None
    """Bank → bytes, of the assembler's target; None from liveness."""
    barriers: int
    """Block barriers: highest number + 1."""
    max_registers: int | None
    """``.maxnreg``."""
    max_threads: int | None
    """Largest block: product of ``.maxntid`` or ``.reqntid``."""
    min_blocks: int | None
    """Blocks per multiprocessor that the author asked for, ``.minnctapersm``; registers are fitted to it by spilling."""

    def __repr__(self) -> str:
        return (f"<Resources of {cut(self.kernel)} on {cut(self.architecture)}: {self.registers} registers from {self.registers_from}, "
                f"{self.stack_bytes} B stack, {self.shared_bytes} B shared>")

    def to_dict(self) -> dict[str, Any]:
        """Give plain data, ready for JSON."""
        return {name: dict(value) if isinstance(value, FrozenMap) else value
                for name, value in attrs.asdict(self, recurse=False).items()}


def spills(module: Module, symbol: str) -> bool:
    """Tell whether a kernel may spill: where ptxas counts the registers, if ptxas does.

    Raises CompileError as `settle` does.
    """
    if module.registers_from != "ptxas":
        return True
    found = module.assembled[symbol]
    return found.spill_store_bytes > 0 or found.spill_load_bytes > 0


def settle(program: Program, module: Module, symbol: str) -> Program:
    """Decide the registers of a lowered kernel: counted as the module's options say, and at most what the machine has.

    Raises CompileError if ptxas is asked for and is missing or refuses the PTX.
    """
    most = module.device.architecture.limits.registers_per_thread
    if module.registers_from == "ptxas":
        found = module.assembled[symbol]
        needed, spilled, source = found.registers, 0, f"{found.assembler}, {found.target}"
    else:
        needed, spilled, source = program.registers, program.spilled_registers, program.registers_from
    registers = min(needed, most)
    return attrs.evolve(program, registers=registers, registers_from=source, spilled_registers=spilled + needed - registers)


def of(kernel: Kernel) -> Resources:
    """Collect what a kernel takes."""
    program, architecture = kernel.program, kernel.module.device.architecture
    found = kernel.module.assembled[kernel.symbol] if kernel.module.registers_from == "ptxas" else None
    directives = program.directives
    threads = directives.get("reqntid") or directives.get("maxntid")
    return Resources(
        kernel=kernel.name, architecture=architecture.label, registers=program.registers,
        registers_from=program.registers_from, spilled_registers=None if found else program.spilled_registers,
        stack_bytes=found.stack_bytes if found else program.local_bytes,
        spill_store_bytes=found.spill_store_bytes if found else program.spill_store_bytes,
        spill_load_bytes=found.spill_load_bytes if found else program.spill_load_bytes,
        unspilled_registers=None if found else program.unspilled_registers,
        shared_bytes=found.shared_bytes if found else program.shared_bytes, dynamic_shared=program.dynamic_shared,
        parameter_bytes=program.parameter_bytes, constant_bytes=len(program.const_image),
        constant_banks=FrozenMap(found.constant_banks) if found else None, barriers=program.barriers_used,
        max_registers=_first(directives.get("maxnreg")), max_threads=_product(threads),
        min_blocks=_first(directives.get("minnctapersm")))


def _first(values: tuple[int, ...] | None) -> int | None:
    return values[0] if values else None


def _product(sizes: tuple[int, ...] | None) -> int | None:
    if sizes is None:
        return None
    product = 1
    for size in sizes:
        product *= size
    return product
