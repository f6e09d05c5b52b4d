"""Do accesses of memory become the passes, transactions and partitions that the description defines?

The description's policies are plain Python; here the engine carries out accesses of chosen addresses, and must count what they say.
"""
from __future__ import annotations

import numpy as np

from archdef.spec import PagePlacement
from archdef.testing.checks.check import Subject, check, expect
from archdef.testing.checks.samples import kernel

_SHARED = """
    .shared .align 16 .b8 part[{bytes}];
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r7, [%rd4]; mov.u32 %r8, part; add.u32 %r8, %r8, %r7;
    ld.volatile.shared.u{bits} {value}, [%r8+0]; st.volatile.shared.u{bits} [%r8+0], {value};"""
_GLOBAL = """
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; ld.global.u32 %r7, [%rd4]; cvt.u64.u32 %rd6, %r7; add.u64 %rd6, %rd1, %rd6;
    ld.global.u{bits} {value}, [%rd6+0]; ld.global.cg.u{bits} {more}, [%rd6+0];
    st.global.u{bits} [%rd6+0], {value}; st.global.u{bits} [%rd1+16384], {more};"""


def _patterns(lanes: int) -> dict[str, np.ndarray]:
    """Words that the lanes of a warp access, by name."""
    lane, source = np.arange(lanes), np.random.default_rng(2009)
    return {"broadcast": 0 * lane, "one after the other": lane, "backwards": lane[::-1], "from the middle": lane + 5,
            "stride 2": 2 * lane, "stride 3": 3 * lane, "stride 16": 16 * lane, "halves": lane // 2, "two words": lane % 2 * 7,
            "shuffled": source.permutation(lanes), "random": source.integers(0, 8 * lanes, lanes)}


def _accesses(subject: Subject) -> list[str]:
    return [f"{pattern}, {bits} bits" for pattern in _patterns(1) for bits in (32, 64)]


def _parts(subject: Subject, case: str) -> tuple[np.ndarray, int]:
    """Give the bytes at which each lane of a warp accesses memory, shape (warp.size,), and the bytes of a word."""
    pattern, _, bits = case.removesuffix(" bits").rpartition(", ")
    return _patterns(subject.architecture.warp.size)[pattern] * (int(bits) // 8), int(bits) // 8


def _run(subject: Subject, template: str, offsets: np.ndarray, word: int):
    """Launch one warp; give the run, the device's place of ``out``, and the statements that access memory in the pattern."""
    device, span = subject.device(), int(offsets.max()) + word
    text = kernel(template.format(bits=8 * word, bytes=-(-span // 16) * 16, value="%rd7" if word == 8 else "%r9",
                                  more="%rd8" if word == 8 else "%r10"))
    out = device.zeros(2049, "u8")
    run = device.compile(text).k[(1,), (len(offsets),)](out, device.to_device(offsets.astype("u4")), len(offsets))
    return run, out.address, {s.text.split()[0].rpartition(".")[0]: s.counters for s in run.statements if "+0]" in s.text}


@check(cases=_accesses, quick=6)
def shared_accesses_take_the_declared_passes(subject: Subject, case: str) -> None:
    """The engine makes as many passes over the banks as the declared banks and broadcast rule; one word for all lanes is one pass a group."""
    offsets, word = _parts(subject, case)
    architecture, shared = subject.architecture, subject.architecture.shared
    if int(offsets.max()) + word > architecture.limits.shared_bytes_per_block or len(offsets) > architecture.limits.threads_per_block:
        return
    run, _, statements = _run(subject, _SHARED, offsets, word)
    groups = shared.groups(offsets, word)
    found = {"ld": statements["ld.volatile.shared"].shared_load_passes, "st": statements["st.volatile.shared"].shared_store_passes}
    for what, has in found.items():
        passes = shared.passes(offsets, word, load=what == "ld")
        expect(has == passes, f"{what} of {case}: {has} passes over the banks, by {shared.broadcast} and {shared.banks} banks {passes}")
    has = run.counters.shared_load_groups
    expect(has == groups, f"{case}: {has} conflict groups of {shared.conflict_lanes} lanes, should be {groups}")
    if case.startswith("broadcast, 32"):
        expect(passes == groups, f"one word for all lanes takes {passes} passes for {groups} groups of lanes: a broadcast is one pass")


@check(cases=_accesses, quick=6)
def global_accesses_make_the_declared_transactions(subject: Subject, case: str) -> None:
    """Loads and stores of a warp become the transactions, and move the bytes, that the declared coalescing rules say."""
    offsets, word = _parts(subject, case)
    architecture, rules = subject.architecture, subject.architecture.coalescing
    if len(offsets) > architecture.limits.threads_per_block:
        return
    _, start, statements = _run(subject, _GLOBAL, offsets, word)
    l1 = architecture.caches.l1
    cached = l1 is not None and l1.enabled and architecture.caches.l1_global_loads
    for what, rule, kind in (("ld.global", rules.load if cached else rules.load_uncached, "load"),
                             ("ld.global.cg", rules.load_uncached, "load"), ("st.global", rules.store, "store")):
        sent, counters = rule.transactions(start + offsets, word), statements[what]
        has = getattr(counters, f"global_{kind}_transactions"), getattr(counters, f"global_{kind}_bytes_moved")
        wants = len(sent), sum(t.bytes for t in sent)
        expect(has == wants, f"{what} of {case}: {has[0]} transactions of {has[1]} bytes, by {rule} {wants[0]} of {wants[1]}")


@check()
def partitions_hold_the_declared_addresses(subject: Subject) -> None:
    """Each chunk of memory is fetched from the partition that the declared map gives, and the map uses every partition."""
    architecture = subject.architecture
    dram, device = architecture.dram, subject.device()
    if isinstance(dram.partition_map, PagePlacement):       # who asks first says where, no address alone
        return
    count = 4 * dram.partitions + 3
    chunks = device.zeros(count * dram.interleave_bytes // 4 + 64, "u4")
    text = kernel(f"""
    setp.ge.u32 %p1, %r6, %r1; @%p1 bra END;
    mul.lo.u32 %r7, %r6, {dram.interleave_bytes}; cvt.u64.u32 %rd3, %r7; add.u64 %rd4, %rd1, %rd3; st.global.u32 [%rd4], %r6;
END:""")
    block = subject.threads
    run = device.compile(text).k[(-(-count // block),), (block,)](chunks, chunks, count)
    places = [dram.partition_map.partition(chunks.address + k * dram.interleave_bytes, dram.interleave_bytes, dram.partitions)
              for k in range(count)]
    wants = np.bincount(places, minlength=dram.partitions)
    has = run.counters.partition["requests"]
    expect(list(has) == list(wants), f"stores to {count} chunks reach partitions {list(map(int, has))} times, by {dram.partition_map} "
                                     f"{wants.tolist()}")
    expect(wants.all(), f"{dram.partition_map} leaves partitions {np.flatnonzero(wants == 0).tolist()} without memory")
