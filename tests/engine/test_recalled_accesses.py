"""Does an access that repeats the pattern of an earlier one at another address cost what it would cost if it were the first?"""
import random

import archdef
import numpy as np
import pytest
from small_machine import gizmo

from archdef.engine import coalesce
from archdef.pack import coalescing_table
from archdef.spec import Lines, SegmentShrinking, StrictHalfWarp
from archdef.spec.isa import FEATURES

RULES = [Lines(32, 128, 128), Lines(32, 128, 32), Lines(16, 128, 32), Lines(64, 64, 32), Lines(64, 256, 64), Lines(32, 512, 128), Lines(32, 512, 512),
         SegmentShrinking(), SegmentShrinking(32, 64, 128), SegmentShrinking(64, 32, 512), StrictHalfWarp(), StrictHalfWarp(32, 64, 512)]
TYPES = {1: "u8", 2: "u16", 4: "u32", 8: "u64", 16: "v4.u32"}
ROUNDS = 96
BYTES = 1 << 14
"""Of the places where a round begins."""
SOURCE = """
.version 7.8
.target sm_20
.address_size 64
.visible .entry again(.param .u64 p, .param .u64 places, .param .u32 shift, .param .u32 seed) {
    .reg .u64 %p, %a, %o; .reg .u32 %t, %n, %s, %b, %v<4>; .reg .u16 %h; .reg .u64 %w; .reg .pred %c, %in;
    ld.param.u64 %p, [p]; ld.param.u64 %a, [places]; ld.param.u32 %s, [shift]; ld.param.u32 %n, [seed];
    mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 4; add.u64 %a, %a, %o; ld.global.u32 %t, [%a];
    setp.ne.u32 %in, %t, 0xffffffff; cvt.u64.u32 %o, %t; add.u64 %p, %p, %o;
    mov.u32 %v0, 0; mov.u32 %v1, 0; mov.u32 %v2, 0; mov.u32 %v3, 0; mov.u16 %h, 0; mov.u64 %w, 0;
    mov.u32 %t, ROUNDS;
LOOP:
    mul.lo.u32 %n, %n, 1664525; add.u32 %n, %n, 1013904223;
    shr.u32 %b, %n, 10; and.b32 %b, %b, PLACES; shl.b32 %b, %b, %s;
    cvt.u64.u32 %a, %b; add.u64 %a, %a, %p;
    @%in ACCESS
    sub.u32 %t, %t, 1; setp.ne.u32 %c, %t, 0;
    @%c bra LOOP;
    ret;
}
"""
VALUES = {1: "%h", 2: "%h", 4: "%v0", 8: "%w", 16: "{%v0, %v1, %v2, %v3}"}


def source(kind: str, word: int, step: int) -> str:
    access = {"load": f"ld.volatile.global.{TYPES[word]} {VALUES[word]}, [%a];", "store": f"st.global.{TYPES[word]} [%a], {VALUES[word]};",
              "atomic": f"red.global.add.{TYPES[word]} [%a], {VALUES[word]};"}[kind]
    return SOURCE.replace("ROUNDS", str(ROUNDS)).replace("PLACES", str(BYTES // step - 1)).replace("ACCESS", access)


def starts(seed: int, step: int) -> list[int]:
    """Where each round begins, as the kernel has it."""
    found = []
    for _ in range(ROUNDS):
        seed = (seed * 1664525 + 1013904223) % 2**32
        found.append((seed >> 10) % (BYTES // step) * step)
    return found


def patterns(lanes: int, word: int, rng: random.Random) -> list[list[int]]:
    """Offsets of the lanes, multiples of the word; None: the lane takes no part."""
    found = [[lane * stride // word * word for lane in range(lanes)] for stride in (4, 8, 16, 32, 48, 64, 128, 256)]
    found += [[rng.randrange(64) * grain // word * word for _ in range(lanes)] for grain in (4, 32, 64, 128)]
    return found + [[at if rng.random() < share else None for at in one] for one in found for share in (0.1, 0.6) if share > 0.5 or rng.random() < 0.3]


def machine(rule, lanes: int):
    size = max(128, rule.largest_bytes, getattr(rule, "line_bytes", 0))
    sector = getattr(rule, "sector_bytes", size // 4)
    changes = {"warp.size": lanes, "caches.l1": None, "isa.features": frozenset(FEATURES), "dram.interleave_bytes": size,
               "caches.l2.line_bytes": size, "caches.l2.sector_bytes": max(sector, size // 4)}
    return gizmo().evolve(changes | {f"coalescing.{kind}": rule for kind in ("load", "store", "load_uncached")})


@pytest.mark.parametrize("lanes", [32, 64])
@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_accesses_cost_the_same_wherever_their_pattern_was_seen_before(rule, lanes):
    device, rng, table = archdef.Device(machine(rule, lanes)), random.Random(f"{rule} {lanes}"), coalescing_table(rule)
    memory, places = device.zeros(1 << 17, "u1"), device.zeros(lanes, "u4")
    for word in TYPES:
        for kind in ("load", "store", "atomic"):
            if kind == "atomic" and word not in (4, 8):
                continue
            step = rng.choice([step for step in (1, 2, 4, 8, 16) if step >= word])
            kernel = device.compile(source(kind, word, step)).again
            for offsets in patterns(lanes, word, rng):
                mask = sum(at is not None for at in offsets) and sum((at is not None) << lane for lane, at in enumerate(offsets))
                if not mask:
                    continue
                places.copy_from(np.array([2**32 - 1 if at is None else at for at in offsets], "u4"))
                seed = rng.randrange(2**32)
                run = kernel[1, lanes](memory, places, np.uint32(step.bit_length() - 1), np.uint32(seed))
                counted = run.counters.statements
                name = {"load": "global_loads", "store": "global_stores", "atomic": "atomics"}[kind]
                found = counted[counted[name] == ROUNDS]
                assert len(found) == 1
                formed = [coalesce.transactions(table, [memory.address + at + (offset or 0) for offset in offsets], word, mask) for at in starts(seed, step)]
                transactions = {"load": "global_load_transactions", "store": "global_store_transactions", "atomic": "atomic_transactions"}[kind]
                assert found[transactions][0] == sum(pieces for one in formed for _, _, pieces in one), (kind, word, step, offsets)
                if kind != "atomic":
                    assert found[f"global_{kind}_bytes_moved"][0] == sum(size for one in formed for _, size, _ in one), (kind, word, step, offsets)
