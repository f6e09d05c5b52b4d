"""Is time the same for the same input, and within what the declared numbers allow?"""
from __future__ import annotations

import concurrent.futures

import numpy as np

from archdef.engine import core
from archdef.testing.checks.check import Broken, Subject, check, expect, prepared, run_of
from archdef.testing.checks.samples import block_threads, kernel
from archdef.testing.latency import declared_latency_cycles, fresh_rows

_PARTS = ("statements", "multiprocessor", "partition")


def _unequal(one, other) -> str:
    """Say in what two launches differ; nothing if they are the same."""
    if one.cycles != other.cycles:
        return f"{one.cycles} and {other.cycles} cycles"
    parts = [part for part in _PARTS if (getattr(one.counters, part) != getattr(other.counters, part)).any()]
    return f"counters of {', '.join(parts)}" if parts else ""


# ---------------------------------------------------------------------------------------------------------- the same again
@check(cases=lambda subject: ["1 cycle", "7 cycles", "50 cycles", "turns of a microsecond"], quick=2)
def cycles_do_not_depend_on_epochs(subject: Subject, case: str) -> None:
    """However long the engine's epochs are, and however often it is interrupted, every counter of every sample is the same."""
    number = case.split(maxsplit=1)[0]
    lookahead, milliseconds = (int(number), 1000.0) if number.isdigit() else (0, 0.001)
    for name, launch in subject.samples.items():
        device = subject.device()
        kernel, arguments = prepared(device, launch)
        grid = kernel[launch.grid, launch.block].prepare(*arguments)
        session = core.Session(device.machine, device.memory.engine, device.max_instructions, device.max_cycles, lookahead)
        grid.start(session)
        while session.advance(milliseconds):
            pass
        session.finished()
        if differ := _unequal(subject.runs[name], grid.finish()):
            raise Broken(f"kernel {name} in epochs of {case}: {differ} instead of the same")


@check(cases=lambda subject: ["backwards", "two at a time", "four at a time", "twice on a device"], quick=2)
def cycles_do_not_depend_on_order_or_threads(subject: Subject, case: str) -> None:
    """In any order, in several threads of this process at once, or after another launch, every counter of every sample is the same."""
    names = list(reversed(subject.samples))

    def again(name: str):
        device = subject.device()
        if case == "twice on a device":
            kernel, arguments = prepared(device, subject.samples[name])
            launcher = kernel[subject.samples[name].grid, subject.samples[name].block]
            launcher(*arguments)
            return launcher(*arguments)
        return run_of(device, subject.samples[name])[0]

    first = subject.runs        # before threads are
    workers = {"two at a time": 2, "four at a time": 4}.get(case, 1)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        for name, run in zip(names, pool.map(again, names)):
            if differ := _unequal(first[name], run):
                raise Broken(f"kernel {name}, {case}: {differ} instead of the same")


# ----------------------------------------------------------------------------------------------------------------- bounds
@check(cases=lambda subject: list(subject.samples))
def cycles_lie_within_bounds(subject: Subject, case: str) -> None:
    """No kernel takes less than its instructions, chains, units and data need as declared, or more than all of it one by one."""
    run = subject.finished(case)[0]
    if (bounds := run.bounds) is None:
        return
    over = [f"the {bound.cycles:.0f} of {bound.name} ({bound.about})" for bound in bounds.lower if bound.cycles > run.cycles]
    if over:
        raise Broken(f"kernel {case} takes {run.cycles} cycles, less than " + ", ".join(over))
    if bounds.upper is not None:
        expect(run.cycles <= bounds.upper.cycles,
               f"kernel {case} takes {run.cycles} cycles, more than the {bounds.upper.cycles:.0f} of everything one after the other")


# ------------------------------------------------------------------------------------------------------- declared latencies
_CHAINS = {
    "int_add": "add.u32 %r7, %r7, %r8;", "int_logic": "xor.b32 %r7, %r7, %r8;", "int_shift": "shl.b32 %r7, %r7, %r8;",
    "int_minmax": "max.u32 %r7, %r7, %r8;", "int_mul32": "mul.lo.u32 %r7, %r7, %r8;", "fp32_add": "add.rn.f32 %f1, %f1, %f2;",
    "fp32_mul": "mul.rn.f32 %f1, %f1, %f2;", "fp32_minmax": "max.f32 %f1, %f1, %f2;", "fp32_rcp": "rcp.approx.f32 %f1, %f1;",
    "fp32_rsqrt": "rsqrt.approx.f32 %f1, %f1;", "fp64_add": "add.rn.f64 %fd1, %fd1, %fd2;", "fp64_mul": "mul.rn.f64 %fd1, %fd1, %fd2;"}
