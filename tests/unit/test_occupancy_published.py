"""Does the occupancy agree with the vendor's published rules at every point of a grid?

The rules are written down here a second time: those of ``cuda_occupancy.h`` (CUDA 12.6, capabilities 3.0 to 9.0), and those of the
occupancy spreadsheet before (1.x, 2.x). Totals of a multiprocessor come from ``tests/data/limits.toml``.
"""
import itertools
import random

import pytest
from test_occupancy import TABLES

from archdef import registry
from archdef.errors import LaunchError
from archdef.occupancy import blocks_allowed, occupancy

PUBLISHED = sorted(capability for capability in TABLES if capability[0].isdigit())
INSTALLED = [arch for arch in registry.all().values() if arch.compute_capability in PUBLISHED]
SHARED = [0, 1, 255, 256, 257, 1024, 4096, 5000, 8192, 12288, 16384, 24576, 32768, 40000, 49152]


def up(value: int, unit: int) -> int:
    return (value + unit - 1) // unit * unit


def published_blocks(capability: str, threads: int, registers: int, shared: int, shared_per_block: int) -> int:
    """Resident blocks per multiprocessor; 0 where a block cannot run."""
    table = TABLES[capability].get("recalled", {}) | TABLES[capability]["seen"]
    major, minor = map(int, capability.split("."))
    file, per_block = table["registers_per_sm"], table.get("registers_per_block_max", table["registers_per_sm"])
    warps = -(-threads // 32)
    if threads > table["max_threads_per_block"] or registers > table["max_regs_per_thread"] or shared > shared_per_block:
        return 0
    if major == 1:
        by_registers = file // up(up(warps, 2) * registers * 32, 256 if minor < 2 else 512)
    elif major == 2:
        one = up(registers * 32, 128 if registers in (21, 22, 29, 30, 37, 38, 45, 46) else 64)
        by_registers = file // one // 2 * 2 // warps
    else:
        parts = 2 if capability == "6.0" else 4
        one = up(registers * 32, 256)
        if per_block < one * up(warps, parts):
            return 0
        by_registers = file // parts // one * parts // warps
    if per_block < registers * 32 * warps:
        return 0
    unit = 512 if major == 1 else 128 if major in (2, 8, 9) else 256
    taken = up(shared + (1024 if major >= 8 else 0), unit)
    by_shared = table["shared_bytes_per_sm"] // taken if taken else 1 << 30
    most = {1: 8, 2: 8, 3: 16, 5: 32, 6: 32, 7: 16 if minor == 5 else 32, 8: 32 if minor == 0 else 16, 9: 32}[major]
    return min(table["max_warps_per_sm"] // warps, most, by_registers, by_shared)


def allowed(arch, threads, registers, shared):
    return min(blocks_allowed(arch.limits, 32, threads=threads, registers=registers, shared_bytes=shared).values())


@pytest.mark.parametrize("arch", INSTALLED, ids=lambda a: a.name)
def test_every_number_of_warps_and_registers_gives_the_published_blocks(arch):
    """All points with as many warps and registers as a launch may have, and some with part of a warp."""
    limits = arch.limits
    wrong = []
    for threads in {*range(32, limits.threads_per_block + 1, 32), 1, 31, 33, 100, 200, limits.threads_per_block - 1}:
        for registers in range(1, limits.registers_per_thread + 1):
            published = published_blocks(arch.compute_capability, threads, registers, 0, limits.shared_bytes_per_block)
            if published and allowed(arch, threads, registers, 0) != published:
                wrong.append((threads, registers, published, allowed(arch, threads, registers, 0)))
    assert wrong == []


@pytest.mark.parametrize("arch", INSTALLED, ids=lambda a: a.name)
def test_every_amount_of_shared_memory_gives_the_published_blocks(arch):
    most = arch.limits.shared_bytes_per_block
    wrong = []
    for shared in {*range(0, most + 1, 64), *range(1, most, 1021), *(s for s in SHARED if s <= most), most}:
        for threads, registers in itertools.product((32, 64, 96, 256, 320, 512), (8, 20, 32, 40, 63)):
            published = published_blocks(arch.compute_capability, threads, registers, shared, most)
            if published and allowed(arch, threads, registers, shared) != published:
                wrong.append((threads, registers, shared, published, allowed(arch, threads, registers, shared)))
    assert wrong == []


@pytest.mark.parametrize("arch", INSTALLED, ids=lambda a: a.name)
def test_exactly_what_cannot_run_by_the_published_rules_is_refused(arch):
    draw = random.Random(arch.name)
    for _ in range(400):
        threads = draw.choice((32 * draw.randint(1, 33), draw.randint(1, 1056)))
        registers, shared = draw.randint(1, 260), draw.choice((0, draw.randint(0, arch.limits.shared_bytes_per_block + 2000)))
        try:
            active = occupancy(arch, threads=threads, registers=registers, shared_bytes=shared).active_blocks
        except LaunchError:
            active = 0
        published = published_blocks(arch.compute_capability, threads, registers, shared, arch.limits.shared_bytes_per_block)
        assert active == published, (threads, registers, shared)
