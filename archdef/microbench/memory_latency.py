"""Pointer chases: latency of every level of memory, by footprint and stride."""
from __future__ import annotations

from typing import Any

import numpy as np

from archdef.microbench.suite import UnfitParameter, Unsupported, benchmark
from archdef.microbench.machine import Array, Machine
from archdef.microbench.ptx import module, slope

KIB, MIB = 1024, 1024 * 1024
LOADS = 512
"""Of a trip."""
ONE_THREAD_PLACES = 16384
"""Places up to which the chasing thread goes round once before, so that its own caches have seen them in its order; more are touched by
a whole block, past L1."""
FOOTPRINTS_KIB = (4, 16, 32, 64, 96, 128, 192, 224, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 49152, 65536, 98304)
COLD_BYTES = 64 * MIB


def following(places: int, stride_bytes: int, order: str) -> np.ndarray:
    """Give, for each place of a chase, the offset of the next: one cycle through all, at random or as they lie."""
    if order == "linear":
        visited = np.arange(places, dtype="u8")
    else:
        visited = np.random.default_rng(7).permutation(places).astype("u8")
    offsets = np.empty(places, "u8")
    offsets[visited] = np.roll(visited, -1) * np.uint64(stride_bytes)
    return offsets


_GLOBAL = """    .reg .u64 %p, %q; .reg .u32 %thread, %i, %n, %stride; .reg .pred %c;
    mov.u32 %thread, %tid.x; mov.u32 %stride, %ntid.x;
    ld.param.u64 %p, [chain];
    ld.param.u32 %n, [touched];
    mov.u32 %i, %thread;
    setp.ge.u32 %c, %i, %n;
    @%c bra TOUCHED;
TOUCH:
    mad.wide.u32 %q, %i, {stride}, %p;
    ld.global{past}.u64 %q, [%q];
    st.global.u64 [%p+8], %q;
    add.u32 %i, %i, %stride;
    setp.lt.u32 %c, %i, %n;
    @%c bra TOUCH;
TOUCHED:
    bar.sync 0;
    setp.ne.u32 %c, %thread, 0;
    @%c bra END;
    ld.param.u32 %n, [rounds];
    mov.u32 %i, 0;
    setp.eq.u32 %c, %n, 0;
    @%c bra WARM;
ROUNDS:
    ld.global{operator}.u64 %p, [%p];
    add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, %n;
    @%c bra ROUNDS;
WARM:
    setp.eq.u64 %c, %p, 0;      // the clock starts when the last load before has answered
    @%c bra END;
{timed}
    st.global.u64 [%p+8], %p;
END:
"""


def _footprints(machine: Machine) -> list[dict[str, Any]]:
    most = max(1024, 2.7 * machine.properties.l2_bytes / KIB)
    chosen = [k * KIB for k in FOOTPRINTS_KIB if k <= most]
    return ([{"footprint_bytes": b, "operator": "ca"} for b in chosen] + [{"footprint_bytes": b, "operator": "cg"} for b in (4 * KIB, 64 * KIB, 512 * KIB)]
            + [{"footprint_bytes": COLD_BYTES, "operator": "ca", "warm": False}]
            + [{"footprint_bytes": COLD_BYTES, "operator": "ca", "warm": False, "order": "linear", "stride_bytes": stride}
               for stride in (16, 32, 64, 128, 256, 512, 1024)])


