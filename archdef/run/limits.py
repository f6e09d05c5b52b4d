"""What a launch may ask for: every refusal names the limit, its value, what was asked, and the machine."""
from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

from archdef import values
from archdef.errors import LaunchError
from archdef.lower.encoding import Kind, SystemCall
from archdef.spec import FEATURES, Architecture, Chip

if TYPE_CHECKING:
    from archdef.lower.program import Program
    from archdef.lower.records import Statement
    from archdef.occupancy import Occupancy
    from archdef.ptx.ir import Instruction

AXES = "xyz"
_WITHIN_WARP = frozenset("activemask elect ldmatrix match mma movmatrix redux shfl stmatrix vote wmma".split())


def shape(kernel: str, what: str, given: Any) -> tuple[int, int, int]:
    """Complete a grid or block to three dimensions.

    Raises LaunchError if it is not one to three positive whole numbers.
    """
    if type(given) is tuple and len(given) == 3:        # every launch asks
        x, y, z = given
        if type(x) is type(y) is type(z) is int and 0 < x < values.MOST_WHOLE and 0 < y < values.MOST_WHOLE and 0 < z < values.MOST_WHOLE:
            return cast("tuple[int, int, int]", given)
    numbers = given if isinstance(given, (tuple, list)) else (given,)
    sizes = tuple(number for n in numbers if (number := values.as_whole(n)) is not None)
    if not 1 <= len(numbers) <= 3 or len(sizes) != len(numbers) or min(sizes) < 1:
        raise LaunchError(f"{what} of {kernel} must be one to three positive whole numbers, got {values.shown(given)}", "shape")
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def check_launch(kernel: str, architecture: Architecture, grid: tuple[int, int, int], block: tuple[int, int, int]) -> None:
    """Refuse a grid or block that is too large. Raises LaunchError."""
    limits = architecture.limits
    for what, path, sizes, allowed in (("block", "block_dimensions", block, limits.block_dimensions),
                                       ("grid", "grid_dimensions", grid, limits.grid_dimensions)):
        if all(map(operator.le, sizes, allowed)):
            continue
        for axis, size, most in zip(AXES, sizes, allowed, strict=True):
            if size > most:
                raise _refusal(kernel, architecture, f"{path}.{axis}", most, f"{what} {sizes}")
    if (threads := math.prod(block)) > limits.threads_per_block:
        raise _refusal(kernel, architecture, "threads_per_block", limits.threads_per_block,
                       f"{threads} threads, block {block}")


def check_kernel(kernel: str, architecture: Architecture, program: Program, block: tuple[int, int, int]) -> None:
    """Refuse a kernel that is too large for the machine, or a block that the kernel excludes. Raises LaunchError."""
    check_size(kernel, architecture, program)
    required, largest = program.directives.get("reqntid"), program.directives.get("maxntid")
    if required is not None and block != (*required, *(1,) * (3 - len(required))):
        raise LaunchError(f"{kernel} was compiled for blocks of {required} (.reqntid), got {block}")
    if largest is not None and math.prod(block) > math.prod(largest):
        raise LaunchError(f"{kernel} was compiled for at most {math.prod(largest)} threads per block (.maxntid), "
                          f"got {math.prod(block)}")


def check_cluster(kernel: str, architecture: Architecture, program: Program, grid: tuple[int, int, int], asked: tuple[int, int, int] | None, nonportable: bool,
                  resident: Occupancy) -> tuple[int, int, int] | None:
    """Say which clusters a launch has, as it asks or the kernel demands; None: neither. Raises LaunchError if the machine has not such."""
    given, most = program.directives.get("reqnctapercluster"), program.directives.get("maxclusterrank")
    required = None if given is None else shape(kernel, ".reqnctapercluster", given)
    if asked is not None and required is not None and asked != required:
        raise LaunchError(f"{kernel} was compiled for clusters of {required} blocks (.reqnctapercluster), got {asked}")
    if (cluster := asked or required) is None:
        if "explicitcluster" in program.directives:
            raise LaunchError(f"{kernel} was compiled for launches that say what a cluster is (.explicitcluster): launch(..., cluster=(x, y, z))")
        return None
    blocks = math.prod(cluster)
    if most is not None and blocks > most[0]:
        raise LaunchError(f"{kernel} was compiled for clusters of at most {most[0]} blocks (.maxclusterrank), got {cluster}")
    for axis, size, of in zip(AXES, grid, cluster, strict=True):
        if size % of:
            raise LaunchError(f"cannot launch {kernel} in clusters of {cluster} blocks: the grid, {grid}, is no multiple of it along {axis}", "shape")
    if blocks > 1:
        _check_size_of_cluster(kernel, architecture, cluster, nonportable, resident)
    return cluster