"""Class of operation → an instruction of it that reads its own result."""
_STEPS = 64


def _chains(subject: Subject) -> list[str]:
    return [name for name in _CHAINS if name in subject.architecture.isa.operations
            and (not name.startswith("fp64") or "fp64" in subject.architecture.isa.features)]


@check(cases=_chains, quick=4)
def chains_take_the_declared_latency(subject: Subject, case: str) -> None:
    """A chain of dependent instructions of one warp takes the declared latency for each, and no longer than its issues one by one."""
    architecture = subject.architecture
    cost, schedulers = architecture.isa.operations[case], architecture.schedulers

    def cycles(steps: int) -> int:
        text = kernel(f"""    .reg .f64 %fd<3>; ld.global.u32 %r7, [%rd2]; ld.global.u32 %r8, [%rd2+4]; ld.global.f32 %f1, [%rd2];
    ld.global.f32 %f2, [%rd2+4]; mov.f64 %fd1, 0d3FF0000000000000; mov.f64 %fd2, 0d3FF8000000000000;
    {_CHAINS[case] * steps}
    {"st.global.f64 [%rd1], %fd1;" if case.startswith("fp64") else "st.global.u32 [%rd1], %r7; st.global.f32 [%rd1+4], %f1;"}""")
        device = subject.device(subject.undisturbed)
        out = device.zeros(4)
        return device.compile(text).k[(1,), (1,)](out, device.to_device(np.ones(2, "f4")), 0).cycles

    each = (cycles(2 * _STEPS) - cycles(_STEPS)) / _STEPS
    interval = architecture.interval_cycles(cost)
    least = max(cost.latency_cycles, 1) if cost.issues else 0
    # an issue slot comes only every so often, and a unit may hold each of the issues
    most = cost.latency_cycles + cost.issues * (max(interval, schedulers.instruction_gap_cycles) + schedulers.issue_interval_cycles)
    expect(least <= each <= most, f"each {case} of a chain takes {each:g} cycles; declared are a latency of {cost.latency_cycles}, "
                                  f"{cost.issues} issues, {interval} cycles of the unit: {least} to {most}")


_WIDE = 8
"""Independent results that each warp has under way."""
_RATES = {"int_add": "add.u32 {x}, {x}, %r8;", "int_logic": "xor.b32 {x}, {x}, %r8;", "int_shift": "shl.b32 {x}, {x}, %r8;",
          "int_mul32": "mul.lo.u32 {x}, {x}, %r8;", "fp32_add": "add.rn.f32 {x}, {x}, %f2;", "fp32_mul": "mul.rn.f32 {x}, {x}, %f2;",
          "fp32_rsqrt": "rsqrt.approx.f32 {x}, {x};", "fp64_add": "add.rn.f64 {x}, {x}, %fd2;", "fp64_mul": "mul.rn.f64 {x}, {x}, %fd2;"}
"""Class of operation → an instruction of it on a register {x} of its own."""


