"""What a machine shows of itself: results, cycles and counters of small kernels, limits and occupancy, properties, times of a host's program.

A probe takes an architecture and gives something that can be compared; an error that names what the machine lacks is an observation, too. None looks
at packed tables, and none prints the description.
"""
from __future__ import annotations

import contextlib
import functools
import itertools
import os
import re
import warnings
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import attrs
import numpy as np
from assembled import KERNELS
from matrices import launch_of

import archdef
from archdef import page
from archdef.errors import ArchdefError, GuestWarning
from archdef.examples import load as workload
from archdef.examples.workload import Input, Output
from archdef.host import Host
from archdef.microbench import measure
from archdef.microbench.operations import STEPS, Step
from archdef.microbench.ptx import TYPE, module
from archdef.occupancy import occupancy
from archdef.ptx import table
from archdef.run import device_limits, mapped
from archdef.run.array import DeviceArray
from archdef.run import properties
from archdef.testing.checks.check import run_of
from archdef.testing.checks.probes import PROBES
from archdef.testing.checks.samples import block_threads, kernel, samples
from archdef.testing.compare import Launch
from archdef.testing.forms import forms

PTX = sorted((Path(__file__).parents[1] / "data" / "ptx").glob("*.ptx"))
BUDGET = {"max_instructions": 20_000_000, "max_cycles": 200_000_000}


def _device(arch):
    return archdef.Device(arch, **BUDGET)


def seen(run) -> tuple:
    """Everything that a run counts."""
    c = run.counters
    return (c.cycles, c.elapsed_s, c.statements.tobytes(), c.multiprocessor.tobytes(), c.partition.tobytes(), c.issued.tobytes(),
            c.max_resident_blocks, c.partitions_in_use, run.registers, run.occupancy.active_blocks, run.launch_bytes_read, run.printed,
            *((name, rows.tobytes()) for name, rows in c.components.items()))


def told(error: ArchdefError, arch) -> tuple:
    """An error; what `evolve` has changed is no part of it."""
    return type(error).__name__, getattr(error, "feature", None), str(error).splitlines()[0].replace(arch.label, arch.name)


def _launched(arch, launch: Launch) -> tuple:
    try:
        run, left = run_of(_device(arch), launch)
    except ArchdefError as error:
        return told(error, arch)
    return *seen(run), *(array.tobytes() for array in left)


# ------------------------------------------------------------------------------------------------------------ limits, names
def limits(arch):
    """Occupancy of blocks of many shapes, and what is refused."""
    found = []
    for threads in (1, 32, 33, 96, 192, 256, 512, 1024, 1025):
        for registers in (1, 9, 16, 20, 21, 29, 32, 33, 38, 40, 45, 46, 63, 72, 100, 128, 255):
            for shared in (0, 1, 4000, 16 * 1024, 40 * 1024):
                try:
                    o = occupancy(arch, threads=threads, registers=registers, shared_bytes=shared)
                    found.append((o.active_blocks, o.active_warps, o.limits and tuple(o.limits.items())))
                except ArchdefError as error:
                    found.append(told(error, arch))
    return tuple(found)


def host_properties(arch):
    """What the runtime's properties say."""
    made = properties.DeviceProperties(arch, {})
    return tuple((name, value) for name, value in vars(made).items() if name != "name"), tuple(device_limits.get(_device(arch)).items())


def names(arch):
    """Names, as reports, pages and the runtime show them."""
    return str(arch), properties.DeviceProperties(arch, {}).name, page.markdown(arch), arch.aliases


# ------------------------------------------------------------------------------------------------------------------ kernels
def sample(name):
    """A kernel of the conformance suite."""
    def probe(arch):
        launch = samples(arch).get(name)
        return None if launch is None else _launched(arch, launch)
    return probe


def _text(body, outside=""):
    return kernel(body, outside)


_OWN = "mul.wide.u32 %rd3, %r6, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3;"
_NEXT = "mad.lo.u32 %r7, %r7, 1664525, 1013904223; shr.u32 %r9, %r7, 9; and.b32 %r9, %r9, {mask}; mul.wide.u32 %rd6, %r9, 4;"
_GATHER = f"""
    {_OWN} mov.u32 %r7, %r6; mov.u32 %r10, 0; mov.u32 %r11, 0;
LOOP: {_NEXT} add.u64 %rd7, %rd2, %rd6; ld.global{{ca}}.u32 %r12, [%rd7]; add.u32 %r11, %r11, %r12; {{more}}
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, {{trips}}; @%p1 bra LOOP;
    st.global.u32 [%rd5], %r11;"""
_STORES = "add.u64 %rd8, %rd1, %rd6; st.global.u8 [%rd8], %r11;"
_TO_ONE_WORD = f"{_OWN} cvt.rn.f32.u32 %f1, %r2; mov.u32 %r7, 0;\nLOOP: red.global.add.f32 [%rd1], %f1; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra LOOP;"
_WIDE = "add.u64 %rd8, %rd1, %rd6; st.global.u32 [%rd8], %r11; ld.global.cg.u32 %r13, [%rd8]; add.u32 %r11, %r11, %r13;"
_ATOMS = "add.u64 %rd8, %rd1, %rd6; red.global.add.u32 [%rd8], %r11; red.global.add.u32 [%rd1], 1; atom.global.add.u32 %r13, [%rd8], %r11;"
_COPY = """
    .reg .b32 %v<8>; mul.lo.u32 %r8, %r5, %r3; mov.u32 %r10, %r6;
LOOP: mul.wide.u32 %rd3, %r10, 16; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd4];
    st.global.v4.u32 [%rd5], {%v0, %v1, %v2, %v3}; add.u32 %r10, %r10, %r8; setp.lt.u32 %p1, %r10, %r1; @%p1 bra LOOP;"""
_MIDDLE = """
    .reg .b32 %v<8>; mul.wide.u32 %rd3, %r6, 16; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3; ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd4+128];
    st.global.v4.u32 [%rd5+128], {%v0, %v1, %v2, %v3};"""
_PAIRS = """
    .reg .b32 %v<8>; .reg .b64 %w<4>; mul.wide.u32 %rd3, %r6, 16; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3; mov.u32 %r10, 0; mov.u32 %r11, 0;
LOOP: ld.global.v2.u32 {%v0, %v1}, [%rd4]; ld.global.v2.u32 {%v2, %v3}, [%rd4+8]; add.u32 %v0, %v0, %v3; add.u32 %v1, %v1, %v2; add.u32 %r11, %r11, %v0; add.u32 %r11, %r11, %v1;
    ld.global.v2.u64 {%w0, %w1}, [%rd4]; xor.b64 %w0, %w0, %w1; cvt.u32.u64 %v4, %w0; add.u32 %r11, %r11, %v4;
    ld.global.v4.u32 {%v4, %v5, %v6, %v7}, [%rd4]; add.u32 %r11, %r11, %v4; add.u32 %r11, %r11, %v6; add.u32 %r11, %r11, %v7;
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 6; @%p1 bra LOOP;
    st.global.u32 [%rd5], %r11;"""
_PAIRS_OF_ALL = f"""
    .reg .b32 %v<40>; .reg .b64 %w<40>; {_OWN} mov.u32 %r10, 0; mov.u32 %r11, 0;
LOOP: """ + " ".join(
    f"ld.global.ca.v4.u32 {{%v{4 * k}, %v{4 * k + 1}, %v{4 * k + 2}, %v{4 * k + 3}}}, [%rd2+{16 * k}];" for k in range(8)) + " ".join(
    f"add.u32 %r11, %r11, %v{k};" for k in range(32)) + " ".join(
    f"ld.global.ca.v2.u32 {{%v{2 * k}, %v{2 * k + 1}}}, [%rd2+{8 * k}];" for k in range(16)) + " ".join(
    f"add.u32 %r11, %r11, %v{k};" for k in range(32)) + " ".join(
    f"ld.global.ca.v2.u64 {{%w{2 * k}, %w{2 * k + 1}}}, [%rd2+{16 * k}];" for k in range(8)) + " ".join(
    f"ld.global.ca.u64 %w{16 + k}, [%rd2+{8 * k}];" for k in range(16)) + " ".join(
    f"xor.b64 %w0, %w0, %w{k};" for k in range(1, 32)) + """
    cvt.u32.u64 %v0, %w0; add.u32 %r11, %r11, %v0; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra LOOP; st.global.u32 [%rd5], %r11;"""
"""All lanes read the same in a row, so that lines hold the unit for less than the registers that they fill."""
_AGAIN = f"""
    {_OWN} mov.u32 %r10, 0; mov.u32 %r11, 0; mul.lo.u32 %r9, %r2, 128;
LOOP: mul.wide.u32 %rd6, %r9, 1; add.u64 %rd7, %rd2, %rd6; ld.global.u32 %r12, [%rd7]; ld.global.u32 %r13, [%rd7+64]; add.u32 %r11, %r11, %r12;
    st.global.u32 [%rd7+32], %r13; add.u32 %r11, %r11, %r13; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 6; @%p1 bra LOOP;
    st.global.u32 [%rd5], %r11;"""
