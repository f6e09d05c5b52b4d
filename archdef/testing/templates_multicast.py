"""Kernels around accesses at multicast addresses."""
from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from archdef.ptx.table import bits_of
from archdef.testing import values
from archdef.testing.compare import Launch, Mapped
from archdef.testing.templates import BLOCKS, THREADS, base, kernel, template

if TYPE_CHECKING:
    from archdef.testing.forms import Form

_CELL = 64
"""Bytes of a thread: what is there, then operands."""


@template("multimem_load", "multimem_store", "multimem_reduce")
def multicast(form: Form) -> Launch:
    """An access of the thread's cell through its multicast address: what was loaded, or what the cell holds afterwards."""
    type, count = form.types[0], int((form.bound.get("vec") or "v1")[1:])
    bits = bits_of(type)
    held = {8: "%b", 16: "%h", 32: "%r", 64: "%rd"}[bits] if type not in ("f32", "f64") else "%f" if bits == 32 else "%fd"
    names = [f"{held}{k + 1}" for k in range(count)]
    listed = "{" + ", ".join(names) + "}" if count > 1 else names[0]
    body = "    .reg .b8 %b<16>;\n" + base("%rd30", "in", _CELL) + base("%rd31", "out", 16) + base("%rd20", "many", _CELL)
    if form.row.builder == "multimem_load":
        body += f"    {form.name} {listed}, [%rd20];\n"
        body += "".join(f"    st.global.b{bits} [%rd31+{k * bits // 8}], {name};\n" for k, name in enumerate(names))
    else:
        body += "".join(f"    ld.global.b{bits} {name}, [%rd30+{_CELL // 2 + k * bits // 8}];\n" for k, name in enumerate(names))
        body += f"    {form.name} [%rd20], {listed};\n    ld.global.v2.b64 {{%rd22, %rd23}}, [%rd30]; st.global.v2.b64 [%rd31], {{%rd22, %rd23}};\n"
    drawn = type if bits > 8 and type[0] != "e" else f"b{bits}" if bits > 8 else "b16"
    per = _CELL * 8 // max(bits, 16)
    data = np.array(values.rows(form.seed, [drawn] * per, THREADS * BLOCKS), dtype="u8").astype(f"<u{max(bits, 16) // 8}")
    cells, out = np.ascontiguousarray(data).view("u8"), np.zeros((THREADS * BLOCKS, 2), "u8")
    text = kernel(body, ".param .u64 in, .param .u64 out, .param .u64 many")
    return Launch(text, (cells, out, Mapped(0)), grid=(BLOCKS,), block=(THREADS,))