@check(cases=lambda subject: [name for name in _chains(subject) if name in _RATES], quick=3)
def warps_reach_the_declared_rate(subject: Subject, case: str) -> None:
    """A multiprocessor full of warps that do nothing else carries out an instruction at the rate of its unit or of the issue slots."""
    one = subject.architecture.evolve({"chip.multiprocessors": 1, "chip.multiprocessors_per_cluster": 1, "chip.block_launch_cycles": 1})
    schedulers, cost = one.schedulers, one.isa.operations[case]
    unit = one.unit(cost.unit)
    type = {"fp32": "f32", "fp64": "f64"}.get(case[:4], "b32")
    threads = block_threads(one, 256)
    threads -= threads % one.warp.size if threads > one.warp.size else 0

    def timed(steps: int) -> tuple[int, int, int]:
        names = [f"%x{k}" for k in range(_WIDE)]
        made = {"b32": "xor.b32 {x}, %r2, {k};", "f32": "cvt.rn.f32.u32 {x}, %r2;", "f64": "cvt.rn.f64.u32 {x}, %r2;"}[type]
        body = "".join(made.format(x=x, k=k) for k, x in enumerate(names))
        body += "".join(_RATES[case].format(x=x) for _ in range(steps) for x in names)
        add = {"b32": "xor.b32", "f32": "add.rn.f32", "f64": "add.rn.f64"}[type]
        body += "".join(f"{add} %x0, %x0, {x};" for x in names[1:])       # nothing is stored, but nobody knows before
        text = kernel(f"""    .reg .f64 %fd<3>; .reg .{type} %x<{_WIDE}>; and.b32 %r8, %r3, 7; cvt.rn.f32.u32 %f2, %r3; mov.f64 %fd2, 0d3FF8000000000000;
    {body}\n    setp.ne.u32 %p1, %r1, 0; @%p1 st.global.{type} [%rd1], %x0;""")
        device = subject.device(one)
        out, k = device.zeros(16, "u8"), device.compile(text).k
        resident = k[(1,), (threads,)].prepare(out, out, 0).resident
        run = k[(resident.active_blocks,), (threads,)](out, out, 0)
        return run.cycles, run.counters.instructions, resident.active_warps

    (short, few, warps), (long, many, _) = timed(6), timed(18)
    each = (long - short) / (many - few)                    # cycles of the multiprocessor for one instruction of a warp
    units = schedulers.count if unit.scope == "scheduler" else unit.copies
    width = schedulers.issue_width if {unit.name} in schedulers.dual_issue else 1
    declared = max(one.interval_cycles(cost) / units, schedulers.issue_interval_cycles / (schedulers.count * width))
    # with few warps, some schedulers have none; the latency of results or the gap between two instructions of a warp may bind
    most = max(one.interval_cycles(cost) / min(units, warps), schedulers.issue_interval_cycles / min(schedulers.count * width, warps),
               cost.latency_cycles / (warps * _WIDE), schedulers.instruction_gap_cycles / warps,
               schedulers.issue_interval_cycles / units)        # slots of all schedulers coincide: a unit takes one of each round
    # the ends of the two launches, where not all warps are there, leave some per cent
    expect(0.95 * declared <= each <= 1.2 * most + 0.05,
           f"a warp's {case} takes {each:.3g} cycles of a full multiprocessor; by {units} x {unit.name} of {unit.lanes} lanes and "
           f"{schedulers.count} schedulers it is {declared:.3g}")


_LEVELS = {"l1": ".ca", "l2": ".cg", "dram": ".cg"}


def _levels(subject: Subject) -> list[str]:
    caches = subject.architecture.caches
    has = {"l1": caches.l1 is not None and caches.l1.enabled, "l2": caches.l2 is not None and caches.l2.enabled, "dram": True}
    return [level for level in _LEVELS if has[level]]


@check(cases=_levels)
def loads_take_the_declared_way(subject: Subject, case: str) -> None:
    """A load that meets nobody takes what the description's latencies add up to: its operation, the network, the cache or the DRAM row."""
    # a refresh would be met, and code that comes from memory would take the same way beside the loads
    architecture = subject.undisturbed
    cold, steps = case == "dram", 24
    offsets, closed = fresh_rows(architecture, _first_address(subject), 2 * steps + 1) if cold else ([0, 16], [])

    def cycles(loads: int) -> int:
        device = subject.device(architecture)
        links = np.zeros(offsets[-1] // 8 + 2, "u8")
        chain = device.to_device(links)
        links[np.array(offsets) // 8] = np.uint64(chain.address) + np.roll(np.array(offsets, "u8"), -1)
        chain.copy_from_host(links)
        body = "    mov.u64 %rd3, %rd2;\n" + f"    ld.global{_LEVELS[case]}.u64 %rd3, [%rd3];\n" * loads + "    st.global.u64 [%rd1], %rd3;"
        return device.compile(kernel(body)).k[(1,), (1,)](device.zeros(2), chain, 0).cycles

    each = (cycles(2 * steps) - cycles(steps)) / steps
    rule = architecture.coalescing.load if case == "l1" else architecture.coalescing.load_uncached
    moved = rule.transactions([0] * architecture.warp.size, 8, [True, *[False] * (architecture.warp.size - 1)])[0].bytes
    declared = declared_latency_cycles(architecture, case, sector_bytes=moved)
    declared += sum(closed[steps:2 * steps]) / steps * architecture.dram.t_rp_ns * architecture.clocks.shader_mhz / 1000
    links = architecture.interconnect       # some partitions and places of a cluster lie nearer than others
    way = links.distances
    apart = way.partition_ns * architecture.clocks.shader_mhz / 2000 + max(way.hop_cycles, default=0) if way and case != "l1" else 0
    if cold and links.l2_partitions:
        apart += links.l2_partitions.far_latency_ns * architecture.clocks.shader_mhz / 2000
    least, most = 0.97 * declared - 1 - apart, apart + 1.15 * declared + 4 * architecture.schedulers.instruction_gap_cycles + 4
    expect(least <= each <= most, f"a load from {case} takes {each:.0f} cycles; the description's latencies add up to {declared:.0f}")


def _first_address(subject: Subject) -> int:
    """Give the address of a device's first array."""
    return subject.device().zeros(2).address
