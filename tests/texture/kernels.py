"""PTX kernels made for one texture or surface instruction, and machines to run them on."""
from __future__ import annotations

import numpy as np

import archdef
from archdef.registry import names as installed

LETTERS = "xyzw"
FEATURES = {"a1d": "texture_layered", "a2d": "texture_layered", "cube": "texture_cubemap", "acube": "texture_cubemap"}


def kernel(instruction: str, inputs: str, results: int, *, result: str = "b32", name: str = "k", head: str = "") -> str:
    """A kernel whose thread i reads its inputs (type letters, `f` or `s`) from arrays, and stores `results` values.

    `instruction` names inputs ``{0}``, ``{1}`` …, results ``{d}``, the handle ``{t}`` and the thread's number ``{i}``.
    """
    kinds = {"f": "f32", "s": "s32"}
    width = int(result[1:]) // 8
    loads = "".join(f"""
        ld.param.u64 %rd4, [in{k}]; add.s64 %rd5, %rd4, %rd3; ld.global.{kinds[kind]} %{kind}{k}, [%rd5];"""
                    for k, kind in enumerate(inputs))
    registers = ", ".join(f"%d{k}" for k in range(results))
    stores = "".join(f"st.global.{result} [%rd9+{width * k}], %d{k};\n" for k in range(results))
    body = instruction.format(*(f"%{kind}{k}" for k, kind in enumerate(inputs)), d="{" + registers + "}", t="%rd1", i="%r1")
    parameters = ", ".join([".param .u64 texture", ".param .u64 out", ".param .u32 n",
                            *(f".param .u64 in{k}" for k in range(len(inputs)))])
    return f""".version 7.0
.target sm_50
.address_size 64
{head}
.visible .entry {name}({parameters})
{{
    .reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<12>; .reg .f32 %f<9>; .reg .s32 %s<9>; .reg .{result} %d<9>;
    ld.param.u64 %rd1, [texture];
    ld.param.u64 %rd2, [out];
    ld.param.u32 %r2, [n];
    mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x; mov.u32 %r5, %tid.x; mad.lo.s32 %r1, %r3, %r4, %r5;
    setp.ge.u32 %p1, %r1, %r2;
    @%p1 bra DONE;
    mul.wide.u32 %rd3, %r1, 4;{loads}
    mul.wide.u32 %rd8, %r1, {width * max(results, 1)};
    add.s64 %rd9, %rd2, %rd8;
    {body}
    {stores}
DONE:
    ret;
}}
"""


def run(device, source: str, handle, inputs, results: int, dtype="u4", *, threads: int = 64):
    """Run a kernel of `kernel`; give what it stored, shape (n, results), and the run."""
    n = len(inputs[0])
    arrays = [device.to_device(np.ascontiguousarray(a)) for a in inputs]
    out = device.zeros((n, max(results, 1)), dtype)
    launched = device.compile(source).k[-(-n // threads), threads](handle, out, n, *arrays)
    return out.to_host(), launched


def machines(*features: str) -> list[str]:
    """Installed architectures with these features."""
    return [name for name in installed() if set(features) <= archdef.Device(name).architecture.isa.features]
