"""Kernels around the forms that `archdef.testing.forms` has no kernel for: tiles and fragments in memory, products of warpgroups, tensor maps."""
from __future__ import annotations

import re
from collections.abc import Iterator

import attrs
import numpy as np

from archdef.testing.compare import Launch
from archdef.testing.forms import Form

THREADS, BYTES, BARRIER = 128, 16384, 12288
HEAD = f""".version 8.6
.target sm_90a
.address_size 64
.shared .align 1024 .b8 sh[{BYTES}];
.visible .entry k(.param .u64 in, .param .u64 out, .param .align 64 .b8 map[128])
{{ .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<160>; .reg .f32 %f<160>; .reg .b64 %rd<40>; .reg .f64 %fd<16>;
  ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u64 %rd3, sh; cvta.shared.u64 %rd4, %rd3; mov.u32 %r1, sh; add.u32 %r2, %r1, {BARRIER}; mov.u32 %r3, %tid.x;
  mov.b64 %rd5, map; cvta.param.u64 %rd6, %rd5; mov.u64 %rd7, 0x4000004000010000; mov.u64 %rd8, 0x4000004000010000; createpolicy.fractional.L2::evict_last.b64 %rd9;
  mov.u32 %r4, 64; mov.u16 %h1, 0; mov.u16 %h2, 0; mov.u16 %h3, 0; mov.u16 %h4, 1; setp.eq.u32 %p1, %r3, 0; setp.eq.u32 %p2, %r4, 64;
  mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; mov.u32 %r13, 0; mov.u32 %r14, 0; mov.u32 %r5, 1; mov.u64 %rd10, 64;
  and.b32 %r6, %r3, 15; shl.b32 %r6, %r6, 4; cvt.u64.u32 %rd11, %r6; add.u64 %rd11, %rd11, %rd3; add.u64 %rd12, %rd11, %rd4; sub.u64 %rd12, %rd12, %rd3;
  @%p1 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0;
"""
WHERE = {"global": "%rd2", "shared": "%rd3", "shared::cta": "%rd3", None: "%rd4", "": "%rd4"}


@attrs.frozen
class Map:
    """An argument that is a tensor map of the first array."""

    rank: int
    pixels: bool

    def on_device(self, device, array) -> bytes:
        """Make it."""
        shape = {1: (256,), 2: (16, 16), 3: (4, 8, 8), 4: (2, 4, 4, 8), 5: (2, 2, 2, 4, 8)}[self.rank]
        how = dict(lower=[0] * (self.rank - 2), upper=[0] * (self.rank - 2), channels=4, pixels=4) if self.pixels else dict(box=[4] + [2] * (self.rank - 1))
        return bytes(device.tensor_map(array, type="u32", shape=shape[::-1], **how))


def _listed(prefix: str, first: int, count: int) -> str:
    return "{" + ", ".join(f"%{prefix}{first + k}" for k in range(count)) + "}"


def _prefix(type: str) -> str:
    return {"f32": "f", "f64": "fd"}.get(type, "r")


def _fragments(form: Form) -> Iterator[str]:
    """With as many registers as there may be: the first that compiles is the right one."""
    where, named = WHERE[form.bound.get("space")], _prefix(form.types[0])
    for count in (8, 4, 2, 1):
        held = _listed(named, 60 if named != "fd" else 1, count)
        used = f"st.global.{'b32' if named == 'r' else form.types[0]} [%rd2], {held[1:].split(',')[0].rstrip('}')};"      # what nobody reads is not loaded
        yield f"{form.name} {held}, [{where}], %r4; {used}" if form.row.builder == "wmma_load" else f"{form.name} [{where}], {held}, %r4;"


def _tiles(form: Form) -> Iterator[str]:
    held, where = _listed("r", 60, int(form.bound["num"][1:])), "%rd11" if form.bound.get("space") else "%rd12"
    yield f"{form.name} {held}, [{where}]; st.global.b32 [%rd2], %r60;" if form.row.builder == "matrix_load" else f"{form.name} [{where}], {held};"


def _product(form: Form) -> Iterator[str]:
    columns = int(re.search(r"n(\d+)k", form.name)[1])
    held = _listed("r", 20, columns // 4) if form.types[0] == "f16" else _listed("f" if form.types[0] == "f32" else "r", 20, columns // 2)
    last = {"f16": ", 1, 1, 0, 0", "bf16": ", 1, 1, 0, 0", "tf32": ", 1, 1", "e4m3": ", 1, 1", "e5m2": ", 1, 1"}.get(form.types[1], "")
    for first in ("%rd7", "{%r10, %r11, %r12, %r13}"):
        yield (f"wgmma.fence.sync.aligned;\n  {form.name} {held}, {first}, %rd8, %p2{last if first[0] == '%' else last.removesuffix(', 0')};\n"
               "  wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;")


def _rank(form: Form) -> int:
    return next(int(word[0]) for word in form.modifiers if re.fullmatch(r"[1-5]d", word))


def _box(form: Form) -> Iterator[str]:
    rank, hint = _rank(form), ", %rd9" if "L2::cache_hint" in form.modifiers else ""
    box = f"[%rd6, {_listed('r', 10, rank)}]"
    if "bulk_group" in form.modifiers:
        yield f"@%p1 {form.name} {box}, [%r1]{hint};\n  cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;"
        return
    more = (", " + _listed("h", 1, rank - 2) if "im2col" in form.modifiers else "") + (", %h4" if "multicast::cluster" in form.modifiers else "")
    yield f"@%p1 {form.name} [%r1], {box}, [%r2]{more}{hint};"


def _replaced(form: Form) -> Iterator[str]:
    where, value = WHERE[form.bound.get("space")], "%rd10" if form.types[-1] == "b64" else "%r5"
    for text in (f"{value}", f"0, {value}", "1", "0, 1"):
        yield f"{form.name} [{where}], {text};"


def _map_copy(form: Form) -> Iterator[str]:
    yield f"{form.name} [%rd2], [%rd3], 128;"


STATEMENTS = {"wmma_load": _fragments, "wmma_store": _fragments, "matrix_load": _tiles, "matrix_store": _tiles, "group_product": _product,
              "tensor_copy": _box, "map_replace": _replaced,
              "map_copy": _map_copy}


def launches(form: Form) -> Iterator[Launch]:
    """Give kernels of a form, of which those that compile are right."""
    for statement in STATEMENTS[form.row.builder](form) if form.row.builder in STATEMENTS else ():
        map = Map(_rank(form), any("im2col" in word for word in form.modifiers)) if form.row.builder == "tensor_copy" else Map(2, False)
        yield Launch(f"{HEAD}  {statement}\n  ret; }}\n", (np.zeros(BYTES // 4, "u4"), np.zeros(BYTES // 4, "u4"), map), (1,), (THREADS,))