@benchmark("global_latency", {"cycles": "cycles"}, _footprints, choices={"operator": ("ca", "cg", "nc"), "order": ("random", "linear")})
def global_latency(machine: Machine, *, footprint_bytes: int = 4096, stride_bytes: int = 128, operator: str = "ca", order: str = "random",
                   warm: bool = True) -> dict[str, float]:
    """Cycles from one global load to the next that depends on it, in one thread: a chain of pointers `stride_bytes` apart through a
    footprint that decides which cache holds them. Operator: ca (all caches), cg (past L1), nc (read-only). Not warm: no place was read before.
    """
    places = footprint_bytes // stride_bytes
    if places < 2 or stride_bytes < 16:
        raise UnfitParameter(f"a chase needs two places at least, 16 bytes or more apart; got {footprint_bytes} bytes by {stride_bytes}")
    if footprint_bytes > machine.properties.dram_bytes // 2:
        raise Unsupported(f"{footprint_bytes} bytes are more than half of the memory of {machine.label}")
    touched = places if warm and places > ONE_THREAD_PLACES else 0
    rounds = (places if places <= ONE_THREAD_PLACES else 64) if warm else 0
    chain = machine.array((places, stride_bytes // 8), "u8")
    links = np.zeros((places, stride_bytes // 8), "u8")
    links[:, 0] = following(places, stride_bytes, order) + np.uint64(chain.address)
    chain.write(links)
    modern = "unified_addressing" in machine.features  # cache operators came with 2.0, as caches did

    def write(timed: str) -> str:
        return module(_GLOBAL.format(timed=timed, stride=stride_bytes, past=".cg" if modern else "", operator=mark),
                      ".param .u64 out, .param .u64 chain, .param .u32 touched, .param .u32 rounds")

    mark = f".{operator}" if modern or operator == "nc" else ""
    threads = machine.properties.threads_per_block if touched else 1

    def launch(kernel: Any, clocks: Array) -> float:
        if not warm:
            machine.flush()
        return machine.launch(kernel, 1, threads, clocks, chain, np.uint32(touched), np.uint32(rounds))

    return machine.median(lambda: {"cycles": slope(machine, write, lambda n: f"    ld.global{mark}.u64 %p, [%p];\n" * n, (LOADS,), launch,
                                                  threads=threads, trips=(1, 2))})


# ------------------------------------------------------------------------------------------------------------- constant
_CONSTANT = """    .reg .u64 %p, %end; .reg .u32 %i, %n; .reg .pred %c;
    mov.u64 %p, constants;
    ld.param.u32 %n, [rounds];
    mov.u32 %i, 0;
    setp.eq.u32 %c, %n, 0;
    @%c bra END;
ROUNDS:
    ld.const.u64 %p, [%p];
    add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, %n;
    @%c bra ROUNDS;
{timed}END:
    ld.param.u64 %end, [out];
    st.global.u64 [%end+16], %p;
"""


def _constants(machine: Machine) -> list[dict[str, Any]]:
    return [{"footprint_bytes": k} for k in (256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 32768, 65536)
            if k <= machine.properties.constant_bytes]


@benchmark("constant_latency", {"cycles": "cycles"}, _constants)
def constant_latency(machine: Machine, *, footprint_bytes: int = 256, stride_bytes: int = 64) -> dict[str, float]:
    """Cycles from one load of constant memory to the next whose address depends on it, in one thread that has been round the
    footprint before."""
    places = footprint_bytes // stride_bytes
    if places < 2 or stride_bytes % 8 or footprint_bytes > machine.properties.constant_bytes:
        raise Unsupported(f"{machine.label} has {machine.properties.constant_bytes} bytes of constant memory; a chase needs two places in it, "
                          f"a multiple of 8 bytes apart; got {footprint_bytes} bytes by {stride_bytes}")
    table = np.zeros((places, stride_bytes // 8), "u8")
    offsets = following(places, stride_bytes, "linear")

    def write(timed: str) -> str:
        return module(_CONSTANT.format(timed=timed), ".param .u64 out, .param .u32 rounds", variables=f".const .align 64 .u64 constants[{table.size}];\n")

    def launch(kernel: Any, clocks: Array) -> float:
        machine.launch(kernel, 1, 1, clocks, np.uint32(0))  # says where the constants are
        first = clocks.read()[4:6].view("u8")[0]
        table[:, 0] = offsets + first
        machine.write_constants(kernel, int(first), table)
        return machine.launch(kernel, 1, 1, clocks, np.uint32(places))

    return machine.median(lambda: {"cycles": slope(machine, write, lambda n: "    ld.const.u64 %p, [%p];\n" * n, (32, 160), launch,
                                                  threads=1, results=2)})


# -------------------------------------------------------------------------------------------------------------- texture
_TEXTURE = """    .reg .u64 %of, %end; .reg .s32 %p, %q<3>; .reg .u32 %i, %n; .reg .pred %c;
    ld.param.u64 %of, [texels];
    ld.param.u32 %n, [rounds];
    mov.u32 %i, 0;
    mov.s32 %p, 0;
    setp.eq.u32 %c, %n, 0;
    @%c bra WARM;
ROUNDS:
{load}    add.u32 %i, %i, 1;
    setp.lt.u32 %c, %i, %n;
    @%c bra ROUNDS;
WARM:
{timed}    ld.param.u64 %end, [out];
    st.global.s32 [%end+16], %p;
"""


def _textures(machine: Machine) -> list[dict[str, Any]]:
    return [{"footprint_bytes": k * KIB} for k in (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024)]


@benchmark("texture_latency", {"cycles": "cycles"}, _textures, features=("texture", "texture_objects"))
def texture_latency(machine: Machine, *, footprint_bytes: int = 4096, stride_bytes: int = 128, warm: bool = True) -> dict[str, float]:
    """Cycles from one fetch of a texture in linear memory to the next whose coordinate depends on it, in one thread that has been round
    the footprint before."""
    places = footprint_bytes // stride_bytes
    if places < 2 or stride_bytes % 4 or places > ONE_THREAD_PLACES:
        raise UnfitParameter(f"a chase needs 2 to {ONE_THREAD_PLACES} places, a multiple of 4 bytes apart; got {footprint_bytes} bytes by {stride_bytes}")
    texels = np.zeros((places, stride_bytes // 4), "i4")
    texels[:, 0] = following(places, stride_bytes // 4, "random")
    held = machine.array(texels.reshape(-1))
    handle = machine.texture(held)
    load = "    tex.1d.v4.s32.s32 {%p, %q0, %q1, %q2}, [%of, {%p}];\n"

    def write(timed: str) -> str:
        return module(_TEXTURE.format(timed=timed, load=load), ".param .u64 out, .param .u64 texels, .param .u32 rounds")

    def launch(kernel: Any, clocks: Array) -> float:
        if not warm:
            machine.flush()
        return machine.launch(kernel, 1, 1, clocks, handle, np.uint32(places if warm else 0))

    return machine.median(lambda: {"cycles": slope(machine, write, lambda n: load * n, (32, 160), launch, threads=1, results=2)})