_BANKS = f"""
    .shared .align 16 .b8 tile[4096]; .reg .b32 %v<8>; {_OWN} mov.u32 %r8, tile; and.b32 %r9, %r2, 63; shl.b32 %r10, %r9, 5; add.u32 %r10, %r8, %r10;
    st.shared.u32 [%r10], %r2; bar.sync 0; ld.shared.u32 %r11, [%r10]; shl.b32 %r12, %r9, 4; add.u32 %r12, %r8, %r12;
    ld.shared.v4.u32 {{%v0, %v1, %v2, %v3}}, [%r12]; st.shared.v2.u32 [%r12], {{%v1, %v2}}; xor.b32 %r13, %r9, 1; shr.u32 %r13, %r13, 1;
    shl.b32 %r13, %r13, 3; add.u32 %r13, %r8, %r13; ld.shared.v2.u32 {{%v4, %v5}}, [%r13]; add.u32 %r11, %r11, %v4; add.u32 %r11, %r11, %v3;
    shr.u32 %r14, %r9, 3; shl.b32 %r14, %r14, 7; add.u32 %r14, %r8, %r14; ld.shared.u32 %r15, [%r14]; add.u32 %r11, %r11, %r15;
    shr.u32 %r14, %r9, 1; shl.b32 %r14, %r14, 4; add.u32 %r14, %r8, %r14; ld.shared.v4.u32 {{%v0, %v1, %v2, %v3}}, [%r14]; add.u32 %r11, %r11, %v2;
    st.global.u32 [%rd5], %r11;"""
_CONSTANTS = f"""
    {_OWN} mov.u32 %r7, %r6; mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u64 %rd9, big;
LOOP: {_NEXT} add.u64 %rd7, %rd9, %rd6; ld.const.u32 %r12, [%rd7]; add.u32 %r11, %r11, %r12; and.b32 %r13, %r9, 2047; shl.b32 %r13, %r13, 4;
    cvt.u64.u32 %rd8, %r13; add.u64 %rd8, %rd9, %rd8; ld.const.v4.u32 {{{{%r14, %r15, %r16, %r17}}}}, [%rd8]; add.u32 %r11, %r11, %r14;
    ld.const.u32 %r18, [big+8192]; add.u32 %r11, %r11, %r18;
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 24; @%p1 bra LOOP; st.global.u32 [%rd5], %r11;"""
_CHAINS = """
    .reg .f32 %x<16>; cvt.rn.f32.u32 %f1, %r2; """ + "".join(f"mov.f32 %x{k}, %f1; mov.u32 %r{8 + k}, %r2; " for k in range(8)) + """mov.u32 %r7, 0;
LOOP: """ + "".join(f"fma.rn.f32 %x{k}, %x{k}, %f1, %f1; mul.rn.f32 %x{k + 8}, %x{k}, %f1; add.u32 %r{8 + k}, %r{8 + k}, %r2; "
                    f"rsqrt.approx.f32 %f{k + 2}, %x{k}; " for k in range(8)) + """
    add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 6; @%p1 bra LOOP;
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; """ + "".join(
        f"add.rn.f32 %x0, %x0, %x{k}; add.rn.f32 %x0, %x0, %f{k % 8 + 2}; " for k in range(1, 16)) + """
    cvt.rzi.u32.f32 %r7, %x0; """ + "".join(f"add.u32 %r7, %r7, %r{8 + k}; " for k in range(8)) + "st.global.u32 [%rd5], %r7;"
_MIXED = """
    .reg .f64 %d<5>; .shared .align 16 .b8 tile[4096]; cvt.rn.f32.u32 %f1, %r2; mov.u32 %r7, 0; mov.u32 %r8, %r2; and.b32 %r9, %r2, 255;
    shl.b32 %r9, %r9, 2; mov.u32 %r10, tile; add.u32 %r10, %r10, %r9; st.shared.u32 [%r10], %r2; mov.u32 %r12, %r2; mov.f32 %f2, %f1; mov.f32 %f3, %f1;
    {before}
LOOP: {of_its_own} add.u32 %r8, %r8, %r2; xor.b32 %r12, %r12, %r8; mul.rn.f32 %f2, %f2, %f1; add.rn.f32 %f2, %f2, %f1; rsqrt.approx.f32 %f3, %f3;
    ld.shared.u32 %r11, [%r10]; {of_its_own} add.u32 %r8, %r8, %r11; mul.lo.u32 %r13, %r8, %r2; xor.b32 %r12, %r12, %r13; sin.approx.f32 %f4, %f2; {of_its_own}
    add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 8; @%p1 bra LOOP;
    add.rn.f32 %f2, %f2, %f3; add.rn.f32 %f2, %f2, %f4; cvt.rzi.u32.f32 %r14, %f2; add.u32 %r8, %r8, %r14; xor.b32 %r8, %r8, %r12; {behind}
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r8;"""
_DOUBLES = _MIXED.format(before="cvt.rn.f64.u32 %d1, %r2; mov.f64 %d2, %d1; mov.f64 %d3, %d1;", of_its_own="fma.rn.f64 %d2, %d2, %d1, %d1; add.rn.f64 %d3, %d3, %d1;",
                         behind="add.rn.f64 %d2, %d2, %d3; cvt.rzi.u32.f64 %r15, %d2; add.u32 %r8, %r8, %r15;")
_TEXTURED = _MIXED.format(before="", of_its_own="tex.1d.v4.u32.s32 {%r15, %r16, %r17, %r18}, [image, {%r2}]; add.u32 %r8, %r8, %r15;", behind="")
_BOTH = _MIXED.format(before="cvt.rn.f64.u32 %d1, %r2; mov.f64 %d2, %d1;", behind="cvt.rzi.u32.f64 %r15, %d2; add.u32 %r8, %r8, %r15;",
                      of_its_own="fma.rn.f64 %d2, %d2, %d1, %d1; tex.1d.v4.u32.s32 {%r15, %r16, %r17, %r18}, [image, {%r2}]; add.u32 %r8, %r8, %r15;")
_ROW = f"""
    {_OWN} {" ".join(f"st.global.u32 [%rd5+{4096 * k}], %r6;" for k in range(12))}"""
_PLANE = f"""
    {_OWN} and.b32 %r7, %r2, 3; shr.u32 %r8, %r2, 2; and.b32 %r8, %r8, 7; mov.u32 %r9, 0; mov.u32 %r11, 0;
LOOP: add.u32 %r8, %r8, 8; tex.2d.v4.u32.s32 {{%r15, %r16, %r17, %r18}}, [image, {{%r7, %r8}}]; add.u32 %r11, %r11, %r15; add.u32 %r7, %r7, 4;
    add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 12; @%p1 bra LOOP; st.global.u32 [%rd5], %r11;"""
_DEEP = f"""
    {_OWN} and.b32 %r7, %r2, 3; add.u32 %r7, %r7, %r1; .param .b32 a; .param .b32 b; st.param.b32 [a], %r7; call (b), down, (a); ld.param.b32 %r8, [b];
    st.global.u32 [%rd5], %r8;"""
_DOWN = """
.func (.param .b32 back) down (.param .b32 n)
{ .reg .pred %q; .reg .b32 %s<9>; .local .align 4 .b8 kept[64]; ld.param.u32 %s1, [n]; st.local.u32 [kept], %s1; st.local.u32 [kept+60], %s1;
  setp.eq.u32 %q, %s1, 0; @%q bra LAST; sub.u32 %s2, %s1, 1; { .param .b32 a; .param .b32 b; st.param.b32 [a], %s2; call (b), down, (a); ld.param.b32 %s3, [b]; }
  ld.local.u32 %s4, [kept+60]; add.u32 %s3, %s3, %s4; st.param.b32 [back], %s3; ret;
LAST: st.param.b32 [back], %s1; ret; }"""
_BY_L1 = _GATHER.format(ca=".ca", mask=8191, trips=24, more="add.u64 %rd8, %rd1, %rd6; ld.global.ca.u32 %r13, [%rd8]; st.global.u32 [%rd8], %r6; "
                        "ld.global.ca.u32 %r14, [%rd8]; add.u32 %r11, %r11, %r13; xor.b32 %r11, %r11, %r14; ld.global.ca.u32 %r13, [%rd7+32]; add.u32 %r11, %r11, %r13;")
_BY_ONE_SET = f"""
    {_OWN} mov.u32 %r10, 0; mov.u32 %r11, 0; and.b32 %r9, %r2, 31; shl.b32 %r9, %r9, 12; mul.wide.u32 %rd6, %r9, 1; add.u64 %rd7, %rd2, %rd6;
LOOP: ld.global.ca.u32 %r12, [%rd7]; add.u32 %r11, %r11, %r12; ld.global.ca.u32 %r12, [%rd7+65536]; add.u32 %r11, %r11, %r12;
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra LOOP; st.global.u32 [%rd5], %r11;"""
_MATCHES = f"""
    {_OWN} and.b32 %r7, %r2, 7; mov.u32 %r9, 0;
LOOP: match.any.sync.b32 %r8, %r7, -1; xor.b32 %r7, %r8, %r2; and.b32 %r7, %r7, 7; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 6; @%p1 bra LOOP;
    st.global.u32 [%rd5], %r7;"""


