"""A stand-in architecture for lowering tests, with every feature, and short ways to lower PTX text."""
from types import SimpleNamespace

from archdef.lower import lower
from archdef.ptx import parse
from archdef.spec import AlignedSum, Caches, ChainedSum, MatrixArithmetic, PairedSum, Vocabulary, WarpgroupProducts
from archdef.spec.isa import FEATURES, OPERATION_CLASSES, Isa, Operation, Unit
from archdef.spec.machine import Clocks, Warp

UNITS = (Unit("alu", 32), Unit("special", 4), Unit("memory", 16))
MATRIX = MatrixArithmetic(f16=AlignedSum(), bf16=AlignedSum(), tf32=AlignedSum(8), fp8=AlignedSum(32, 13, 13), groups=ChainedSum(), groups_f16=PairedSum())
WARPGROUP = WarpgroupProducts(operand_bytes_per_cycle=128, register_factor_cycles=13, shared_factor_cycles=10, least_issue_cycles=4,
                              issue_columns_per_cycle=8)
_SPECIAL = ("transcendental", "rcp", "rsqrt", "sqrt", "div")
_MEMORY = ("load_", "store_", "atomic_")


def _operation(name: str) -> Operation:
    if name.startswith(_MEMORY):
        return Operation("memory", 4)
    return Operation("special" if any(word in name for word in _SPECIAL) else "alu", 10)


def _limits(instructions: int) -> SimpleNamespace:
    return SimpleNamespace(kernel_instructions=instructions, stack_bytes_per_thread=1024, registers_per_multiprocessor=65536,
                           warps_per_multiprocessor=64, register_allocation_scope="warp", register_allocation_unit=256,
                           registers_reserved_per_thread=0, registers_per_thread=255)


def machine(*, without=(), warp_size=32, limit=1_000_000, costs=None, **isa):
    """Make an architecture with all features but `without`; further arguments replace fields of its Isa."""
    operations = {name: _operation(name) for name in OPERATION_CLASSES} | (costs or {})
    fields = dict(features=frozenset(FEATURES) - set(without), operations=operations, pointer_bits=64, fuse_multiply_add=True,
                  float_mad="fused", predication_max_instructions=6, matrix=MATRIX, warpgroup=WARPGROUP) | isa
    return SimpleNamespace(name="standin", block_clusters=None, warp=Warp(size=warp_size), clocks=Clocks(core_mhz=1000, shader_mhz=1000, memory_mhz=1000),
                           limits=_limits(limit), units=UNITS, isa=Isa(**fields), words=Vocabulary(),
                           caches=Caches())


BODY_LINE = 13
"""Line at which the body of `kernel` begins, if `head` is one line."""


def kernel(body: str, parameters: str = ".param .u64 out", head: str = "") -> str:
    """Wrap instructions into a module with one kernel `k` and registers of every type."""
    return f""".version 7.5
.target sm_75
.address_size 64
{head}
.visible .entry k({parameters})
{{
    .reg .pred %p<20>;
    .reg .b16 %h<20>;
    .reg .b32 %r<60>;
    .reg .f32 %f<40>;
    .reg .b64 %rd<40>;
    .reg .f64 %fd<40>; .reg .b128 %rq<10>;
{body}
    ret;
}}
"""


def lowered(text: str, architecture=None, entry: str = "k", **arguments):
    """Parse and lower."""
    return lower(parse(text, "k.ptx"), entry, architecture or machine(), **arguments)


def micro_ops(program) -> list[str]:
    """Give the micro-ops of a listing, without index, line and cost."""
    lines = program.listing().splitlines()[1 + len(program.specials):]
    return [line[13:].rpartition(" unit ")[0].strip() for line in lines]