def _check_size_of_cluster(kernel: str, architecture: Architecture, cluster: tuple[int, int, int], nonportable: bool, resident: Occupancy) -> None:
    blocks, clusters = math.prod(cluster), architecture.block_clusters
    where = f"cannot launch {kernel} in clusters of {blocks} blocks on {architecture.label}"
    if clusters is None:
        raise LaunchError(f"{where}: it does not declare block_clusters, so a block is its own cluster", "feature")
    if blocks > clusters.most_blocks_nonportable:
        raise LaunchError(f"{where}: block_clusters.most_blocks_nonportable is {clusters.most_blocks_nonportable}", "cluster")
    if blocks > clusters.most_blocks and not nonportable:
        raise LaunchError(f"{where}: block_clusters.most_blocks is {clusters.most_blocks}; launch(..., nonportable_cluster=True) allows up to "
                          f"{clusters.most_blocks_nonportable}", "cluster")
    if active_clusters(architecture, resident, blocks) == 0:
        raise LaunchError(f"{where}: a cluster of {max(together(architecture.chip))} multiprocessors has room for only "
                          f"{max(together(architecture.chip)) * resident.active_blocks} of its blocks ({resident.active_blocks} on each, by "
                          f"{', '.join(resident.limiter)})", "residency")


def together(chip: Chip) -> tuple[int, ...]:
    """Give how many multiprocessors share each port, which are those that the blocks of a cluster start on."""
    if chip.cluster_sizes:
        return chip.cluster_sizes
    whole, rest = divmod(chip.multiprocessors, chip.multiprocessors_per_cluster)
    return (chip.multiprocessors_per_cluster,) * whole + ((rest,) if rest else ())


def active_clusters(architecture: Architecture, resident: Occupancy, blocks: int) -> int:
    """Count the clusters of so many blocks that can be resident at a time."""
    return sum(size * resident.active_blocks // blocks for size in together(architecture.chip))


def check_size(kernel: str, architecture: Architecture, program: Program) -> None:
    """Refuse a kernel that is too large for the machine. Raises LaunchError."""
    limits = architecture.limits
    parameters = max((p.offset + p.bytes for p in program.parameter_layout), default=0)     # as passed; the program's are rounded up
    for name, value in (("local_bytes_per_thread", program.local_bytes), ("parameter_bytes", parameters),
                        ("constant_bytes", len(program.const_image))):
        if value > getattr(limits, name):
            raise _refusal(kernel, architecture, name, getattr(limits, name), value)


def check_cooperative(kernel: str, architecture: Architecture, program: Program, grid: tuple[int, int, int], resident: Occupancy) -> None:
    """Refuse a cooperative launch of more blocks than can be resident at once, or of a kernel that launches kernels. Raises LaunchError.

    References: CUDA Runtime API, cudaLaunchCooperativeKernel: "The kernel cannot make use of CUDA dynamic parallelism"; an H200 gives
    cudaErrorNotPermitted (tests/data/h200/device_runtime.txt).
    """
    if "cooperative_launch" not in architecture.isa.features:
        raise LaunchError(f"cannot launch {kernel} cooperatively on {architecture.label}: it does not declare the feature "
                          f"cooperative_launch ({FEATURES['cooperative_launch']})", "feature")
    if (launches := (program.ops["kind"] == Kind.SYSTEM) & (program.ops["fn"] == SystemCall.LAUNCH)).any():
        where = program.statements[int(program.ops["statement"][launches.argmax()])]
        place = f"{where.file}:{where.source_line}" if where.file and where.source_line is not None else f"{program.file}:{where.line}"
        raise LaunchError(f"cannot launch {kernel} cooperatively on {architecture.label}: it launches kernels itself ({place}), which CUDA does "
                          "not permit together; launch it without, or let the host make the launches", "permission")
    most = resident.active_blocks * architecture.chip.multiprocessors
    if (blocks := math.prod(grid)) > most:
        raise LaunchError(f"cannot launch {kernel} cooperatively on {architecture.label}: all blocks must be resident at once, at most "
                          f"{most} ({resident.active_blocks} on each of {architecture.chip.multiprocessors} multiprocessors, by "
                          f"{', '.join(resident.limiter)}), got {blocks}", "residency")


def check_warp_size(kernel: str, architecture: Architecture, statements: Iterable[Statement | Instruction], warp_size: int | None) -> None:
    """Refuse code that was generated for warps of another size and exchanges values within them. Raises LaunchError.

    statements : what it consists of, each with an `opcode`: those of a program, or instructions as parsed.
    """
    if warp_size in (None, architecture.warp.size):
        return
    for statement in statements:
        if statement.opcode in _WITHIN_WARP:
            raise LaunchError(f"{kernel} was compiled for warps of {warp_size} lanes and exchanges values within them "
                              f"({statement}); {architecture.label} has {architecture.warp.size} lanes", "image")


def _refusal(kernel: str, architecture: Architecture, limit: str, allowed: int, asked: object) -> LaunchError:
    return LaunchError(f"cannot launch {kernel} on {architecture.label}: limits.{limit} is {allowed}, got {asked}",
                       "shape" if limit.startswith(("grid_", "block_", "threads_per_block")) else "")
