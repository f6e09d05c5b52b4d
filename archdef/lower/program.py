"""What lowering gives to the engine and to whoever reads its counters."""
from __future__ import annotations

import attrs
import numpy as np

from archdef import values
from archdef.lower.image import Image
from archdef.lower.listing import listing
from archdef.lower.records import Parameter, Relocation, Statement


@attrs.frozen(slots=True, eq=False)
class Program:
    """A kernel as micro-ops for one architecture."""

    entry: str
    """Name of the kernel."""
    file: str
    """PTX file that it is from."""
    architecture: str
    warp_size: int
    ops: np.ndarray
    """`encoding.MICRO_OP`, shape (micro-ops,)."""
    targets: np.ndarray
    """int32: branch targets of indexed branches."""
    operands: np.ndarray
    """int32: row operands of matrix products, those of one op one after the other."""
    constants: np.ndarray
    """`encoding.CONSTANT_ROW`, one per constant row; the second row of a 64-bit constant has width 0."""
    specials: np.ndarray
    """`encoding.SPECIAL_ROW`."""
    rows: int
    """32-bit register rows per warp that the engine allocates."""
    predicates: int
    """Predicate masks per warp, the constantly true one and the carry flag among them."""
    registers: int
    """32-bit registers of a thread on the machine, at most what ``.maxnreg`` allows."""
    registers_from: str
    """How `registers` was obtained: ``liveness``, or the assembler, its version and target."""
    spilled_registers: int
    """Registers that the kernel would need beyond its budget; their values live in local memory."""
    shared_bytes: int
    """Static shared memory per block; what the launch adds begins there."""
    launch_shared_bytes: int
    """Shared memory that parameters and launch data take in every block, beside the kernel's own."""
    dynamic_shared: bool
    """The kernel names shared arrays whose size the launch decides."""
    local_bytes: int
    """Local memory per thread."""
    uses_local: bool
    stack_start: int
    """Local address behind the variables, at which the call stack begins; `local_bytes` where there is none."""
    barriers_used: int
    """Block barriers that the kernel can use: highest number + 1."""
    global_image: Image
    const_image: Image
    relocations: tuple[Relocation, ...]
    parameter_layout: tuple[Parameter, ...]
    parameter_bytes: int
    """Size of the parameter buffer, a multiple of 8."""
    statements: tuple[Statement, ...]
    directives: dict[str, tuple[int, ...]]
    """``maxntid, reqntid, minnctapersm, maxnreg`` where the kernel declares them."""
    functions: tuple[str, ...]
    """Lowered functions, the kernel first."""
    instructions: int
    """Static machine instructions: sum of `issues`."""
    code_bytes: int
    """Size of the machine code: these, routines for special operands, and what the assembler puts behind."""
    launches: tuple[str, ...] = ()
    """Kernels of the module that this one can launch."""
    calls_runtime: bool = False
    """Whether it calls the device runtime at all."""
    references: tuple[tuple[str, int], ...] = ()
    """Texture, sampler and surface references of the module: name, offset of its cell in the global image."""

    spill_store_bytes: int = 0
    """Bytes that spilling stores, per thread and pass through the code."""
    spill_load_bytes: int = 0
    spill_slot_bytes: int = 0
    """Local memory that spilled values take; part of `local_bytes`."""
    register_unit: int = 1
    """A warp holds a multiple of so many registers of each thread, where it gives and takes some (``setmaxnreg``)."""
    unspilled_registers: int = 0
    """Registers beyond `registers` that no spilling could save: one instruction, or a recursive function, needs them at once."""
    warnings: tuple[str, ...] = ()
    """What the kernel does that is allowed, and probably not meant on this machine: each names the source line."""

    def listing(self) -> str:
        """Print the program: op index, PTX line, micro-op, cost."""
        return listing(self)

    @property
    def held_registers(self) -> int:
        """Registers of each thread that a warp holds when it starts."""
        return -(-self.registers // self.register_unit) * self.register_unit

    def __repr__(self) -> str:
        return (f"<Program {values.cut(self.entry)} for {values.cut(self.architecture)}: {len(self.ops)} micro-ops, {self.instructions} instructions, "
                f"{self.registers} registers, {self.shared_bytes} B shared>")