def _apart(instructions, parts=6, rounds=6):
    """Parts of a loop so many instructions apart, with code that nobody goes through between them."""
    dead = "add.u32 %r8, %r8, %r2; xor.b32 %r8, %r8, %r6; " * (instructions // 2)
    inside = "".join(f"setp.ne.u32 %p1, %r1, {1_000_000 + k}; @%p1 bra P{k}; {dead}\nP{k}: add.u32 %r8, %r8, %r6; " for k in range(parts))
    return (f"{_OWN} mov.u32 %r8, %r2; mov.u32 %r9, 0;\nLOOP: {inside} add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, {rounds}; @%p2 bra LOOP; "
            "st.global.u32 [%rd5], %r8;")


_LANES_OF_CONSTANTS = f"""
    {_OWN} mov.u32 %r7, %r2; mov.u32 %r10, 0; mov.u64 %rd9, big;
LOOP: and.b32 %r9, %r7, 63; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd7, %rd9, %rd6; ld.const.u32 %r12, [%rd7]; add.u32 %r7, %r12, %r2;
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 24; @%p1 bra LOOP; st.global.u32 [%rd5], %r7;"""
_OWN_ARRAYS = f"""
    .local .align 4 .b8 own[256]; {_OWN} mov.u64 %rd9, own; mov.u32 %r7, %r1; mov.u32 %r10, 0; mov.u32 %r11, 0; and.b32 %r7, %r7, 3;
FILL: mul.wide.u32 %rd6, %r10, 4; add.u64 %rd7, %rd9, %rd6; st.local.u32 [%rd7], %r10; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 64; @%p1 bra FILL;
    mov.u32 %r10, 0;
LOOP: add.u32 %r9, %r10, %r7; and.b32 %r9, %r9, 31; mul.wide.u32 %rd6, %r9, 4; add.u64 %rd7, %rd9, %rd6; {" ".join(
        f"ld.local.u32 %r{12 + k}, [%rd7+{16 * k}]; add.u32 %r11, %r11, %r{12 + k};" for k in range(6))}
    add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 6; @%p1 bra LOOP; st.global.u32 [%rd5], %r11;"""
_BY_ONE_OF_FOUR = f"""
    {_OWN} mov.u32 %r11, 0; and.b32 %r9, %r2, 255; mul.wide.u32 %rd6, %r9, 512; add.u64 %rd7, %rd2, %rd6;
    """ + " ".join(f"ld.global.ca.u32 %r12, [%rd7+{131072 * k}]; add.u32 %r11, %r11, %r12;" for k in range(4)) + " st.global.u32 [%rd5], %r11;"


def _rounds(lines):
    """Each thread asks for so many lines, 256 lines apart, three times over."""
    loads = " ".join(f"ld.global.ca.u32 %r12, [%rd7+{32768 * k}]; add.u32 %r11, %r11, %r12;" for k in range(lines))
    return (f"{_OWN} mov.u32 %r10, 0; mov.u32 %r11, 0; and.b32 %r9, %r2, 255; mul.wide.u32 %rd6, %r9, 128; add.u64 %rd7, %rd2, %rd6;\nLOOP: {loads} bar.sync 0; "
            "add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 3; @%p1 bra LOOP; st.global.u32 [%rd5], %r11;")


def _constants_of_warps(nbytes):
    """All lanes of a warp ask for the same constants, 32 bytes apart, one after the other, several times over."""
    return f"""{_OWN} mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u64 %rd9, big;
ROUND: mov.u32 %r9, 0;
LOOP: cvt.u64.u32 %rd6, %r9; add.u64 %rd7, %rd9, %rd6; ld.const.u32 %r12, [%rd7]; add.u32 %r11, %r11, %r12; add.u32 %r9, %r9, 32;
    setp.lt.u32 %p1, %r9, {nbytes}; @%p1 bra LOOP; add.u32 %r10, %r10, 1; setp.lt.u32 %p1, %r10, 4; @%p1 bra ROUND; st.global.u32 [%rd5], %r11;"""


BODIES = {
    **{f"constants of warps, {nbytes} bytes": (_constants_of_warps(nbytes), ".const .align 64 .u32 big[2048];", 1 << 15) for nbytes in (320, 512, 4096)},
    "lines of one set of four": (_BY_ONE_OF_FOUR, "", 1 << 18), **{f"{lines} lines each": (_rounds(lines), "", 1 << 16) for lines in (3, 4, 5)},
    "lanes of constants": (_LANES_OF_CONSTANTS, ".const .align 16 .u32 big[64] = {" + ", ".join(str(7 * k % 64) for k in range(64)) + "};", 1 << 15),
    "arrays of threads": (_OWN_ARRAYS, "", 1 << 15),
    "gather by L1": (_BY_L1, "", 1 << 17), "lines of one set": (_BY_ONE_SET, "", 1 << 18),
    **{f"code {apart} apart": (_apart(apart), "", 1 << 15) for apart in (124, 252, 508)},
    "gather": (_GATHER.format(ca="", mask=262143, trips=12, more=""), "", 1 << 18),
    "gather and store bytes": (_GATHER.format(ca=".cg", mask=65535, trips=10, more=_STORES), "", 1 << 18),
    "store and read back": (_GATHER.format(ca="", mask=16383, trips=8, more=_WIDE), "", 1 << 18),
    "floats to one word": (_TO_ONE_WORD, "", 1 << 16), "add to words": (_GATHER.format(ca="", mask=4095, trips=6, more=_ATOMS), "", 1 << 18),
    "copy from a middle": (_MIDDLE, "", 1 << 18), "copy": (_COPY, "", 1 << 18), "pairs": (_PAIRS, "", 1 << 18), "pairs of all": (_PAIRS_OF_ALL, "", 1 << 18), "lines again": (_AGAIN, "", 1 << 18), "banks": (_BANKS, "", 1 << 16),
    "constants": (_CONSTANTS.format(mask=8191), ".const .align 16 .u32 big[8192];", 1 << 16), "chains": (_CHAINS, "", 1 << 16),
    "straight code": ("    mov.u32 %r8, %r2;" + "\n    add.u32 %r8, %r8, %r2; xor.b32 %r8, %r8, %r6;" * 1500 + f"\n{_OWN} st.global.u32 [%rd5], %r8;",
                      "", 1 << 16),
    "doubles beside all": (_DOUBLES, "", 1 << 16), "textures beside all": (_TEXTURED, ".global .texref image;", 1 << 16),
    "stores in a row": (_ROW, "", 1 << 18), "fetches from a plane": (_PLANE, ".global .texref image;", 1 << 16),
    "doubles and textures": (_BOTH, ".global .texref image;", 1 << 16),
}
"""Name → body, what stands outside the kernel, words of its arrays."""


def traffic(name, blocks_each=1, registers=32, most=256, shared=0):
    """A kernel of our own, a block for each multiprocessor and more."""
    body, outside, words = BODIES[name]

    def probe(arch):
        threads = block_threads(arch, most, registers)
        blocks = min(max(blocks_each * arch.chip.multiprocessors + 1, 8), words // (4 * threads) if name == "copy" else words // threads, 160)
        data = np.arange(words, dtype="u4")
        return _launched(arch, Launch(_text(body, outside), (np.zeros(words, "u4"), data, words // 4), (blocks,), (threads,),
                                     shared_bytes=min(shared, arch.limits.shared_bytes_per_block * 3 // 4)))
    return probe


def in_turn(arch):
    """Blocks as large as they can be, four times as many as there is room for, that do next to nothing."""
    device, threads = _device(arch), block_threads(arch, 1024, 16)
    try:
        each = occupancy(arch, threads=threads, registers=8).active_blocks
        return seen(device.compile(_text("    setp.gt.u32 %p1, %r1, 1; @%p1 bra END; st.global.u32 [%rd1], %r6;\nEND:")).k[
            (4 * each * arch.chip.multiprocessors + 3,), (threads,)](*[device.zeros(16, "u4")] * 2, 9))
    except ArchdefError as error:
        return told(error, arch)


_WHERE = _text("""
    mov.u32 %r7, %smid; mov.u32 %r8, 0;
LOOP: add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 400; @%p1 bra LOOP; mul.wide.u32 %rd3, %r4, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r7;""")


def places_of_blocks(arch):
    """Where the blocks of grids go that leave most of the chip idle, or some of it, or come round more than once."""
    return tuple(_launched(arch, Launch(_WHERE, (np.zeros(1024, "u4"), np.zeros(1, "u4"), 1), (blocks,), (32,))) for blocks in (3, 7, 20, 45, 77, 100, 300, 500))


def private_memory(arch):
    """Arrays of a thread of its own that are too large, and calls that go too deep."""
    large = [_text(f"    .local .align 4 .b8 own[{size}]; mov.u64 %rd3, own; mul.wide.u32 %rd4, %r1, 4; add.u64 %rd3, %rd3, %rd4; st.local.u32 [%rd3], %r2;"
                   " ld.local.u32 %r7, [%rd3+4]; st.global.u32 [%rd1], %r7;") for size in (12 << 10, 200 << 10, 500 << 10, 768 << 10)]
    deep = _text(_DEEP, _DOWN)
    return tuple(_launched(arch, Launch(text, (np.zeros(256, "u4"), np.zeros(1, "u4"), n), (1,), (8,)))
                 for text, n in [*((text, 2) for text in large), *((deep, n) for n in (2, 9, 10_000))])


def most_shared_memory(arch):
    """Blocks of as much shared memory as they can have, and somewhat less: what fits, and how many do."""
    found = []
    for part, less in ((1, 0), (1, 16), (1, 64), (1, 512), (2, 0), (2, 64), (3, 0), (8, 0)):
        shared = max(arch.limits.shared_bytes_per_block // part - less, 0)
        try:
            device = _device(arch)
            run = device.compile(_WORK).k[(1,), (32,), shared](*[device.zeros(1 << 10, "u4")] * 2, 1)
            found.append((run.occupancy.active_blocks, run.occupancy.limits and tuple(run.occupancy.limits.items())))
        except ArchdefError as error:
            found.append(told(error, arch))
    return tuple(found)


def feature(name):
    """The conformance suite's kernel for a feature."""
    def probe(arch):
        chosen = PROBES[name]
        try:
            device = _device(arch)
            module = device.compile(chosen.ptx)
            if chosen.texture is not None:
                module.textures["image"] = device.texture(device.to_device(chosen.texture))
            out, data = device.zeros(chosen.threads * chosen.repeats, "u4"), device.to_device(np.arange(chosen.threads, dtype="u4"))
            run = getattr(module.k[(1,), (chosen.threads,)], chosen.launch)(out, data, chosen.threads)
            return *seen(run), out.to_host().tobytes()
        except ArchdefError as error:
            return told(error, arch)
    return probe


def shipped(name, size):
    """The kernels of a shipped example."""
    def probe(arch):
        chosen, found, kept = workload(name), [], []       # where an array lies must not depend on what was collected
        device = _device(arch)
        for case in chosen.launches(arch, size):
            try:
                module = device.compile(chosen.source.with_suffix(".ptx"))
                arguments = [device.to_device(a.array) if isinstance(a, Input) else device.zeros(a.expected.shape, a.expected.dtype)
                             if isinstance(a, Output) else a for a in case.arguments]
                kept += [module, arguments]
                run = module[case.kernel][case.grid, case.block, case.shared_bytes](*arguments)
                found.append((seen(run), [a.to_host().tobytes() for a in arguments if isinstance(a, DeviceArray)]))
            except ArchdefError as error:
                found.append(told(error, arch))
        return tuple(map(repr, found))
    return probe


def issued_for(*sources, **options):
    """What the machine would issue for the kernels of PTX files or texts."""
    def probe(arch):
        device = _device(arch)
        return tuple(made for source in sources for made in _issued(device, source, options))
    return probe


def _issued(device, source, options):
    try:
        module = device.compile(source, **options)
    except ArchdefError as error:
        return [told(error, device.architecture)]
    found = []
    for name in module.kernels:
        try:
            program = module[name].program
            found.append((name, program.registers, len(program.ops), program.ops.tobytes()))
        except ArchdefError as error:
            found.append(told(error, device.architecture))
    return found


def textured(name, threads, blocks_each=1):
    """A kernel of our own that fetches from the texture ``image``."""
    body, outside, words = BODIES[name]

    def probe(arch):
        try:
            device, each = _device(arch), block_threads(arch, threads)
            module = device.compile(_text(body, outside))
            module.textures["image"] = device.texture(device.to_device(np.arange(1 << 14, dtype="u4").reshape((128, 128) if "tex.2d" in body else -1)))
            out, data = device.zeros(words, "u4"), device.zeros(words, "u4")
            run = module.k[(min(blocks_each * arch.chip.multiprocessors + 1, 160),), (each,)](out, data, words // 4)
            return *seen(run), out.to_host().tobytes()
        except ArchdefError as error:
            return told(error, arch)
    return probe


_FILTER = _text("""
    cvt.rn.f32.u32 %f1, %r6; add.f32 %f1, %f1, 0f3F000000; mul.f32 %f1, %f1, 0f3CC1A2F3; mov.u32 %r7, 0;
LOOP: tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [image, {%f1}]; mad.lo.u32 %r8, %r7, 256, %r6; mul.wide.u32 %rd3, %r8, 4; add.u64 %rd5, %rd1, %rd3;
    st.global.f32 [%rd5], %f2; add.f32 %f1, %f1, 0f3A83126F; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 4; @%p1 bra LOOP;""", ".global .texref image;")


def filtered(arch):
    """What a texture gives between texels that differ by orders of magnitude, and where its width is large."""
    found = []
    for width in (37, 9000, 70_000):
        try:
            device = _device(arch)
            texels = (1.0 + np.arange(width) % 97 / 31) * 2.0 ** (np.arange(width) * 5 % 11 - 5)
            module, out = device.compile(_FILTER), device.zeros(1024, "f4")
            module.textures["image"] = device.texture(device.to_device(texels.astype("f4")), filter="linear", normalized=True, address="wrap")
            module.k[(8,), (32,)](out, out, 1)
            found.append(out.to_host().tobytes())
        except ArchdefError as error:
            found.append(told(error, arch))
    return tuple(found)


_RUNTIME = """
.extern .func (.param .b64 r) cudaGetParameterBufferV2(.param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s);
.extern .func (.param .b32 r) cudaLaunchDeviceV2(.param .b64 f, .param .b64 s);
.extern .func (.param .b32 r) cudaDeviceSynchronize();
.visible .entry leaf(.param .u64 out, .param .u64 in, .param .u32 n)
{ .reg .b32 %r<3>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [out]; mov.u32 %r1, %clock; st.global.u32 [%rd1], %r1; ret; }"""
_BUFFER = """{{ .param .b64 f; st.param.b64 [f], %rd6; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 r;
    st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1; st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call.uni (r), cudaGetParameterBufferV2, (f, g, b, s); ld.param.b64 %rd7, [r]; }}
    setp.ne.u64 %p2, %rd7, 0; @%p2 st.u64 [%rd7], {out}; @%p2 st.u64 [%rd7+8], %rd2; @%p2 st.u32 [%rd7+16], {n};
    {{ .param .b64 f; st.param.b64 [f], %rd7; .param .b64 s; st.param.b64 [s], {stream}; .param .b32 r; call.uni (r), cudaLaunchDeviceV2, (f, s); ld.param.b32 %r10, [r]; }}"""
_ANSWER = "mul.wide.u32 %rd3, %r1, 4; add.u64 %rd5, %rd1, %rd3;"
_WAIT = "{ .param .b32 r; call.uni (r), cudaDeviceSynchronize, (); ld.param.b32 %r11, [r]; } st.global.u32 [%rd5+512], %r11;"
LAUNCHING = {
    "down": f"mov.u64 %rd6, k; add.u32 %r9, %r1, 1; {_BUFFER.format(out='%rd1', n='%r9', stream='0')} {_ANSWER} st.global.u32 [%rd5], %r10;",
    "many": f"mov.u64 %rd6, leaf; mov.u32 %r9, 0; add.u64 %rd8, %rd1, 64;\nLOOP: {_BUFFER.format(out='%rd8', n='%r9', stream='0')} add.u64 %rd8, %rd8, 4;"
            " st.global.u32 [%rd8+1024], %r10; add.u32 %r9, %r9, 1; setp.lt.u32 %p1, %r9, 14; @%p1 bra LOOP;",
    "tail": f"mov.u64 %rd6, leaf; {_BUFFER.format(out='%rd1', n='%r1', stream='3')} st.global.u32 [%rd1+4], %r10;"}
LAUNCHING["down and wait"] = LAUNCHING["down"] + _WAIT


def launched_by_kernels(arch):
    """Chains of kernels that go too deep, with waits and without; launches of all lanes, at the end, and more of them than there is room for."""
    found = []
    for name, threads in (("down", 1), ("down and wait", 1), ("many", 1), ("many", 32), ("tail", 1)):
        try:
            few = {} if name != "many" or arch.device_launches is None else {"device_launches.pending": max(arch.device_launches.pending // 256, 1)}
            device = _device(arch.evolve(few))
            out = device.zeros(1024, "u4")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", GuestWarning)      # of the calls that fail, whose answers are kept
                run = device.compile(_text(LAUNCHING[name], _RUNTIME)).k[(1,), (threads,)](out, out, 0)
            found.append((seen(run), out.to_host().tobytes()))
        except ArchdefError as error:
            found.append(told(error, arch))
    return tuple(found)


_PRINTED = """.global .align 4 .b8 text[8] = {120, 10, 0, 0, 0, 0, 0, 0}; .extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);"""
_PRINT = "{ .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %rd6; st.param.b64 [a], 0; call.uni (r), vprintf, (f, a); ld.param.b32 %r9, [r]; }"


def many_print(arch):
    """Warps that print, all at a time, each several times."""
    text = _text(f"    mov.u64 %rd6, text; cvta.global.u64 %rd6, %rd6; {_PRINT * 4} st.global.u32 [%rd1], %r9;", _PRINTED)
    return _launched(arch, Launch(text, (np.zeros(256, "u4"), np.zeros(256, "u4"), 0), (1,), (block_threads(arch, 16 * arch.warp.size, 32),)))


def matches(arch):
    """Comparisons of values of which there are several, one waiting for the other."""
    wide = _MATCHES.replace("match.any.sync.b32 %r8, %r7, -1;", "match.any.sync.b32 %rd8, %r7, -1; cvt.u32.u64 %r8, %rd8;")
    text = _text(wide if arch.warp.size > 32 else _MATCHES).replace(".version 6.0", ".version 6.4").replace("sm_30", "sm_70")
    return _launched(arch, Launch(text, (np.zeros(256, "u4"), np.zeros(256, "u4"), 0), (1,), (arch.warp.size * 4,)))


_SURFACE = _text("""
    .reg .b32 %v<8>; ld.global.u64 %rd8, [%rd2]; shl.b32 %r7, %r2, 2; mov.u32 %r8, 0; mov.u32 %r11, %r2; cvt.rn.f32.u32 %f1, %r2; mov.f32 %f2, %f1;
LOOP: suld.b.1d.b32.zero %v0, [%rd8, {%r7}]; suld.b.1d.b32.zero %v1, [%rd8, {%r7}]; mul.rn.f32 %f2, %f2, %f1; add.u32 %r11, %r11, %r2; rsqrt.approx.f32 %f3, %f1;
    sust.b.1d.b32.zero [%rd8, {%r7}], %r11; sust.b.1d.b32.zero [%rd8, {%r7}], %r8; add.u32 %r11, %r11, %v0; xor.b32 %r11, %r11, %v1; add.rn.f32 %f2, %f2, %f3;
    add.u32 %r8, %r8, 1; setp.lt.u32 %p1, %r8, 6; @%p1 bra LOOP;
    cvt.rzi.u32.f32 %r9, %f2; add.u32 %r11, %r11, %r9; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r11;""")


def surfaces(arch):
    """Loads and stores of surfaces by one warp, and by many beside other operations."""
    found = []
    for threads in (32, 512):
        try:
            device = _device(arch)
            surface = device.surface(device.to_device(np.arange(1024, dtype="u4")))
            out = device.zeros(1024, "u4")
            run = device.compile(_SURFACE).k[(1,), (threads,)](out, device.to_device(np.array([surface.handle], "u8")), 0)
            found.append((seen(run), out.to_host().tobytes()))
        except ArchdefError as error:
            found.append(told(error, arch))
    return tuple(found)


def _fragment(letter, count):
    return "{" + ", ".join(f"%{letter}{k}" for k in range(count)) + "}"


_PRODUCTS = {      # instruction without its operands → words of the result, of a, of b
    "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32": (8, 8, 8), "wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16": (4, 8, 8),
    "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32": (8, 2, 2), "mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16": (4, 2, 2)}


def matrix_numbers(arch):
    """Products of random matrices whose numbers differ by orders of magnitude, on sums that do, and the times of those that wait for each other."""
    rng, found = np.random.default_rng(5), []
    halves = (rng.uniform(-2, 2, 2048) * 2.0 ** rng.integers(-6, 4, 2048)).astype("f2").view("u4")
    great = np.array([[1024, 1, -1024, 1], [4096, 1, 4096, 1]], "f2")[:, None, :] * np.where(np.arange(4) % 2, rng.uniform(0.001, 2, (2, 128, 4)), 1)
    cancelling = np.zeros(2048, "u4")       # for each lane a row and a column of four: great products cancel each other, and leave what the sum kept of the others
    for first, rows_ in zip((0, 8), great.astype("f2")):
        cancelling[32 * first:32 * (first + 2)] = rows_[:32].copy().view("u4").T.reshape(-1)
    for (instruction, (d, a, b)), numbers in itertools.product(_PRODUCTS.items(), (halves, cancelling)):
        sums = "f32" if instruction.endswith("f32") else "b32"
        loads = "".join(f"ld.global.b32 %{letter}{k}, [%rd4+{128 * (k + first)}]; " for letter, count, first in (("a", a, 0), ("b", b, 8)) for k in range(count))
        body = f"""
    .reg .b32 %a<8>, %b<8>; .reg .{sums} %d<8>; mul.wide.u32 %rd3, %r2, 4; add.u64 %rd4, %rd2, %rd3; add.u64 %rd5, %rd1, %rd3; {loads}
    {" ".join(f"mov.b32 %d{k}, 0;" if sums == "b32" else f"mov.f32 %d{k}, 0f3F9D7032;" for k in range(d))}
    {f"{instruction} {_fragment('d', d)}, {_fragment('a', a)}, {_fragment('b', b)}, {_fragment('d', d)};" * 3}
    {" ".join(f"st.global.{sums} [%rd5+{128 * k}], %d{k};" for k in range(d))}"""
        found.append(_launched(arch, Launch(_text(body).replace(".version 6.0", ".version 6.4").replace("sm_30", "sm_70"),
                                            (np.zeros(256, "u4"), numbers, 0), (1,), (32,))))
    return tuple(found)


def bench(name, **parameters):
    """A point of a microbenchmark."""
    def probe(arch):
        try:
            return tuple(sorted(measure(name, _device(arch), **parameters).items()))
        except ArchdefError as error:
            return told(error, arch)
    return probe


# ------------------------------------------------------------------------------------------------------------ host's programs
_WORK = _text(f"    {_OWN} mov.u32 %r7, 0;\nLOOP: add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3000; @%p1 bra LOOP; st.global.u32 [%rd5], %r7;")


def host(arch):
    """Copies of all kinds beside kernels in several streams, events, copies to a device beside it, managed memory."""
    words, clock = 1 << 18, Host()
    try:
        device, beside = (archdef.Device(arch, host=clock, **BUDGET) for _ in range(2))
        kernel = device.compile(_WORK).k
        arrays, pinned = [device.empty((words,), "u4") for _ in range(4)], [device.pinned((words,), "u4") for _ in range(4)]
        streams, plain = [device.stream() for _ in range(4)], np.zeros(words, "u4")
        first = streams[0].record()
        for array, block, stream in zip(arrays, pinned, streams):
            array.copy_from(block, stream)
            kernel[(2,), (32,), 0, stream](array, array, 1)
            array.copy_to(block, stream)
        last = streams[1].record()
        streams[2].wait_event(last)
        for k in range(40):
            kernel[(1,), (32,), 0, device.stream()](arrays[k % 4], arrays[k % 4], 1)
        for array, stream in zip(arrays, streams):
            kernel[(2,), (32,), 0, stream](array, array, 1)
        early = streams[0].record()
        for array, block, stream in zip(arrays, pinned, streams):
            array.copy_to(block, stream)
        streams[3].record()
        device.synchronize()
        for nbytes in (1024, 32 * 1024, 100_000, 4 * words):
            device.empty((nbytes // 4,), "u4").copy_from(plain[:nbytes // 4], streams[0])
        arrays[1].copy_to(plain, streams[1])
        device.synchronize()
        other = beside.empty((words,), "u4")
        other.copy_from(arrays[0])
        if device.can_access_peer(beside):
            beside.enable_peer(device)
            other.copy_from(arrays[0])
        if arch.host_link is not None and arch.host_link.managed is not None:
            both = device.managed((words,), "u4")
            for k in range(2):
                both[k * words // 2] = k
                kernel[(2,), (32,), 0, streams[0]](both, both, 1)
                device.synchronize()
        clock.synchronize()
        return tuple((s.kind, s.name, s.start, s.end) for s in clock.timeline().spans), last.elapsed_since(first), early.elapsed_since(first)
    except ArchdefError as error:
        return told(error, arch)


_LINKED = """.version 6.0\n.target sm_30\n.address_size 64
.visible .entry k(.param .u64 words, .param .u32 step)
{
    .reg .b32 %r<8>; .reg .b64 %rd<4>;
    mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.u32 %r4, %r1, %r2, %r3; ld.param.u32 %r5, [step]; mul.lo.u32 %r4, %r4, %r5;
    ld.param.u64 %rd1, [words]; cvt.u64.u32 %rd2, %r4; add.u64 %rd3, %rd1, %rd2; ld.global.cg.u32 %r6, [%rd3]; add.u32 %r6, %r6, 1; st.global.u32 [%rd3], %r6; ret;
}
.visible .entry one(.param .u64 words)
{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [words]; atom.global.exch.b32 %r1, [%rd1], 7; atom.global.exch.b32 %r1, [%rd1], %r1; ret;
}
"""


def links(arch):
    """Reads, stores and atomic operations of kernels on memory of the host, and on that of a device beside."""
    clock, nbytes = Host(), 64 * 128 * 64
    try:
        clock.addresses = mapped.address_space([arch, arch])
        device, beside = (archdef.Device(arch, host=clock, **BUDGET) for _ in range(2))
        descriptor = mapped.shared_file(nbytes)
        places = [mapped.show(descriptor, nbytes, [device.memory])] if mapped.can_map(arch) else []
        os.close(descriptor)
        if clock.addresses is not None and device.can_access_peer(beside):
            device.enable_peer(beside)
            far = beside.empty((nbytes // 4,), "u4")
            places.append(far.address)
        module_ = device.compile(_LINKED)
        return tuple((*(module_.k[blocks, 128](place, step).cycles for blocks, step in ((1, 4), (64, 4), (64, 36), (64, 64))), module_.one[1, 32](place).cycles)
                     for place in places)
    except ArchdefError as error:
        return told(error, arch)


_PAGES = """.version 6.0\n.target sm_30\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 words, .param .u32 trips, .param .u32 lane, .param .u32 trip)
{
    .reg .b32 %r<10>; .reg .b64 %rd<6>; .reg .pred %p;
    ld.param.u64 %rd1, [out]; ld.param.u64 %rd2, [words]; ld.param.u32 %r1, [trips]; ld.param.u32 %r2, [lane]; ld.param.u32 %r3, [trip];
    mov.u32 %r4, %ctaid.x; mov.u32 %r5, %ntid.x; mov.u32 %r6, %tid.x; mad.lo.u32 %r6, %r4, %r5, %r6; mul.lo.u32 %r7, %r6, %r2; mov.u32 %r8, 0;
LOOP: and.b32 %r7, %r7, 1048572; cvt.u64.u32 %rd3, %r7; add.u64 %rd4, %rd2, %rd3; ld.global.cg.u32 %r9, [%rd4]; add.u32 %r8, %r8, %r9;
    and.b32 %r9, %r9, 127; shl.b32 %r9, %r9, 2; add.u32 %r7, %r7, %r9; add.u32 %r7, %r7, %r3;
    sub.u32 %r1, %r1, 1; setp.ne.u32 %p, %r1, 0; @%p bra LOOP;
    mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; st.global.u32 [%rd5], %r8; ret;
}
"""
PAGE_WALKS = {"one thread": (1, 1, 96, 0, 4096), "one thread by 16 KiB": (1, 1, 96, 0, 16384), "a warp": (1, 0, 6, 2048, 8192), "a warp by 4 KiB": (1, 0, 3, 4096, 135168),
              "blocks": (24, 0, 3, 1024, 36864), "blocks together": (24, 0, 4, 4, 16384)}
"""Name → blocks, threads of each (0: a warp), loads of each thread, bytes between neighbours and between loads, of one MiB."""


def pages(name):
    """Loads that wait for each other, over many pages."""
    def probe(arch):
        blocks, threads, trips, lane, trip = PAGE_WALKS[name]
        device = _device(arch)
        words = device.to_device(np.random.default_rng(5).integers(0, 1 << 20, 1 << 18).astype("u4"))
        out = device.to_device(np.zeros(blocks * (threads or arch.warp.size), "u4"))
        run = device.compile(_PAGES).k[blocks, threads or arch.warp.size](out, words, trips, lane, trip)
        return *seen(run), out.copy_to_host().tobytes()
    return probe


_CLUSTERS = """.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)
{
    .reg .b32 %r<16>; .reg .b64 %rd<4>; .shared .align 4 .b8 tile[4096];
    ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile; add.u32 %r3, %r3, %r2; st.shared.u32 [%r3], %r1;
    mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank; add.u32 %r6, %r4, 1; rem.u32 %r6, %r6, %r5;
    barrier.cluster.arrive; barrier.cluster.wait; mapa.shared::cluster.u32 %r7, %r3, %r6; ld.shared::cluster.u32 %r8, [%r7]; st.global.u32 [%rd1], %r8;
    barrier.cluster.arrive; barrier.cluster.wait; ret;
}
"""


def clusters(arch):
    """Times of launches in clusters of all sizes, those that not every machine has with leave and without."""
    device, found = _device(arch), []
    for blocks, leave in ((2, False), (8, False), (9, False), (16, False), (16, True), (17, True), (32, True)):
        try:
            found.append(device.compile(_CLUSTERS).k[blocks, 256].launch(device.zeros(1), cluster=blocks, nonportable_cluster=leave).cycles)
        except ArchdefError as error:
            found.append(told(error, arch))
    return tuple(found)


# ------------------------------------------------------------------------------------------------------ classes of operation
@functools.cache
def rows() -> tuple:
    """A form of each row of the instruction table, with others that differ in type, or name another shape, as far as there is a kernel of it."""
    found = []
    for row in table.TABLE:
        taken = set()
        for form in forms([row]):
            shape = form.bound.get("shape", "") if row.builder in ("matrix_product", "group_product") else ""
            key = form.types, shape
            if key not in taken and len(taken) < (12 if shape else 6) and not re.match("m64n(?!8k|64k)", shape) and launch_of(form) is not None:
                taken.add(key)
                found.append(form)
    return tuple(found)


@functools.cache
def _all_forms() -> tuple:
    return tuple(forms())


def of_pattern(pattern: str, most: int = 12) -> list:
    """Forms of instruction that a pattern of `isa.forms` is for, those behind its colon left aside; of shared and of global memory as many."""
    found = [form for form in _all_forms() if fnmatchcase(form.name, pattern.partition(":")[0])]
    near = [form for form in found if "shared" in form.modifiers]
    return [form for form in (*near[:most], *[form for form in found if form not in near][:most]) if launch_of(form) is not None]


def products_of(type):
    """Products of numbers of a type that differ by orders of magnitude, by one warp and by four."""
    def probe(arch):
        return tuple(_launched(arch, launch_of(form)) for form in rows()
                     if form.row.builder in ("matrix_product", "group_product") and form.types[1] == type and "m64n8k" not in form.name)
    return probe


def bulk_copies_beside_all(arch):
    """One thread has bulk copies made of its block's shared memory, one after the other; the other warps issue whenever they can."""
    asks = ("setp.ne.u32 %p1, %r2, 0; @%p1 bra WORK; mov.u32 %r8, tile; mov.u32 %r9, 64; " + "cp.async.bulk.global.shared::cta.bulk_group [%rd2], [%r8], %r9; " * 12
            + "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; bra END;\nWORK:")
    work = "".join(f"fma.rn.f32 %f{k}, %f{k}, %f1, %f1; " for k in range(2, 10))
    text = _text(f".shared .align 16 .b8 tile[64]; cvt.rn.f32.u32 %f1, %r2; mov.u32 %r7, 0; {' '.join(f'mov.f32 %f{k}, %f1;' for k in range(2, 10))} {asks}\n"
                 f"LOOP: {work} add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 40; @%p1 bra LOOP; mul.wide.u32 %rd3, %r6, 4; add.u64 %rd5, %rd1, %rd3; "
                 f"{' '.join(f'add.rn.f32 %f2, %f2, %f{k};' for k in range(3, 10))} st.global.f32 [%rd5], %f2;\nEND:")
    text = text.replace(".version 6.0", ".version 8.0").replace("sm_30", "sm_90")
    return _launched(arch, Launch(text, (np.zeros(1024, "u4"), np.zeros(1024, "u4"), 0), (1,), (block_threads(arch, 16 * arch.warp.size, 32),)))


def bulk_copies(arch):
    """Bulk copies of lanes into shared memory and out of it."""
    return tuple(_launched(arch, launch_of(form)) for form in [form for form in rows() if form.row.builder == "bulk_copy"][:5])


def one_instruction(name):
    """The kernels of a form of instruction, of edge and random operands."""
    def probe(arch):
        return tuple(_launched(arch, form.launch()) for form in rows() if form.name == name)
    return probe


def taken(arch, form):
    """Why a machine refuses a kernel; None: it does not."""
    try:
        launch = attrs.evolve(form, lanes=arch.warp.size).launch()
        _device(arch).compile(launch.ptx)[launch.entry].program
    except ArchdefError as error:
        return told(error, arch)
    return None


@contextlib.contextmanager
def _asked_for(arch):
    """Collect the classes of operation, and the names of forms of them that are declared apart, whose cost lowering asks for meanwhile."""
    from archdef.lower.cost import Costs

    asked: set[tuple[str, str]] = set()
    honest = Costs.of
    names_of = {id(form): name for name, form in arch.isa.forms.items()}

    def of(self, operation, times, instruction, where, operand=None):
        form = ".".join((instruction.opcode, *instruction.modifiers)) + (f":{operand}" if operand is not None else "")
        if operation in arch.isa.operations:
            asked.add((operation, names_of.get(id(arch.isa.cost(operation, form if operation in self.formed else "")), "")))
        return honest(self, operation, times, instruction, where, operand)

    Costs.of = of
    try:
        yield asked
    finally:
        Costs.of = honest


def asked_by(arch, launch: Launch) -> frozenset:
    """What a kernel's lowering asks the costs of; nothing where the machine refuses the kernel."""
    with _asked_for(arch) as asked:
        try:
            _device(arch).compile(launch.ptx)[launch.entry].program
        except ArchdefError:
            return frozenset()
    return frozenset(asked)


@functools.cache
def used_by(arch) -> dict:
    """Class of operation, and name of a form of it that is declared apart → the kernels whose lowering asks what it costs, those first in which it is
    what is asked for least often elsewhere."""
    each = [(launch, asked_by(arch, launch)) for launch in (launch_of(form) for form in rows())]
    known = frozenset().union(*(keys for _, keys in each))
    for name, form in arch.isa.forms.items():
        if (form.operation, name) not in known:
            each += [(launch, asked_by(arch, launch)) for launch in map(launch_of, of_pattern(form.pattern))]
    found: dict[tuple[str, str], list] = {}
    often = Counter(key for _, keys in each for key in keys)
    for launch, keys in each:
        for key in keys:
            found.setdefault(key, []).append((sum(often[other] < often[key] for other in keys), launch))
    return {key: [launch for _, launch in sorted(launches, key=lambda entry: entry[0])] for key, launches in found.items()}


# --------------------------------------------------------------------------------------------- operations beside each other
_TILE = "{{{{.reg .b32 a; and.b32 a,{{x}},1020; mov.b32 %at,tile; add.s32 a,a,%at; {};}}}}"
_IN_ARRAY = "{{{{.reg .b64 a; .reg .b32 b; and.b32 b,{{x}},1020; cvt.u64.u32 a,b; add.u64 a,a,%in; {};}}}}"
_APART = ("{{{{.reg .b32 a,e; .reg .b64 c,d; .reg .f32 f; .reg .f64 g; .reg .b16 h; mov.u32 a,%tid.x; shr.u32 a,a,1; shl.b32 a,a,6; and.b32 a,a,4032; add.s32 a,a,%at; "
          "mov.b32 e,{{y}}; cvt.u64.u32 c,{{w}}; mov.f32 f,0f3F800000; mov.f64 g,0d3FF0000000000000; mov.b16 h,5; {};}}}}")
_IN_ARRAY_APART = ("{{{{.reg .b64 a; .reg .b32 b,e; .reg .f32 f; mov.u32 b,%tid.x; shr.u32 b,b,1; shl.b32 b,b,3; and.b32 b,b,2040; cvt.u64.u32 a,b; add.u64 a,a,%in; "
                   "mov.b32 e,{{y}}; mov.f32 f,0f3F800000; {};}}}}")
MORE_STEPS = {
    "mul_wide_s16": Step("u32", "{{.reg .b16 a,b; mov.b32 {{a,b}},{x}; mul.wide.s16 {x},a,b; add.s32 {x},{x},{y};}}", ("int_mul16",)),
    "logic_pred": Step("u32", "{{.reg .pred p,q,r; setp.lt.s32 p,{x},{y}; setp.gt.s32 q,{w},{z}; xor.pred r,p,q; and.pred q,r,p; or.pred p,q,r; "
                              "selp.b32 {x},{z},{w},p; selp.b32 {w},{y},{x},q; selp.b32 {x},{x},{w},r;}}", ("predicate",)),
    "special": Step("u32", "{{.reg .b32 a; mov.u32 a,%smid; xor.b32 {x},{x},a;}}", ("special_register",)),
    "clock": Step("u32", "{{.reg .b32 a,b; mov.u32 a,%clock; mov.u32 b,%clock; sub.s32 a,b,a; xor.b32 {x},{x},a;}}", ("clock",), features=("clock",)),
    "branch": Step("u32", "{{.reg .pred p; setp.lt.u32 p,{x},{y}; @p bra ON; shr.u32 {x},{x},1; mad.lo.s32 {x},{x},{w},{z}; mad.lo.s32 {x},{x},{w},{y}; "
                          "mad.lo.s32 {x},{x},{w},{z}; mad.lo.s32 {x},{x},{w},{y}; mad.lo.s32 {x},{x},{w},{z}; ON: }}", ("branch",)),
    "mma_m8n8k4": Step("u32", "{{.reg .b32 d<4>; mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16 {{d0,d1,d2,d3}},{{{x},{w}}},{{{y},{z}}},{{{x},{w},{y},{z}}}; "
                              "xor.b32 {x},d0,d1;}}", ("matrix_f16_m8n8k4",), features=("matrix",), target=70, version="6.4"),
    "mma_m8n8k4_f32": Step("u32", "{{.reg .f32 d<8>; .reg .b32 e; " + "".join(f"mov.b32 d{k},{{y}}; " for k in range(8)) + "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 "
                           "{{d0,d1,d2,d3,d4,d5,d6,d7}},{{{x},{w}}},{{{y},{z}}},{{d0,d1,d2,d3,d4,d5,d6,d7}}; mov.b32 e,d0; xor.b32 {x},e,{y};}}", ("matrix_f16_m8n8k4",),
                           features=("matrix",), target=70, version="6.4"),
    "wmma_f16": Step("u32", "{{.reg .b32 d<4>; wmma.mma.sync.aligned.row.col.m16n16k16.f16.f16 {{d0,d1,d2,d3}},{{{x},{w},{y},{z},{x},{w},{y},{z}}},"
                            "{{{y},{z},{x},{w},{y},{z},{x},{w}}},{{{x},{w},{y},{z}}}; xor.b32 {x},d0,d1;}}", ("matrix_f16_m16n8k16",), features=("matrix",), target=70, version="6.4"),
    "wmma_f32": Step("u32", "{{.reg .f32 d<8>; .reg .b32 e; " + "".join(f"mov.b32 d{k},{{y}}; " for k in range(8)) + "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
                     "{{d0,d1,d2,d3,d4,d5,d6,d7}},{{{x},{w},{y},{z},{x},{w},{y},{z}}},{{{y},{z},{x},{w},{y},{z},{x},{w}}},{{d0,d1,d2,d3,d4,d5,d6,d7}}; "
                     "mov.b32 e,d0; xor.b32 {x},e,{y};}}", ("matrix_f16_m16n8k16",), features=("matrix",), target=70, version="6.4"),
    "mma_m16n8k16": Step("u32", "{{.reg .b32 d<2>; mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{d0,d1}},{{{x},{w},{y},{z}}},{{{y},{z}}},{{{x},{w}}}; "
                                "xor.b32 {x},d0,d1;}}", ("matrix_f16_m16n8k16",), features=("matrix_tall",), target=80, version="7.0"),
    "call": Step("u32", "{{.param .b32 a; .param .b32 b; st.param.b32 [a],{x}; call (b), away, (a); ld.param.b32 {x},[b];}}", ("call",), features=("device_calls",)),
    "setp_selp_f16": Step("u32", "{{.reg .b16 a,b; .reg .pred p; mov.b32 {{a,b}},{x}; setp.lt.f16 p,a,b; selp.b32 {x},{z},{w},p;}}", ("fp16_compare",), features=("fp16",),
                          target=53),
    "barrier": Step("u32", "bar.sync 0; xor.b32 {x},{x},{y};", ("barrier",)),
    "fence": Step("u32", "membar.gl; st.global.u32 [%in+8192],{x};", ("fence",)),
    "load_shared": Step("u32", _TILE.format("ld.shared.u32 {x},[a]"), ("load_shared",)),
    "store_shared": Step("u32", _TILE.format("st.shared.u32 [a],{w}; add.s32 {x},{x},{y}"), ("store_shared",)),
    "atomic_shared": Step("u32", _TILE.format("atom.shared.add.u32 {x},[a],{w}"), ("atomic_shared",), features=("atomics_shared",)),
    "load_global": Step("u32", _IN_ARRAY.format("ld.global.u32 {x},[a]"), ("load_global",)),
    "store_global": Step("u32", _IN_ARRAY.format("st.global.u32 [a],{w}; add.s32 {x},{x},{y}"), ("store_global",)),
    "atomic_global": Step("u32", _IN_ARRAY.format("atom.global.add.u32 {x},[a],{w}"), ("atomic_global",), features=("atomics_global",)),
    **{name: Step("f32", text, (), (1.5, 1.0, 1.25, 1.0)) for name, text in {
        "cos": "cos.approx.f32 {x},{x};", "ex2": "ex2.approx.f32 {x},{x};", "lg2": "lg2.approx.f32 {x},{x};", "sqrt": "sqrt.approx.f32 {x},{x};",
        "rsqrt": "rsqrt.approx.f32 {x},{x};", "div_full": "div.full.f32 {x},{x},{y};", "div_approx": "div.approx.f32 {x},{x},{y};",
        "cvt_rni": "cvt.rni.f32.f32 {x},{x};"}.items()},
    **{name: Step("u32", text, (), target=75 if "x2" in name else 53, version="7.0") for name, text in {
        "brev": "brev.b32 {x},{x};", "clz": "clz.b32 {x},{x};", "bfi": "bfi.b32 {x},{x},{w},3,7;", "rem_u": "rem.u32 {x},{w},{x};", "div_u": "div.u32 {x},{w},{x};",
        "cvt_s16": "{{.reg .f32 f; .reg .b16 h; mov.b32 f,{x}; cvt.rzi.s16.f32 h,f; cvt.u32.u16 {x},h;}}",
        "cvt_s8": "{{.reg .f32 f; .reg .b16 h; mov.b32 f,{x}; cvt.rzi.s8.f32 h,f; cvt.u32.u16 {x},h;}}",
        "cvt_f16_f32": "{{.reg .f32 f; .reg .b16 h; mov.b32 f,{x}; cvt.rn.f16.f32 h,f; cvt.u32.u16 {x},h;}}",
        "cvt_f32_f16": "{{.reg .f32 f; .reg .b16 h,g; mov.b32 {{h,g}},{x}; cvt.f32.f16 f,h; mov.b32 {x},f;}}",
        "ex2_x2": "ex2.approx.f16x2 {x},{x};", "tanh_x2": "tanh.approx.f16x2 {x},{x};"}.items()},
    **{name: Step("f64", text, (), (1.5, 1.0, 1.25, 1.0)) for name, text in {
        "rcp_f64": "rcp.approx.ftz.f64 {x},{x};", "rsqrt_f64": "rsqrt.approx.ftz.f64 {x},{x};"}.items()},
    **{f"shared {text}": Step("u32", _APART.format(f"{text}; cvt.u32.u64 {{x}},d; mov.b32 e,{{x}}; xor.b32 {{x}},{{x}},{{y}}" if "64 " in text else f"{text}; xor.b32 {{x}},e,{{y}}"),
                              (), target=90, version="7.8") for text in (
        "atom.shared.add.u32 e,[a],1", "atom.shared.add.u32 e,[a],{w}", "red.shared.add.u32 [a],1", "atom.shared.cas.b32 e,[a],{x},{w}", "atom.shared.cas.b64 d,[a],c,c",
        "atom.shared.exch.b64 d,[a],c", "atom.shared.exch.b32 e,[a],{w}", "red.shared.add.f32 [a],f", "atom.shared.add.f32 f,[a],f", "red.shared.add.f64 [a],g",
        "red.shared.add.noftz.f16x2 [a],{w}", "red.shared.add.noftz.f16 [a],h", "atom.shared.add.u64 d,[a],c", "atom.shared.and.b64 d,[a],c", "atom.shared.min.u64 d,[a],c",
        "atom.shared.cas.b16 h,[a],h,h", "atom.shared.max.u32 e,[a],{w}")},
    **{f"global {text}": Step("u32", _IN_ARRAY_APART.format(f"{text}; xor.b32 {{x}},e,{{y}}"), (), target=90, version="7.8") for text in (
        "atom.global.cas.b32 e,[a],{x},{w}", "red.global.add.f32 [a],f", "atom.global.add.f32 f,[a],f", "atom.global.exch.b32 e,[a],{w}", "red.global.add.u32 [a],{w}",
        "atom.acq_rel.gpu.global.add.u32 e,[a],{w}", "red.release.gpu.global.add.u32 [a],{w}", "st.release.gpu.global.u32 [a],{w}", "ld.acquire.gpu.global.u32 e,[a]",
        "membar.gl", "membar.sys", "fence.acq_rel.gpu", "fence.acq_rel.sys", "fence.sc.gpu", "fence.sc.sys")},
    "load_constant": Step("u32", "{{.reg .b64 a; .reg .b32 b; and.b32 b,{x},1020; cvt.u64.u32 a,b; add.u64 a,a,%known; ld.const.u32 {x},[a];}}", ("load_constant",)),
}
"""Steps, as those of microbenchmarks, of classes that those have no chains of."""
SIDE_BY_SIDE, REPEATED = 3, 10


@functools.cache
def _asked_by_steps(arch) -> dict:
    return {name: asked_by(arch, crowded(arch, name)) for name, step in {**STEPS, **MORE_STEPS}.items() if arch.isa.features.issuperset(step.features)}


@functools.cache
def steps_of(arch, operation: str, form: str = "") -> tuple[str, ...]:
    """Names of the steps that hold a class of operation, or of those whose code asks for the cost of a form of it, and that a machine has."""
    if form:
        return tuple(name for name, asked in _asked_by_steps(arch).items() if (operation, form) in asked)[:4]
    named = tuple(name for name, step in {**STEPS, **MORE_STEPS}.items() if operation in step.classes and arch.isa.features.issuperset(step.features))
    return named or tuple(name for name, asked in _asked_by_steps(arch).items() if (operation, "") in asked)[:4]


@functools.cache
def step_on(arch, unit: str) -> str | None:
    """Name of the step whose operations take least time, all of them on a unit."""
    for name, step in {**STEPS, **MORE_STEPS}.items():
        costs = [arch.isa.operations.get(one) for one in step.classes]
        if all(cost is not None and cost.unit == unit and cost.issues == 1 for cost in costs) and arch.isa.features.issuperset(step.features):
            return name
    return None


_AWAY = """.const .align 16 .u32 known[1024];
.func (.param .b32 back) away (.param .b32 n)
{ .reg .pred %q; .reg .b32 %s<4>; ld.param.u32 %s1, [n]; setp.lt.u32 %q, %s1, 9; @%q bra LAST; call (back), away, (n); LAST: xor.b32 %s1, %s1, 5;
  st.param.b32 [back], %s1; ret; }
"""


def crowded(arch, *names: str) -> Launch:
    """A block of many warps, in each of which chains of all the steps stand side by side."""
    steps = [{**STEPS, **MORE_STEPS}[name] for name in names]
    lanes, declared, loaded, stored, body = arch.warp.size, "", "", "", []
    known = {"all": hex((1 << lanes) - 1), "clamp": hex(lanes - 1)}
    for n, step in enumerate(steps):
        kind, bits, at = TYPE[step.type], f"b{step.type[1:]}", f"%s{n}"
        declared += f"    .reg {kind} {at}x<{SIDE_BY_SIDE}>, {at}w<{SIDE_BY_SIDE}>, {at}y, {at}z;\n"
        chains = [{"x": f"{at}x{k}", "w": f"{at}w{k}", "y": f"{at}y", "z": f"{at}z", **known} for k in range(SIDE_BY_SIDE)]
        loaded += "".join(f"    ld.global.{bits} {chain[word]}, [%in+{8 * (4 * n + m)}];\n" for chain in chains for m, word in enumerate("xw"))
        loaded += f"    ld.global.{bits} {at}y, [%in+{32 * n + 16}]; ld.global.{bits} {at}z, [%in+{32 * n + 24}];\n"
        stored += "".join(f"    st.global.{bits} [%in+{4096 + 64 * n + 16 * k + 8 * m}], {chain[word]};\n"
                          for k, chain in enumerate(chains) for m, word in enumerate("xw"))
        text = step.body(arch.isa.features, lanes)
        body.append([f"    {text.format(**chain)}\n" for chain in chains])
    lines = "".join(line for side in zip(*body) for line in side) * REPEATED
    head = "    .reg .u64 %in, %known; .reg .b32 %at; .shared .align 16 .b8 tile[4096]; ld.param.u64 %in, [in]; mov.u64 %known, known;\n"
    head += "    mov.u32 %at, tile;\n" if "%at" in lines else ""
    text = module(head + declared + loaded + lines + stored, ".param .u64 in", target=max(step.target for step in steps),
                  version=max(step.version for step in steps), variables=_AWAY)
    words = np.zeros(2048, "u8")
    words[:4 * len(steps)] = [word for step in steps for word in step.words()]
    return Launch(text, (words,), (1,), (block_threads(arch, 16 * lanes, 32),))


def crowd(*names: str):
    """Run chains of steps side by side in many warps."""
    return lambda arch: _launched(arch, crowded(arch, *names))


PROBE_KINDS = {
    "limits": limits, "properties": host_properties, "most shared memory": most_shared_memory, "host": host, "accesses over links": links, "clusters": clusters,
    **{f"sample {name}": sample(name) for name in ("stream", "strided", "shared", "divergent", "floats", "constants", "local")},
    **{name: textured(name, 256) if "image" in BODIES[name][0] else traffic(name) for name in BODIES},
    "textures beside all in many blocks": textured("textures beside all", 256, 4), "doubles beside all in many blocks": traffic("doubles beside all", 4),
    "one warp of doubles": traffic("doubles beside all", most=32), "one warp of textures": textured("textures beside all", 32),
    "doubles and textures in many blocks": textured("doubles and textures", 256, 4),
    "one warp of constants": traffic("constants", most=32), "gather beside shared memory": traffic("store and read back", shared=1 << 16),
    "lines of one set by one warp": traffic("lines of one set", most=32), **{f"{lines} lines each beside {kib} KiB": traffic(f"{lines} lines each", shared=kib << 10) for lines in (3, 4, 5) for kib in (2, 8, 30, 72)},
    "lines of one set of four beside 72 KiB": traffic("lines of one set of four", shared=72 << 10), "lanes of constants by one warp": traffic("lanes of constants", most=32), "matches": matches, "many print": many_print,
    **{f"pages by {name}": pages(name) for name in PAGE_WALKS}, "launched by kernels": launched_by_kernels, "surfaces": surfaces, "matrix numbers": matrix_numbers,
    **{f"products of {type}": products_of(type) for type in ("tf32", "bf16", "e4m3", "f16")}, "bulk copies": bulk_copies, "bulk copies beside all": bulk_copies_beside_all, "filtered": filtered, "in turn": in_turn, "places of blocks": places_of_blocks, "private memory": private_memory,
    "chains in many blocks": traffic("chains", 6), "banks in many blocks": traffic("banks", 6), "lines in many blocks": traffic("lines again", 6),
    **{f"feature {name}": feature(name) for name in PROBES},
    **{f"form {name}": one_instruction(name) for name in ("mad.f32", "mad.rn.f32", "mad.ftz.f32")},
    "products in many warps": crowd("mma_m8n8k4"), "large products in many warps": crowd("mma_m16n8k16"),
    "reduction": shipped("reduction", 16384), "matmul": shipped("matmul", 64), "transpose": shipped("transpose", 64),
    "divergence": shipped("divergence", 4096), "vector add": shipped("vector_add", 8192),
    **{f"issued for {path.stem}": issued_for(path) for path in PTX},
    "assembled": issued_for(*KERNELS.values()), "assembled for debugging": issued_for(*KERNELS.values(), debug=True),
    "loads spread": bench("global_latency", footprint_bytes=1 << 20, stride_bytes=256),
    "loads spread near": bench("global_latency", footprint_bytes=160 << 10, stride_bytes=256), "code far": bench("code", instructions=12288),
    **{f"loads by 192 bytes of {kib} KiB": bench("global_latency", footprint_bytes=kib << 10, stride_bytes=192) for kib in (48, 96)},
    "code": bench("code", instructions=4096), "code of many": bench("code", instructions=1024, warps=4),
    **{f"textures {more} bytes beyond {kib} KiB": bench("texture_latency", footprint_bytes=(kib << 10) + more, stride_bytes=stride)
       for kib, more, stride in ((12, 512, 128), (16, 128, 32), (24, 512, 32), (48, 512, 128), (64, 2048, 128), (96, 128, 32), (128, 256, 128), (192, 6144, 128), (192, 256, 128), (256, 8192, 128))},
    "textures never read before": bench("texture_latency", footprint_bytes=8192, stride_bytes=32, warm=False),
    "constants just beyond 32 KiB": bench("constant_latency", footprint_bytes=(32 << 10) + 2048),
    "constants a little beyond 32 KiB": bench("constant_latency", footprint_bytes=(32 << 10) + 64),
    "all constants": bench("constant_latency", footprint_bytes=64 << 10),
    **{f"textures in {kib} KiB": bench("texture_latency", footprint_bytes=kib << 10) for kib in (2, 7, 11, 20)},
    "textures": bench("texture_latency", footprint_bytes=65536), "textures far": bench("texture_latency", footprint_bytes=1 << 20),
    "constants near": bench("constant_latency", footprint_bytes=4096), "constants far": bench("constant_latency", footprint_bytes=32768),
    "loads near": bench("global_latency", footprint_bytes=32768), "loads far": bench("global_latency", footprint_bytes=1 << 22, stride_bytes=4096),
    "adds to words of shared memory": bench("shared_atomic_throughput", stride_words=0), "atomics": bench("global_atomic_throughput", pattern="one word"),
    "atomics of lanes": bench("global_atomic_latency", lanes=8), "barrier": bench("barrier", warps=4), "fence": bench("fence", scope="device"),
    "residency": bench("residency", threads=64), "launches": bench("launch", blocks=64, threads=64),
    "L1": bench("l1_throughput"), "writes": bench("dram_bandwidth", kind="write", word_bytes=4, warps=8),
    "copies": bench("dram_bandwidth", kind="copy", word_bytes=16, warps=8), "L2": bench("l2_bandwidth", warps=8),
}
"""Name → probe, the cheap ones first."""
