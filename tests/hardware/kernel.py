"""A small PTX kernel for one form of an instruction.

Every kernel has the parameters (input columns, output columns, 16 bytes by value), columns being arrays of `TUPLES` 8-byte slots. Thread t
loads slot t of each input column, executes the one instruction and stores its results to slot t of the output columns.
"""
from __future__ import annotations

from typing import NamedTuple

from operands import TUPLES, Column, bits_of

HEAD = ".version 8.6\n.target sm_90\n.address_size 64\n"
THREADS = 256


class CannotWrite(Exception):
    """No kernel is made of a form; the message says why."""


class Form(NamedTuple):
    """A kernel: its name, its input columns, bytes of each result, and its body."""

    name: str
    columns: tuple[Column, ...]
    results: tuple[int, ...]
    body: str

    def kernel(self, entry: str) -> str:
        """PTX of the kernel."""
        load = []
        for k, (kind, *_) in enumerate(self.columns):
            load.append(f"ld.global.b{width(kind)} {register(kind, k)}, [%d30+{k * TUPLES * 8}];" if kind != "pred" else
                        f"ld.global.b32 %r{k}, [%d30+{k * TUPLES * 8}];\nsetp.ne.u32 %p{k}, %r{k}, 0;")
        store = [f"st.global.b{8 * n} [%d31+{j * TUPLES * 8}], {register(f'b{8 * n}', 10 + j)};" for j, n in enumerate(self.results)]
        return PROLOGUE.replace("@", entry) + "\n".join([*load, self.body, *store, "ret;\n}\n"])


PROLOGUE = f""".visible .entry @(.param .u64 pin, .param .u64 pout, .param .align 16 .b8 pv[16])
{{
.reg .pred %p<20>;
.reg .b16 %h<32>;
.reg .b32 %r<40>;
.reg .b64 %d<40>;
.reg .b128 %q<4>;
.shared .align 16 .b8 sh[4096];
.local .align 16 .b8 lo[16];
mov.u32 %r30, %tid.x;
mov.u32 %r31, %ctaid.x;
mad.lo.u32 %r31, %r31, {THREADS}, %r30;
ld.param.u64 %d32, [pin];
ld.param.u64 %d33, [pout];
mul.wide.u32 %d34, %r31, 8;
add.u64 %d30, %d32, %d34;
add.u64 %d31, %d33, %d34;
mul.wide.u32 %d35, %r31, 16;
add.u64 %d32, %d32, %d35;
add.u64 %d33, %d33, %d35;
mul.wide.u32 %d35, %r30, 16;
mov.u64 %d36, sh;
add.u64 %d36, %d36, %d35;
"""
"""%r31 thread, %r30 thread of the block; %d30, %d31 the thread's first slots; %d32, %d33 its 16 bytes of input and output,
%d36 of shared memory."""
CONSTANT = ".const .align 16 .b8 cs[256] = {" + ",".join(str(k * 37 & 255) for k in range(256)) + "};\n"


def width(kind: str) -> int:
    """Bits of the register of an operand."""
    return 32 if kind == "pred" else max(16, bits_of(kind))


def register(kind: str, number: int) -> str:
    """Name of a register."""
    return f"%p{number}" if kind == "pred" else {16: "%h", 32: "%r", 64: "%d"}[width(kind)] + str(number)


def columns(kinds, warps: bool = False) -> tuple[Column, ...]:
    """Columns of operands in order."""
    return tuple(Column(kind, place, len(kinds) == 1 and not warps, warps) for place, kind in enumerate(kinds))


def module(forms: list[Form]) -> str:
    """PTX of a module with the kernels k0, k1, …"""
    return HEAD + CONSTANT + "".join(form.kernel(f"k{k}") for k, form in enumerate(forms))
