"""What the device runtime has for graphs whose nodes decide what runs: a condition is a number in memory, and its handle the address of that."""
from __future__ import annotations

from typing import Final

from archdef.ptx.ir import Module
from archdef.ptx.link import extend
from archdef.ptx.parse import parse

_NAME: Final = "cudaGraphSetConditional"
_TEXT: Final = f""".version 6.0
.target sm_20
.address_size 64
.visible .func {_NAME}(.param .b64 handle, .param .b32 value)
{{
    .reg .b32 %r<2>; .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [handle]; ld.param.u32 %r1, [value]; st.volatile.global.u32 [%rd1], %r1;
    ret;
}}
"""


def with_conditions(module: Module) -> Module:
    """Add the function by which kernels set a condition, where a module declares it and has it not."""
    declared = module.functions.get(_NAME)
    return module if declared is None or declared.defined else extend(module, parse(_TEXT, _NAME))
